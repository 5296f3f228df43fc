#!/usr/bin/env python3
"""-f heat against the numbers that -f tsv prints, drawn here once more by the rules of the manual (FORMATS, heat):
every line without color, byte for byte, at widths 40, 80 and 200; with colors every cell, read back from the escape
sequences, against the steps of the scale (which test_screen.c holds against xterm's colors). Prints
`N passed, N failed, N skipped`."""
import collections, math, os, re, subprocess, sys, unicodedata

ATTN = os.path.abspath(os.environ.get("ATTN", "./attn"))
SOURCE = os.path.abspath(os.environ.get("ATTN_SOURCE", "."))
ENVIRONMENT = {k: v for k, v in os.environ.items() if k not in ("ATTN_MODEL", "COLUMNS", "NO_COLOR", "COLORTERM")}
ENVIRONMENT["LC_ALL"] = "C.UTF-8"
KING = "the king of Israel spake unto the people of the land, and the LORD said unto Moses, "
STEPS = [53, 90, 60, 30, 36, 78, 119, 226]
SIGNED = [25, 67, 110, 153, 255, 223, 215, 172, 130]
passed = failed = 0


def attn(*arguments, **environment):
    done = subprocess.run([ATTN, "-q", *arguments], capture_output=True, env=dict(ENVIRONMENT, **environment),
                          stdin=subprocess.DEVNULL, cwd=SOURCE, timeout=120)
    if done.returncode != 0:
        raise AssertionError(done.stderr.decode())
    return done.stdout.decode("utf-8")


def check(what, expected, found):
    global passed, failed
    if expected == found:
        passed += 1
        return
    failed += 1
    print("FAIL: " + what)
    if not isinstance(expected, str):
        print("  expected %r\n  found    %r" % (expected, found))
        return
    for number, (e, f) in enumerate(zip(expected.split("\n") + [""], found.split("\n") + [""])):
        if e != f:
            print("  line %d\n    expected %r\n    found    %r" % (number + 1, e, f))
            return


def columns(text):
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def cut(text, width):
    if columns(text) <= width:
        return text
    while columns(text) > width - 1:
        text = text[:-1]
    return text + "…"


def wrapped(text, width):
    lines = [""]
    for word in text.split(" "):
        if lines[-1] and columns(lines[-1]) + 1 + columns(word) > width:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + word
    return lines


class Maps:
    """What -f tsv says: {(layer, head): {(query, key): value}}, positions, tokens."""

    def __init__(self, *arguments):
        rows = [line.split("\t") for line in attn("-f", "tsv", *arguments).split("\n")[1:-1]]
        self.maps = collections.OrderedDict()
        self.tokens = {}
        for _, layer, head, query, token, key, _, value in rows:
            self.maps.setdefault((int(layer), int(head)), {})[int(query), int(key)] = float(value)
            self.tokens[int(query)] = re.sub("^ +", lambda m: "␣" * len(m[0]), token)
        self.queries = sorted({q for cells in self.maps.values() for q, _ in cells})
        self.keys = sorted({k for cells in self.maps.values() for _, k in cells})

    def pooled(self, cells, down, across):
        out = {}
        for (q, k), value in cells.items():
            at = self.queries.index(q) // down, self.keys.index(k) // across
            if at not in out or abs(value) > abs(out[at]):
                out[at] = value
        return out


def digit(share, signed=False, cell=1):
    size = abs(share)
    tenths = int(size * 10 + 0.5)
    if size < 0.05:
        return "·".rjust(2) if signed and cell == 2 else "·"
    if signed and cell == 2:
        return ("-" if share < 0 else "+") + ("#" if tenths >= 10 else str(tenths))
    if share < 0:
        return "abcdefghij"[min(tenths, 10) - 1]
    return "#" if tenths >= 10 else str(tenths)


def strip(n, block):
    """Of a few rows none is lost: a block is as high as it is wide only where there are 8 of them."""
    return block if n // 8 >= block else 1


def legend(cell, full, masked, down, across, width, signed):
    text = ("percent" if cell == 4 else "tenths") + ("" if full == "1" else " of " + full)
    if cell < 4:
        text += ": · below .05, # from .95"
        text += ", a to i and j the same below 0" if signed and cell == 1 else ""
    text += "; blank: masked" if masked else ""
    text += "; %d×%d cells a digit: the largest" % (down, across) if down * across > 1 else ""
    return wrapped(text, width)


