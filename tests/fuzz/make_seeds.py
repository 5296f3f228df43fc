#!/usr/bin/python3
"""Writes the small seeds of tests/fuzz/seeds/NAME: make_seeds.py (needs Debian's python3-numpy). They are
kept in the source tree; run it again after changing it. Each target's function below gives (name, bytes)."""
import io
import json
import os
import re
import struct
import zipfile
import zlib

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "../data/formats")


def npy_bytes(array, version=None):
    stream = io.BytesIO()
    np.lib.format.write_array(stream, array, version=version)
    return stream.getvalue()


def files(folder, ending):
    """The cases that the unit tests read too."""
    for name in sorted(os.listdir(os.path.join(DATA, folder))):
        if name.endswith(ending):
            with open(os.path.join(DATA, folder, name), "rb") as file:
                data = file.read()
            if len(data) < 2000:
                yield folder[:3] + "-" + name.rsplit(".", 1)[0], data


def safetensors():
    def build(entries, data, metadata=None):
        header = {} if metadata is None else {"__metadata__": metadata}
        for name, dtype, shape, begin, end in entries:
            header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}
        text = json.dumps(header).encode()
        return struct.pack("<Q", len(text)) + text + data

    yield "empty", build([], b"")
    yield "two", build([("a", "F32", [2, 2], 0, 16), ("b", "BF16", [3], 16, 22)], bytes(range(22)))
    yield "types", build(
        [(t, t, [1], i * 8, i * 8 + 8 if t[1:] == "64" else 0) for i, t in enumerate(["F64", "I64", "U64"])],
        bytes(24), {"format": "pt"})
    yield "overlap", build([("a", "F32", [2], 0, 8), ("b", "F32", [1], 4, 8)], bytes(8))
    yield "hole", build([("a", "U8", [2], 0, 2), ("b", "U8", [1], 3, 4)], bytes(4))
    yield "small", build([("x", "I8", [], 0, 1), ("e", "U8", [0, 7], 1, 1)], b"\xff")
    for case in "045-st-hostile-header-length", "046-st-shape-offset-mismatch", "051-st-metadata-odd":
        yield from files(case, ".safetensors")


def safetensors_index():
    yield "one", b'{"metadata":{"total_size":16},"weight_map":{"a":"s1.safetensors","b":"s1.safetensors"}}'
    yield "two", b'{"weight_map":{"a":"s1.safetensors","b":"s2.safetensors"}}'
    yield "away", b'{"weight_map":{"a":"../s1.safetensors"}}'
    yield "none", b'{"weight_map":{}}'


def npy():
    base = np.arange(6).reshape(2, 3)
    for dtype in "<f2 <f4 <f8 >f4 |i1 <i2 >i4 <i8 |u1 <u2 <u4 >u8 |b1".split():
        yield dtype.strip("<>|") + ("b" if dtype[0] == ">" else ""), npy_bytes(base.astype(dtype))
    yield "fortran", npy_bytes(np.asfortranarray(base.astype("<f4")))
    yield "cube", npy_bytes(np.asfortranarray(np.zeros((2, 1, 3), "<f4")))
    yield "scalar", npy_bytes(np.array(2.5, "<f4"))
    yield "v2", npy_bytes(base.astype("<f4"), (2, 0))
    yield "v3", npy_bytes(base.astype("<f4"), (3, 0))
    yield from files("057-npy-object-structured-refuse", ".npy")


def npz():
    yield from files("npz", ".npz")
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as z:
        z.writestr(zipfile.ZipInfo("x.npy"), npy_bytes(np.eye(3, dtype="<f4")))
    yield "one", stream.getvalue()


