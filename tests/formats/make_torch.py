#!/usr/bin/python3
"""Writes tests/data/formats/torch: make_torch.py (needs Debian's python3-torch and python3-numpy). The files are kept in
the source tree. Those of good() are written by torch.save itself; those of hostile() have hand-made pickles."""
import collections
import json
import os
import pickle
import struct
import zipfile

import torch

HERE = os.path.dirname(os.path.abspath(__file__))
OUT = os.path.join(HERE, "../data/formats/torch")
GPT2 = os.path.join(HERE, "../model/families/gpt2")


def path(name):
    return os.path.join(OUT, name)


def good():
    a = torch.arange(6, dtype=torch.float32).reshape(2, 3)
    whole = collections.OrderedDict(
        w=a, turned=a.t(), parameter=torch.nn.Parameter(a[1:]), half=a.half(), brain=a.bfloat16(), double=a.double(),
        long=torch.tensor([1, -2, 3]), int=torch.tensor([1, -2, 3], dtype=torch.int32),
        byte=torch.tensor([1, 2, 255], dtype=torch.uint8), bool=torch.tensor([True, False]), scalar=torch.tensor(5.0),
        empty=torch.zeros(0, 4), repeated=torch.tensor([7.0]).expand(3))
    whole._metadata = {"": {"version": 1}}
    torch.save(whole, path("state.pt"))
    torch.save({"epoch": 3, "optimizer": {"state": {0: {"m": a}}}, "state_dict": {"m.w": a}}, path("trainer.pt"))
    torch.save({"w": a, "epoch": 3, "rate": 0.1, "note": None, "args": {"x": [1, (2, True)]}}, path("mixed.pt"))
    torch.save(a, path("one.pt"))
    torch.save({"w": a}, path("protocol4.pt"), pickle_protocol=4)
    torch.save({"w": a}, path("legacy.pt"), _use_new_zipfile_serialization=False)
    torch.save(torch.nn.Linear(2, 1), path("module.pt"))
    torch.save({"v": torch.arange(100.0).reshape(10, 10)[2:5, 3:5]}, path("slice.pt"))
    tagged = a.clone()
    tagged.tag = "x"
    torch.save({"w": tagged}, path("tagged.pt"))
    with open(path("bare.pt"), "wb") as file:
        pickle.dump({"a": 1}, file, protocol=2)


def read_safetensors(name):
    with open(name, "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        data = file.read()
    types = {"F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16}
    for key, entry in header.items():
        if key != "__metadata__":
            begin, end = entry["data_offsets"]
            yield key, torch.frombuffer(bytearray(data[begin:end]), dtype=types[entry["dtype"]]).reshape(entry["shape"])


def model():
    """The GPT-2 of tests/model, as one checkpoint and as two shards."""
    tensors = dict(read_safetensors(os.path.join(GPT2, "model.safetensors")))
    torch.save(tensors, path("pytorch_model.bin"))
    names = sorted(tensors)
    shards = [names[: len(names) // 2], names[len(names) // 2:]]
    index = {"metadata": {"total_size": 0}, "weight_map": {}}
    for i, part in enumerate(shards):
        name = "pytorch_model-%05d-of-00002.bin" % (i + 1)
        torch.save({key: tensors[key] for key in part}, path(name))
        index["weight_map"].update({key: name for key in part})
    with open(path("pytorch_model.bin.index.json"), "w") as file:
        json.dump(index, file, indent=1)


def text(value):
    return b"X" + struct.pack("<I", len(value)) + value.encode()


def integer(value):
    return b"\x8a\x08" + struct.pack("<q", value)


def storage(count=6, key="0", kind="FloatStorage"):
    return b"(" + text("storage") + b"ctorch\n" + kind.encode() + b"\n" + text(key) + text("cpu") + integer(count) + b"tQ"


def numbers(values):
    return b"(" + b"".join(integer(v) for v in values) + b"t"


def tensor(shape=(2, 3), strides=(3, 1), offset=0, **of):
    return (b"ctorch._utils\n_rebuild_tensor_v2\n(" + storage(**of) + integer(offset) + numbers(shape) +
            numbers(strides) + b"\x89ccollections\nOrderedDict\n)RtR")


def state(value=None):
    return b"\x80\x02}" + text("w") + (tensor() if value is None else value) + b"s."


def archive(name, program, members=None, kind=zipfile.ZIP_STORED):
    with zipfile.ZipFile(path(name), "w") as z:
        z.writestr(zipfile.ZipInfo("a/data.pkl"), program)
        for key, data in (members or {"data/0": struct.pack("<6f", *range(6))}).items():
            info = zipfile.ZipInfo("a/" + key)
            info.compress_type = kind
            z.writestr(info, data)


def hostile():
    archive("plain.pt", state())
    archive("system.pt", state(b"cos\nsystem\n" + text("echo") + b"\x85R"))
    archive("stack-global.pt", state(text("builtins") + text("eval") + b"\x93" + text("1") + b"\x85R"))
    archive("never-put.pt", state(b"h\x05"))
    archive("far-memo.pt", state(b"Nr\xff\xff\xff\x7f"))
    archive("no-end.pt", state()[:-1])
    archive("no-value.pt", b"\x80\x02.")
    archive("no-mark.pt", b"\x80\x02}u.")
    archive("not-callable.pt", state(b"K\x01)R"))
    archive("odd.pt", b"\x80\x02}(" + text("w") + b"u.")
    archive("opcode.pt", state(b"P1\n"))
    archive("protocol1.pt", b"\x80\x01}.")
    archive("long.pt", state(b"\x8a\x09" + bytes(9)))
    archive("text.pt", state(b"X\xff\xff\xff\xff"))
    archive("bomb.pt", state(b"K\x01" + b"2" * 64 + b"\x85" * 20000))
    archive("doubling.pt", state(b")" + b"222222\x87" * 4000))
    archive("nested.pt", state(b"]" * 20000 + b"a" * 19999))
    archive("loop.pt", b"\x80\x02}q\x00" + text("w") + b"h\x00s" + text("t") + tensor() + b"s.")
    archive("beyond.pt", state(tensor(shape=(2, 4), strides=(4, 1))))
    archive("offset.pt", state(tensor(offset=1)))
    archive("negative.pt", state(tensor(offset=-1)))
    archive("strides.pt", state(tensor(strides=(1 << 62, 1))))
    archive("repeated.pt", state(tensor(shape=(1 << 30, 1 << 10), strides=(0, 0))))
    archive("dimensions.pt", state(tensor(shape=(1,) * 9, strides=(1,) * 9)))
    archive("claims.pt", state(tensor(count=7)))
    archive("missing.pt", state(tensor(key="1")))
    archive("kind.pt", state(tensor(kind="Tensor")))
    archive("deflated.pt", state(), kind=zipfile.ZIP_DEFLATED)
    archive("order.pt", state(), {"data/0": bytes(24), "byteorder": "big"})
    archive("nothing.pt", b"\x80\x02}.")
    archive("tuple.pt", b"\x80\x02).")
    archive("number.pt", b"\x80\x02K\x07.")


if __name__ == "__main__":
    os.makedirs(OUT, exist_ok=True)
    good()
    model()
    hostile()
