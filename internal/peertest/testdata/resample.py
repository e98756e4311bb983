"""Resamples rasters with OpenCV and SciPy, as jobs on standard input say.

Rasters are raw little-endian float32, row by row. A job is
{"in": path, "size": [w, h], "out": path, "to": [w, h], "call": name, "how": name, "border": name, "matrix": 2×3}.
The matrix maps pixels of the output to pixels of the input, both counted from their corners.
"""

import json
import sys

import cv2
import numpy as np
from scipy import ndimage

CV_INTERPOLATION = {
    "nearest": cv2.INTER_NEAREST,
    "nearest-exact": cv2.INTER_NEAREST_EXACT,
    "linear": cv2.INTER_LINEAR,
    "cubic": cv2.INTER_CUBIC,
    "area": cv2.INTER_AREA,
    "lanczos4": cv2.INTER_LANCZOS4,
}
CV_BORDER = {"clamp": cv2.BORDER_REPLICATE, "reflect": cv2.BORDER_REFLECT, "wrap": cv2.BORDER_WRAP, "50": cv2.BORDER_CONSTANT}
SCIPY_ORDER = {"nearest": 0, "linear": 1, "spline": 3}
SCIPY_MODE = {"clamp": "nearest", "reflect": "reflect", "wrap": "grid-wrap", "50": "grid-constant"}


def centred(matrix):
    """The matrix between pixels that are counted from their centres."""
    m = np.vstack([np.array(matrix, float).reshape(2, 3), [0, 0, 1]])
    half = np.array([[1, 0, 0.5], [0, 1, 0.5], [0, 0, 1]])
    return (np.linalg.inv(half) @ m @ half)[:2]


def run(job):
    w, h = job["size"]
    image = np.fromfile(job["in"], "<f4").reshape(h, w)
    to = tuple(job["to"])
    how = job["how"]
    if job["call"] == "cv2.resize":
        return cv2.resize(image, to, interpolation=CV_INTERPOLATION[how])
    if job["call"] == "cv2.warpAffine":
        return cv2.warpAffine(
            image,
            centred(job["matrix"]),
            to,
            flags=CV_INTERPOLATION[how] | cv2.WARP_INVERSE_MAP,
            borderMode=CV_BORDER[job["border"]],
            borderValue=50,
        )
    m = centred(job["matrix"])[::-1, [1, 0, 2]]  # rows and columns the other way round
    return ndimage.affine_transform(
        image.astype(float), m[:, :2], m[:, 2], to[::-1], order=SCIPY_ORDER[how], mode=SCIPY_MODE[job["border"]], cval=50
    )


if __name__ == "__main__":
    for job in json.load(sys.stdin):
        run(job).astype("<f4").tofile(job["out"])
    print(json.dumps({"OpenCV": cv2.__version__, "SciPy": __import__("scipy").__version__}))
