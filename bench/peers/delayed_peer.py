"""delayed_image: the three trees, rewriting and finalizing."""
import os
import sys
import time
import warnings

warnings.filterwarnings("ignore")

import delayed_image
import kwimage
import numpy as np
from delayed_image import DelayedChannelConcat, DelayedLoad

from common import SAME, THREADS, Job, Unable, as_pixels

try:
    import cv2

    cv2.setNumThreads(THREADS)
except ImportError:
    pass

sys.setrecursionlimit(100_000)
QUANTUM = {"orig_dtype": "float32", "orig_min": 0, "orig_max": 1, "quant_min": 0, "quant_max": 255, "nodata": None}
QUANTUM_FROM_1 = {**QUANTUM, "nodata": 0}
STEPS = [kwimage.Affine(np.array(rows + [[0, 0, 1]])) for rows in (
    [[1.4857643186215468, 0.09680881848724644, 0.17677001081544957],
     [-0.08699947692541125, 1.653286816420486, 0.07688196466420599]],
    [[1.3138868767133114, 0.44936227822453745, -0.9996773581109322],
     [-0.3690853454191851, 1.5996603700931604, -0.34498047580151225]],
    [[1.3795774621024373, 0.06232465366939505, 0.08508741374147098],
     [-0.08427237926811078, 1.0202831376350308, -0.11090642058168383]],
)]


def versions():
    return f"delayed_image {delayed_image.__version__}"


def load(path, channels="r|g|b"):
    n = DelayedLoad(path, channels=channels, dsize=(512, 512))
    n.meta["num_overviews"] = 3
    return n


def box(w, h):
    return slice(0, h), slice(0, w)


def tree1(leaf):
    return leaf.scale(0.5).crop(box(128, 128))


def tree2(leaf):
    n = leaf.scale(6).crop(box(128, 128), chan_idxs=[0, 2]).crop(box(128, 128))
    return n.dequantize(QUANTUM).crop(box(128, 128))


def tree3(leaf):
    n = leaf.get_overview(1).scale(0.4).crop(box(1024, 1024), clip=False, wrap=False)
    n = n.dequantize(QUANTUM_FROM_1)
    for step in STEPS:
        n = n.warp(step)
    return n.crop(box(64, 32))


def setup(case):
    kind = case["kind"]
    if kind == "curve":
        return curve(case)
    if kind not in ("tree", "engine"):
        raise Unable("its warps are OpenCV's")
    folder, name = os.path.split(case["tree"])
    path = os.path.join(os.path.dirname(folder), "astro.tif")
    tree = {"tree1": tree1, "tree2": tree2, "tree3": tree3}[name.removesuffix(".json")]
    if kind == "engine":
        return engine(case["what"], tree, path)
    if case["what"] == "cold":
        return Job("build, optimize, finalize", SAME, lambda i: tree(load(path)).optimize().finalize(), as_pixels)
    ready = tree(load(path)).optimize()
    return Job("finalize of the optimized tree", SAME, lambda i: ready.finalize(), as_pixels)


def engine(what, tree, path):
    """Built over one load; rewritten, each tree is new down to its load."""
    leaf = load(path)
    if what == "build":
        return Job("", SAME, timed=repeated(lambda: tree(leaf)))
    if what == "same-again":
        return Job("", SAME, timed=repeated(tree(leaf).optimize().optimize))
    if what == "optimize":
        return Job("", SAME, timed=batches(lambda: tree(load(path))))
    return Job("", SAME, timed=batches(lambda: tree(load(path)).optimize()))


def repeated(op):
    def timed(start, n):
        began = time.perf_counter()
        for _ in range(n):
            op()
        return time.perf_counter() - began

    return timed


def batches(make, batch=256):
    """Trees are made a batch at a time, as ours are."""
    def timed(start, n):
        total = 0
        while n > 0:
            trees = [make() for _ in range(min(n, batch))]
            n -= len(trees)
            began = time.perf_counter()
            for t in trees:
                t.optimize()
            total += time.perf_counter() - began
        return total

    return timed


def turn(theta):
    c, s = np.cos(theta), np.sin(theta)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])


def curve(case):
    n = case["nodes"]
    if n > 1000:
        raise Unable("too slow")
    if case["what"] == "deep":
        if n > 100:
            raise Unable("too slow")

        middle = np.array([[1, 0, 257], [0, 1, 257], [0, 0, 1.0]])
        back = np.array([[1, 0, -256], [0, 1, -256], [0, 0, 1.0]])

        def make():
            t = load("astro.tif")
            for i in range((n - 1) // 2):
                step = middle @ turn(-0.001 if i % 2 else 0.001) @ back
                t = t.warp(kwimage.Affine(step), dsize=(514, 514))
                t = t.crop((slice(1, 513), slice(1, 513)))
            return t
    else:
        def make():
            parts = []
            for i in range(max(1, n // 5)):
                t = load("astro.tif", channels=f"c{i}").scale(0.5).crop((slice(10, 110), slice(10, 110)))
                parts.append(t.dequantize(QUANTUM).scale(1.5))
            return DelayedChannelConcat(parts)
    return Job("", SAME, timed=batches(make))
