#!/usr/bin/env python3
"""Makes tests/data/tensor: make_quants.py LIBGGML_BASE.SO FOLDER

For each block type random blocks (TYPE.blocks) and the float32 values that llama.cpp's own dequantiser gives for them
(TYPE.npy), by its shared library. It also prints the sums of whole grids that test_quants.c has."""
import ctypes
import random
import struct
import sys

# name: elements and bytes of a block, where its half is (None: drawn until the values are finite), blocks
TYPES = {
    "IQ1_S": (256, 50, 0, 8), "IQ1_M": (256, 56, None, 8), "IQ2_XXS": (256, 66, 0, 8), "IQ2_XS": (256, 74, 0, 8),
    "IQ2_S": (256, 82, 0, 8), "IQ3_XXS": (256, 98, 0, 8), "IQ3_S": (256, 110, 0, 8), "TQ1_0": (256, 54, 52, 8),
    "TQ2_0": (256, 66, 64, 8), "Q1_0": (128, 18, 0, 8), "Q2_0": (64, 18, 0, 8), "MXFP4": (32, 17, None, 16),
    "NVFP4": (64, 36, None, 16),
}
# scales at the ends of what they can be, for the first blocks
BEGINNINGS = {"MXFP4": [b"\0", b"\1", b"\2"], "NVFP4": [b"\0\1\7\10", b"\176\177\200\377"]}
ONE = struct.pack("<H", 0x3C00)
# a block whose first point is number i, of scale 0 and without signs
GRIDS = {
    "IQ2_XXS": (256, lambda i: ONE + bytes([i]) + bytes(63)),
    "IQ2_XS": (512, lambda i: ONE + struct.pack("<H", i) + bytes(70)),
    "IQ2_S": (1024, lambda i: ONE + bytes([i & 255]) + bytes(63) + bytes([i >> 8]) + bytes(15)),
    "IQ3_XXS": (256, lambda i: ONE + bytes([i]) + bytes(95)),
    "IQ3_S": (512, lambda i: ONE + bytes([i & 255]) + bytes(63) + bytes([i >> 8]) + bytes(43)),
    "IQ1_S": (2048, lambda i: ONE + bytes([i & 255]) + bytes(31) + struct.pack("<H", i >> 8) + bytes(14)),
}


def values(library, name, block):
    count = TYPES[name][0]
    out = (ctypes.c_float * count)()
    library["dequantize_row_" + name.lower()](block, out, ctypes.c_int64(count))
    return bytes(out)


def draw(library, name):
    size, at = TYPES[name][1:3]
    while True:
        block = bytearray(random.randbytes(size))
        if at is not None:
            block[at:at + 2] = struct.pack("<e", random.uniform(-1, 1))
        floats = struct.unpack("<%df" % TYPES[name][0], values(library, name, bytes(block)))
        if all(abs(x) < 1e30 for x in floats):
            return bytes(block)


def write_npy(path, shape, data):
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': %r, }" % (shape,)
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)


def main():
    library, folder = ctypes.CDLL(sys.argv[1]), sys.argv[2]
    random.seed(14)
    for name, (elements, _, _, n_blocks) in TYPES.items():
        blocks = [draw(library, name) for _ in range(n_blocks)]
        for i, beginning in enumerate(BEGINNINGS.get(name, [])):
            blocks[i] = beginning + blocks[i][len(beginning):]
        with open("%s/%s.blocks" % (folder, name), "wb") as file:
            file.write(b"".join(blocks))
        write_npy("%s/%s.npy" % (folder, name), (n_blocks, elements),
                  b"".join(values(library, name, block) for block in blocks))
    for name, (n_points, make) in GRIDS.items():
        hashed = 0xCBF29CE484222325  # FNV-1a, 64 bits
        for i in range(n_points):
            for byte in values(library, name, make(i)):
                hashed = (hashed ^ byte) * 0x100000001B3 % 2**64
        print("%s: %d points, 0x%016x" % (name, n_points, hashed))


main()