def gguf():
    def text(s):
        return struct.pack("<Q", len(s)) + s

    def build(version, keys, tensors, data, n_keys=None):
        out = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(keys))
        for key, kind, value in keys:
            out += text(key) + struct.pack("<I", kind) + value
        for name, dims, kind, offset in tensors:
            out += text(name) + struct.pack("<I%dQIQ" % len(dims), len(dims), *dims, kind, offset)
        return out + b"\0" * (-len(out) % 32) + data

    keys = [
        (b"general.architecture", 8, text(b"llama")),
        (b"a", 9, struct.pack("<IQ", 8, 2) + text(b"x") + text(b"")),
        (b"n", 9, struct.pack("<IQ3f", 6, 3, 1, 2, 3)),
        (b"f", 6, struct.pack("<f", 1e-5)),
        (b"b", 7, b"\1"),
        (b"i", 11, struct.pack("<q", -1)),
        (b"general.alignment", 4, struct.pack("<I", 32)),
    ]
    yield "keys", build(3, keys, [], b"")
    yield "v2", build(2, [], [(b"m", (2, 3), 0, 0), (b"v", (4,), 1, 32)], bytes(64))
    for kind, size, bytes_ in ((2, 32, 18), (3, 32, 20), (6, 32, 22), (7, 32, 24), (8, 32, 34), (10, 256, 84),
                               (11, 256, 110), (12, 256, 144), (13, 256, 176), (14, 256, 210), (20, 32, 18),
                               (23, 256, 136), (16, 256, 66), (17, 256, 74), (18, 256, 98), (19, 256, 50),
                               (21, 256, 110), (22, 256, 82), (29, 256, 56), (34, 256, 54), (35, 256, 66),
                               (39, 32, 17), (40, 64, 36), (41, 128, 18), (42, 64, 18), (30, 4, 8), (28, 4, 32), (24, 4, 4)):
        yield "type%d" % kind, build(3, [], [(b"q", (size, 2), kind, 0)], bytes(range(256)) * 2)
    for case in "061-gguf-hostile-sizes", "062-gguf-q4_0-q8_0-values":
        yield from files(case, ".gguf")


def llama2c():
    def build(dim, hidden, layers, heads, kv_heads, vocab, positions):
        head, words = dim // heads, abs(vocab)
        count = words * dim + layers * (2 * dim + 2 * dim * dim + 2 * kv_heads * head * dim + 3 * hidden * dim)
        count += dim + positions * head // 2 * 2 + (words * dim if vocab < 0 else 0)
        return struct.pack("<7i", dim, hidden, layers, heads, kv_heads, vocab, positions) + bytes(4 * count)

    yield "tied", build(2, 1, 1, 1, 1, 1, 1)
    yield "own", build(4, 3, 2, 2, 1, -3, 2)
    yield "newer", struct.pack("<Ii", 0x616B3432, 1) + bytes(248)


TEXTS = {
    "english": "a ab don't 1.5, <a>x <B> c",
    "korean": "\uc5b4\ubd80\uac00 \u110b\u1165\u1107\u116e \u1100\u1161\u11a8",
    "cjk": "\u6211\u7231a\u4f60\U00020000 \u308a\u3093\u3054\u3002",
    "emoji": "\U0001f1f0\U0001f1f7 \U0001f469\u200d\U0001f467\u2764\ufe0f",
    "marks": "e\u0323\u0301\u0327 \u0301 \u03a3\u0391\u03a3 \u0130 \u302e",
    "bert": "[MASK] [CLS]x a[SEP]ab!\u00c9 b ##a",
    "ids": "0 1,2\n14 15",
    "controls": "a\0b\x01\x0b\x85\u2028\u00ad\ufffd\ufeff",
}


def text():
    for number, (name, line) in enumerate(TEXTS.items()):
        for kind in range(6):
            yield "%s-%d" % (name, kind), bytes([kind + 6 * (number + kind)]) + line.encode()
    yield "ill-formed", b"\0a\xff\xe3\x81b\xed\xa0\x80\xf4\x90\x80\x80"


def wordpiece():
    for number, (name, line) in enumerate(TEXTS.items()):
        for switches in (0x7F, 0x20, 0x1E, 0x79):
            yield "%s-%02x" % (name, switches), bytes([switches]) + line.encode()
    yield "ill-formed", b"\x7ea\xff\xe3\x81b\xed\xa0\x80"


