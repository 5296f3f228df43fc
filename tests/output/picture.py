#!/usr/bin/env python3
"""Reads what -f svg draws: the page as XML, and its pixels as rsvg-convert gives them (a PNG, read here without any
library but zlib). Used by svg.sh: picture.py CHECK FILE.svg FILE.png ARGUMENT…

  cells FILE.svg FILE.png ROWS COLUMNS ROW,COLUMN=COLOR…   of the only map: the color in the middle of cells, counted
                                                            as they are drawn (six hexadecimal digits)
  labels FILE.svg                                           prints the page's texts, a line each
  titles FILE.svg                                           … what pointing at things tells
  arrows FILE.svg                                           each arrow begins and ends where its title says, by the
                                                            numbers along the axes; prints how many there are
  distance FILE.svg                                         prints how far the line of the first of two arrows is from
                                                            where the second begins
  apart FILE.svg                                            no two names lie on each other
"""
import re, struct, sys, zlib
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


def print_titles(svg):
    for title in ET.parse(svg).getroot().iter(SVG + "title"):
        print("".join(title.itertext()))


def scale(root, across):
    """Pixels and numbers along an axis, by the first and the last number that stands there."""
    ticks = []
    for text in root.iter(SVG + "text"):
        is_tick = text.find(SVG + "tspan") is not None and text.get("text-anchor") == ("middle" if across else "end")
        if is_tick:
            at = float(text.get("x")) if across else float(text.get("y")) - 4
            ticks.append((at, float("".join(text.itertext()))))
    (p0, v0), (p1, v1) = ticks[0], ticks[-1]
    return lambda value: p0 + (value - v0) * (p1 - p0) / (v1 - v0)


def check_arrows(svg):
    root = ET.parse(svg).getroot()
    x, y = scale(root, True), scale(root, False)
    count = 0
    for group in root.iter(SVG + "g"):
        title = group.find(SVG + "title")
        if title is None or " moves " not in title.text:
            continue
        numbers = [float(n) for n in re.findall(r"-?[0-9.]+", title.text.split(": ")[1])]
        line, head = group.find(SVG + "line"), group.find(SVG + "path")
        if line is None:
            continue # too short to be drawn
        found = [float(line.get("x1")), float(line.get("y1"))]
        found += [float(n) for n in re.findall(r"-?[0-9.]+", head.get("d"))[:2]]
        wanted = [x(numbers[0]), y(numbers[1]), x(numbers[2]), y(numbers[3])]
        if max(abs(a - b) for a, b in zip(wanted, found)) > 0.25:
            sys.exit("%s: drawn from and to %s, expected %s" % (title.text, found, wanted))
        count += 1
    print(count)


def print_distance(svg):
    (x1, y1, x2, y2), (x3, y3, _, _) = [[float(line.get(name)) for name in ("x1", "y1", "x2", "y2")]
                                        for line in ET.parse(svg).getroot().iter(SVG + "line")
                                        if line.get("class") == "move"]
    print("%.0f" % (abs((x3 - x1) * (y2 - y1) - (y3 - y1) * (x2 - x1)) / ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5))


def check_apart(svg):
    boxes = []
    for text in ET.parse(svg).getroot().iter(SVG + "text"):
        if text.find(SVG + "tspan") is not None or text.get("transform"):
            continue
        label, x, y = "".join(text.itertext()), float(text.get("x")), float(text.get("y"))
        width = 6 * len(label)
        left = x - {"start": 0, "middle": width / 2, "end": width}[text.get("text-anchor")]
        boxes.append((label, left, y - 9, left + width, y + 1))
    for i, a in enumerate(boxes):
        for b in boxes[:i]:
            if min(a[3], b[3]) > max(a[1], b[1]) and min(a[4], b[4]) > max(a[2], b[2]):
                sys.exit("%s and %s lie on each other" % (a[0], b[0]))


if __name__ == "__main__":
    {"cells": check_cells, "labels": print_labels, "titles": print_titles, "arrows": check_arrows,
     "apart": check_apart, "distance": print_distance}[sys.argv[1]](*sys.argv[2:])
