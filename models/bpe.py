"""Byte-level byte-pair encoding as GPT-2 has it: training, encoding, and the Hugging Face tokenizer.json.

Words are cut by GPT-2's pattern, a word's UTF-8 bytes are written in GPT-2's printable alphabet, and pairs are
merged by rank. Needs nothing outside the standard library.
"""
import json
import re
from collections import Counter, defaultdict

END = "<|endoftext|>"
# GPT-2's pattern. Python's re has no \p{L}: [^\W\d_] is the same except for number-like letters (², Ⅷ), which
# `words` refuses rather than cut them differently from Hugging Face's tokenizer.
PATTERN = re.compile(r"'s|'t|'re|'ve|'m|'ll|'d| ?[^\W\d_]+| ?\d+| ?(?:[^\s\w]|_)+|\s+(?!\S)|\s+")


def byte_alphabet():
    """byte -> printable character: Latin-1's visible ones stand for themselves, the rest start at U+0100."""
    visible = [*range(33, 127), *range(161, 173), *range(174, 256)]
    table = {b: chr(b) for b in visible}
    for b in range(256):
        if b not in table:
            table[b] = chr(256 + len(table) - len(visible))
    return table


ALPHABET = byte_alphabet()
BYTE_OF = {c: b for b, c in ALPHABET.items()}


def words(text):
    for word in PATTERN.findall(text):
        if not word.isascii() and any(c.isnumeric() and not c.isdecimal() and not "\u3400" <= c <= "\u9fff" for c in word):
            raise ValueError(f"number-like letter in {word!r}")
        yield "".join(ALPHABET[b] for b in word.encode("utf-8"))


def train_merges(documents, n_merges):
    """The n_merges most frequent pairs, one after another; a tie goes to the alphabetically first pair."""
    counts = Counter()
    for document in documents:
        counts.update(words(document))
    pieces, freqs = [list(w) for w in counts], list(counts.values())
    pairs, where = Counter(), defaultdict(set)
    for i, parts in enumerate(pieces):
        for pair in zip(parts, parts[1:]):
            pairs[pair] += freqs[i]
            where[pair].add(i)
    merges = []
    while len(merges) < n_merges and pairs:
        best = min(pairs, key=lambda p: (-pairs[p], p))
        if pairs[best] < 2:
            break
        merges.append(best)
        for i in where.pop(best):
            for pair in zip(pieces[i], pieces[i][1:]):
                pairs[pair] -= freqs[i]
            pieces[i] = merge(pieces[i], best)
            for pair in zip(pieces[i], pieces[i][1:]):
                pairs[pair] += freqs[i]
                where[pair].add(i)
        pairs = +pairs if len(merges) % 100 == 0 else pairs   # drop what fell to zero
        del pairs[best]
    return merges


def merge(parts, pair):
    out, i = [], 0
    while i < len(parts):
        if parts[i:i + 2] == list(pair):
            out.append(parts[i] + parts[i + 1])
            i += 2
        else:
            out.append(parts[i])
            i += 1
    return out


class Tokenizer:
    """ids: 0 is <|endoftext|>, then the 256 bytes, then the merges in rank order."""

    def __init__(self, merges):
        self.merges = [tuple(m) for m in merges]
        self.rank = {m: i for i, m in enumerate(self.merges)}
        self.tokens = [END] + [ALPHABET[b] for b in range(256)] + [a + b for a, b in self.merges]
        self.id = {t: i for i, t in enumerate(self.tokens)}
        self.cache = {}
        if len(self.id) != len(self.tokens):
            raise ValueError("two merges give the same token")

    def encode(self, text):
        ids = []
        for word in words(text):
            if word not in self.cache:
                self.cache[word] = [self.id[p] for p in self.split(list(word))]
            ids += self.cache[word]
        return ids

    def split(self, parts):
        while len(parts) > 1:
            pair = min(zip(parts, parts[1:]), key=lambda p: self.rank.get(p, len(self.rank)))
            if pair not in self.rank:
                break
            parts = merge(parts, pair)
        return parts

    def decode(self, ids):
        return b"".join(END.encode() if i == 0 else bytes(BYTE_OF[c] for c in self.tokens[i]) for i in ids).decode("utf-8", "replace")

    def save(self, path):
        byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
        model = {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None,
                 "end_of_word_suffix": None, "fuse_unk": False, "byte_fallback": False, "ignore_merges": False,
                 "vocab": self.id, "merges": [" ".join(m) for m in self.merges]}
        end = {"id": 0, "content": END, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
        with open(path, "w", encoding="utf-8") as f:
            json.dump({"version": "1.0", "truncation": None, "padding": None, "added_tokens": [end], "normalizer": None,
                       "pre_tokenizer": byte_level, "post_processor": None, "decoder": byte_level, "model": model},
                      f, ensure_ascii=False, indent=0)
            f.write("\n")

    @classmethod
    def load(cls, path):
        with open(path, encoding="utf-8") as f:
            return cls([m.split(" ") for m in json.load(f)["model"]["merges"]])