def vocab_txt():
    yield "bert", b"[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\n##b\nab"
    yield "crlf", b"a\r\nb\r\n\r\na\r\n"
    yield "cr", b"a\n\r\n\nb"
    yield "plain", "<unk>\n\uc5b4\ubd80\n\u1100\u1161\n<0x41>\n \n".encode()
    yield "nul", b"a\0b\n\xff\n"


def bpe():
    for number, (name, line) in enumerate(TEXTS.items()):
        for choice in range(number % 4, 256, 23):
            yield "%s-%02x" % (name, choice), bytes([choice]) + line.encode()
    for choice in (0x0C, 0x1E, 0x7B, 0x55):
        yield "ill-formed-%02x" % choice, bytes([choice]) + b"a\xff\xe3\x81b\xed\xa0\x80\xf4\x90\x80\x80"
        yield "run-%02x" % choice, bytes([choice]) + b"a" * 200 + b" " * 60


def tokenizer_json():
    chars = {c: i for i, c in enumerate("ab \u2581e\u0301\uac001!")}
    chars.update({"<u>": 9, "ab": 10, "\u2581a": 11})
    bpe_ = {"type": "BPE", "unk_token": "<u>", "fuse_unk": True, "vocab": chars, "merges": ["a b", ["\u2581", "a"]]}
    uni = {"type": "Unigram", "unk_id": 0, "vocab": [["<u>", 0], ["a", -1], ["ab", -1.5], ["<0xFF>", -9]], "byte_fallback": True}
    wordpiece_ = {"type": "WordPiece", "unk_token": "[UNK]", "vocab": {"[UNK]": 0, "a": 1, "##b": 2}}
    added = [{"id": 30, "content": "<s>", "lstrip": True, "special": True}, {"id": 31, "content": "b", "single_word": True}]
    meta = {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "first"}
    regex = {"type": "Split", "pattern": {"Regex": "[^\\s&&[^b]]|\\w+"}, "behavior": "MergedWithNext", "invert": False}
    trie = struct.pack("<I", 4 * 4) + struct.pack("<4I", 1 << 10, 0, 0, 0) + b"x\0"
    import base64
    every = [{"type": t} for t in ("NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "Nmt", "BertNormalizer", "Strip")]
    every += [{"type": "Replace", "pattern": {"Regex": "x+"}, "content": "a"}, {"type": "Prepend", "prepend": "a"},
              {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(trie).decode()}]
    pres = [{"type": t} for t in ("Whitespace", "WhitespaceSplit", "BertPreTokenizer", "Digits", "Punctuation")]
    template = {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "<s>"}}, {"Sequence": {"id": "A"}}],
                "special_tokens": {"<s>": {"ids": [1]}}}
    level = {"type": "ByteLevel", "add_prefix_space": True, "use_regex": True}
    seq = lambda kind, items: {"type": "Sequence", kind: items}
    for name, content in (
        ("bpe", {"added_tokens": added, "pre_tokenizer": meta, "post_processor": template, "model": bpe_}),
        ("regex", {"pre_tokenizer": seq("pretokenizers", [regex, meta]), "model": bpe_}),
        ("level", {"pre_tokenizer": level, "model": bpe_}),
        ("steps", {"normalizer": seq("normalizers", every), "pre_tokenizer": seq("pretokenizers", pres), "model": bpe_}),
        ("unigram", {"normalizer": every[2], "pre_tokenizer": meta, "model": uni}),
        ("charsmap", {"normalizer": every[-1], "model": uni}),
        ("wordpiece", {"normalizer": {"type": "BertNormalizer"}, "pre_tokenizer": {"type": "BertPreTokenizer"},
                       "post_processor": {"type": "BertProcessing", "sep": ["a", 1], "cls": ["b", 2]}, "model": wordpiece_}),
    ):
        data = json.dumps(content).encode()
        yield name, data
        yield name + "-text", data + b"\0ab <s> e\xcc\x81\xff  1!ab"


