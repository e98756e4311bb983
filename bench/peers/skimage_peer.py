"""scikit-image, on one thread: it has no more."""
import numpy as np
import skimage
from skimage.transform import resize, warp

from common import KERNEL, MORE, SAME, Job, Unable, centred, image

ORDER = {"nearest": 0, "linear": 1, "cubic": 3}


def versions():
    return f"scikit-image {skimage.__version__}"


def setup(case):
    kind = case["kind"]
    if kind not in ("affine", "perspective", "scale"):
        raise Unable("images in memory only")
    order = ORDER.get(case["interp"])
    if order is None or (kind == "affine" and case.get("reduce")):
        raise Unable("no such sampling")
    a = image(case)
    w, h = case["size"]
    kept = a.dtype

    def read(out):
        return (np.rint(out) if kept.kind != "f" else out).clip(*bounds(kept)).astype(kept)

    work = KERNEL if order == 3 else SAME
    if kind == "scale":
        x0, y0, x1, y1 = case["crop"]
        part, reduce = a[y0:y1, x0:x1], bool(case.get("reduce"))
        note = ", Gaussian first" if reduce else ""
        return Job(f"resize, order {order}{note}, float", MORE if reduce else work,
                   lambda i: resize(part, (h, w), order=order, anti_aliasing=reduce, preserve_range=True), read)
    inv = np.linalg.inv(centred(case["maps"][0]))
    return Job(f"warp, order {order}, float", work,
               lambda i: warp(a, inv, output_shape=(h, w), order=order, preserve_range=True), read)


def bounds(kind):
    return (-np.inf, np.inf) if kind.kind == "f" else (np.iinfo(kind).min, np.iinfo(kind).max)
