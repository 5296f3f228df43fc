#!/usr/bin/python3
"""The model of `bench/model --make DIR` as one GGUF file in F32, for llama.cpp (bench/model_llama.js).

    /usr/bin/python3 bench/model_gguf.py DIR ../shared/data/vocab/gpt2/ggml-vocab-gpt-2.gguf MODEL.gguf

The numbers are DIR's, the linear maps transposed to GGUF's [out][in]; the tokenizer.* entries are copied byte for byte
from the vocabulary's file, which must have as many tokens as the model."""
import json, struct, sys
import numpy as np

U32, F32, STRING, ARRAY = 4, 6, 8, 9
SIZES = {0: 1, 1: 1, 2: 2, 3: 2, U32: 4, 5: 4, F32: 4, 7: 1, 10: 8, 11: 8, 12: 8}
ALIGNMENT = 32
NAMES = {"wte": "token_embd", "wpe": "position_embd", "ln_f": "output_norm", "ln_1": "attn_norm",
         "attn.c_attn": "attn_qkv", "attn.c_proj": "attn_output", "ln_2": "ffn_norm", "mlp.c_fc": "ffn_up",
         "mlp.c_proj": "ffn_down"}


def text(string):
    return struct.pack("<Q", len(string)) + string


def after_value(data, kind, at):
    """Where the value of this kind at AT ends."""
    if kind == STRING:
        return at + 8 + struct.unpack_from("<Q", data, at)[0]
    if kind != ARRAY:
        return at + SIZES[kind]
    element, count = struct.unpack_from("<IQ", data, at)
    at += 12
    if element in SIZES:
        return at + count * SIZES[element]
    for _ in range(count):
        at = after_value(data, element, at)
    return at


def tokenizer_entries(path, n_vocab):
    data = open(path, "rb").read()
    magic, version, _, count = struct.unpack_from("<4sIQQ", data)
    assert magic == b"GGUF" and version in (2, 3), "expected GGUF 2 or 3"
    entries, at = [], 24
    for _ in range(count):
        start, after_key = at, after_value(data, STRING, at)
        key, kind = data[start + 8:after_key], struct.unpack_from("<I", data, after_key)[0]
        at = after_value(data, kind, after_key + 4)
        if key == b"tokenizer.ggml.tokens":
            found = struct.unpack_from("<Q", data, after_key + 8)[0]
            assert found == n_vocab, "%s has %d tokens, the model %d" % (path, found, n_vocab)
        if key.startswith(b"tokenizer."):
            entries.append(data[start:at])
    return entries


def entry(key, value):
    key = text(key.encode())
    if isinstance(value, str):
        return key + struct.pack("<I", STRING) + text(value.encode())
    if isinstance(value, float):
        return key + struct.pack("<If", F32, value)
    return key + struct.pack("<II", U32, value)


def name_in_gguf(name):
    stem, kind = name.rsplit(".", 1)
    prefix = ""
    if stem.startswith("h."):
        _, layer, stem = stem.split(".", 2)
        prefix = "blk.%s." % layer
    return prefix + NAMES[stem] + "." + kind


def tensors(directory):
    data = np.memmap(directory + "/model.safetensors", np.uint8, "r")
    size = struct.unpack("<Q", data[:8].tobytes())[0]
    for name, t in json.loads(data[8:8 + size].tobytes()).items():
        if name != "__metadata__":
            begin, end = t["data_offsets"]
            numbers = data[8 + size + begin:8 + size + end].view("<f4").reshape(t["shape"])
            is_map = name.startswith("h.") and numbers.ndim == 2
            yield name_in_gguf(name), numbers.T if is_map else numbers


def pad(file):
    file.write(bytes(-file.tell() % ALIGNMENT))


directory, vocabulary, to = sys.argv[1:4]
c = json.load(open(directory + "/config.json"))
meta = [entry("general.architecture", "gpt2"), entry("general.file_type", 0),
        entry("gpt2.block_count", c["n_layer"]), entry("gpt2.context_length", c["n_positions"]),
        entry("gpt2.embedding_length", c["n_embd"]), entry("gpt2.feed_forward_length", 4 * c["n_embd"]),
        entry("gpt2.attention.head_count", c["n_head"]),
        entry("gpt2.attention.layer_norm_epsilon", float(c["layer_norm_epsilon"]))]
meta += tokenizer_entries(vocabulary, c["vocab_size"])
named = list(tensors(directory))
with open(to, "wb") as file:
    file.write(struct.pack("<4sIQQ", b"GGUF", 3, len(named), len(meta)) + b"".join(meta))
    offset = 0
    for name, numbers in named:
        shape = numbers.shape[::-1]  # the fastest dimension first
        file.write(text(name.encode()) + struct.pack("<I%dQIQ" % len(shape), len(shape), *shape, 0, offset))
        offset += numbers.size * 4 + -numbers.size * 4 % ALIGNMENT
    for _, numbers in named:
        pad(file)
        file.write(np.ascontiguousarray(numbers).tobytes())
