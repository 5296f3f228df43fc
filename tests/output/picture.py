#!/usr/bin/env python3
"""Reads what -f svg draws: the page as XML, and its pixels as rsvg-convert gives them (a PNG, read here without any
library but zlib). Used by svg.sh: picture.py CHECK FILE.svg FILE.png ARGUMENT…

  cells FILE.svg FILE.png ROWS COLUMNS ROW,COLUMN=COLOR…   of the only map: the color in the middle of cells, counted
                                                            as they are drawn (six hexadecimal digits)
  labels FILE.svg                                           prints the page's texts, a line each
"""
import struct, sys, zlib
import xml.etree.ElementTree as ET

SVG = "{http://www.w3.org/2000/svg}"
MARGIN = 12


def unfiltered(kind, row, above, size):
    """A row of a PNG: each byte is told by its neighbors (the specification's filters 0 to 4)."""
    for i in range(len(row)):
        left = row[i - size] if i >= size else 0
        up = above[i]
        corner = above[i - size] if i >= size else 0
        if kind == 1:
            row[i] = (row[i] + left) & 255
        elif kind == 2:
            row[i] = (row[i] + up) & 255
        elif kind == 3:
            row[i] = (row[i] + (left + up) // 2) & 255
        elif kind == 4:
            guess = left + up - corner
            nearest = min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))
            row[i] = (row[i] + nearest[2]) & 255
    return row


def read_png(path):
    """Rows of (red, green, blue)."""
    data = open(path, "rb").read()
    at, packed = 8, b""
    while at < len(data):
        length, name = struct.unpack(">I4s", data[at:at + 8])
        if name == b"IHDR":
            width, height, depth, color = struct.unpack(">IIBB", data[at + 8:at + 18])
            assert depth == 8, depth
        elif name == b"IDAT":
            packed += data[at + 8:at + 8 + length]
        at += 12 + length
    size = {2: 3, 6: 4}[color]
    raw, rows, above = zlib.decompress(packed), [], bytearray(width * size)
    for y in range(height):
        start = y * (width * size + 1)
        row = unfiltered(raw[start], bytearray(raw[start + 1:start + 1 + width * size]), above, size)
        rows.append([tuple(row[x * size:x * size + 3]) for x in range(width)])
        above = row
    return rows


def maps(root):
    """(x, y, width, height) of each map: inside the frame around it."""
    frames = [r for r in root.iter(SVG + "rect") if r.get("fill") == "none" and r.get("stroke")]
    return [tuple(float(f.get(k)) + d for k, d in (("x", 0.5 + MARGIN), ("y", 0.5 + MARGIN), ("width", -1),
                                                    ("height", -1))) for f in frames]


def check_cells(svg, png, rows, columns, *wanted):
    pixels = read_png(png)
    (x, y, width, height), = maps(ET.parse(svg).getroot())
    for want in wanted:
        place, color = want.split("=")
        row, column = map(int, place.split(","))
        at = pixels[int(y + (row + 0.5) * height / int(rows))][int(x + (column + 0.5) * width / int(columns))]
        found = "%02x%02x%02x" % at
        if found != color:
            sys.exit("cell %s: expected %s, found %s" % (place, color, found))


def print_labels(svg):
    for text in ET.parse(svg).getroot().iter(SVG + "text"):
        print("".join(text.itertext()))


if __name__ == "__main__":
    {"cells": check_cells, "labels": print_labels}[sys.argv[1]](*sys.argv[2:])
