"""rasterio, with the GDAL of its own wheel."""
import numpy as np
import rasterio
from rasterio.enums import Resampling
from rasterio.transform import Affine
from rasterio.warp import reproject
from rasterio.windows import Window

from common import SAME, THREADS, Job, Unable, forward, planes, planes_as_pixels, tile

env = rasterio.Env(GDAL_NUM_THREADS=THREADS, GDAL_CACHEMAX=128 << 20)
env.__enter__()

RESAMPLE = {"nearest": Resampling.nearest, "linear": Resampling.bilinear, "cubic": Resampling.cubic, "area": Resampling.average}
CRS = "EPSG:3857"


def versions():
    return f"rasterio {rasterio.__version__} (GDAL {rasterio.__gdal_version__})"


def affine(m):
    return Affine(*forward(m)[:2].ravel())


def setup(case):
    kind = case["kind"]
    if kind in ("affine", "satellite"):
        return warped(case)
    if kind == "window":
        return windows(case)
    if kind in ("overview", "thumbnail"):
        return reduced(case)
    if kind == "concat":
        return concat(case)
    raise Unable("not an operation of its own")


def warp(case, a, out, m, **more):
    reproject(a, out, src_transform=m, dst_transform=Affine.identity(), src_crs=CRS, dst_crs=CRS,
              resampling=RESAMPLE[case["interp"]], num_threads=THREADS, warp_mem_limit=256, **more)


def warped(case):
    a, m = planes(case), affine(case["maps"][0])
    w, h = case["size"]
    name = RESAMPLE[case["interp"]].name
    if case["kind"] == "satellite":
        out = np.empty((a.shape[0], h, w), np.float32)
        nodata = case["source"]["nodata"]

        def op(i):
            warp(case, a, out, m, src_nodata=nodata, dst_nodata=float("nan"), UNIFIED_SRC_NODATA="NO")
            np.multiply(out, np.float32(case["multiply"]), out=out)
            np.add(out, np.float32(case["add"]), out=out)
            return out

        return Job(f"reproject {name} with nodata per band, NumPy arithmetic", SAME, op, planes_as_pixels)
    out = np.zeros((a.shape[0], h, w), a.dtype)

    def op(i):
        warp(case, a, out, m)
        return out

    return Job(f"reproject {name}", SAME, op, planes_as_pixels)


def windows(case):
    name = case["files"][0]
    held = None if case.get("reopen") else rasterio.open(name)

    def read(ds, i):
        x0, y0, x1, y1 = tile(case, i)
        return ds.read(window=Window(x0, y0, x1 - x0, y1 - y0))

    def op(i):
        if held is not None:
            return read(held, i)
        with rasterio.open(name) as ds:
            return read(ds, i)

    return Job("none", SAME, op, planes_as_pixels)


def reduced(case):
    name = case["files"][0]
    w, h = case["size"]
    alg = RESAMPLE[case.get("interp", "nearest")]

    def op(i):
        with rasterio.open(name) as ds:
            return ds.read(out_shape=(ds.count, h, w), resampling=alg)

    how = "the overview as stored" if case["kind"] == "overview" else "read, bilinear"
    return Job(how, SAME, op, planes_as_pixels)


def concat(case):
    w, h = case["size"]
    out = np.zeros((len(case["files"]), h, w), np.uint16)
    maps = [affine(m) for m in case["maps"]]

    def op(i):
        for b, (f, m) in enumerate(zip(case["files"], maps)):
            with rasterio.open(f) as ds:
                warp(case, ds.read(1), out[b], m)
        return out

    return Job("read and reproject bilinear, a file at a time", SAME, op, planes_as_pixels)
