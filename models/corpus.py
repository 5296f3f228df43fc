"""The texts the model is trained on, read from Debian packages' own files.

Three sources, each a list of documents (strings); models/README names their licences:
  kjv      King James Bible, one chapter a document      bible-kjv, bible-kjv-text
  austen   Jane Austen's six novels, one chapter each    r-cran-janeaustenr
  wordnet  WordNet entries that quote an example         wordnet-base

A package need not be installed: `dpkg -x PACKAGE.deb DIR` and `--root DIR` do as well.
"""
import os
import re
import struct
import subprocess
import zlib

KJV_HELD_OUT_BOOKS = {"Ruth", "Esther", "Jonah", "Malachi", "James", "1 Peter", "2 Peter", "Galatians"}
HELD_OUT_EVERY = 20          # of the other sources, every 20th document

KJV_PROGRAM = "usr/bin/bible"
KJV_DATA = "usr/lib/bible.data"
AUSTEN_DATA = "usr/lib/R/site-library/janeaustenr/data/Rdata.rdb"
WORDNET_DATA = "usr/share/wordnet/data."


class MissingText(Exception):
    """A package's file is in none of the roots."""


def find(roots, path, package):
    for root in roots:
        full = os.path.join(root, path)
        if os.path.exists(full):
            return full
    raise MissingText(f"no /{path}: install {package}, or unpack it and give --root")


# ---------------------------------------------------------------- King James Bible
def read_kjv(roots):
    """[(is_held_out, chapter text)]; verses follow each other in one line, without numbers."""
    program = find(roots, KJV_PROGRAM, "bible-kjv")
    data = find(roots, KJV_DATA, "bible-kjv-text")
    out = subprocess.run([program, "-l100000", "-p", os.path.dirname(data), "gen1:1-rev22:21"],
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True).stdout.decode("utf-8")
    documents, book, verses = [], None, []
    for line in out.splitlines() + ["End 1"]:
        verse = re.match(r"  \d+ (.*)", line)
        if verse:
            verses.append(verse.group(1).strip())
        elif line.strip():                                  # a heading: BOOK CHAPTER
            if verses:
                documents.append((book in KJV_HELD_OUT_BOOKS, " ".join(verses)))
            book, verses = line.strip().rsplit(" ", 1)[0], []
    return documents


# ---------------------------------------------------------------- Jane Austen
def r_database_strings(path):
    """Lines of every character vector in R's lazy-load file: chunks of a big-endian length and a zlib stream, in
    each the XDR serialisation, where a string is a type word ending in 9, a length and its bytes."""
    data = open(path, "rb").read()
    at = 0
    while at < len(data):
        stream = zlib.decompressobj()
        chunk = stream.decompress(data[at + 4:])
        at = len(data) - len(stream.unused_data)
        yield strings_of_chunk(chunk)


def strings_of_chunk(chunk):
    at = chunk.index(b"\0\0\0\x10")                          # the vector: type 16, count, strings
    count = struct.unpack(">I", chunk[at + 4:at + 8])[0]
    at, lines = at + 8, []
    for _ in range(count):
        kind, length = struct.unpack(">Ii", chunk[at:at + 8])
        if kind & 0xFF != 9:
            raise ValueError("not a vector of strings")
        at += 8
        lines.append(chunk[at:at + length].decode("utf-8"))
        at += length
    return lines


def unwrap(lines):
    """Lines to paragraphs: an empty line ends one."""
    return [" ".join(p.split()) for p in re.split(r"\n\s*\n", "\n".join(lines)) if p.strip()]


def read_austen(roots):
    documents = []
    for lines in r_database_strings(find(roots, AUSTEN_DATA, "r-cran-janeaustenr")):
        chapter = []
        for line in lines + ["CHAPTER"]:
            if re.match(r"(?i)chapter\b", line) and len(line) < 20:
                documents.append("\n".join(unwrap(chapter[1:])))
                chapter = []
            chapter.append(line)
    return hold_out([d for d in documents if len(d) > 500])


# ---------------------------------------------------------------- WordNet
def read_wordnet(roots):
    """`word: gloss; "example"`, 16 neighbouring entries a document; only entries that quote an example."""
    entries = []
    for kind in ("noun", "verb", "adj", "adv"):
        with open(find(roots, WORDNET_DATA + kind, "wordnet-base"), encoding="utf-8") as lines:
            entries += [wordnet_entry(line) for line in lines if line[0].isdigit() and '"' in line]
    return hold_out(["\n".join(entries[i:i + 16]) for i in range(0, len(entries), 16)])


def wordnet_entry(line):
    fields, gloss = line.split(" | ", 1)
    word = re.sub(r"\(\w+\)$", "", fields.split()[4]).replace("_", " ")
    return f"{word}: {' '.join(gloss.split())}"


# ---------------------------------------------------------------- all of it
def hold_out(documents):
    return [(i % HELD_OUT_EVERY == HELD_OUT_EVERY - 1, d) for i, d in enumerate(documents)]


SOURCES = {"kjv": read_kjv, "austen": read_austen, "wordnet": read_wordnet}


def collect(roots):
    """{source: {"train": [document], "held": [document]}}"""
    texts = {}
    for name, read in SOURCES.items():
        documents = read(roots)
        texts[name] = {"train": [d for held, d in documents if not held], "held": [d for held, d in documents if held]}
    return texts


def collect_file(path):
    """The same from one text file, cut into documents of 20 lines; for the smoke test and for own texts."""
    with open(path, encoding="utf-8") as f:
        lines = f.read().splitlines()
    documents = hold_out(["\n".join(lines[i:i + 20]) for i in range(0, len(lines), 20)])
    train = [d for held, d in documents if not held]
    return {"text": {"train": train, "held": [d for held, d in documents if held] or train[-1:]}}
