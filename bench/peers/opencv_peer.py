"""OpenCV."""
import cv2
import numpy as np

from common import COARSER, KERNEL, SAME, THREADS, Job, Unable, centred, image

cv2.setNumThreads(THREADS)

FLAGS = {"nearest": cv2.INTER_NEAREST, "linear": cv2.INTER_LINEAR, "cubic": cv2.INTER_CUBIC, "area": cv2.INTER_AREA}
NAMES = {"nearest": "INTER_NEAREST", "linear": "INTER_LINEAR", "cubic": "INTER_CUBIC (a = −0.75)", "area": "INTER_AREA"}


def versions():
    return f"OpenCV {cv2.__version__} (opencv-python-headless)"


def warp(case, pixels, out, border=0):
    """A function that warps pixels into out."""
    flags, size = FLAGS[case["interp"]], tuple(case["size"])
    m = centred(case["maps"][0])
    if case["kind"] == "perspective":
        return lambda a: cv2.warpPerspective(a, m, size, dst=out, flags=flags, borderValue=border)
    return lambda a: cv2.warpAffine(a, m[:2], size, dst=out, flags=flags, borderValue=border)


def setup(case):
    kind = case["kind"]
    if kind in ("affine", "perspective"):
        return warped(case)
    if kind == "scale":
        return scaled(case)
    if kind == "satellite":
        return satellite(case)
    if kind == "concat":
        return concat(case)
    if kind == "thumbnail":
        name, size = case["files"][0], tuple(case["size"])
        return Job("imread of the whole file, INTER_AREA", KERNEL,
                   lambda i: cv2.resize(cv2.imread(name, cv2.IMREAD_COLOR), size, interpolation=cv2.INTER_AREA),
                   lambda a: a[:, :, ::-1])
    raise Unable("reads whole files only")


def warped(case):
    if case.get("reduce"):
        raise Unable("warps without stretching the kernel")
    a = image(case)
    if a.shape[2] > 4 and case["interp"] == "cubic":
        raise Unable("cubic for up to 4 bands only")
    w, h = case["size"]
    out = np.zeros((h, w, a.shape[2]), a.dtype)
    do = warp(case, a, out)
    work = KERNEL if case["interp"] == "cubic" else SAME
    what = "warpPerspective" if case["kind"] == "perspective" else "warpAffine"
    return Job(f"{what} {NAMES[case['interp']]}, no mask", work, lambda i: do(a))


def scaled(case):
    x0, y0, x1, y1 = case["crop"]
    a = image(case)[y0:y1, x0:x1]
    w, h = case["size"]
    interp, reduce = case["interp"], case.get("reduce")
    out = np.zeros((h, w, a.shape[2]), a.dtype)
    work = KERNEL if interp == "cubic" else SAME
    note = ""
    if reduce and interp != "area":
        work, note = COARSER, ", kernel not stretched"
    return Job(f"resize {NAMES[interp]}{note}", work,
               lambda i: cv2.resize(a, (w, h), dst=out, interpolation=FLAGS[interp]))


def satellite(case):
    a = image(case)
    w, h = case["size"]
    nodata, mul, add = int(case["source"]["nodata"]), np.float32(case["multiply"]), np.float32(case["add"])
    out = np.zeros((h, w, a.shape[2]), np.float32)
    values = np.empty(a.shape, np.float32)
    size, m = (w, h), centred(case["maps"][0])[:2]

    def op(i):
        np.multiply(a, mul, out=values)
        np.add(values, add, out=values)
        values[a == nodata] = np.nan
        return cv2.warpAffine(values, m, size, dst=out, flags=cv2.INTER_LINEAR, borderValue=(np.nan,) * 4)

    return Job("NumPy arithmetic, warpAffine INTER_LINEAR of 13 bands; NaN spreads", COARSER, op)


def concat(case):
    size = tuple(case["size"])
    maps = [centred(m)[:2] for m in case["maps"]]

    def op(i):
        return cv2.merge([cv2.warpAffine(cv2.imread(f, cv2.IMREAD_UNCHANGED), m, size, flags=cv2.INTER_LINEAR)
                          for f, m in zip(case["files"], maps)])

    return Job("imread, warpAffine INTER_LINEAR, merge, no mask", SAME, op)