def tokenizer_pair():
    """The tokenizers of tokenizer_json with texts that are long runs, and with what is slow in others: added tokens of
    many lengths, merges in a chain, a pattern that looks far ahead."""
    files = {name: data for name, data in tokenizer_json() if not name.endswith("-text")}
    texts = {"run": b"a" * 3000, "pairs": b"ab" * 1500, "spaces": b" " * 3000, "marks": b"e" + b"\xcc\x81\xcc\xa3" * 700,
             "ill": b"\xe2\x96" * 1500}
    for number, name in enumerate(sorted(files)):
        for text in sorted(texts)[number % 2::2]:
            yield "%s-%s" % (name, text), files[name] + b"\0" + texts[text]
    chain = {"vocab": {"a" * (i + 1): i for i in range(24)}, "merges": [["a" * (i + 1), "a"] for i in range(22)],
             "type": "BPE"}
    added = [{"id": 100 + i, "content": "a" * (i + 1) + "b"} for i in range(24)]
    yield "lengths", json.dumps({"added_tokens": added, "model": chain}).encode() + b"\0" + b"a" * 3000
    ahead = {"type": "Split", "pattern": {"Regex": "\\s+(?!\\S)|a+(?=b)|."}, "behavior": "Isolated", "invert": False}
    yield "ahead", json.dumps({"pre_tokenizer": ahead, "model": chain}).encode() + b"\0" + b"a" * 600
    double = {"type": "Replace", "pattern": {"String": "a"}, "content": "aa"}
    steps = {"type": "Sequence", "normalizers": [double] * 5}
    yield "doubles", json.dumps({"normalizer": steps, "model": chain}).encode() + b"\0" + b"a" * 300


def vocab_json():
    yield "words", b'{"[UNK]": 0, "a": 1, "b": 2, "\\ud83e\\udd99": 3}\0a b c'
    yield "holes", b'{"a": 5, "\\u0000": 1}'


def merges():
    yield "header", "#version: 0.2\na a\n\u0120 a\naa aa\n\0aaaa aa".encode()
    yield "bare", b"# #\n## #\r\n\0###"
    yield "wrong", b"a b c\n"


def tiktoken():
    yield "two", b"IQ== 0\nIg== 1\n"
    yield "crlf", b"YWI= 0\r\nYQ== 1\r\n"
    yield "wrong", b"YWI= x\n"


def spm_model():
    varint = lambda n: bytes([n & 127 | 128]) + varint(n >> 7) if n > 127 else bytes([n])
    field = lambda number, data: varint(number << 3 | 2) + varint(len(data)) + data
    number = lambda n, value: varint(n << 3) + varint(value)
    piece = lambda text, score, kind: field(1, field(1, text.encode()) + b"\x15" + struct.pack("<f", score) + number(3, kind))
    pieces = piece("<unk>", 0, 2) + piece("<s>", 0, 3) + piece("\u2581", -1, 1) + piece("a", -2, 1) + piece("b", -3, 1) + \
        piece("ab", -1.5, 1) + piece("<0xFF>", 0, 6) + piece("[x]", 0, 4)
    for name, kind in (("unigram", 1), ("bpe", 2), ("word", 3)):
        yield name, pieces + field(2, number(3, kind) + number(35, 1) + number(40, 0)) + field(3, number(3, 1) + number(4, 1))
    trie = struct.pack("<I", 16) + struct.pack("<4I", 1 << 10, 0, 0, 0) + b"x\0"
    yield "charsmap", pieces + field(2, number(3, 1)) + field(3, field(2, trie) + number(5, 0))


JSONS = {
    "empty": b"{}",
    "matrices": b'{"comment": "c", "W_Q": [[1, -2.5], [3e2, 0.123456789]], "b": [0.1, 16777217]}',
    "bare": b"[[1,2],[3,4]]",
    "long": b"[0.12345678901234567890123, 1.00000017881393432617187499, 123456789012345678901]",
    "strings": b'["\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83e\\udd99", "' + "\uac00\U0001f999".encode() + b'", "a\\u0000"]',
    "words": b'\xef\xbb\xbf{"t": true, "f": false, "n": null, "o": {"a": {}, "b": [[]]}}',
    "keys": b"{" + b",".join(b'"k%d":%d' % (i, i) for i in range(12)) + b"}",
    "deep": b"[" * 64 + b"]" * 64,
    "bad": b'{"a": 01, "b": NaN, "a": "\\ud83e", }',
}


