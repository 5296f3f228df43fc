#!/usr/bin/python3
"""Writes tests/data/formats/npz/*.npz with numpy and Python's zipfile, and tests/data/formats/shards: the right
values of test_npz.c and test_safetensors.c. Run by hand (Debian's python3-numpy); the files are kept in the source
tree."""
import io
import json
import os
import struct
import sys
import zipfile

import numpy as np

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../data/formats")
OUT = os.path.join(DATA, "npz")
ARRAYS = {
    "W_Q": np.array([[1, 2], [3, 4], [5, 6]], "<f4"),
    "W_K": np.asfortranarray(np.array([[1.5, -2.5], [0, 7]], "<f8")),
    "b": np.arange(5, dtype=">i2"),
}


def npy(array):
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


class Pipe(io.RawIOBase):
    """A stream that can not seek, so that zipfile writes data descriptors."""

    def __init__(self, path):
        self.file = open(path, "wb")

    def writable(self):
        return True

    def write(self, data):
        return self.file.write(data)

    def flush(self):
        self.file.flush()


def path(name):
    return os.path.join(OUT, name)


def archive(target, members, method):
    with zipfile.ZipFile(target, "w", method) as z:
        for name, data in members:
            info = zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0))
            info.compress_type = method
            z.writestr(info, data)


def shard(name, tensors):
    header, data = {}, b""
    for key, value in tensors:
        array = np.array([value], "<f4").tobytes()
        header[key] = {"dtype": "F32", "shape": [1], "data_offsets": [len(data), len(data) + len(array)]}
        data += array
    text = json.dumps(header).encode()
    with open(os.path.join(DATA, "shards", name), "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def shards():
    """Both shards have an "a"; the index takes the second one's."""
    os.makedirs(os.path.join(DATA, "shards"), exist_ok=True)
    shard("s1.safetensors", [("a", 1), ("b", 2)])
    shard("s2.safetensors", [("a", 3), ("c", 4)])
    index = {"metadata": {"total_size": 12}, "weight_map": {"a": "s2.safetensors", "b": "s1.safetensors",
                                                            "c": "s2.safetensors"}}
    with open(os.path.join(DATA, "shards", "model.safetensors.index.json"), "w") as file:
        json.dump(index, file)


def main():
    shards()
    members = [(name + ".npy", npy(array)) for name, array in ARRAYS.items()]
    np.savez(path("savez.npz"), **ARRAYS)
    np.savez_compressed(path("compressed.npz"), **ARRAYS)
    for method, name in (zipfile.ZIP_STORED, "stored"), (zipfile.ZIP_DEFLATED, "deflated"):
        archive(Pipe(path("pipe_%s.npz" % name)), members, method)
    limit, zipfile.ZIP64_LIMIT = zipfile.ZIP64_LIMIT, 0
    archive(path("zip64.npz"), members, zipfile.ZIP_DEFLATED)
    zipfile.ZIP64_LIMIT = limit
    with open(path("zip64.npz"), "r+b") as file:  # the end record says "see the larger one"
        file.seek(-14, os.SEEK_END)
        file.write(b"\xff" * 12)
    with zipfile.ZipFile(path("comment.npz"), "w") as z:
        z.writestr(zipfile.ZipInfo("x.npy"), npy(np.array([7], "<f4")))
        z.comment = b"PK\x05\x06 is a signature"
    with zipfile.ZipFile(path("empty.npz"), "w"):
        pass
    archive(path("bomb.npz"), [("z.npy", npy(np.zeros(6 << 20, "<f4")))], zipfile.ZIP_DEFLATED)
    archive(path("zeros.npz"), [("z.npy", npy(np.zeros((100, 100), "<f4")))], zipfile.ZIP_DEFLATED)
    archive(path("bzip2.npz"), members[:1], zipfile.ZIP_BZIP2)
    archive(path("torch.npz"), [("archive/data.pkl", b"\x80\x02}q\x00.")], zipfile.ZIP_STORED)
    others = [("about/", b""), ("README", b"who made it"), ("names.npy", npy(np.array(["a", "bc"])))] + members
    archive(path("others.npz"), others, zipfile.ZIP_STORED)
    with open(path("before.npz"), "wb") as file:
        file.write(b"#!/bin/sh\necho a program\n" + open(path("savez.npz"), "rb").read())
    archive(path("object.npz"), [("o.npy", npy(np.array([None], dtype=object)))], zipfile.ZIP_STORED)
    archive(path("twice.npz"), [members[0], members[0]], zipfile.ZIP_STORED)


if __name__ == "__main__":
    sys.exit(main())
