#!/usr/bin/env python3
"""What a page of -f html holds, decoded: the numbers of -f npy within 1/131070, and the very decimals that attn prints
with --precision; masks, selections, several texts, hostile tokens, thumbnails, its size, its limit."""
import json
import math
import time
from html_page import Page, attn, check, finish, npy, refused, write

WORDS = "apple orange pear android king queen man woman".split()


def printed(arguments, decimals):
    """{(layer, head, query, key): decimal} of a TSV of the same run, by position."""
    lines = attn(*arguments, "-f", "tsv", "--precision=%d" % decimals).decode().splitlines()
    rows = [line.split("\t") for line in lines]
    return {(int(row[1]), row[2], int(row[3]), int(row[5])): row[7] for row in rows[1:]}


def decimal_of(number, decimals):
    text = "%.*f" % (decimals, number)
    return text.lstrip("-") if float(text) == 0 else text


def compare(name, arguments, decimals=4, layers_heads=None, mask=None, bytes_=None):
    options = [] if decimals == 4 else ["--precision=%d" % decimals]
    page, expected = Page(attn(*arguments, "-f", "html", *options)), printed(arguments, decimals)
    text, found, wrong = page.texts[0], {}, []
    queries, keys = text["queries"]["positions"], text["keys"]["positions"]
    shape, values = npy(attn(*arguments, "-f", "npy")) if layers_heads is None else (None, None)
    for index, head in enumerate(text["heads"]):
        for (i, j), number in page.map(0, head["layer"], head["head"]).items():
            found[head["layer"], head["head"], queries[i], keys[j]] = number
            if values is not None:
                exact = values[(index * shape[2] + i) * shape[3] + j]
                bound = 1 / 131070 if decimals >= 4 else 10 ** -decimals
                if math.isfinite(exact) and not abs(number - exact) <= bound + abs(exact) * 1e-12:
                    wrong.append((head, i, j, number, exact))
    check(found.keys() == expected.keys(), "%s: pairs: %d, not %d" % (name, len(found), len(expected)))
    check(not wrong, "%s: numbers of -f npy: %s" % (name, wrong[:2]))
    differ = [(place, found[place], expected.get(place)) for place in found
              if math.isfinite(found[place]) and decimal_of(found[place], decimals) != expected.get(place)]
    check(not differ, "%s: the decimals that are printed: %s" % (name, differ[:3]))
    if mask is not None:
        check({head["mask"] for head in text["heads"]} == {mask}, "%s: mask %s" % (name, text["heads"][:2]))
    if bytes_ is not None:
        check({head["bytes"] for head in text["heads"]} == {bytes_}, "%s: bytes %s" % (name, text["heads"][:2]))
    return page


def numbers():
    sentence = ["-T", "the king of Israel spake unto the people of the land"]
    fruit = ["-m", "examples/fruit.json"]
    compare("trained weights", sentence, mask="causal")
    compare("scores, of both signs", [*sentence, "-p", "scores"])
    compare("two decimals", [*sentence, "-p", "scores"], decimals=2)
    compare("six decimals", sentence, decimals=6)
    compare("more decimals than codes have", sentence, decimals=12)
    compare("no mask", [*fruit, "-a", "none", "-T", "apple orange pear"], mask="none")
    compare("a window", [*fruit, "-a", "window:2", "-T", "apple orange pear apple orange"], mask="bits")
    compare("a filter", [*sentence, "--min=0.1"], mask="bits")
    compare("some queries and keys", [*sentence, "--query=3-8", "--key=2-5", "-L", "1-2", "-H", "0,3"], mask="causal")
    compare("the mean over heads", [*sentence, "--average=heads"])
    compare("another text's keys", [*fruit, "-c", "examples/texts/phone.txt", "-T", "apple orange pear"], mask="none")
    compare("one token, one code, no byte", [*fruit, "-T", "apple"], bytes_=0)
    compare("heads that are not the same in each layer", [*sentence, "-H", "0.1,0.2,3.4"], layers_heads=True)


def ties():
    """Halves of the last decimal, which go to the even one: 0.03125 is 0.0312, 0.09375 is 0.0938."""
    words = ", ".join('"w%d": [%s]' % (i, ", ".join(str(float(x)) for x in vector))
                      for i, vector in enumerate([(1, 0.03125), (0, 1), (0, 3), (0, 1.03125), (-1, 0)]))
    path = write("ties.json", '{"words": {%s}, "layers": [{"score": "dot", "mask": "none"}]}' % words)
    page = compare("ties", ["-m", path, "-p", "scores", "-T", "w0 w1 w2 w3 w4"])
    check("%.4f" % page.map(0, 0, 0)[0, 1] == "0.0312", "a tie goes to the even digit")
    check("%.4f" % page.map(0, 0, 0)[0, 2] == "0.0938", "a tie goes to the even digit, up")


