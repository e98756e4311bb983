"""Time what torchvision takes to wrap intermediate results in typed features.

20 calls of tv_tensors.wrap a sample (five operations, each on an image, a mask,
boxes and points), the median over 1,000 samples, extrapolated to a training of
600 epochs over 1.2 million samples in 8 processes. The same is measured in Go by

    go test -run '^$' -bench WrapSample ./eval/feature

and side by side by BenchmarkPeerWrap of that package, where the Python of the
peers has torchvision. That comes with CUDA from PyPI and takes about 5.4 GB, so
it is installed only on request:

    TORCH=1 scripts/install-peers.sh bench

Without torchvision the script exits with status 3.
"""

import argparse
import functools
import json
import statistics
import sys
import time

SAMPLES = 1000
CALLS = 20
WARMUP = 100
TRAINING = 1.2e6 * 600 / 8  # samples a process wraps


def wrapper(tv_tensors):
    """The newest of the three names that the function has had."""
    if hasattr(tv_tensors, "wrap"):  # 0.17 and later
        return lambda tensor, like: tv_tensors.wrap(tensor, like=like)
    if hasattr(tv_tensors, "wrap_like"):
        return lambda tensor, like: tv_tensors.wrap_like(like, tensor)
    return lambda tensor, like: type(like).wrap_like(like, tensor)


def load():
    """torch, torchvision and the module of typed tensors."""
    try:
        import torch
        import torchvision

        try:
            from torchvision import tv_tensors
        except ImportError:
            import torchvision.datapoints as tv_tensors  # before 0.16
    except ImportError as e:
        print(f"wrap.py: {e}; install torch and torchvision", file=sys.stderr)
        sys.exit(3)
    return torch, torchvision, tv_tensors


def pairs(torch, tv_tensors):
    """References of each type, each with a plain tensor to wrap like it."""
    size = (48, 64)
    image = torch.zeros(3, *size, dtype=torch.uint8)
    mask = torch.zeros(1, *size, dtype=torch.uint8)
    boxes = torch.tensor([[1.0, 2.0, 3.0, 4.0]])
    boxes_like = getattr(tv_tensors, "BoundingBoxes", None) or tv_tensors.BoundingBox
    try:
        boxed = boxes_like(boxes, format="CXCYWH", canvas_size=size)
    except TypeError:
        boxed = boxes_like(boxes, format="CXCYWH", spatial_size=size)
    points = torch.tensor([[1.0, 2.0]])
    if hasattr(tv_tensors, "KeyPoints"):  # 0.23 and later
        pointed = tv_tensors.KeyPoints(points, canvas_size=size)
    else:  # the same work on the type that has the same metadata
        points, pointed = boxes, boxed
    return [
        (image, tv_tensors.Image(image)),
        (mask, tv_tensors.Mask(mask)),
        (boxes, boxed),
        (points, pointed),
    ]


def measure(sample):
    """The median time of a sample, in seconds."""
    for _ in range(WARMUP):
        sample()
    times = []
    for _ in range(SAMPLES):
        start = time.perf_counter_ns()
        sample()
        times.append(time.perf_counter_ns() - start)
    return statistics.median(times) * 1e-9


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    args = parser.parse_args()
    torch, torchvision, tv_tensors = load()
    torch.set_num_threads(1)
    features = pairs(torch, tv_tensors) * (CALLS // 4)
    wrap = wrapper(tv_tensors)

    def sample():
        return [wrap(tensor, like) for tensor, like in features]

    # What the calls cost without the wrap: the loop and the lambda.
    empty = functools.partial(lambda f: [(lambda t, like: t)(t, like) for t, like in f], features)
    overhead = measure(empty)
    seconds = measure(sample)
    result = {
        "torch": torch.__version__,
        "torchvision": torchvision.__version__,
        "samples": SAMPLES,
        "calls": len(features),
        "seconds_a_sample": seconds,
        "loop_seconds_a_sample": overhead,
        "hours_a_training": seconds * TRAINING / 3600,
    }
    if args.json:
        print(json.dumps(result))
        return
    print(f"torchvision {result['torchvision']}, torch {result['torch']}")
    print(f"{CALLS} wraps: {1e6 * seconds:.2f} µs a sample (median of {SAMPLES}; {1e6 * overhead:.2f} µs of it the loop)")
    print(f"600 epochs of 1.2 million samples, 8 processes: {result['hours_a_training']:.2f} hours")


if __name__ == "__main__":
    main()
