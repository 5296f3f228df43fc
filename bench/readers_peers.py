"""Others' speed for bench/readers: WHAT DIRECTORY ROWS DIM QUERIES; prints "name<tab>figure" lines, nothing for
what is not installed. Needs numpy; faiss where it is there."""
import os
import sys
import time

os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"
try:
    import numpy
except ImportError:
    sys.exit(0)

WHAT, DIRECTORY = sys.argv[1:3]
ROWS, DIM, QUERIES = map(int, sys.argv[3:])
SAMPLE = 20000  # lines of the text that numpy reads: its speed does not depend on how many there are


def say(name, figure):
    print("%s\t%.6g" % (name, figure), flush=True)


def sample_lines():
    with open(DIRECTORY + "/glove.txt", encoding="utf-8") as text:
        lines = [line for _, line in zip(range(min(SAMPLE, ROWS)), text)]
    return lines, sum(map(len, lines)) / 1e6


def glove():
    lines, megabytes = sample_lines()
    start = time.perf_counter()
    numpy.loadtxt(lines, dtype=numpy.float32, usecols=range(1, DIM + 1), comments=None)
    say("numpy.loadtxt", megabytes / (time.perf_counter() - start))
    start = time.perf_counter()
    for line in lines:
        numpy.array([float(x) for x in line.rstrip().split(" ")[1:]], dtype=numpy.float32)
    say("Python, line by line", megabytes / (time.perf_counter() - start))


def best(call, runs):
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def nearest(queries, scale, runs):
    table = numpy.fromfile(DIRECTORY + "/table.f32", dtype=numpy.float32).reshape(ROWS, DIM)
    table /= numpy.linalg.norm(table, axis=1, keepdims=True)
    asked = table[:queries].copy()

    def by_numpy():
        for first in range(0, queries, 100):
            scores = asked[first:first + 100] @ table.T
            numpy.argpartition(scores, -10, axis=1)[:, -10:]

    say("numpy, 1 thread", best(by_numpy, runs) * scale)
    try:
        import faiss
    except ImportError:
        return
    faiss.omp_set_num_threads(1)
    index = faiss.IndexFlatIP(DIM)
    index.add(table)
    say("faiss IndexFlatIP, 1 thread", best(lambda: index.search(asked, 10), runs) * scale)


if WHAT == "glove":
    glove()
elif WHAT == "nearest1":
    nearest(1, 1e3, 5)
elif WHAT == "nearest":
    nearest(QUERIES, 1, 1)
