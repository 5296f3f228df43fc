#!/usr/bin/env python3
"""A causal attention layer of 12 heads of 64 in PyTorch (Debian's python3-torch: 1.13, which has no fused
attention on a CPU), in bench/attention's columns. usage: attention_torch.py N THREADS RUNS"""

import sys
import time

import torch

HEADS, SIZE = 12, 64
WIDTH = HEADS * SIZE


def layer(x, w, hidden):
    n = x.shape[0]
    q, k, v = ((x @ w[i]).view(n, HEADS, SIZE).transpose(0, 1) for i in range(3))
    scores = (q @ k.transpose(1, 2)) * SIZE**-0.5
    weights = torch.softmax(scores.masked_fill_(hidden, -torch.inf), -1)
    return (weights @ v).transpose(0, 1).reshape(n, WIDTH) @ w[3]


def main(n, threads, runs):
    torch.set_num_threads(threads)
    x = torch.rand(n, WIDTH) * 2 - 1
    w = [torch.randn(WIDTH, WIDTH) * 0.03 for _ in range(4)]
    hidden = torch.ones(n, n, dtype=torch.bool).triu(1)
    times = []
    with torch.inference_mode():
        layer(x, w, hidden)
        for _ in range(runs):
            start = time.perf_counter()
            layer(x, w, hidden)
            times.append((time.perf_counter() - start) * 1e3)
    times.sort()
    median = times[runs // 2]
    operations = 2 * n * n * WIDTH + 8 * n * WIDTH * WIDTH
    print("causal layer", n, HEADS, SIZE, threads, "torch " + torch.__version__, f"{median:.3f}",
          f"{times[0]:.3f}", f"{operations / median / 1e6:.1f}", "", "", sep="\t")


main(*(int(a) for a in sys.argv[1:4]))
