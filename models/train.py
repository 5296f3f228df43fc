#!/usr/bin/python3
"""Trains the small model that attn comes with: texts of Debian packages in, a Hugging Face style directory out.

    python3 models/train.py --out models/attn-tiny

One command does all steps (texts, vocabulary, training, export, figures). What a step made stays in --work, so that a
run that was stopped goes on where it was when the same command is given again. See models/README."""
import os
os.environ.setdefault("OMP_NUM_THREADS", "1")          # one thread a shard (see gradients): threads inside the small
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")     # operations wait for each other more than they help

import argparse
import json
import platform
import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch
from torch.nn import functional as F

import corpus
import measure
from batches import Batches
from bpe import Tokenizer, train_merges
from export import load_tensors, save_model, write_json
from net import SIZE, Llama, n_parameters
from optim import learning_rate_share, optimisers


def parse_options():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--out", required=True, metavar="DIR", help="the model directory to write")
    p.add_argument("--work", default="attn-train", metavar="DIR", help="keeps vocabulary, tokens, checkpoint, log (default: %(default)s)")
    p.add_argument("--root", action="append", default=[], metavar="DIR", help="look for the packages' files under DIR too; repeatable")
    p.add_argument("--text", metavar="FILE", help="train on this UTF-8 text instead of the packages' texts")
    p.add_argument("--steps", type=int, default=4000, help="default: %(default)s")
    p.add_argument("--decay", type=float, default=0.4, help="share of the steps over which the rates fall to nothing (default: %(default)s)")
    p.add_argument("--batch", type=int, default=16, help="rows a step (default: %(default)s)")
    p.add_argument("--shard", type=int, default=4, help="rows a thread works on at a time (default: %(default)s)")
    p.add_argument("--threads", type=int, default=2, help="default: %(default)s; does not change the result")
    p.add_argument("--seed", type=int, default=1, help="default: %(default)s")
    p.add_argument("--optimizer", choices=("muon", "adamw"), default="muon", help="for the matrices (default: %(default)s)")
    p.add_argument("--lr", type=float, default=3e-3, help="AdamW's rate (default: %(default)s)")
    p.add_argument("--muon-lr", type=float, default=0.02, help="Muon's rate (default: %(default)s)")
    p.add_argument("--weight-decay", type=float, default=0.1, help="default: %(default)s")
    p.add_argument("--made-share", type=float, default=0.15, help="share of rows that repeat a piece (default: %(default)s)")
    p.add_argument("--vocab", type=int, default=SIZE["vocab_size"], help="tokens (default: %(default)s)")
    p.add_argument("--width", type=int, default=SIZE["hidden_size"], help="d_model (default: %(default)s)")
    p.add_argument("--inner", type=int, default=SIZE["intermediate_size"], help="feed-forward width (default: %(default)s)")
    p.add_argument("--layers", type=int, default=SIZE["num_hidden_layers"], help="default: %(default)s")
    p.add_argument("--heads", type=int, default=SIZE["num_attention_heads"], help="default: %(default)s")
    p.add_argument("--context", type=int, default=SIZE["max_position_embeddings"], help="default: %(default)s")
    p.add_argument("--check-every", type=int, default=250, metavar="N", help="checkpoint and quick figures every N steps (default: %(default)s)")
    return p.parse_args()


def say(text, end="\n"):
    print(text, end=end, file=sys.stderr, flush=True)


# ---------------------------------------------------------------- texts and vocabulary
def tokenizer_for(texts, options):
    path = os.path.join(options.work, "merges.json")
    if not os.path.exists(path):
        say("vocabulary: counting pairs …")
        documents = [d for source in texts.values() for d in source["train"]]
        write_json(path, train_merges(documents, options.vocab - 257))
    with open(path, encoding="utf-8") as f:
        return Tokenizer(json.load(f))


def to_ids(tokenizer, documents):
    """All documents as one array, <|endoftext|> (0) before each and at the end."""
    return np.array([0] + [i for d in documents for i in tokenizer.encode(d) + [0]], np.int32)


# ---------------------------------------------------------------- training
class Training:
    """Model, optimisers and clock: all that a checkpoint keeps."""

    def __init__(self, size, options):
        torch.manual_seed(options.seed)
        self.options, self.model = options, Llama(size)
        self.optimisers = optimisers(self.model, options)
        self.rates = [[g["lr"] for g in o.param_groups] for o in self.optimisers]
        self.step, self.seconds, self.cpu_seconds, self.loss = 0, 0.0, 0.0, float("nan")
        self.path = os.path.join(options.work, "checkpoint.pt")

    def save(self):
        state = {"model": self.model.state_dict(), "optimisers": [o.state_dict() for o in self.optimisers],
                 "clock": (self.step, self.seconds, self.cpu_seconds, self.loss)}
        torch.save(state, self.path + ".new")
        os.replace(self.path + ".new", self.path)

    def resume(self):
        if os.path.exists(self.path):
            state = torch.load(self.path)
            self.model.load_state_dict(state["model"])
            for optimiser, kept in zip(self.optimisers, state["optimisers"]):
                optimiser.load_state_dict(kept)
            self.step, self.seconds, self.cpu_seconds, self.loss = state["clock"]
            say(f"resumed at step {self.step}")

    def gradients(self, batch, pool):
        """Loss and gradients of a batch, in shards that the pool's threads share and that are summed in order."""
        tokens, counts = (torch.from_numpy(x) for x in batch)
        params, total = list(self.model.parameters()), counts.sum()

        def shard(rows):
            logits = self.model(tokens[rows, :-1])
            nats = F.cross_entropy(logits.flatten(0, 1), tokens[rows, 1:].flatten(), reduction="none")
            loss = (nats * counts[rows].flatten()).sum() / total
            return loss.item(), torch.autograd.grad(loss, params)

        slices = [slice(i, i + self.options.shard) for i in range(0, len(tokens), self.options.shard)]
        loss = 0.0
        for p in params:
            p.grad = torch.zeros_like(p)
        for part, grads in pool.map(shard, slices):
            loss += part
            for p, g in zip(params, grads):
                p.grad += g
        return loss

    def advance(self, batches, pool):
        start, cpu = time.monotonic(), time.process_time()
        loss = self.gradients(batches.batch(self.options.seed, self.step), pool)
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        share = learning_rate_share(self.step, self.options.steps, min(100, self.options.steps), self.options.decay)
        for optimiser, rates in zip(self.optimisers, self.rates):
            for group, rate in zip(optimiser.param_groups, rates):
                group["lr"] = rate * share
            optimiser.step()
        self.step += 1
        self.loss = loss if self.step == 1 else 0.98 * self.loss + 0.02 * loss
        self.seconds += time.monotonic() - start
        self.cpu_seconds += time.process_time() - cpu


