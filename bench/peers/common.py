"""What the peers share: images, maps, and the description of a job."""
import os

THREADS = int(os.environ.get("BENCH_THREADS", "1"))

# How the work compares with what the case asks for.
SAME = "same"
KERNEL = "kernel"  # another kernel of about the same reach
MORE = "more"  # a wider kernel, or more steps
COARSER = "coarser"  # less


class Unable(Exception):
    """The library has no such operation."""


def numpy():
    import numpy

    return numpy


class Job:
    """op(i) does round i and returns its output; read(output) is that as rows of pixels of bands."""

    def __init__(self, sampling, work, op=None, read=None, timed=None):
        self.sampling, self.work, self.op, self.timed = sampling, work, op, timed
        self.read = read or as_pixels
        self.output = None


def as_pixels(a):
    return a if a.ndim == 3 else a[:, :, None]


def planes_as_pixels(a):
    return a[None].transpose(1, 2, 0) if a.ndim == 2 else a.transpose(1, 2, 0)


def image(case):
    """The case's image, rows of pixels of bands."""
    np = numpy()
    s = case["source"]
    return np.fromfile(s["path"], s["type"]).reshape(s["h"], s["w"], s["bands"])


def planes(case):
    """The case's image, bands of rows."""
    return numpy().ascontiguousarray(image(case).transpose(2, 0, 1))


def forward(m):
    """A map as a 3 × 3 matrix, between pixel corners."""
    return numpy().array(m, dtype=float).reshape(3, 3)


def centred(m):
    """The same map for a library whose whole coordinates are pixel centres."""
    np = numpy()
    half = np.array([[1, 0, -0.5], [0, 1, -0.5], [0, 0, 1]])
    return half @ forward(m) @ np.linalg.inv(half)


def tile(case, i):
    return case["windows"][i % len(case["windows"])]
