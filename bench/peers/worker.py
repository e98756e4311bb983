"""Runs the cases of the benchmark on one Python library: worker.py NAME.

Requests come on standard input, answers go to standard output, one JSON object a line. Times are taken here, around
the operation alone.
"""
import gc
import importlib
import json
import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import common  # noqa: E402


def setup(peer, case):
    job = peer.setup(case)
    if job.timed is None:
        op = job.op

        def timed(start, n):
            began = time.perf_counter()
            for i in range(start, start + n):
                job.output = op(i)
            return time.perf_counter() - began

        job.timed = timed
    return job


def result(job, window, path):
    x0, y0, x1, y1 = window
    pixels = common.numpy().ascontiguousarray(job.read(job.output)[y0:y1, x0:x1])
    pixels.tofile(path)
    return {"type": str(pixels.dtype), "size": [x1 - x0, y1 - y0], "bands": pixels.shape[2]}


def main():
    # A library that prints must not get into the answers.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    peer = importlib.import_module(sys.argv[1] + "_peer")
    job = None
    for line in sys.stdin:
        request = json.loads(line)
        answer = {"ok": True}
        try:
            op = request["op"]
            if op == "versions":
                answer["versions"] = peer.versions()
            elif op == "setup":
                job = None
                gc.collect()  # what the last case left is not to be paid for by this one
                job = setup(peer, request["case"])
                answer.update(sampling=job.sampling, work=job.work)
            elif op == "run":
                answer["seconds"] = job.timed(request.get("start", 0), request["n"])
            elif op == "result":
                answer.update(result(job, request["window"], request["path"]))
            elif op == "drop":
                job = None
        except common.Unable as e:
            answer = {"ok": False, "unable": True, "reason": str(e)}
        except Exception as e:  # the driver reports it and goes on
            answer = {"ok": False, "reason": f"{type(e).__name__}: {e}"[:300]}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


main()
