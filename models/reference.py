#!/usr/bin/python3
"""The exported model's forward pass in plain numpy float64, written apart from net.py: it reads the directory as any
program would, and gives the right values that tests compare with.

    python3 models/reference.py MODEL_DIR OUT_DIR        writes text*.txt, ids*.npy, logits*.npy, attention*.npy …
    python3 models/reference.py MODEL_DIR --next TEXT    prints the likeliest next tokens
    python3 models/reference.py MODEL_DIR --tell TEXT    goes on with the text"""
import argparse
import json
import os

import numpy as np

from bpe import Tokenizer
from export import load_tensors

# A sentence, one with repeats, Korean (in bytes), and a long text of which only some positions are kept.
TEXTS = ["the king of Israel spake unto the people",
         "blue ducks sing, green geese swim; blue ducks sing, green geese",
         "어부가 바다에",
         " ".join(["And it came to pass, when the king heard the words of the woman, that he rent his clothes;",
                   "and he passed by upon the wall, and the people looked. \"My dear Emma,\" said Mr. Knightley,",
                   "\"you cannot be serious: there is no charm equal to tenderness of heart.\"\n",
                   "charm: attractiveness that interests or pleases; \"his smile was part of his charm\"\n"] * 2).rstrip()]
SOME_POSITIONS = {3: [0, 1, 100, -2, -1]}


class Model:
    def __init__(self, directory):
        with open(os.path.join(directory, "config.json"), encoding="utf-8") as f:
            self.config = json.load(f)
        self.weights = {n: t.astype(np.float64) for n, t in load_tensors(os.path.join(directory, "model.safetensors")).items()}
        self.tokenizer = Tokenizer.load(os.path.join(directory, "tokenizer.json"))

    def forward(self, ids):
        """ids [n] -> logits [n][vocabulary], attention [layer][head][query][key]"""
        embeddings = self.weights["model.embed_tokens.weight"]
        x, attention = embeddings[ids], []
        for layer in range(self.config["num_hidden_layers"]):
            name = f"model.layers.{layer}."
            added, weights = self.attend(self.norm(x, name + "input_layernorm"), name + "self_attn.")
            x = x + added
            x = x + self.feed_forward(self.norm(x, name + "post_attention_layernorm"), name + "mlp.")
            attention.append(weights)
        return self.norm(x, "model.norm") @ embeddings.T, np.array(attention)

    def norm(self, x, name):
        return x / np.sqrt((x ** 2).mean(-1, keepdims=True) + self.config["rms_norm_eps"]) * self.weights[name + ".weight"]

    def linear(self, x, name):
        return x @ self.weights[name + ".weight"].T

    def attend(self, x, name):
        heads = self.config["num_attention_heads"]
        q, k, v = (self.linear(x, name + part).reshape(len(x), heads, -1).swapaxes(0, 1) for part in ("q_proj", "k_proj", "v_proj"))
        scores = self.turn(q) @ self.turn(k).swapaxes(1, 2) / np.sqrt(q.shape[-1])
        scores[:, ~np.tri(len(x), dtype=bool)] = -np.inf
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        weights /= weights.sum(-1, keepdims=True)
        return self.linear((weights @ v).swapaxes(0, 1).reshape(x.shape), name + "o_proj"), weights

    def turn(self, x):
        """Rotary positions, as complex numbers: dimension i is the real part, i + head_dim/2 the imaginary one."""
        half = x.shape[-1] // 2
        rates = self.config["rope_theta"] ** (-np.arange(half) / half)
        turned = (x[..., :half] + 1j * x[..., half:]) * np.exp(1j * np.outer(np.arange(x.shape[1]), rates))
        return np.concatenate((turned.real, turned.imag), -1)

    def feed_forward(self, x, name):
        gate = self.linear(x, name + "gate_proj")
        return self.linear(gate / (1 + np.exp(-gate)) * self.linear(x, name + "up_proj"), name + "down_proj")


def write_values(model, directory):
    os.makedirs(directory, exist_ok=True)
    for i, text in enumerate(TEXTS):
        ids = np.array(model.tokenizer.encode(text), np.int32)
        logits, attention = model.forward(ids)
        positions = np.arange(len(ids))[SOME_POSITIONS.get(i, slice(None))]
        with open(os.path.join(directory, f"text{i}.txt"), "w", encoding="utf-8") as f:
            f.write(text)
        np.save(os.path.join(directory, f"ids{i}.npy"), ids)
        np.save(os.path.join(directory, f"logits{i}.npy"), logits[positions].astype(np.float32))
        if i in SOME_POSITIONS:
            np.save(os.path.join(directory, f"positions{i}.npy"), positions.astype(np.int32))
        else:
            np.save(os.path.join(directory, f"attention{i}.npy"), attention.astype(np.float32))


def show_next(model, text, n=10):
    logits = model.forward(model.tokenizer.encode(text))[0][-1]
    p = np.exp(logits - logits.max())
    p /= p.sum()
    for i in np.argsort(-p)[:n]:
        print(f"{p[i]:.4f}\t{model.tokenizer.decode([i])!r}")


def tell(model, text, n=60, temperature=0.7, seed=0):
    random, ids = np.random.default_rng(seed), model.tokenizer.encode(text)
    for _ in range(n):
        logits = model.forward(ids[-model.config["max_position_embeddings"]:])[0][-1] / temperature
        p = np.exp(logits - logits.max())
        ids.append(int(random.choice(len(p), p=p / p.sum())))
    print(model.tokenizer.decode(ids))


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("model", metavar="MODEL_DIR")
    p.add_argument("out", metavar="OUT_DIR", nargs="?")
    p.add_argument("--next", metavar="TEXT")
    p.add_argument("--tell", metavar="TEXT")
    options = p.parse_args()
    model = Model(options.model)
    if options.out:
        write_values(model, options.out)
    if options.next:
        show_next(model, options.next)
    if options.tell:
        tell(model, options.tell)


if __name__ == "__main__":
    main()
