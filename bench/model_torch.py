#!/usr/bin/python3
"""The forward pass of bench/model in PyTorch (Debian's python3-torch), on the same file, for comparison.

    /usr/bin/python3 bench/model_torch.py DIR [N] [THREADS] [RUNS]

One line like bench/model's: what, n, threads, kernel, median ms, best ms, and the first logits, to compare with
`attn -m DIR -p next`. The graph is GPT-2's as its paper has it: nothing but matrix products, softmax, norms."""
import json, struct, sys, time
import numpy as np
import torch

directory = sys.argv[1]
n = int(sys.argv[2]) if len(sys.argv) > 2 else 1024
threads = int(sys.argv[3]) if len(sys.argv) > 3 else 1
runs = int(sys.argv[4]) if len(sys.argv) > 4 else 5
torch.set_num_threads(threads)
torch.set_grad_enabled(False)
c = json.load(open(directory + "/config.json"))
data = np.memmap(directory + "/model.safetensors", np.uint8, "c")
size = struct.unpack("<Q", data[:8].tobytes())[0]
w = {}
for name, t in json.loads(data[8:8 + size].tobytes()).items():
    if name != "__metadata__":
        a, b = t["data_offsets"]
        w[name] = torch.from_numpy(data[8 + size + a:8 + size + b].view("<f4").reshape(t["shape"]))
d, heads, layers = c["n_embd"], c["n_head"], c["n_layer"]
ids = torch.tensor([i * 7919 % c["vocab_size"] for i in range(n)])
mask = torch.ones(n, n, dtype=torch.bool).triu(1)
norm = lambda x, name: torch.nn.functional.layer_norm(x, (d,), w[name + ".weight"], w[name + ".bias"], c["layer_norm_epsilon"])
linear = lambda x, name: torch.addmm(w[name + ".bias"], x, w[name + ".weight"])
gelu = lambda x: 0.5 * x * (1 + torch.tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)))


def forward():
    x = w["wte.weight"][ids] + w["wpe.weight"][:n]
    for l in range(layers):
        p = "h.%d." % l
        q, k, v = [z.view(n, heads, d // heads).transpose(0, 1) for z in linear(norm(x, p + "ln_1"), p + "attn.c_attn").split(d, 1)]
        s = (q @ k.transpose(1, 2) / (d // heads) ** 0.5).masked_fill(mask, float("-inf")).softmax(-1)
        x = x + linear((s @ v).transpose(0, 1).reshape(n, d), p + "attn.c_proj")
        x = x + linear(gelu(linear(norm(x, p + "ln_2"), p + "mlp.c_fc")), p + "mlp.c_proj")
    return norm(x, "ln_f") @ w["wte.weight"].T


out, times = forward(), []
clock = time.process_time if threads == 1 else time.perf_counter  # other jobs disturb it less
for _ in range(runs):
    start = clock()
    forward()
    times.append((clock() - start) * 1e3)
times.sort()
print("forward\t%d\t%d\ttorch %s\t%.1f\t%.1f\t%s" % (n, threads, torch.__version__, times[len(times) // 2], times[0], " ".join("%.6f" % z for z in out[-1, :4].tolist())))