def json_():
    yield from JSONS.items()


json_.__name__ = "json"


def json_matrices():
    yield from JSONS.items()


def decimal():
    for number, line in enumerate(
            "0 -0.5 1e39 -1e-46 16777217 0.1234567 0.123456789012345678 1.00000017881393432617187499 .5 5. +7 1e+ "
            "340282356779733661637539395458142568447.99 7.006492321624085354618e-46 2.2250738585072011e-308 "
            "123456789012345678901234567890e-20".split()):
        yield "n%d" % number, line.encode()


def vectors():
    yield "glove", b"the 0.418 0.24968\n. . . 1 2\n1 2 3 4\nthe 5 6\n"
    yield "crlf", b"\xef\xbb\xbfthe 1 0\r\n\r\ncat\t0  1e-1 \r\n"
    yield "w2v", b"3 2\nthe 1 0.5\ncat -0.25 2 \nsat 0.125 -3"
    yield "more", b"1 2\nthe 1 0.5\ncat -0.25 2\n"
    yield "binary", b"2 2\nthe " + struct.pack("<2f", 1, 0.5) + b"\ncat " + struct.pack("<2f", -0.25, 2) + b"\n"
    yield "bare", b"2 1\nthe " + struct.pack("<f", 1) + b"cat " + struct.pack("<f", 2)
    yield "json", b'{"comment": "c", "the": [1, 0.5], "c\\u0061t": [2, 3]}'
    yield "hostile", b"4611686018427387904 4\nab \0\0\x80?"
    yield "long", b"w" * 200 + b" 0.12345678 0.1234567890123456 0.5 0.25 0.125\n" + b"v 1 2 3 4 5\n" * 3
    yield "fasttext", b"\xba\x16\x4f\x2f\x0c\0\0\0"


def models(name):
    """The same file of every family that has it."""
    root = os.path.join(HERE, "../model/families")
    for family in sorted(os.listdir(root)):
        path = os.path.join(root, family, name)
        if os.path.exists(path):
            with open(path, "rb") as file:
                yield family, file.read()


def gguf_model():
    """A Llama of width 4: the files of tests/model/families are too large to mutate well."""
    def text(s):
        return struct.pack("<Q", len(s)) + s

    d, ff, vocab = 4, 6, 3
    u32 = lambda key, value: text(key) + struct.pack("<II", 4, value)
    f32 = lambda key, value: text(key) + struct.pack("<If", 6, value)
    keys = [
        text(b"general.architecture") + struct.pack("<I", 8) + text(b"llama"),
        u32(b"llama.context_length", 8), u32(b"llama.embedding_length", d), u32(b"llama.block_count", 1),
        u32(b"llama.feed_forward_length", ff), u32(b"llama.attention.head_count", 2),
        u32(b"llama.attention.head_count_kv", 1), u32(b"llama.rope.dimension_count", 2),
        f32(b"llama.attention.layer_norm_rms_epsilon", 1e-5),
        text(b"tokenizer.ggml.model") + struct.pack("<I", 8) + text(b"llama"),
        text(b"tokenizer.ggml.tokens") + struct.pack("<IIQ", 9, 8, vocab) + text(b"<unk>") + text(b"a") + text(b"b"),
        text(b"tokenizer.ggml.scores") + struct.pack("<IIQ3f", 9, 6, vocab, 0, -1, -2),
        text(b"tokenizer.ggml.token_type") + struct.pack("<IIQ3i", 9, 5, vocab, 2, 1, 1),
    ]
    shapes = [("token_embd", (d, vocab)), ("output_norm", (d,)), ("blk.0.attn_norm", (d,)), ("blk.0.attn_q", (d, d)),
              ("blk.0.attn_k", (d, 2)), ("blk.0.attn_v", (d, 2)), ("blk.0.attn_output", (d, d)),
              ("blk.0.ffn_norm", (d,)), ("blk.0.ffn_gate", (d, ff)), ("blk.0.ffn_up", (d, ff)),
              ("blk.0.ffn_down", (ff, d))]
    infos, data = b"", b""
    random = np.random.default_rng(1)
    for name, shape in shapes:
        data += bytes(-len(data) % 32)
        infos += text(name.encode() + b".weight") + struct.pack("<I%dQIQ" % len(shape), len(shape), *shape, 0, len(data))
        data += random.standard_normal(int(np.prod(shape))).astype("<f4").tobytes()
    head = b"GGUF" + struct.pack("<IQQ", 3, len(shapes), len(keys)) + b"".join(keys) + infos
    yield "llama", head + bytes(-len(head) % 32) + data


