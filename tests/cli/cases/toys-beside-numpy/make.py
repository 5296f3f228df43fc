#!/usr/bin/env python3
"""Wrote the toys and `stdout` of this case: random toys of all score rules, masks and positions, and what an
independent forward pass in float64 (numpy) makes of them. Formulas: man attn, ATTENTION; the rotary and ALiBi papers.
Run in this folder: make.py."""
import json
import numpy as np

N_TOYS, N_WORDS = 40, 6
rng = np.random.default_rng(20261130)


def matrix(*shape):
    return (rng.normal(size=shape) * 26).round() / 64 # exact in float32 and in decimal


def layer_of(heads, kv, dim):
    width = heads * dim
    y = {"n_heads": heads, "n_kv_heads": kv, "head_dim": dim, "W_Q": matrix(width, width),
         "W_K": matrix(width, kv * dim), "W_V": matrix(width, kv * dim), "W_O": matrix(width, width)}
    for name, size in ("b_Q", width), ("b_K", kv * dim), ("b_V", kv * dim), ("b_O", width):
        if rng.random() < 0.4:
            y[name] = matrix(size)
    y["score"] = str(rng.choice(["scaled", "dot", "cosine", "additive", "gaussian", "gravity"]))
    if y["score"] == "additive":
        y["v_A"] = matrix(dim)
    if y["score"] != "gravity":
        extras(y, heads, dim)
    y["mask"] = str(rng.choice(["causal", "none", "window:2", "band:2", "prefix:2"]))
    if rng.random() < 0.3:
        y["window"] = int(rng.integers(1, 4))
    if rng.random() < 0.5:
        y["residual"] = True
    return y


def extras(y, heads, dim):
    for name, least, share in ("scale", 0.1, 0.4), ("temperature", 0.5, 0.4), ("softcap", 0.3, 0.3):
        if rng.random() < share:
            y[name] = round((rng.random() + least) * 64) / 64
    if rng.random() < 0.4:
        y["sinks"] = matrix(heads)
    y["positions"] = str(rng.choice(["none", "rope", "alibi"]))
    if y["positions"] == "rope":
        y["rope_theta"] = 100.0
        y["rope_layout"] = str(rng.choice(["half", "interleaved"]))
        if dim > 2 and rng.random() < 0.5:
            y["rotary_dim"] = 2
    if y["positions"] == "alibi" and rng.random() < 0.5:
        y["slopes"] = abs(matrix(heads))


def rotate(x, y, dim):
    out, turned = x.copy(), y.get("rotary_dim", dim)
    for position in range(len(x)):
        for pair in range(turned // 2):
            angle = position * y["rope_theta"] ** (-2 * pair / turned)
            i, k = (pair, pair + turned // 2) if y["rope_layout"] == "half" else (2 * pair, 2 * pair + 1)
            a, b = x[position, i], x[position, k]
            out[position, i] = a * np.cos(angle) - b * np.sin(angle)
            out[position, k] = a * np.sin(angle) + b * np.cos(angle)
    return out


def alibi_slope(head, heads):
    power = 2 ** int(np.log2(heads))
    if head < power:
        return 2.0 ** (-8 * (head + 1) / power)
    return 2.0 ** (-4 * (2 * (head - power) + 1) / power)


def raw_scores(q, k, y, dim):
    squares = ((q[:, None] - k[None]) ** 2).sum(-1)
    if y["score"] == "scaled":
        return q @ k.T * y.get("scale", dim ** -0.5)
    if y["score"] == "dot":
        return q @ k.T * y.get("scale", 1)
    if y["score"] == "cosine":
        return q @ k.T / np.outer(np.linalg.norm(q, axis=1), np.linalg.norm(k, axis=1)) * y.get("scale", 1)
    if y["score"] == "additive":
        return np.tanh(q[:, None] + k[None]) @ y["v_A"] * y.get("scale", 1)
    if y["score"] == "gaussian":
        return -squares * y.get("scale", 0.5)
    return 1 / squares


def allowed(y, n):
    i, j = np.arange(n)[:, None], np.arange(n)[None]
    seen = {"causal": j <= i, "none": j >= 0, "window:2": (j <= i) & (j > i - 2), "band:2": abs(i - j) < 2,
            "prefix:2": (j <= i) | (j < 2)}[y["mask"]]
    return seen & (j <= i) & (j > i - y["window"]) if "window" in y else seen


def weights_of(q, k, y, head, heads, dim):
    n = len(q)
    s = raw_scores(q, k, y, dim)
    if "softcap" in y:
        s = y["softcap"] * np.tanh(s / y["softcap"])
    if y.get("positions") == "alibi":
        slope = float(y["slopes"][head]) if "slopes" in y else alibi_slope(head, heads)
        s = s - slope * (np.arange(n)[:, None] - np.arange(n)[None])
    powers = s if y["score"] == "gravity" else np.exp(s / y.get("temperature", 1))
    powers = np.where(allowed(y, n), powers, 0)
    total = powers.sum(1, keepdims=True)
    if "sinks" in y:
        total = total + np.exp(float(y["sinks"][head]) / y.get("temperature", 1))
    return powers / total


def forward(x, y):
    heads, kv, dim = y["n_heads"], y["n_kv_heads"], y["head_dim"]
    q, k, v = (x @ y["W_" + r] + (y["b_" + r] if "b_" + r in y else 0) for r in "QKV")
    all_weights, out = [], []
    for h in range(heads):
        g = h // (heads // kv)
        qh, kh, vh = q[:, h * dim:(h + 1) * dim], k[:, g * dim:(g + 1) * dim], v[:, g * dim:(g + 1) * dim]
        if y.get("positions") == "rope":
            qh, kh = rotate(qh, y, dim), rotate(kh, y, dim)
        all_weights.append(weights_of(qh, kh, y, h, heads, dim))
        out.append(all_weights[-1] @ vh)
    out = np.concatenate(out, 1) @ y["W_O"] + (y["b_O"] if "b_O" in y else 0)
    return np.array(all_weights), out + x if y.get("residual") else out


def plain(o):
    return [plain(i) for i in o] if isinstance(o, np.ndarray) and o.ndim > 1 else [float(i) for i in o]


def main():
    out = open("stdout", "w")
    for toy in range(N_TOYS):
        heads = int(rng.choice([1, 2, 3, 4]))
        kv = int(rng.choice([k for k in range(1, heads + 1) if heads % k == 0]))
        dim = int(rng.choice([2, 4]))
        n = int(rng.integers(2, 6))
        words = {"abcdef"[i]: matrix(heads * dim) for i in range(N_WORDS)}
        layers = [layer_of(heads, kv, dim) for _ in range(int(rng.integers(1, 3)))]
        text = list(rng.permutation(list(words))[:n]) # no word twice: gravity leaves out only the token itself
        x = np.array([words[w] for w in text])
        for y in layers:
            weights, x = forward(x, y)
        # left out: rows that see nothing (0/0 here), and numbers beyond 3, to whose float32 1e-6 is too little
        if not abs(x).max() <= 3:
            continue
        json.dump({"comment": " ".join(text), "words": words, "layers": layers}, open("toy%02d.json" % toy, "w"),
                  default=plain, indent=None)
        for h, rows in enumerate(weights):
            for row in rows:
                out.write("toy%02d %d %s\n" % (toy, h, " ".join("%.8f" % w for w in row)))
        for row in x:
            out.write("toy%02d %s\n" % (toy, " ".join("%.8f" % v for v in row)))


main()