def not_finite():
    path = write("far.json", '{"words": {"a": [3e38], "b": [1]}, "layers": [{"score": "dot", "mask": "none"}]}')
    page = Page(attn("-m", path, "-p", "scores", "-f", "html", "-T", "a b"))
    check(page.texts[0]["heads"][0]["floats"], "what has no code is kept as floats")
    found = page.map(0, 0, 0)
    check(found[0, 0] == math.inf and abs(found[0, 1] / 3e38 - 1) < 1e-6 and found[1, 1] == 1, "floats: %s" % found)


def thumbnails():
    """The largest of a square of cells, √-shaded: pixel 1 + 254√w."""
    text = " ".join(WORDS[i * i % 4] for i in range(50))
    page = Page(attn("-m", "examples/fruit.json", "-f", "html", "-T", text))
    place, cells = page.texts[0], page.map(0, 0, 0)
    check((place["rows"], place["columns"]) == (25, 25), "50 tokens are 25 points")
    wrong = []
    for row, pixels in enumerate(page.thumbnail(0, 0)):
        for column, pixel in enumerate(pixels):
            square = [(2 * row + i, 2 * column + j) for i in (0, 1) for j in (0, 1)]
            seen = [cells[place] for place in square if place in cells]
            expected = 1 + 254 * math.sqrt(max(seen)) if seen else 0
            if abs(pixel - expected) > .6 or (pixel == 0) != (not seen):
                wrong.append((row, column, pixel, expected))
    check(not wrong, "thumbnails: %s" % wrong[:3])


def several_texts():
    page = Page(attn("-m", "examples/fruit.json", "-f", "html", "-T", "apple orange", "-T", "pear", "-T", ""))
    check([text["queries"]["labels"] for text in page.texts] == [["apple", "orange"], ["pear"], []],
          "several texts: %s" % [text["queries"] for text in page.texts])
    check(page.map(1, 0, 0)[0, 0] == page.number(8 * 10000 + 4), "the second text's own number")
    check(Page(attn("-m", "examples/fruit.json", "-f", "html", "-T", "")).texts[0]["heads"] == [], "an empty text")
    lines = write("lines.txt", "apple orange\npear apple\n")
    texts = Page(attn("-m", "examples/fruit.json", "-f", "html", "-l", lines)).texts
    check([(text["file"].endswith("lines.txt"), text["line"]) for text in texts] == [(True, 1), (True, 2)], "lines")


def heads():
    """Numbers of heads: those of the TSV with 4 decimals, the columns as they are chosen."""
    run = ["-p", "heads", "-T", "the king of Israel spake unto the people of the land"]
    for columns in ([], ["--columns=text,layer,head,induction,queries"]):
        rows = [line.split("\t") for line in attn(*run, *columns, "--precision=4").decode().splitlines()]
        page = Page(attn(*run, *columns, "-f", "html"))
        check([column["name"] for column in page.meta["table"]] == rows[0][3:], "columns: %s" % page.meta["table"])
        found = [[str(head["layer"]), head["head"], *map(float, head["cells"])] for head in page.texts[0]["heads"]]
        check(found == [[row[1], row[2], *map(float, row[3:])] for row in rows[1:]], "numbers of heads: %s" % found[:2])
    ranges = {column["name"]: column["range"] for column in Page(attn(*run, "-f", "html")).meta["table"]}
    check((ranges["queries"], ranges["entropy"], ranges["self"]) == ("none", "positive", "unit"), "ranges: %s" % ranges)
    code, message = refused(*run, "-f", "html", "--columns=layer,head,queries")
    check(code == 2 and "map of heads" in message, "nothing to draw: %s" % message)


def planes():
    """READING 1.1's figures of fruit.json: apple moves 3.4041, by pear's 0.9411 and pull 3.3931; each layer is there."""
    data = attn("-m", "examples/fruit.json", "-a", "none", "-p", "pull", "-f", "html", "-T", "apple orange pear")
    plane = json.loads(Page(data).maps["plane"])
    panel = plane["panels"][0]
    check(panel["axes"] == ["fruit", "technology"], "axes: %s" % panel["axes"])
    check([(point["label"], point["before"]) for point in panel["points"]] ==
          [("apple", [4, 4]), ("orange", [6, 1]), ("pear", [7, 2])], "points: %s" % panel["points"])
    apple = panel["points"][0]
    check(apple["distance"] == 3.4041, "apple moves %s" % apple["distance"])
    check(abs(math.dist(apple["before"], apple["after"]) - 3.4041) < 1e-4, "the arrow is the move: %s" % apple)
    check([0, 2, 0.9411, 3.3931] in panel["pairs"], "pairs: %s" % panel["pairs"])
    data = attn("-p", "pull", "-L", "0-", "-f", "html", "-T", "the king")
    check([panel["layer"] for panel in json.loads(Page(data).maps["plane"])["panels"]] == [0, 1, 2, 3], "layers")


HOSTILE = ["</script><script>alert(1)</script>", "</script x", "<!--", "]]>", "&amp;", "\"'", "\u2028\u2029",
           "\u202eabc", "\x1b[31m", "שלום", "👩‍👩‍👧", "어부", "\\", "a\u0000b", "<SCRIPT"]