def config():
    for family, data in models("config.json"):
        yield family, family.encode() + b"\n" + data


def toy_model():
    examples = os.path.join(HERE, "../../examples")
    for name in sorted(os.listdir(examples)):
        if name.endswith(".json"):
            with open(os.path.join(examples, name), "rb") as file:
                data = file.read()
            if len(data) < 4000:
                yield name[:-5], data
    words = '"words": {"a": [1, 0], "b": [0, 1], "c": [0.5, -2e0]}'
    for name, keys in (
        ("bare", ""),
        ("heads", ', "heads": [{"W_Q": [[1], [0]], "W_K": [[0], [1]], "W_V": [[1], [1]]}, {}], "head_mix": [1, 2]'),
        ("layers", ', "layers": [{"n_heads": 2, "W_Q": [[1, 2], [3, 4]], "b_Q": [1, 1], "residual": true}, {"W_O": [[1], [2]]}]'),
        ("rope", ', "positions": "rope", "rope_theta": 100, "rope_layout": "half", "rotary_dim": 2'),
        ("alibi", ', "positions": "alibi", "slopes": [0.5], "mask": ["causal", "window:2"], "sinks": [1]'),
        ("additive", ', "score": "additive", "v_A": [1, 2], "scale": 2, "temperature": 0.5, "softcap": 3'),
        ("gravity", ', "score": "gravity", "mask": "none", "qk_norm": true'),
        ("kv", ', "n_heads": 2, "n_kv_heads": 1, "head_dim": 1, "W_K": [[1], [1]], "W_V": [[1], [1]]'),
    ):
        yield name, ("{%s%s}" % (words, keys)).encode()
    yield "vocab", b'{"vocab": ["a", "b"], "embeddings": [[1], [2]], "axes": ["x"], "tokenizer": "words", "lowercase": true}'


def torch():
    """The pickles of tests/data/formats/torch without their archives; two with them."""
    folder = os.path.join(DATA, "torch")
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".pt") or os.path.getsize(os.path.join(folder, name)) > 4000:
            continue
        if name in ("state.pt", "slice.pt"):
            with open(os.path.join(folder, name), "rb") as file:
                yield "zip-" + name[:-3], file.read()
        if zipfile.is_zipfile(os.path.join(folder, name)):
            with zipfile.ZipFile(os.path.join(folder, name)) as z:
                yield name[:-3], next(z.read(m) for m in z.namelist() if m.endswith("data.pkl"))


