"""Pillow, on one thread: it has no more."""
import numpy as np
import PIL
from PIL import Image

from common import SAME, Job, Unable, forward, image

Image.MAX_IMAGE_PIXELS = None
NAMES = {"nearest": Image.NEAREST, "linear": Image.BILINEAR, "cubic": Image.BICUBIC, "area": Image.BOX}


def versions():
    return f"Pillow {PIL.__version__}"


def picture(case):
    a = image(case)
    if a.dtype == np.uint8 and a.shape[2] in (1, 3, 4):
        return Image.fromarray(a[:, :, 0] if a.shape[2] == 1 else a)
    if a.dtype == np.float32 and a.shape[2] == 1:
        return Image.fromarray(a[:, :, 0])
    raise Unable("8-bit images of 1, 3 or 4 bands and one-band float only")


def read(p):
    a = np.asarray(p)
    return a if a.ndim == 3 else a[:, :, None]


def setup(case):
    kind = case["kind"]
    if kind in ("affine", "perspective"):
        if case.get("reduce"):
            raise Unable("warps without stretching the kernel")
        p = picture(case)
        inv = np.linalg.inv(forward(case["maps"][0]))
        inv /= inv[2, 2]
        method = Image.PERSPECTIVE if kind == "perspective" else Image.AFFINE
        data = tuple(inv.ravel()[:8 if kind == "perspective" else 6])
        size, how = tuple(case["size"]), NAMES[case["interp"]]
        return Job(f"transform {Image.Resampling(how).name}, no mask", SAME,
                   lambda i: p.transform(size, method, data, resample=how), read)
    if kind == "scale":
        p = picture(case)
        how = NAMES[case["interp"]]
        return Job(f"resize {Image.Resampling(how).name}", SAME,
                   lambda i: p.resize(tuple(case["size"]), how, box=case["crop"]), read)
    if kind == "thumbnail":
        def op(i):
            with Image.open(case["files"][0]) as p:
                return p.resize(tuple(case["size"]), Image.BILINEAR)

        return Job("the whole file, resize BILINEAR", SAME, op, read)
    raise Unable("reads whole files only")
