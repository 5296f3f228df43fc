"""What a trained model is judged by: held-out loss beside n-gram baselines, and what its heads look at."""
import math

import numpy as np
import torch
from torch.nn import functional as F


# ---------------------------------------------------------------- held-out loss
@torch.no_grad()
def heldout_nats(model, ids, context, most=None):
    """Mean loss of ids[1:], read in windows of `context` tokens that do not overlap; `most` limits the windows."""
    total = count = 0
    for start in list(range(0, len(ids) - 1, context))[:most]:
        window = torch.from_numpy(ids[start:start + context + 1].astype(np.int64))
        total += F.cross_entropy(model(window[None, :-1])[0], window[1:], reduction="sum").item()
        count += len(window) - 1
    return total / count


def ngram_nats(train, held, vocab_size, order):
    """Mean loss of held[1:] under counts of `train`: p(w|h) = (c(hw) + k p(w|shorter h)) / (c(h) + k), unigrams with k
    over uniform. Each k is the best of a grid for the held-out text itself, which favours the baseline."""
    p = np.full(len(held) - 1, 1 / vocab_size)
    for n in range(1, order + 1):
        with_word, history = ngram_counts(train, held, vocab_size, n)
        p = max(((with_word + k * p) / (history + k) for k in (0.5, 1, 2, 4, 8, 16, 32, 64, 128, 256, 1024)),
                key=lambda q: np.log(q).sum())
    return -np.log(p).mean()


def ngram_counts(train, held, vocab_size, n):
    """For every token of held[1:]: how often its n-gram and its history of n - 1 tokens are in `train`. The first n - 2
    tokens, which have no such history, count as never seen."""
    seen_grams, gram_counts = np.unique(keys(train, vocab_size, n), return_counts=True)
    grams = keys(held, vocab_size, n)[max(0, 2 - n):]
    found = lookup(seen_grams, gram_counts, grams)
    if n == 1:
        return found, np.full(len(found), len(train))
    seen_histories, at = np.unique(seen_grams // vocab_size, return_inverse=True)
    histories = lookup(seen_histories, np.bincount(at, gram_counts), grams // vocab_size)
    pad = np.zeros(n - 2)
    return np.concatenate((pad, found)), np.concatenate((pad, histories))


def keys(ids, vocab_size, n):
    """Every n-gram as one number."""
    key = np.zeros(len(ids) - n + 1, np.int64)
    for i in range(n):
        key = key * vocab_size + ids[i:len(ids) - n + 1 + i]
    return key


def lookup(sorted_keys, values, wanted):
    at = np.minimum(np.searchsorted(sorted_keys, wanted), len(sorted_keys) - 1)
    return np.where(sorted_keys[at] == wanted, values[at], 0)


def losses(model, train, held, n_bytes, vocab_size, context):
    """Nats a token and bits a byte of one held-out text, for the model and the baselines."""
    nats = {"model": heldout_nats(model, held, context)}
    for order, name in ((1, "unigram"), (2, "bigram"), (3, "trigram")):
        nats[name] = ngram_nats(train, held, vocab_size, order)
    bits = (len(held) - 1) / n_bytes / math.log(2)
    return {"tokens": len(held) - 1, "bytes": n_bytes,
            **{name: {"nats_per_token": round(float(x), 4), "bits_per_byte": round(float(x * bits), 4)} for name, x in nats.items()}}


# ---------------------------------------------------------------- heads
@torch.no_grad()
def attention(model, rows):
    """[layer][row][head][query][key]"""
    model(torch.from_numpy(rows.astype(np.int64)))
    return np.stack([block.self_attn.weights.numpy() for block in model.layers])


def previous_scores(model, ids, context, n_rows=32):
    """[layer][head]: mean weight on the token before, over held-out text, query 0 left out."""
    n_rows = min(n_rows, len(ids) // context) or 1
    weights = attention(model, np.resize(ids[:n_rows * context], (n_rows, min(context, len(ids)))))
    return np.diagonal(weights, -1, -2, -1).mean((1, -1))


def induction_scores(model, vocab_size, length=64, n_rows=32, seed=7):
    """[layer][head]: random tokens, then the same again; mean weight, over the queries of the second half, on the
    token that followed the query's earlier copy."""
    half = np.random.default_rng(seed).integers(1, vocab_size, (n_rows, length))
    weights = attention(model, np.concatenate((half, half), 1))
    return np.diagonal(weights, -(length - 1), -2, -1)[..., 1:].mean((1, -1))


def copy_nats(model, vocab_size, length=64, n_rows=32, seed=7):
    """Mean loss in the second half of the same rows, where all but the first token can be copied."""
    half = np.random.default_rng(seed).integers(1, vocab_size, (n_rows, length))
    rows = torch.from_numpy(np.concatenate((half, half), 1))
    with torch.no_grad():
        logits = model(rows)[:, length:-1]
    return F.cross_entropy(logits.flatten(0, 1), rows[:, length + 1:].flatten()).item()


def head_table(scores):
    return {f"{layer}.{head}": round(float(x), 4) for (layer, head), x in np.ndenumerate(scores)}