def head_lines(label, cell, keys):
    """The numbers of the columns; positions that follow each other."""
    if cell == 4:
        return [" " * label + "".join("%4d" % k for k in keys)]
    lines = []
    if keys[-1] >= 10:
        tens = ["" if k // 10 == (keys[i - 1] // 10 if i else 0) else str(k // 10) for i, k in enumerate(keys)]
        line = " " * label
        for i, text in enumerate(tens):
            line = line.ljust(label + i * cell) + text
        lines.append(line)
    return lines + [" " * label + "".join(str(k % 10).ljust(cell) for k in keys)]


def large(maps, width, signed=False):
    """One map, as the manual lays it out."""
    cells, n = next(iter(maps.maps.values())), len(maps.keys)
    digits = len(str(maps.queries[-1]))
    longest = min(16, max(columns(t) for t in maps.tokens.values()))
    for cell in (4, 2, 1):
        if digits + 2 + min(longest, 8) <= width - n * cell:
            break
    else:
        cell = 0
    block, label = 1, min(digits + 2 + longest, width - n * (cell or 1))
    if cell == 0:
        label = max(4, digits + 1)
        block = -(-n // (width - label))
    down = strip(len(maps.queries), block)
    seen = maps.pooled(cells, down, block)
    largest = max(abs(v) for v in seen.values())
    full = 1 if not signed else largest
    rows, across = -(-len(maps.queries) // down), -(-n // block)
    lines = head_lines(label, cell, maps.keys) if cell else [
        " " * label + "".join(str(maps.keys[i * block]).ljust(10) for i in range(0, across, 10))]
    for row in range(rows):
        number = maps.queries[row * down]
        if cell:
            line = "%*d %s" % (digits, number, cut(maps.tokens[number], label - digits - 2))
        else:
            line = "%*d" % (label - 1, number) if row % 10 == 0 else ""
        line += " " * (label - columns(line))
        for i in range(across):
            if (row, i) not in seen:
                line += " " * (cell or 1)
            elif cell == 4:
                line += "%4.0f" % math.floor(100 * seen[row, i] / full + 0.5)
            else:
                line += digit(seen[row, i] / full, signed, cell).ljust(cell or 1)
        lines.append(line)
    masked = len(seen) < rows * across
    return [line.rstrip() for line in lines] + legend(cell, "1" if not signed else "%.4f" % largest, masked, down,
                                                     block, width, signed)


def thumbnails(maps, width):
    block = -(-max(len(maps.queries), len(maps.keys)) // min(24, width))
    rows, across = -(-len(maps.queries) // block), -(-len(maps.keys) // block)
    each, lines, masked = max(5, across), [], False
    names = list(maps.maps)
    a_line = (width + 2) // (each + 2)
    for start in range(0, len(names), a_line):
        lines += [""] if start else []
        part = names[start:start + a_line]
        seen = [maps.pooled(maps.maps[name], block, block) for name in part]
        masked = masked or any(len(s) < rows * across for s in seen)
        lines.append("  ".join(("%d.%d" % name).ljust(each) for name in part).rstrip())
        for row in range(rows):
            drawn = ["".join(digit(s[row, i]) if (row, i) in s else " " for i in range(across)) for s in seen]
            lines.append("  ".join(line.ljust(each) for line in drawn).rstrip())
    return lines + legend(1, "1", masked, block, block, width, False)


def check_text(what, title, lines, *arguments):
    check(what, "\n".join([title] + lines + [""]), attn("-f", "heat", *arguments))


def whole_texts():
    for n in (1, 15, 16, 30, 31, 61, 62, 200):
        text = ("-T", KING * 12, "--max-tokens=%d" % n)
        one = Maps("-L", "3", "-H", "4", *text)
        some = Maps("-L", "1-2", *text)
        for width in (40, 80, 200):
            wide = "--width=%d" % width
            check_text("one head, n %d, width %d" % (n, width), "text 0, layer 3, head 4", large(one, width), "-L", "3",
                       "-H", "4", wide, *text)
            check_text("ten heads, n %d, width %d" % (n, width), "text 0", thumbnails(some, width), "-L", "1-2", wide,
                       *text)


def other_maps():
    korean = ("-m", "examples/ko/fruit.json", "-a", "none", "-T", "사과 오렌지 배 안드로이드 사과")
    for width in (20, 40, 80):
        check_text("Hangul, width %d" % width, "text 0, layer 0, head 0" if width > 20 else "text 0, layer 0,\nhead 0",
                   large(Maps(*korean), width), "--width=%d" % width, *korean)
    context = os.path.join(os.environ.get("TMPDIR", "/tmp"), "heat-%d.txt" % os.getpid())
    with open(context, "w") as file:
        file.write("orange pear android apple pear apple orange " * 10)
    cross = ("-m", "examples/fruit.json", "-c", context, "-T", "apple orange pear")
    for width in (40, 80, 200):
        check_text("3 queries, 70 keys, width %d" % width, "text 0, layer 0, head 0", large(Maps(*cross), width),
                   "--width=%d" % width, *cross)
    os.unlink(context)
    scores = ("-p", "scores", "-L", "2", "-H", "3", "-T", KING)
    part = ("-L", "2", "-H", "3", "-a", "none", "--query=3-9", "--key=8-12", "-T", KING)
    for width in (40, 60):
        check_text("scores, width %d" % width, "text 0, layer 2, head 3", large(Maps(*scores), width, True),
                   "--width=%d" % width, *scores)
        check_text("a part, width %d" % width, "text 0, layer 2, head 3", large(Maps(*part), width),
                   "--width=%d" % width, *part)


def colored_cells(text):
    """Each line as [(character, letters' color, background)], a color None where it is the terminal's."""
    lines = []
    for line in text.split("\n"):
        cells, letters, behind = [], None, None
        for sequence, char in re.findall("\033\\[([0-9;]*)m|(.)", line):
            if char:
                cells.append((char, letters, behind))
                continue
            codes = sequence.split(";")
            while codes:
                code = codes.pop(0)
                if code in ("38", "48"):
                    kind = codes.pop(0)
                    color = tuple(int(codes.pop(0)) for _ in range(1 if kind == "5" else 3))
                    letters, behind = (color, behind) if code == "38" else (letters, color)
                elif code == "49":
                    behind = None
                else:
                    assert code == "0", sequence
                    letters = behind = None
        assert letters is None and behind is None, "a line leaves its color on: %r" % line
        lines.append(cells)
    return lines


def step(share):
    return (STEPS[min(7, int(share * 8))],)


def check_cells(what, maps, found, expected_of, top, left, cell):
    wrong = []
    cells = next(iter(maps.maps.values()))
    for i, query in enumerate(maps.queries):
        for j, key in enumerate(maps.keys):
            for part in range(cell):
                at = left + j * cell + part
                line = found[top + i]
                color = line[at][2] if at < len(line) else None
                expected = expected_of(cells, query, key) if (query, key) in cells else None
                if color != expected:
                    wrong.append("%d, %d: expected %s, found %s" % (query, key, expected, color))
    check(what, "", "\n".join(wrong[:3]))


def letters_of(found):
    return "".join(cell[0] for line in colored_cells(found)[:10] for cell in line)


def found_of(text, shade):
    return attn("-f", "heat", "--color=always", "--shade=" + shade, *text)


def colors():
    text = ("-L", "3", "-H", "4", "-T", "the king of Israel spake unto the people")
    maps = Maps(*text)
    row = {q: max(w for (i, _), w in next(iter(maps.maps.values())).items() if i == q) for q in maps.queries}
    whole = max(w for (q, _), w in next(iter(maps.maps.values())).items() if q >= 4)
    shades = {"linear": lambda cells, q, k: step(cells[q, k]), "sqrt": lambda cells, q, k: step(cells[q, k] ** 0.5),
              "row": lambda cells, q, k: step(cells[q, k] / row[q])}
    for shade, expected_of in shades.items():
        for width, cell in ((80, 4), (40, 2), (20, 1)):
            found = attn("-f", "heat", "--color=always", "--shade=" + shade, "--width=%d" % width, *text)
            top = 2 + (width == 20)
            check_cells("colors, %s, width %d" % (shade, width), maps, colored_cells(found), expected_of, top, 10, cell)
    check("percents do not go by the shade", letters_of(found_of(text, "linear")), letters_of(found_of(text, "sqrt")))
    part = text + ("--query=4-",)
    found = attn("-f", "heat", "--color=always", "--shade=max", *part)
    check_cells("colors, max", Maps(*part), colored_cells(found), lambda cells, q, k: step(cells[q, k] / whole), 2, 10,
                4)
    check("the legend of max", "0          %.4f; percent; blank: masked" % whole,
          "".join(c[0] for c in colored_cells(found)[-2]))
    scores = ("-p", "scores") + text
    maps = Maps(*scores)
    cells = next(iter(maps.maps.values()))
    largest = max(abs(v) for v in cells.values())
    found = colored_cells(attn("-f", "heat", "--color=always", *scores))
    check_cells("colors of scores", maps, found, lambda c, q, k: (
        SIGNED[4 + int(math.copysign(abs(c[q, k]) / largest * 4 + 0.5, c[q, k]))],), 2, 10, 4)
    check("the legend of scores", "-%.4f           %.4f; percent of the largest; blank: masked" % (largest, largest),
          "".join(c[0] for c in found[-2]))
    check("the legend's colors", [(n,) for n in SIGNED], [c[2] for c in found[-2] if c[2]])


def half_blocks():
    text = ("-L", "1", "-H", "3", "-T", KING * 12, "--max-tokens=101")
    maps = Maps(*text)
    seen = maps.pooled(next(iter(maps.maps.values())), 2, 2)
    found = colored_cells(attn("-f", "heat", "--color=always", "--width=80", *text))
    wrong = []
    for row in range(0, 51, 2):
        line = found[2 + row // 2]
        for i in range(51):
            upper = step(seen[row, i]) if (row, i) in seen else None
            lower = step(seen[row + 1, i]) if (row + 1, i) in seen else None
            char, letters, behind = line[4 + i] if 4 + i < len(line) else (" ", None, None)
            pair = {"▀": (letters, behind), "▄": (behind, letters), " ": (None, None)}[char]
            if pair != (upper, lower):
                wrong.append("%d, %d: expected %s, found %s" % (row, i, (upper, lower), pair))
    check("half blocks", "", "\n".join(wrong[:3]))
    check("half blocks: so many lines", 2 + 26 + 1 + 1, len(found))


def head_maps():
    """Layers down and heads across, from the rows of -p heads."""
    text = ("-p", "heads", "-T", KING)
    names = "self previous first same induction entropy distance".split()
    lines = [line.split("\t") for line in attn("-f", "tsv", *text).split("\n")[:-1]]
    for name in names:
        at = lines[0].index(name)
        values = {(int(r[1]), int(r[2])): float(r[at]) for r in lines[1:]}
        full = 1 if name not in ("entropy", "distance") else max(values.values())
        rows = ["layer %d " % layer + "".join("%4.0f" % math.floor(100 * values[layer, head] / full + 0.5)
                                              for head in range(5)) for layer in range(4)]
        check("a map of heads: " + name, "\n".join(
            ["text 0, " + name, " " * 8 + "".join("%4d" % h for h in range(5))] + rows +
            ["percent" + ("" if full == 1 else " of %.4f" % full), ""]),
            attn("-f", "heat", "--columns=layer,head," + name, *text))
    found = attn("-f", "heat", "--columns=layer,head,entropy,self", *text).split("\n")
    largest = max(float(r[lines[0].index("entropy")]) for r in lines[1:])
    check("maps of heads side by side", ["text 0", "entropy  self",
                                         "tenths of 1, entropy %.4f: · below .05, # from .95" % largest, ""],
          found[:2] + found[6:])
    part = attn("-f", "heat", "--columns=layer,head,self", "-H", "1.0,1.3,3.1", *text).split("\n")
    check("heads that are not selected are blank", ["           0   1   3", True, True],
          [part[1], re.match(r"layer 1 +\d+ +\d+$", part[2]) is not None,
           re.match(r"layer 3     +\d+$", part[3]) is not None])


whole_texts()
other_maps()
colors()
half_blocks()
head_maps()
print("%d passed, %d failed, 0 skipped" % (passed, failed))
sys.exit(failed > 0)