def hostile():
    """Tokens are data, whatever they look like; what steers a reader is shown as its bytes, as in tables."""
    path = write("hostile.json", json.dumps({"tokenizer": "ids", "vocab": HOSTILE,
                                             "embeddings": [[1, i] for i in range(len(HOSTILE))],
                                             "layers": [{"mask": "none"}]}))
    data = attn("-m", path, "-f", "html", "-T", " ".join(str(i) for i in range(len(HOSTILE))))
    page = Page(data)
    steering = {"\u202e": "\\xE2\\x80\\xAE", "\x1b": "\\x1B", "\x00": "\\x00"}
    shown = ["".join(steering.get(letter, letter) for letter in text) for text in HOSTILE]
    check(page.texts[0]["queries"]["labels"] == shown, "hostile tokens: %s" % page.texts[0]["queries"]["labels"])
    check(page.scripts == 1, "one script that runs")
    check(data.lower().count(b"<script>") == 1 and b"alert(1)" in data, "no token opens a script")
    check(data.lower().count(b"</script") == len(page.maps) + len(page.texts) + 2, "no token ends one")
    for byte in (b"\x00", b"\x1b", "\u202e".encode(), "\u2028".encode()):
        check(byte not in data, "%r does not stand in the page" % byte)


def no_network():
    data = attn("-f", "html", "-T", "the king")
    for inside in (b"http://www.w3.org/2000/svg", b"url(#tip)"):  # a name, and a place in the page itself
        data = data.replace(inside, b"")
    check(b"default-src 'none'" in data, "the page forbids what is not in it")
    for word in (b"http:", b"https:", b"src=", b"@import", b"url(", b"fetch(", b"XMLHttp", b"WebSocket", b"import("):
        check(word not in data, "%r is not in the page" % word)


def size():
    """144 heads of 200 tokens within 5 MB: the trained model's 20, and their share."""
    story = " ".join(attn("--help").decode().split())
    began = time.perf_counter()
    data = attn("--max-tokens=200", "-f", "html", "-T", story)
    took = time.perf_counter() - began
    page = Page(data)
    check(len(page.texts[0]["queries"]["labels"]) == 200, "200 tokens")
    kept = len(data) - len(attn("-f", "html", "-T", ""))
    print("20 heads of 200 tokens: %d bytes in %.2f s; 144: %.2f MB" % (kept, took, (kept * 7.2 + 6e4) / 1e6))
    check(kept * 144 / 20 + 6e4 < 5e6, "144 heads of 200 tokens are %d bytes" % (kept * 7.2))


def refusals():
    words = write("many.txt", "apple " * 6400)
    code, message = refused("-m", "examples/fruit.json", "-f", "html", words)
    check(code == 1 and "40 million" in message and "--layer, --head and --query" in message, "the limit: %s" % message)
    page = Page(attn("-m", "examples/fruit.json", "-f", "html", "--query=0-5", words))
    check(len(page.texts[0]["keys"]["labels"]) == 6400, "what is chosen fits")
    for report, format_ in (("moves", "tsv"), ("nearest", "tsv"), ("tokens", "tsv")):
        code, message = refused("-m", "examples/fruit.json", "-p", report, "-f", "html", "-T", "apple")
        check(code == 2 and "use " + format_ in message, "-p %s: %s" % (report, message))


def steps():
    """READING 1.3's page of fisherman and net, part by part what -f table shows."""
    arguments = ("-m", "examples/fisherman.json", "-p", "explain", "-T", "fisherman net")
    text = Page(attn(*arguments, "-f", "html")).texts[0]
    table = attn(*arguments, "-f", "table", "--width=110").decode()
    head, = text["heads"]
    check((head["layer"], head["head"]) == (0, "0"), "one head: %s" % head)
    check([part["query"] for part in head["parts"]] == [None, 0, 1], "a part a query: %s" % head["parts"])
    check([part["token"] for part in head["parts"]] == ["", "fisherman", "net"], "their tokens")
    body = table.split("\n\n", 1)[1]
    check("\n".join(part["lines"] for part in head["parts"]) == body, "the lines of a table:\n%s" % body)
    check("net moves from (0, 1) to (0.8044, 0.1956), by 1.1376" in head["parts"][2]["lines"], "READING's last line")
    page = Page(attn("-p", "explain", "-L", "2-3", "-f", "html", "-T", "the king", "-T", "of"))
    places = [[(h["layer"], h["head"]) for h in t["heads"]] for t in page.texts]
    wanted = [(layer, head) for layer in (2, 3) for head in ("0", "1", "2", "3", "4", "all")]
    check(places == [wanted, wanted], "each head and what they make together: %s" % places)


for test in (numbers, ties, not_finite, thumbnails, several_texts, heads, planes, steps, hostile, no_network, size, refusals):
    test()
finish()
