"""libvips. It takes its number of threads from VIPS_CONCURRENCY."""
import numpy as np
import pyvips

from common import COARSER, KERNEL, SAME, Job, Unable, centred, forward, image, tile

pyvips.cache_set_max(0)

FORMATS = {"uint8": "uchar", "uint16": "ushort", "int16": "short", "float32": "float"}
NUMPY = {v: k for k, v in FORMATS.items()}
INTERPOLATE = {"nearest": "nearest", "linear": "bilinear", "cubic": "bicubic"}


def versions():
    v = ".".join(str(pyvips.version(i)) for i in range(3))
    return f"libvips {v} (pyvips {pyvips.__version__})"


def memory(a):
    return pyvips.Image.new_from_memory(a, a.shape[1], a.shape[0], a.shape[2], FORMATS[str(a.dtype)])


def job(sampling, work, build):
    """build(i) is a pipeline, which writing to memory runs."""
    last = {}

    def op(i):
        last["image"] = out = build(i)
        return out.write_to_memory()

    def read(data):
        out = last["image"]
        return np.frombuffer(data, NUMPY[out.format]).reshape(out.height, out.width, out.bands)

    return Job(sampling, work, op, read)


def setup(case):
    kind = case["kind"]
    if kind == "affine":
        return warped(case)
    if kind == "perspective":
        return perspective(case)
    if kind == "scale":
        return scaled(case)
    if kind == "window":
        return windows(case)
    if kind == "overview":
        return job("the overview as stored", SAME, lambda i: pyvips.Image.tiffload(case["files"][0], page=1))
    if kind == "thumbnail":
        name = case["files"][0]
        return job("thumbnail: boxes, then lanczos3", KERNEL, lambda i: pyvips.Image.thumbnail(name, case["size"][0]))
    if kind == "concat":
        return concat(case)
    raise Unable("no nodata")


def affine(a, m, size, interp):
    c = centred(m)
    return a.affine([c[0, 0], c[0, 1], c[1, 0], c[1, 1]], odx=c[0, 2], ody=c[1, 2], oarea=[0, 0, *size],
                    interpolate=pyvips.Interpolate.new(INTERPOLATE[interp]), extend="background")


def warped(case):
    pixels = image(case)
    a = memory(pixels)
    work, note = SAME, ""
    if case.get("reduce"):
        work, note = COARSER, ", kernel not stretched"
    j = job(f"affine {INTERPOLATE[case['interp']]}{note}, no mask", work,
            lambda i: affine(a, case["maps"][0], case["size"], case["interp"]))
    j.keep = pixels
    return j


def perspective(case):
    pixels = image(case)
    a = memory(pixels)
    w, h = case["size"]
    inv = np.linalg.inv(forward(case["maps"][0]))

    def build(i):
        at = pyvips.Image.xyz(w, h) + 0.5
        x, y = at[0], at[1]
        d = x * inv[2, 0] + y * inv[2, 1] + inv[2, 2]
        u = (x * inv[0, 0] + y * inv[0, 1] + inv[0, 2]) / d - 0.5
        v = (x * inv[1, 0] + y * inv[1, 1] + inv[1, 2]) / d - 0.5
        return a.mapim(u.bandjoin(v), interpolate=pyvips.Interpolate.new("bilinear"))

    j = job("mapim bilinear, positions computed by arithmetic on images, no mask", SAME, build)
    j.keep = pixels
    return j


def scaled(case):
    x0, y0, x1, y1 = case["crop"]
    w, h = case["size"]
    pixels = image(case)
    a = memory(pixels)
    kernel = {"linear": "linear", "cubic": "cubic"}.get(case["interp"])
    if kernel is None:
        raise Unable("area for whole factors only")

    def build(i):
        # gap=0: no box first, the kernel alone.
        return a.crop(x0, y0, x1 - x0, y1 - y0).resize(w / (x1 - x0), vscale=h / (y1 - y0), kernel=kernel, gap=0)

    j = job(f"resize {kernel}", SAME, build)
    j.keep = pixels
    return j


def windows(case):
    name = case["files"][0]
    held = None if case.get("reopen") else pyvips.Image.new_from_file(name, access="random")

    def build(i):
        a = held or pyvips.Image.new_from_file(name, access="random")
        x0, y0, x1, y1 = tile(case, i)
        return a.crop(x0, y0, x1 - x0, y1 - y0)

    return job("none", SAME, build)


def concat(case):
    def build(i):
        parts = [affine(pyvips.Image.new_from_file(f, access="random"), m, case["size"], "linear")
                 for f, m in zip(case["files"], case["maps"])]
        return parts[0].bandjoin(parts[1:])

    return job("affine bilinear, bandjoin, no mask", SAME, build)
