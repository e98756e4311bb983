"""GDAL in this process: datasets in memory, gdal.Warp into one that is there already."""
import numpy as np
from osgeo import gdal

from common import SAME, THREADS, Job, Unable, forward, planes, planes_as_pixels, tile

gdal.UseExceptions()
gdal.SetConfigOption("GDAL_NUM_THREADS", str(THREADS))
gdal.SetCacheMax(128 << 20)

RESAMPLE = {"nearest": "near", "linear": "bilinear", "cubic": "cubic", "area": "average"}
RASTERIO = {"nearest": gdal.GRIORA_NearestNeighbour, "linear": gdal.GRIORA_Bilinear, "cubic": gdal.GRIORA_Cubic,
            "area": gdal.GRIORA_Average}
TYPES = {"uint8": gdal.GDT_Byte, "uint16": gdal.GDT_UInt16, "int16": gdal.GDT_Int16, "float32": gdal.GDT_Float32}


def versions():
    return f"GDAL {gdal.__version__} (python3-gdal)"


def memory(w, h, bands, kind):
    return gdal.GetDriverByName("MEM").Create("", w, h, bands, TYPES[kind])


def dataset(a, kind):
    ds = memory(a.shape[2], a.shape[1], a.shape[0], kind)
    ds.WriteArray(a)
    return ds


def place(ds, m):
    (a, b, c), (d, e, f), _ = forward(m)
    ds.SetGeoTransform([c, a, b, f, d, e])
    return ds


def options(case, **more):
    return gdal.WarpOptions(
        resampleAlg=RESAMPLE[case["interp"]], multithread=THREADS > 1, warpMemoryLimit=256,
        warpOptions=[f"NUM_THREADS={THREADS}", f"INIT_DEST={more.pop('init', 0)}", "UNIFIED_SRC_NODATA=NO"], errorThreshold=0.125, **more)


def setup(case):
    kind = case["kind"]
    if kind in ("affine", "satellite"):
        return warped(case)
    if kind == "scale":
        return scaled(case)
    if kind == "window":
        return windows(case)
    if kind == "overview" or kind == "thumbnail":
        return reduced(case)
    if kind == "concat":
        return concat(case)
    raise Unable("no projective maps in one call")


def warped(case):
    kind = case["source"]["type"]
    src = place(dataset(planes(case), kind), case["maps"][0])
    w, h = case["size"]
    bands = src.RasterCount
    if case["kind"] == "satellite":
        for b in range(bands):
            src.GetRasterBand(b + 1).SetNoDataValue(case["source"]["nodata"])
        dst = place(memory(w, h, bands, "float32"), [1, 0, 0, 0, 1, 0, 0, 0, 1])
        opts = options(case, init="nan", dstNodata=float("nan"))
        out = np.empty((bands, h, w), np.float32)

        def op(i):
            gdal.Warp(dst, src, options=opts)
            dst.ReadAsArray(buf_obj=out)
            np.multiply(out, np.float32(case["multiply"]), out=out)
            np.add(out, np.float32(case["add"]), out=out)
            return out

        return Job("gdal.Warp bilinear with nodata per band, NumPy arithmetic", SAME, op, planes_as_pixels)
    dst = place(memory(w, h, bands, kind), [1, 0, 0, 0, 1, 0, 0, 0, 1])
    opts = options(case)

    def op(i):
        gdal.Warp(dst, src, options=opts)

    return Job(f"gdal.Warp {RESAMPLE[case['interp']]}", SAME, op, lambda _: planes_as_pixels(dst.ReadAsArray()))


def scaled(case):
    x0, y0, x1, y1 = case["crop"]
    kind = case["source"]["type"]
    src = dataset(planes(case), kind)
    w, h = case["size"]
    out = np.empty((src.RasterCount, h, w), kind)

    def op(i):
        return src.ReadAsArray(x0, y0, x1 - x0, y1 - y0, buf_obj=out, resample_alg=RASTERIO[case["interp"]])

    return Job(f"RasterIO {RESAMPLE[case['interp']]}", SAME, op, planes_as_pixels)


def windows(case):
    name = case["files"][0]
    held = None if case.get("reopen") else gdal.Open(name)

    def op(i):
        ds = held or gdal.Open(name)
        x0, y0, x1, y1 = tile(case, i)
        return ds.ReadAsArray(x0, y0, x1 - x0, y1 - y0)

    return Job("none", SAME, op, planes_as_pixels)


def reduced(case):
    name = case["files"][0]
    w, h = case["size"]
    alg = RASTERIO[case.get("interp", "nearest")]

    def op(i):
        return gdal.Open(name).ReadAsArray(buf_xsize=w, buf_ysize=h, resample_alg=alg)

    how = "the overview as stored" if case["kind"] == "overview" else "RasterIO bilinear"
    return Job(how, SAME, op, planes_as_pixels)


def concat(case):
    w, h = case["size"]
    opts = options(case)
    out = np.empty((len(case["files"]), h, w), np.uint16)
    unit = [1, 0, 0, 0, 1, 0, 0, 0, 1]
    dsts = [place(memory(w, h, 1, "uint16"), unit) for _ in case["files"]]

    def op(i):
        # The files hold their maps as their place in the world.
        for dst, f in zip(dsts, case["files"]):
            gdal.Warp(dst, f, options=opts)

    def read(_):
        for b, dst in enumerate(dsts):
            out[b] = dst.ReadAsArray()
        return planes_as_pixels(out)

    return Job("gdal.Warp bilinear, a file at a time", SAME, op, read)
