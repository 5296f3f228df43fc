"""Inputs of every kind that attn reads, of about a given size and as costly as their kind allows: the shortest words,
the smallest tensors, keys and layers without anything in them. Each is a function of a folder and a size in bytes that
writes its files there and gives the arguments of a run; memory.py and work.py make each at two sizes.
"""
import base64
import json
import math
import os
import random
import struct
import zipfile

KINDS = {}
ONE_WORD = set()
DIGITS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"


def kind(function):
    KINDS[function.__name__.replace("_", "-")] = function
    return function


def one_word(function):
    """The text is one word, which what merges or weighs pieces takes whole."""
    ONE_WORD.add(kind(function).__name__.replace("_", "-"))
    return function


def word(number, first="w"):
    """The NUMBERth of many short words that differ."""
    text = ""
    while True:
        text = DIGITS[number % len(DIGITS)] + text
        number //= len(DIGITS)
        if number == 0:
            return first + text


def fill(size, item, between=b""):
    """ITEM(0), ITEM(1), … until they take SIZE bytes; how many there were."""
    parts, total, n = [], 0, 0
    while total < size:
        part = item(n)
        part = part.encode() if isinstance(part, str) else part
        parts.append(part)
        total += len(part) + len(between)
        n += 1
    return between.join(parts), n