def run(training, batches, held, options):
    """SIGINT and SIGTERM end it after the step under way, saved."""
    stop = []
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.append(True))
    with ThreadPoolExecutor(options.threads, initializer=torch.set_num_threads, initargs=(1,)) as pool:
        while training.step < options.steps:
            training.advance(batches, pool)
            if stop:
                training.save()
                sys.exit(f"stopped at step {training.step}; the same command goes on from there")
            progress(training, options)
            if training.step % options.check_every == 0 or training.step == options.steps:
                training.save()
                check(training.model, held, options)


def progress(training, options):
    if sys.stderr.isatty() or training.step % 50 == 0 or training.step == options.steps:
        rate = training.seconds / training.step
        say(f"step {training.step}/{options.steps}  loss {training.loss:.3f}  {rate:.2f} s/step  "
            f"{rate * (options.steps - training.step) / 60:.0f} min left", end="\r" if sys.stderr.isatty() else "\n")


def check(model, held, options):
    nats = {name: measure.heldout_nats(model, ids, options.context, most=24) for name, ids in held.items()}
    say("  held out: " + "  ".join(f"{name} {x:.3f}" for name, x in nats.items())
        + f"  previous {measure.previous_scores(model, next(iter(held.values())), options.context, 8).max():.2f}"
        + f"  induction {measure.induction_scores(model, options.vocab, length=options.context // 4, n_rows=8).max():.2f}")


# ---------------------------------------------------------------- figures
def figures(training, train, held, held_bytes, options):
    """Measured on the exported F16 weights."""
    model = training.model
    held_all = np.concatenate([next(iter(held.values()))] + [ids[1:] for ids in list(held.values())[1:]])
    texts = {**held, "all": held_all} if len(held) > 1 else held
    n_bytes = {**held_bytes, "all": sum(held_bytes.values())}
    result = {name: measure.losses(model, train, ids, n_bytes[name], options.vocab, options.context) for name, ids in texts.items()}
    length = options.context // 4
    return {"parameters": n_parameters(model), "train_tokens": len(train), "steps": training.step,
            "tokens_seen": training.step * options.batch * options.context, "wall_seconds": round(training.seconds),
            "cpu_seconds": round(training.cpu_seconds), "final_train_loss": round(training.loss, 4), "held_out": result,
            "previous_token": measure.head_table(measure.previous_scores(model, held_all, options.context)),
            "induction": measure.head_table(measure.induction_scores(model, options.vocab, length)),
            "copy_nats_per_token": round(measure.copy_nats(model, options.vocab, length), 4),
            "options": {k: v for k, v in vars(options).items() if k not in ("out", "work", "root", "text")},
            "versions": {"python": platform.python_version(), "numpy": np.__version__, "torch": torch.__version__}}


def use_exported(model, directory):
    tensors = load_tensors(os.path.join(directory, "model.safetensors"))
    for name, p in model.named_parameters():
        p.data = torch.from_numpy(tensors["model." + name].astype(np.float32))


def main():
    options = parse_options()
    os.makedirs(options.work, exist_ok=True)
    torch.set_num_threads(1)
    try:
        texts = corpus.collect_file(options.text) if options.text else corpus.collect(options.root + ["/"])
    except corpus.MissingText as fault:
        sys.exit(f"train.py: {fault}")
    tokenizer = tokenizer_for(texts, options)
    options.vocab = len(tokenizer.tokens)
    train = to_ids(tokenizer, [d for source in texts.values() for d in source["train"]])
    held = {name: to_ids(tokenizer, source["held"]) for name, source in texts.items()}
    held_bytes = {name: sum(len(d.encode()) for d in source["held"]) for name, source in texts.items()}
    size = {**SIZE, "vocab_size": options.vocab, "hidden_size": options.width, "intermediate_size": options.inner,
            "num_hidden_layers": options.layers, "num_attention_heads": options.heads, "max_position_embeddings": options.context}
    training = Training(size, options)
    say(f"{n_parameters(training.model)} parameters, {len(train)} tokens of text, {options.steps} steps")
    training.resume()
    run(training, Batches(train, options.vocab, options), held, options)
    save_model(options.out, training.model, tokenizer)
    use_exported(training.model, options.out)
    result = figures(training, train, held, held_bytes, options)
    write_json(os.path.join(options.out, "training.json"), result)
    say(json.dumps(result["held_out"], indent=1))


if __name__ == "__main__":
    main()
