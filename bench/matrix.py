"""The whole run `attn -p weights -f matrix` beside numpy computing and savetxt-ing the same.

usage: bench/matrix.py ATTN [RUNS]        (needs numpy)

512 tokens, 8 heads of 8 numbers, no mask: 2.1 million weights to /dev/null, one thread, runs interleaved, processor
time of whole processes. Prints, tab-separated: what, median ms, best ms, and how many times numpy's speed.
"""
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile

NUMPY = """
import json, sys
import numpy
words = json.load(open(sys.argv[1]))["words"]
x = numpy.array([words[word] for word in open(sys.argv[2]).read().split()], "f4")
h = x.reshape(len(x), 8, 8).transpose(1, 0, 2)
s = h @ h.transpose(0, 2, 1) / numpy.sqrt(numpy.float32(8))
e = numpy.exp(s - s.max(-1, keepdims=True))
numpy.savetxt("/dev/null", (e / e.sum(-1, keepdims=True)).reshape(-1, len(x)))
"""


def processor_seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = dict(os.environ, OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    attn, runs = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 5
    random.seed(1)
    with tempfile.TemporaryDirectory() as folder:
        model, text = folder + "/model.json", folder + "/text"
        words = {f"w{i}": [round(random.gauss(0, 1), 3) for _ in range(64)] for i in range(512)}
        with open(model, "w", encoding="ascii") as file:
            json.dump({"words": words, "layers": [{"n_heads": 8}]}, file)
        with open(text, "w", encoding="ascii") as file:
            file.write(" ".join(f"w{random.randrange(512)}" for _ in range(512)))
        commands = {
            "numpy savetxt": [sys.executable, "-c", NUMPY, model, text],
            "attn -f matrix": [attn, "-m", model, "-a", "none", "-j1", "-f", "matrix", text],
            "attn -f tsv": [attn, "-m", model, "-a", "none", "-j1", "-f", "tsv", text],
        }
        times = {name: [] for name in commands}
        for _ in range(runs):
            for name, command in commands.items():
                times[name].append(processor_seconds(command))
    slowest = statistics.median(times["numpy savetxt"])
    for name, seconds in times.items():
        median = statistics.median(seconds)
        print(f"{name}\t{1e3 * median:.1f}\t{1e3 * min(seconds):.1f}\t{slowest / median:.1f}")


main()