class Folder:
    def __init__(self, path):
        self.path = path

    def write(self, name, *parts):
        path = os.path.join(self.path, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as stream:
            for part in parts:
                stream.write(part.encode() if isinstance(part, str) else part)
        return path


TOKENS = ["-p", "tokens", "-T", "hello"]
VECTORS = ["-p", "tokens", "-T", "wa wb"]

# ---- toy models ----


def toy(folder, *parts):
    return ["-m", folder.write("toy.json", *parts)]


@kind
def toy_words(folder, size):
    return toy(folder, '{"words":{', fill(size, lambda i: '"%s":[1]' % word(i), b",")[0], "}}") + VECTORS


@kind
def toy_vocab(folder, size):
    return toy(folder, '{"vocab":[', fill(size, lambda i: '"%s"' % word(i), b",")[0], "]}") + VECTORS


@kind
def toy_embeddings(folder, size):
    rows, n = fill(size, lambda i: "[1]", b",")
    return toy(folder, '{"vocab":[', ",".join('"%s"' % word(i) for i in range(n)),
               '],"embeddings":[', rows, "]}") + VECTORS


@kind
def toy_empty_layers(folder, size):
    return toy(folder, '{"words":{"wa":[1],"wb":[1]},"layers":[', fill(size, lambda i: "{}", b",")[0], "]}") + VECTORS


@kind
def toy_padded_layers(folder, size):
    layers = ",".join(["{}"] * (1024 + int(size) // 1024))
    return toy(folder, '{"words":{"wa":[1],"wb":[1]},"layers":[', layers, '],"comment":"', "x" * int(size), '"}') + VECTORS


@kind
def toy_padded_heads(folder, size):
    heads = ",".join(["{}"] * (2048 + int(size) // 512))
    return toy(folder, '{"words":{"wa":[1],"wb":[1]},"heads":[', heads, '],"comment":"', "x" * int(size), '"}') + VECTORS


@kind
def toy_small_layers(folder, size):
    layer = '{"heads":[{"W_Q":[[1]]}]}'
    return toy(folder, '{"words":{"wa":[1],"wb":[1]},"layers":[', fill(size, lambda i: layer, b",")[0], "]}") + VECTORS


@kind
def toy_empty_heads(folder, size):
    return toy(folder, '{"words":{"wa":[1],"wb":[1]},"heads":[', fill(size, lambda i: "{}", b",")[0], "]}") + VECTORS


@kind
def toy_wide_matrix(folder, size):
    row, n = fill(size / 2, lambda i: "1", b",")
    return toy(folder, '{"words":{"wa":[', row, '],"wb":[', row, "]}}") + VECTORS


@kind
def toy_tall_matrix(folder, size):
    rows, n = fill(size, lambda i: "[1]", b",")
    return toy(folder, '{"words":{"wa":[1],"wb":[1]},"W_Q":[', rows, "]}") + VECTORS


@kind
def toy_mask(folder, size):
    n = int(math.sqrt(size / 2))
    row = "[" + ",".join(["1", "0"] * (n // 2)) + "]"
    return toy(folder, '{"words":{"wa":[1],"wb":[1]},"mask":[', ",".join([row] * (n // 2 * 2)), "]}") + VECTORS


@kind
def toy_wide_comment(folder, size):
    keys = fill(size, lambda i: '"%s":1' % word(i), b",")[0]
    return toy(folder, '{"comment":{', keys, '},"words":{"wa":[1],"wb":[1]}}') + VECTORS


@kind
def toy_escaped_comment(folder, size):
    keys = fill(size, lambda i: '"\\n%s":1' % word(i), b",")[0]
    return toy(folder, '{"comment":{', keys, '},"words":{"wa":[1],"wb":[1]}}') + VECTORS


@kind
def toy_deep_comment(folder, size):
    deep = "[" * 40 + "1" + "]" * 40
    return toy(folder, '{"comment":[', fill(size, lambda i: deep, b",")[0],
               '],"words":{"wa":[1],"wb":[1]}}') + VECTORS


@kind
def toy_axes(folder, size):
    axes, n = fill(size, lambda i: '"%s"' % word(i), b",")
    row = ",".join(["1"] * n)
    return toy(folder, '{"axes":[', axes, '],"words":{"wa":[', row, '],"wb":[', row, "]}}") + VECTORS


# ---- word vectors ----


@kind
def vectors_glove(folder, size):
    return ["-e", folder.write("glove.txt", fill(size, lambda i: word(i) + " 1\n")[0])] + VECTORS


@kind
def vectors_glove_wide(folder, size):
    row = " 1" * (int(size) // 4)
    return ["-e", folder.write("glove.txt", "wa", row, "\nwb", row, "\n")] + VECTORS


def wide_pass(report):
    """Two rows that a pass goes over: each number counts many times over if panels of keys are padded. Half as large
    again as others, so that 256 such rows take more than peak.c grants."""
    def glove(folder, size):
        return vectors_glove_wide(folder, 1.5 * size)[:2] + ["-p", report, "-T", "wa wb"]
    glove.__name__ = "vectors_wide_" + report
    return kind(glove)


for pass_report in ("weights", "embeddings", "nearest", "heads"):
    wide_pass(pass_report)


@kind
def vectors_wide_17(folder, size):
    """One more than a panel of keys."""
    words = [word(i) for i in range(17)]
    row = " 1" * (int(size) // 34)
    path = folder.write("glove.txt", *(w + row + "\n" for w in words))
    return ["-e", path, "-p", "embeddings", "-T", " ".join(words)]


@kind
def vectors_glove_same_word(folder, size):
    return ["-e", folder.write("glove.txt", fill(size, lambda i: "wa 1\nwb 1\n")[0])] + VECTORS


@kind
def vectors_word2vec_text(folder, size):
    rows, n = fill(size, lambda i: word(i) + " 1\n")
    return ["-e", folder.write("v.txt", "%d 1\n" % n, rows)] + VECTORS


@kind
def vectors_word2vec_binary(folder, size):
    rows, n = fill(size, lambda i: word(i).encode() + b" " + struct.pack("<f", 1))
    return ["-e", folder.write("v.bin", "%d 1\n" % n, rows)] + VECTORS


@kind
def vectors_word2vec_binary_wide(folder, size):
    dim = int(size) // 8
    row = struct.pack("<f", 1) * dim
    return ["-e", folder.write("v.bin", "2 %d\n" % dim, "wa ", row, "wb ", row)] + VECTORS


@kind
def vectors_json(folder, size):
    return ["-e", folder.write("v.json", "{", fill(size, lambda i: '"%s":[1]' % word(i), b",")[0], "}")] + VECTORS


# ---- containers ----


def npy(values, shape, kind="<f4"):
    head = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (kind, shape)
    head += " " * (63 - (len(head) + 10) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + values


ROWS = ["-t", "ids", "-p", "tokens", "-T", "0"]


@kind
def npy_tall(folder, size):
    n = int(size) // 2
    return ["-e", folder.write("e.npy", npy(b"\0\x3c" * n, "(%d, 1)" % n, "<f2"))] + ROWS


@kind
def npy_wide(folder, size):
    n = int(size) // 4
    return ["-e", folder.write("e.npy", npy(b"\0\x3c" * (2 * n), "(2, %d)" % n, "<f2"))] + ROWS


def npz(folder, name, members, compress=False):
    path = folder.write(name)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED if compress else zipfile.ZIP_STORED) as archive:
        for member, data in members:
            archive.writestr(zipfile.ZipInfo(member + ".npy"), data)
    return path


@kind
def npz_many(folder, size):
    one = npy(struct.pack("<f", 1), "(1, 1)")
    many = [(word(i), one) for i in range(int(size) // 230)]
    return ["-e", npz(folder, "e.npz", [("e", npy(struct.pack("<4f", 1, 2, 3, 4), "(2, 2)"))] + many) + ":e"] + ROWS


@kind
def npz_deflated(folder, size):
    n = int(size) // 4
    data = random.Random(1).randbytes(n * 2).replace(b"\x7c", b"\x3c").replace(b"\xfc", b"\x3c")
    data = bytes(b & 0x3f for b in data)
    return ["-e", npz(folder, "e.npz", [("e", npy(data, "(2, %d)" % (n // 2), "<f2"))], True) + ":e"] + ROWS


def safetensors(entries, data):
    """ENTRIES: (name, dtype, shape, from, to)."""
    head = ",".join('"%s":{"dtype":"%s","shape":%s,"data_offsets":[%d,%d]}' % e for e in entries)
    head = ("{" + head + "}").encode()
    head += b" " * (-len(head) % 8)
    return struct.pack("<Q", len(head)) + head + data


@kind
def safetensors_many(folder, size):
    n = int(size) // 70
    entries = [("e", "F16", "[2,2]", 0, 8)] + [(word(i), "F16", "[1]", 8 + 2 * i, 10 + 2 * i) for i in range(n)]
    return ["-e", folder.write("m.safetensors", safetensors(entries, b"\0\x3c" * (4 + n))) + ":e"] + ROWS


@kind
def safetensors_empty(folder, size):
    n = int(size) // 58
    entries = [("e", "U8", "[2,2]", 0, 4)] + [(word(i), "U8", "[0]", 4, 4) for i in range(n)]
    return ["-e", folder.write("m.safetensors", safetensors(entries, b"\1\2\3\4")) + ":e"] + ROWS


@kind
def safetensors_metadata(folder, size):
    keys = fill(size, lambda i: '"%s":""' % word(i), b",")[0]
    head = b'{"__metadata__":{' + keys + b'},"e":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]}}'
    return ["-e", folder.write("m.safetensors", struct.pack("<Q", len(head)), head, b"\0" * 8) + ":e"] + ROWS


@kind
def safetensors_large(folder, size):
    n = int(size) // 4
    return ["-e", folder.write("m.safetensors", safetensors([("e", "F16", "[2,%d]" % n, 0, 4 * n)],
                                                            b"\0\x3c" * (2 * n))) + ":e"] + ROWS


@kind
def safetensors_index(folder, size):
    names = fill(size, lambda i: '"%s":"a.safetensors"' % word(i), b",")[0]
    n = names.count(b",") + 1
    folder.write("a.safetensors", safetensors([(word(i), "U8", "[1]", i, i + 1) for i in range(n)], b"\1" * n))
    return ["-e", folder.write("model.safetensors.index.json", '{"weight_map":{', names, "}}") + ":wa"] + ROWS


@kind
def safetensors_shards(folder, size):
    n = int(size) // 400
    for i in range(n):
        folder.write("s%d.safetensors" % i, safetensors([(word(i), "U8", "[1,1]", 0, 1)], b"\1"))
    names = ",".join('"%s":"s%d.safetensors"' % (word(i), i) for i in range(n))
    return ["-e", folder.write("model.safetensors.index.json", '{"weight_map":{', names, "}}") + ":wa"] + ROWS


def text(value):
    value = value if isinstance(value, bytes) else value.encode()
    return struct.pack("<Q", len(value)) + value


def strings(key, values):
    return text(key) + struct.pack("<IIQ", 9, 8, len(values)) + b"".join(text(v) for v in values)


def numbers(key, kind, code, values):
    return text(key) + struct.pack("<IIQ", 9, kind, len(values)) + struct.pack("<%d%s" % (len(values), code), *values)


def gguf(keys, tensors=(), data=b""):
    return b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(keys)) + b"".join(keys) + b"".join(tensors) + data


def gguf_words(model, tokens, *more):
    return gguf([text("tokenizer.ggml.model") + struct.pack("<I", 8) + text(model),
                 strings("tokenizer.ggml.tokens", tokens)] + list(more))


@kind
def gguf_keys(folder, size):
    keys = [text(word(i)) + struct.pack("<IB", 0, 1) for i in range(int(size) // 16)]
    words = [text("tokenizer.ggml.model") + struct.pack("<I", 8) + text("llama"),
             strings("tokenizer.ggml.tokens", ["hello", "a"]), numbers("tokenizer.ggml.scores", 6, "f", [0, -1])]
    return ["-v", folder.write("v.gguf", gguf(words + keys))] + TOKENS


@kind
def gguf_tensors(folder, size):
    n = int(size) // 60
    infos = [text(word(i)) + struct.pack("<IQIQ", 1, 1, 24, 32 * i) for i in range(n)]
    body = gguf([], infos)
    body += b"\0" * (-len(body) % 32) + b"\1" * (32 * n)
    return ["-e", folder.write("e.gguf", body) + ":wa"] + ROWS


@kind
def gguf_llama(folder, size):
    n = int(size) // 15
    tokens = ["hello", "h", "e", "l", "o", "\u2581"] + [word(i) for i in range(n)]
    return ["-v", folder.write("v.gguf", gguf_words("llama", tokens, numbers(
        "tokenizer.ggml.scores", 6, "f", [-float(i) for i in range(len(tokens))])))] + TOKENS


@kind
def gguf_control(folder, size):
    n = int(size) // 19
    tokens = ["hello", "h", "e", "l", "o", "\u2581"] + [word(i) for i in range(n)]
    return ["-v", folder.write("v.gguf", gguf_words(
        "llama", tokens, numbers("tokenizer.ggml.scores", 6, "f", [-float(i) for i in range(len(tokens))]),
        numbers("tokenizer.ggml.token_type", 5, "i", [1] * 6 + [3] * n)))] + TOKENS


@kind
def gguf_gpt2(folder, size):
    tokens, merges = merged(int(size) // 26)
    return ["-v", folder.write("v.gguf", gguf_words("gpt2", tokens, strings("tokenizer.ggml.merges", merges)))] + TOKENS


@kind
def gguf_bert(folder, size):
    tokens = ["[UNK]", "[CLS]", "[SEP]", "\u2581hello"] + ["\u2581" + word(i) for i in range(int(size) // 14)]
    return ["-v", folder.write("v.gguf", gguf_words("bert", tokens))] + TOKENS


@kind
def gguf_t5(folder, size):
    n = int(size) // 15
    tokens = ["<unk>", "\u2581hello", "h"] + [word(i) for i in range(n)]
    return ["-v", folder.write("v.gguf", gguf_words("t5", tokens, numbers(
        "tokenizer.ggml.scores", 6, "f", [-float(i % 20) for i in range(len(tokens))])))] + TOKENS


# ---- vocabularies ----


def merged(n):
    """N tokens, each but the letters a merge of two before it; and the merges."""
    letters = [c for c in DIGITS]
    tokens, merges = list(letters), []
    for i in range(n):
        left = tokens[i]
        for right in letters[:2]:
            if len(tokens) < n:
                tokens.append(left + right)
                merges.append(left + " " + right)
    return tokens, merges


@kind
def vocab_list(folder, size):
    return ["-v", folder.write("v.txt", "hello\n", fill(size, lambda i: word(i, "") + "\n")[0])] + TOKENS


@kind
def vocab_list_longest(folder, size):
    return ["-v", folder.write("v.txt", "hello\n", fill(size, lambda i: word(i, "") + "\n")[0]), "-t", "longest"] + TOKENS


@kind
def vocab_list_composed(folder, size):
    return ["-v", folder.write("v.txt", "hello\n", fill(size, lambda i: word(i, "") + "e\u0301\n")[0])] + TOKENS


@kind
def vocab_wordpiece(folder, size):
    lines = fill(size, lambda i: ("##" if i % 2 else "") + word(i, "") + "\n")[0]
    return ["-v", folder.write("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\nhello\n", lines)] + TOKENS


@kind
def vocab_json(folder, size):
    return ["-v", folder.write("vocab.json", '{"hello":0,', fill(
        size, lambda i: '"%s":%d' % (word(i), i + 1), b",")[0], "}")] + TOKENS


@kind
def vocab_json_merges(folder, size):
    tokens, merges = merged(int(size) // 19)
    folder.write("merges.txt", "#version: 0.2\n", "\n".join(merges), "\n")
    return ["-v", folder.write("vocab.json", json.dumps({t: i for i, t in enumerate(tokens)},
                                                        separators=(",", ":")))] + TOKENS


def tokenizer_json(folder, model, more=""):
    return ["-v", folder.write("tokenizer.json", '{"version":"1.0",' + more + '"model":', model, "}")] + TOKENS


BYTE_LEVEL = '"pre_tokenizer":{"type":"ByteLevel","add_prefix_space":false,"use_regex":true},'


@kind
def tokenizer_bpe(folder, size):
    tokens, merges = merged(int(size) // 22)
    return tokenizer_json(folder, json.dumps({"type": "BPE", "vocab": {t: i for i, t in enumerate(tokens)},
                                              "merges": merges}, separators=(",", ":")), BYTE_LEVEL)


@kind
def tokenizer_bpe_pairs(folder, size):
    tokens, merges = merged(int(size) // 26)
    return tokenizer_json(folder, json.dumps({"type": "BPE", "merges": [m.split() for m in merges],
                                              "vocab": {t: i for i, t in enumerate(tokens)}},
                                             separators=(",", ":")), BYTE_LEVEL)


@kind
def tokenizer_unigram(folder, size):
    pieces = fill(size, lambda i: '["%s",-1]' % word(i), b",")[0]
    return tokenizer_json(folder, b'{"type":"Unigram","unk_id":0,"vocab":[["<unk>",0],["hello",-1],' + pieces + b"]}")


@kind
def tokenizer_wordpiece(folder, size):
    pieces = fill(size, lambda i: '"%s":%d' % (word(i), i + 2), b",")[0]
    return tokenizer_json(folder, b'{"type":"WordPiece","unk_token":"[UNK]","continuing_subword_prefix":"##",'
                          b'"max_input_chars_per_word":100,"vocab":{"[UNK]":0,"hello":1,' + pieces + b"}}",
                          '"pre_tokenizer":{"type":"BertPreTokenizer"},')


@kind
def tokenizer_word_level(folder, size):
    pieces = fill(size, lambda i: '"%s":%d' % (word(i), i + 2), b",")[0]
    return tokenizer_json(folder, b'{"type":"WordLevel","unk_token":"[UNK]","vocab":{"[UNK]":0,"hello":1,' + pieces +
                          b"}}", '"pre_tokenizer":{"type":"WhitespaceSplit"},')


SMALL = '{"type":"Unigram","unk_id":0,"vocab":[["<unk>",0],["hello",-1]]}'


@kind
def tokenizer_added(folder, size):
    added = fill(size, lambda i: '{"id":%d,"content":"%s"}' % (i + 2, word(i)), b",")[0].decode()
    return tokenizer_json(folder, SMALL, '"added_tokens":[' + added + "],")


@kind
def tokenizer_template(folder, size):
    piece = '{"SpecialToken":{"id":"s"}}'
    items = fill(size, lambda i: piece, b",")[0].decode()
    return tokenizer_json(folder, SMALL, '"post_processor":{"type":"TemplateProcessing","single":[' + items +
                          ',{"Sequence":{}}],"special_tokens":{"s":{"ids":[1]}}},')


@kind
def tokenizer_template_tokens(folder, size):
    n = int(size) // 55
    items = ",".join('{"SpecialToken":{"id":"%s"}}' % word(i) for i in range(n))
    table = ",".join('"%s":{"ids":[1]}' % word(i) for i in range(n))
    return tokenizer_json(folder, SMALL, '"post_processor":{"type":"TemplateProcessing","single":[' + items +
                          ',{"Sequence":{}}],"special_tokens":{' + table + "}},")


@kind
def tokenizer_template_ids(folder, size):
    """One special token of many ids, named often: what it says is as long as the product."""
    ids = ",".join(["1"] * 64)
    piece = '{"SpecialToken":{"id":"s"}}'
    items = fill(size, lambda i: piece, b",")[0].decode()
    return tokenizer_json(folder, SMALL, '"post_processor":{"type":"TemplateProcessing","single":[' + items +
                          ',{"Sequence":{}}],"special_tokens":{"s":{"ids":[' + ids + ']}}},')


@kind
def tokenizer_processors(folder, size):
    one = '{"type":"BertProcessing","sep":["s",1],"cls":["s",1]}'
    items = fill(size, lambda i: one, b",")[0].decode()
    return tokenizer_json(folder, SMALL, '"post_processor":{"type":"Sequence","processors":[' + items + "]},")


@kind
def tokenizer_unknown_keys(folder, size):
    keys = fill(size, lambda i: '"%s":0' % word(i), b",")[0].decode()
    return tokenizer_json(folder, SMALL, '"decoder":{' + keys + "},")


@kind
def tokenizer_step_keys(folder, size):
    keys = fill(size, lambda i: '"%s":0' % word(i), b",")[0].decode()
    return tokenizer_json(folder, SMALL, '"normalizer":{"type":"NFC",' + keys + "},")


@kind
def tokenizer_charsmap(folder, size):
    units = int(size) // 6
    table = struct.pack("<I", 4 * units) + b"\0" * (4 * units) + b"a\0" * (units // 2)
    return tokenizer_json(folder, SMALL, '"normalizer":{"type":"Precompiled","precompiled_charsmap":"' +
                          base64.b64encode(table).decode() + '"},')


@kind
def tokenizer_config(folder, size):
    keys = fill(size, lambda i: '"%s":0' % word(i), b",")[0].decode()
    folder.write("tokenizer_config.json", "{" + keys + "}")
    return ["-v", folder.write("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\nhello\n")] + TOKENS


@kind
def tokenizer_config_added(folder, size):
    added = fill(size, lambda i: '"%d":{"content":"%s"}' % (i + 5, word(i)), b",")[0].decode()
    folder.write("tokenizer_config.json", '{"added_tokens_decoder":{' + added + "}}")
    return ["-v", folder.write("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\nhello\n")] + TOKENS


@kind
def vocab_tiktoken(folder, size):
    lines = b"".join(base64.b64encode(bytes([i])) + b" %d\n" % i for i in range(256))
    more = fill(size, lambda i: base64.b64encode(struct.pack(">I", i)[-3:]) + b" %d\n" % (256 + i))[0]
    return ["-v", folder.write("v.tiktoken", lines, more)] + TOKENS


def piece(token, score=None, kind=None):
    token = token.encode()
    body = b"\x0a" + bytes([len(token)]) + token
    if score is not None:
        body += b"\x15" + struct.pack("<f", score)
    if kind is not None:
        body += b"\x18" + bytes([kind])
    return b"\x0a" + bytes([len(body)]) + body


@kind
def vocab_sentencepiece(folder, size):
    pieces = fill(size, lambda i: piece(word(i)))[0]
    return ["-v", folder.write("v.model", piece("<unk>", 0, 2), piece("\u2581hello", -1), pieces,
                               b"\x12\x02\x18\x01")] + TOKENS


@kind
def vocab_llama2c(folder, size):
    pieces = fill(size, lambda i: struct.pack("<fi", -i, len(word(i))) + word(i).encode())[0]
    head = b"".join(struct.pack("<fi", 0, len(t)) + t for t in (b"<unk>", b"<s>", b"</s>"))
    return ["-v", folder.write("tokenizer.bin", struct.pack("<i", 10), head, pieces)] + TOKENS


# ---- settings, masks, weights ----


@kind
def config_json(folder, size):
    keys = fill(size, lambda i: '"%s":0' % word(i), b",")[0].decode()
    folder.write("config.json", '{"model_type":"gpt2",' + keys + "}")
    folder.write("model.safetensors", safetensors([("wte.weight", "F32", "[2,2]", 0, 16)], b"\0" * 16))
    return ["-m", folder.path] + ["-t", "ids", "-T", "0"]


@kind
def mask_json(folder, size):
    n = int(math.sqrt(size / 5))
    row = "[" + ",".join(["true"] * n) + "]"
    words = folder.write("v.txt", "a\n")
    return ["-v", words, "-a", folder.write("m.json", "[" + ",".join([row] * n) + "]"), "-p", "heads", "-T", "a"]


@kind
def mask_json_numbers(folder, size):
    n = int(math.sqrt(size / 2))
    row = "[" + ",".join(["2"] * n) + "]"
    words = folder.write("v.txt", "a\n")
    return ["-v", words, "-a", folder.write("m.json", "[" + ",".join([row] * n) + "]"), "-p", "heads", "-T", "a"]


@kind
def mask_npy(folder, size):
    n = int(math.sqrt(size))
    words = folder.write("v.txt", "a\n")
    return ["-v", words, "-a", folder.write("m.npy", npy(b"\1" * (n * n), "(%d, %d)" % (n, n), "|b1")),
            "-p", "heads", "-T", "a"]


@kind
def weights_json(folder, size):
    rows, n = fill(size, lambda i: "[1]", b",")
    words = folder.write("v.txt", "a\nb\n")
    return ["-v", words, "-w", folder.write("w.json", '{"W_Q":[', rows, '],"W_K":[[1],[1]]}'), "-p", "heads", "-T", "a"]


@kind
def weights_npz(folder, size):
    one = npy(struct.pack("<f", 1), "(1, 1)")
    many = [("%d.W_Q" % i, one) for i in range(min(int(size) // 240, 2048))]
    words = folder.write("v.txt", "a\n")
    return ["-v", words, "-w", npz(folder, "w.npz", many), "-p", "heads", "-T", "a"]


@kind
def weights_safetensors(folder, size):
    n = min(int(size) // 74, 2048)
    entries = [("layers.%d.W_Q" % i, "F16", "[1,1]", 2 * i, 2 + 2 * i) for i in range(n)]
    words = folder.write("v.txt", "a\n")
    return ["-v", words, "-w", folder.write("w.safetensors", safetensors(entries, b"\0\x3c" * n)), "-p", "heads",
            "-T", "a"]


@kind
def weights_many_heads(folder, size):
    n = int(size) // 4
    words = folder.write("v.txt", "a\n")
    return ["-v", words, "-w", npz(folder, "w.npz", [("W_Q", npy(b"\0\x3c" * n, "(%d, 1, 1)" % n, "<f2")),
                                                    ("W_K", npy(b"\0\x3c" * n, "(%d, 1, 1)" % n, "<f2"))]),
            "-p", "heads", "-T", "a"]


@kind
def weights_far_layer(folder, size):
    entries = [("layers.2047.W_Q", "U8", "[1,%d]" % int(size), 0, int(size))]
    words = folder.write("v.txt", "a\n")
    return ["-v", words, "-w", folder.write("w.safetensors", safetensors(entries, b"\1" * int(size))), "-p", "heads",
            "-T", "a"]


# ---- texts: the last argument names the file ----


def some_text(folder, size, item):
    return [folder.write("text", fill(size, item)[0])]


@kind
def text_words(folder, size):
    words = folder.write("v.txt", "a\nb\n")
    return ["-v", words, "-p", "tokens"] + some_text(folder, size, lambda i: "a b ")


@kind
def text_unknown_words(folder, size):
    words = folder.write("v.txt", "a\nb\n")
    return ["-v", words, "-p", "tokens"] + some_text(folder, size, lambda i: "a " if i % 9 == 0 else word(i) + " ")


@kind
def text_whitespace(folder, size):
    words = folder.write("v.txt", "a\nb\n")
    return ["-v", words, "-t", "whitespace", "-p", "tokens"] + some_text(folder, size, lambda i: "a b ")


@kind
def text_longest(folder, size):
    words = folder.write("v.txt", "a\nb\nab\n")
    return ["-v", words, "-t", "longest", "-p", "tokens"] + some_text(folder, size, lambda i: "abba ab" * 5)


@kind
def text_chars(folder, size):
    words = folder.write("v.txt", "a\nb\n\u00e9\n")
    return ["-v", words, "-t", "chars", "-p", "tokens"] + some_text(folder, size, lambda i: "abe\u0301")


@kind
def text_bytes(folder, size):
    return ["-t", "bytes", "-p", "tokens"] + some_text(folder, size, lambda i: "abcdefgh")


@kind
def text_ids(folder, size):
    words = folder.write("v.txt", "a\nb\n")
    return ["-v", words, "-t", "ids", "-p", "tokens"] + some_text(folder, size, lambda i: "0 1 ")


@kind
def text_bpe(folder, size):
    return ["-p", "tokens"] + some_text(folder, size, lambda i: "a 1 b. The quick brown fox, ")


@one_word
def text_bpe_one_word(folder, size):
    return ["-p", "tokens"] + some_text(folder, size, lambda i: "abcdefghij")


@kind
def text_wordpiece(folder, size):
    words = folder.write("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\na\n##b\n\u00e9\n")
    return ["-v", words, "-p", "tokens"] + some_text(folder, size, lambda i: "ab \u00c9 a ")


def unigram(folder, *steps):
    return tokenizer_json(folder, '{"type":"Unigram","unk_id":0,"vocab":[["<unk>",0],["a",-1],["b",-2],["ab",-2.5]]}',
                          '"normalizer":{"type":"Sequence","normalizers":[' + ",".join(steps) + "]}," if steps else "")


@one_word
def text_unigram(folder, size):
    return unigram(folder)[:2] + ["-p", "tokens"] + some_text(folder, size, lambda i: "ab ")


@one_word
def text_unigram_normalized(folder, size):
    return unigram(folder, '{"type":"NFKC"}', '{"type":"Lowercase"}')[:2] + ["-p", "tokens"] + some_text(
        folder, size, lambda i: "aB ")


@one_word
def text_sentencepiece(folder, size):
    tokens = ["<unk>", "a", "b", "\u2581", "ab", "\u2581a"]
    words = folder.write("v.gguf", gguf_words("llama", tokens, numbers(
        "tokenizer.ggml.scores", 6, "f", [-float(i) for i in range(6)])))
    return ["-v", words, "-p", "tokens"] + some_text(folder, size, lambda i: "ab b")


@kind
def text_lines(folder, size):
    words = folder.write("v.txt", "a\nb\n")
    return ["-v", words, "-l", "-p", "tokens"] + some_text(folder, size, lambda i: "a\n")


@kind
def text_many_files(folder, size):
    words = folder.write("v.txt", "a\nb\n")
    return ["-v", words, "-p", "tokens"] + [folder.write("t%d" % i, "a b") for i in range(min(int(size) // 4000, 2000))]


# ---- what costs no memory but time, were it not for some care; work.py makes these, too ----

MEMORY = list(KINDS)


@kind
def added_of_all_lengths(folder, size):
    """Added tokens that are all of one letter, and a text of it."""
    added = ",".join('{"id":%d,"content":"%s"}' % (i + 2, "h" * (i + 2) + "b") for i in range(500))
    return tokenizer_json(folder, SMALL, '"added_tokens":[' + added + "],")[:2] + ["-p", "tokens"] + some_text(
        folder, size / 8, lambda i: "h" * 99)


@kind
def unigram_long_token(folder, size):
    model = '{"type":"Unigram","unk_id":0,"vocab":[["<unk>",0],["h",-1],["%sb",-1]]}' % ("h" * (int(size) // 2))
    return tokenizer_json(folder, model)[:2] + ["-p", "tokens"] + some_text(folder, size / 2, lambda i: "h" * 99)


@kind
def longest_long_entries(folder, size):
    words = "\n".join("h" * i + "b" for i in range(1, 600))
    return ["-v", folder.write("v.txt", "h\n", words, "\n"), "-t", "longest", "-p", "tokens"] + some_text(
        folder, size / 8, lambda i: "h" * 99)


@kind
def wordpiece_long_entries(folder, size):
    words = "\n".join("##" + "h" * i + "b" for i in range(1, 600))
    return ["-v", folder.write("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\nh\n##h\n", words, "\n"), "-p",
            "tokens"] + some_text(folder, size / 2, lambda i: "h" * 99 + " ")


@kind
def pattern_look_ahead(folder, size):
    """Each match looks as far as the text goes."""
    return tokenizer_json(folder, SMALL, '"pre_tokenizer":{"type":"Split","behavior":"Isolated","pattern":'
                          '{"Regex":"h(?=.*b)|h"}},')[:2] + ["-p", "tokens"] + some_text(
                              folder, size / 4, lambda i: "h" * 99)


@kind
def replace_look_ahead(folder, size):
    return tokenizer_json(folder, SMALL, '"normalizer":{"type":"Replace","content":"e","pattern":'
                          '{"Regex":"h(?=.*b)|h"}},')[:2] + ["-p", "tokens"] + some_text(
                              folder, size / 4, lambda i: "h" * 99)


@kind
def marks_on_a_letter(folder, size):
    """Marks of two classes, which canonical order sorts."""
    words = folder.write("v.txt", "a\n")
    return ["-v", words, "-p", "tokens"] + some_text(folder, size, lambda i: "a" if i == 0 else "\u0301\u0323")


@kind
def vocab_duplicates(folder, size):
    return ["-v", folder.write("v.txt", "hello\n" * (int(size) // 6))] + TOKENS


@kind
def vocab_one_beginning(folder, size):
    lines = fill(size, lambda i: "h" * 60 + word(i) + "\n")[0]
    return ["-v", folder.write("v.txt", "hello\n", lines)] + TOKENS


@kind
def toy_scattered_faults(folder, size):
    """Places are asked for along many lines."""
    return toy(folder, '{"words":{', fill(size, lambda i: '"%s":\n[1]' % word(i), b",\n")[0], "}}") + VECTORS


@kind
def text_blank_lines(folder, size):
    words = folder.write("v.txt", "a\n")
    return ["-v", words, "-l", "-p", "tokens"] + some_text(folder, size, lambda i: "a\n" if i == 0 else "\n")


@kind
def vectors_blank_lines(folder, size):
    return ["-e", folder.write("v.txt", "wa 1\n", "\n" * int(size), "wb 1\n")] + VECTORS


@kind
def vectors_trailing_blanks(folder, size):
    return ["-e", folder.write("v.txt", fill(size, lambda i: word(i) + " 1" + " " * 300 + "\n")[0])] + VECTORS


@kind
def weights_settings(folder, size):
    one = npy(struct.pack("<f", 1), "(1, 1)")
    many = [("x%d" % i, one) for i in range(int(size) // 240)]
    return ["-v", folder.write("v.txt", "a\n"), "-w", npz(folder, "w.npz", [("W_Q", one)] + many), "-p", "model",
            "-T", "a"]
