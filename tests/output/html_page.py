"""What the tests of -f html share: runs of the program, and what a page of it holds, read by the description in
html_cells.h and by Python's own zlib, base64 and html.parser."""
import base64, json, math, os, struct, subprocess, sys, tempfile, zlib
from html.parser import HTMLParser

ATTN = os.path.abspath(os.environ.get("ATTN", "./attn"))
SOURCE = os.path.abspath(os.environ.get("ATTN_SOURCE", "."))
counts = {"passed": 0, "failed": 0, "skipped": 0}


def check(holds, what):
    counts["passed" if holds else "failed"] += 1
    if not holds:
        print("FAIL:", what)


def skip(what, why):
    counts["skipped"] += 1
    print("SKIP: %s: %s" % (what, why))


def finish():
    print("%d passed, %d failed, %d skipped" % (counts["passed"], counts["failed"], counts["skipped"]))
    sys.exit(1 if counts["failed"] > 0 or counts["passed"] == 0 else 0)


def attn(*arguments):
    """The output, as bytes."""
    done = subprocess.run([ATTN, "-q", *arguments], cwd=SOURCE, capture_output=True, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise SystemExit("attn %s: %s" % (" ".join(arguments), done.stderr.decode("utf-8", "replace")))
    return done.stdout


def refused(*arguments):
    """The status and the message of a run that must fail."""
    done = subprocess.run([ATTN, "-q", *arguments], cwd=SOURCE, capture_output=True, stdin=subprocess.DEVNULL)
    return done.returncode, done.stderr.decode()


class Elements(HTMLParser):
    """The script elements of a page that are data: (id or class, content)."""

    def __init__(self, page):
        super().__init__(convert_charrefs=False)
        self.found, self.inside, self.scripts = [], None, 0
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "script":
            self.scripts += "type" not in attributes
            self.inside = attributes.get("id") or attributes.get("class")
            self.text = ""

    def handle_data(self, data):
        if self.inside:
            self.text += data

    def handle_endtag(self, tag):
        if tag == "script" and self.inside:
            self.found.append((self.inside, self.text))
        if tag == "script":
            self.inside = None


class Page:
    def __init__(self, data):
        self.source = data.decode("utf-8")
        elements = Elements(self.source)
        self.scripts = elements.scripts
        named = dict(element for element in elements.found if element[0] != "text")
        self.meta = json.loads(named["meta"])
        self.texts = [json.loads(text) for name, text in elements.found if name == "text"]
        self.maps = {name: text for name, text in named.items() if name != "meta"}

    def map(self, text, layer, head):
        """{(query, key): number} of the visible pairs, by index."""
        place = self.texts[text]
        known = [h for h in place["heads"] if h["layer"] == layer and h["head"] == str(head)][0]
        stream = zlib.decompress(base64.b64decode(self.maps["%d:%d.%s" % (text, layer, head)], validate=True))
        queries, keys = place["queries"]["positions"], place["keys"]["positions"]
        pairs = [(i, j) for i in range(len(queries)) for j in range(len(keys))]
        if known["mask"] == "causal":
            pairs = [(i, j) for i, j in pairs if keys[j] <= queries[i]]
        elif known["mask"] == "bits":
            pairs = [pair for at, pair in enumerate(pairs) if stream[at // 8] >> at % 8 & 1]
            stream = stream[(len(queries) * len(keys) + 7) // 8:]
        n, size = len(pairs), known["bytes"]
        if len(stream) != n * size:
            raise ValueError("%d bytes for %d codes of %d" % (len(stream), n, size))
        codes = [int.from_bytes(bytes(stream[byte * n + i] for byte in range(size)), "big") for i in range(n)]
        if known["floats"]:
            numbers = [struct.unpack("<f", struct.pack("<I", code))[0] for code in codes]
        else:
            numbers = [self.number(code + known["least"]) for code in codes]
        return dict(zip(pairs, numbers))

    def number(self, code):
        decimal, part = divmod(code, self.meta["parts"])
        return (decimal + (part - (self.meta["parts"] - 1) / 2) / self.meta["parts"]) / 10 ** self.meta["decimals"]

    def thumbnail(self, text, index):
        """Rows of pixels, 0 masked, 1…255."""
        place = self.texts[text]
        pixels = zlib.decompress(base64.b64decode(place["thumbnails"], validate=True))
        rows, columns = place["rows"], place["columns"]
        start = index * rows * columns
        return [list(pixels[start + i * columns:start + (i + 1) * columns]) for i in range(rows)]


def npy(data):
    """Shape and numbers of a float32 .npy."""
    size = struct.unpack("<H", data[8:10])[0]
    shape = eval(data[10:10 + size].decode(), {"__builtins__": {}})["shape"]
    return shape, struct.unpack("<%df" % math.prod(shape), data[10 + size:])


def write(name, text):
    """A temporary file that goes when the program ends."""
    path = os.path.join(FOLDER.name, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


FOLDER = tempfile.TemporaryDirectory()