# Toys, options and texts that meet most of what an option does; see command_line.
TOYS = (
    b'{"words": {"a": [1, 0], "b": [0, 1], "c": [0.5, -2]}, "n_heads": 2, "W_Q": [[1, 2], [3, 4]]}',
    b'{"words": {"ab": [1, 0], "a": [0, 1], "[PAD]": [0, 0]}, "layers": [{}, {"residual": true}], "axes": ["x", "y"]}',
    b'{"vocab": ["\\u202e", "\\t", "\\u00e9", "<a>"], "embeddings": [[1], [2], [3], [-1e30]], "tokenizer": "chars"}',
)
OPTIONS = (
    "-l", "-q", "--lowercase", "--unknown=error", "--unknown=a", "--special=none", "--parse-special", "--keep-newline",
    "--pad-token=a", "--max-tokens=2", "--by-word", "--raw-tokens", "-a none", "-a window:2", "-a band:1", "-a prefix:1",
    "-s dot", "-s cosine", "-s gaussian", "-s gravity", "--scale=2", "--temperature=0.5", "--softcap=3",
    "--positions=sinusoidal", "--positions=rope", "--positions=alibi", "--n-heads=2", "--n-kv-heads=1", "-L 0", "-L -1",
    "-H 0,1", "-H 0.1", "--query=0-1", "--key=1-", "--query-token=a", "--key-token=b", "--min=0.5", "-k 2",
    "--average=heads", "--at=before,after", "--final-norm", "--with-self", "--columns=text,query", "--precision=3",
    "--no-header", "--color=always", "--shade=row", "--shade=sqrt", "--width=40", "--draw=lines", "--draw=large",
    "--draw=squares", "-o out", "-j 2", "-t longest", "-t ids", "-t bytes", "-c TEXT", "-v TOY", "-e TOY", "-w TOY", "-h",
    "-T a", "--ignore-setting=x", "-V",
)


def names(header):
    """What a list of the program holds: reports.h, outputs.h."""
    with open(os.path.join(HERE, "../../src", header)) as file:
        return re.findall(r"^ +[A-Z]+\((\w+)\)", file.read(), re.M)


def command_line():
    """Each report in each format, and each option, with a toy and a text that its name chooses."""
    texts = b"a b c a", b"", b"ab\tx a\xff\n\nb [PAD] a\n", "\u202eé<a>\t&".encode()
    lines = [["-p", report, "-f", output] for report in names("report/reports.h") for output in names("output/outputs.h")]
    lines += [option.split() for option in OPTIONS]
    for line in lines:
        name = re.sub(r"[^a-z0-9]+", "-", " ".join(line).lower()).strip("-")
        turn = zlib.crc32(name.encode())
        yield name, "\n".join(line).encode() + b"\n\n" + TOYS[turn % 3] + b"\0" + texts[turn // 3 % 4]


def writers():
    """Each format with each shape and a few options, tokens that would break out of what they stand in."""
    tokens = (b"a", b"", b" b", b"\t\n\r\\", b"</script><script>", b"<!--", b"]]>", b"&amp;&#0;", b"\"' onload=x",
              b"\x1b[31m", b"\x07\x7f\xc2\x9b", "\u202e\u2066".encode(), "\ud55c\U0001f999".encode(), b"a" * 60,
              "e\u0301\ufffe\uffff".encode(), b"\xff", b"\\t", b"\xe2\x90\xa3")
    n_formats = len(names("output/outputs.h"))
    for number in range(n_formats * 9):
        shape, turn = number // n_formats % 3, number // n_formats // 3
        options = (0, 23, 60)[turn]
        some = tokens[turn * 6:turn * 6 + 6]
        yield "%s-%d-%d" % (names("output/outputs.h")[number % n_formats], shape, options), \
            bytes([number % n_formats, shape, options, 5]) + b"".join(bytes([len(t) | number * 64 & 192]) + t for t in some)


TARGETS = torch, safetensors, safetensors_index, npy, npz, gguf, llama2c, text, wordpiece, vocab_txt, \
    bpe, tokenizer_json, tokenizer_pair, vocab_json, merges, tiktoken, spm_model, \
    json_, json_matrices, decimal, vectors, toy_model, gguf_model, config, command_line, writers


def main():
    for target in TARGETS:
        folder = os.path.join(HERE, "seeds", target.__name__)
        os.makedirs(folder, exist_ok=True)
        for name, data in target():
            with open(os.path.join(folder, name), "wb") as file:
                file.write(data)


if __name__ == "__main__":
    main()
