#!/usr/bin/env python3
"""Opens pages of -f html from files in a headless Chromium, on one core, and uses them as one would by keyboard: keys
are pressed through the DevTools protocol, the live region and the address are read. What must be said there are the
decimals that attn prints. No page may report an error, and none may ask for anything but its own file."""
import base64, json, os, random, shutil, subprocess, sys, time
from html_page import FOLDER, attn, check, finish, write

READY = 1500  # milliseconds from the script's start that the largest page may take
PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


class Browser:
    """Speaks the DevTools protocol over a pair of pipes: JSON texts, each ended by a NUL."""

    def __init__(self, program):
        to_read, self.write_end = os.pipe()
        self.read_end, to_write = os.pipe()

        def descriptors():  # the protocol's are 3 and 4
            os.dup2(to_read, 10 + to_write)
            os.dup2(to_write, 11 + to_write)
            os.dup2(10 + to_write, 3)
            os.dup2(11 + to_write, 4)
            os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})

        self.process = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--no-first-run",
             "--user-data-dir=" + os.path.join(FOLDER.name, "profile"), "--window-size=1280,800"],
            preexec_fn=descriptors, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        self.waiting, self.number, self.session, self.events = b"", 0, None, []
        page = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Runtime", "Log", "Page", "Network"):
            self.call(domain + ".enable")

    def receive(self):
        while b"\0" not in self.waiting:
            data = os.read(self.read_end, 1 << 16)
            if not data:
                raise SystemExit("the browser has gone")
            self.waiting += data
        message, self.waiting = self.waiting.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.write_end, json.dumps(message).encode() + b"\0")
        while True:
            message = self.receive()
            if message.get("id") == self.number:
                if "error" in message:
                    raise SystemExit("%s: %s" % (method, message["error"]))
                return message["result"]
            self.events.append(message)

    def value(self, expression):
        done = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in done:
            raise SystemExit("%s: %s" % (expression, done["exceptionDetails"]))
        return done["result"].get("value")

    def open(self, path, address=""):
        self.call("Page.navigate", url="about:blank")
        self.events.clear()
        self.call("Page.navigate", url="file://" + path + address)
        self.wait_for("document.body?.dataset.ready === '1'", 60)

    def wait_for(self, expression, seconds=10):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.value(expression):
                return True
            time.sleep(.02)
        return False

    def press(self, *keys):
        for key in keys:
            shift = key.startswith("Shift+")
            key = key[6:] if shift else key
            text = {"text": "\r" if key == "Enter" else key} if len(key) == 1 or key == "Enter" else {}
            for kind in ("keyDown", "keyUp"):
                self.call("Input.dispatchKeyEvent", type=kind, key=key, modifiers=8 if shift else 0,
                          **(text if kind == "keyDown" else {}))
            self.value("new Promise(done => setTimeout(done, 30))")  # a map may have to be unpacked first

    def said(self):
        return self.value("document.getElementById('say').textContent")

    def address(self):
        self.value("new Promise(done => setTimeout(done, 300))")
        return self.value("location.hash")

    def focus(self):
        return self.value("document.activeElement.id")

    def close(self):
        self.call("Browser.close")
        self.process.wait()


def check_quiet(browser, name):
    """No error, no warning, nothing asked for."""
    said = [event["params"] for event in browser.events
            if event["method"] in ("Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled")]
    check(not said, "%s: %s" % (name, said[:2]))
    asked = {event["params"]["request"]["url"][:40] for event in browser.events
             if event["method"] == "Network.requestWillBeSent"}
    outside = [url for url in asked if not url.startswith(("file:", "data:", "blob:"))]
    check(not outside, "%s asks for %s" % (name, outside))


def page_of(name, *arguments):
    path = os.path.join(FOLDER.name, name)
    attn(*arguments, "-f", "html", "-o", path)
    return path


SENTENCE = "the king of Israel spake unto the people"


def cells(*arguments):
    """{(layer, head, query, key): what the live region must say} of a TSV run, in its order."""
    rows = [row.split("\t") for row in attn(*arguments, "--precision=4").decode().splitlines()[1:]]
    shown = lambda token: "␣" + token[1:] if token.startswith(" ") else token
    return {(int(row[1]), int(row[2]), int(row[3]), int(row[5])):
            "%s (%s) → %s (%s): %s" % (shown(row[4]), row[3], shown(row[6]), row[5], row[7]) for row in rows}


def by_keyboard(browser):
    browser.open(page_of("sentence.html", "-T", SENTENCE), "#3.4")
    expected = cells("-T", SENTENCE)
    check(browser.said() == "layer 3, head 4", "the address chooses: " + browser.said())
    browser.press("m", "ArrowDown", "ArrowDown", "ArrowDown")
    check(browser.said() == expected[3, 4, 2, 0], "a cell: " + browser.said())
    browser.press("ArrowRight")
    check(browser.said() == expected[3, 4, 2, 1], "the next: " + browser.said())
    browser.press("ArrowRight", "ArrowRight")
    check(browser.said() == "␣of (2) → ␣Israel (3): masked", "a masked cell: " + browser.said())
    browser.press("ArrowLeft", "g", "ArrowLeft", "ArrowUp")
    check(browser.said() == "layer 2, head 3: " + expected[2, 3, 2, 2], "the cell in another head: " + browser.said())
    check(browser.address() == "#2.3/q2/k2", "the address: " + browser.address())
    browser.press("Enter", "l", "ArrowDown")
    largest = max((key for key in expected if key[:3] == (2, 3, 3)), key=lambda key: float(expected[key].split()[-1]))
    check(browser.said() == expected[largest], "lines: a query's largest: " + browser.said())
    browser.press("Shift+ArrowDown")
    check(browser.said().startswith("␣people (7) → "), "ten further: " + browser.said())
    browser.press("t", "s", "s", "?")
    check(browser.address().startswith("#2.3/list/row/q7/k"), "the address: " + browser.address())
    check(browser.value("document.querySelectorAll('#view tbody tr').length") == 8, "a list of eight")
    first = browser.value("document.querySelector('#view tbody tr').textContent")
    best = max((said for place, said in expected.items() if place[:3] == (2, 3, 7)),
               key=lambda said: float(said.split()[-1]))
    check(first == best.replace(" → ", "").replace(": ", ""), "its first: %s, not %s" % (first, best))
    browser.press("Escape", "h", "+", "+", "0", "-", "?")
    check(browser.said() == "no token chosen", "nothing chosen: " + browser.said())
    check(browser.address() == "#2.3/row", "nor in the address: " + browser.address())
    check_quiet(browser, "a sentence")


def searching(browser):
    browser.open(page_of("search.html", "-T", SENTENCE), "#1.1")
    browser.press("/", "t", "h", "e")
    check(browser.said() == "1 of 2: the (0) → the (0): 1.0000", "found: " + browser.said())
    browser.press("Enter")
    check(browser.said().startswith("2 of 2: ␣the (6) → ␣unto (5): "), "the next: " + browser.said())
    browser.press("Escape")
    check(browser.focus() == "view", "Escape leaves the search for " + browser.focus())
    browser.press("/", "x")
    check(browser.said() == "not found", "not found: " + browser.said())
    check_quiet(browser, "the search")


def texts_and_hash(browser):
    fruit = ["-m", "examples/fruit.json"]
    browser.open(page_of("texts.html", *fruit, "-T", "apple orange", "-T", "pear", "-T", ""))
    browser.press("]")
    check(browser.said() == "text 1" and browser.address() == "#1:0.0", "another text: " + browser.address())
    browser.press("m", "ArrowDown")
    check(browser.said() == "pear (0) → pear (0): 1.0000", "its cell: " + browser.said())
    browser.press("]")
    check(browser.said() == "this text has no tokens", "an empty text: " + browser.said())
    browser.press("ArrowDown", "t", "]")
    check(browser.said() == "text 0", "round: " + browser.said())
    browser.value("location.hash = '#0:0.0/lines/q1/k0'")
    wanted = cells(*fruit, "-T", "apple orange")[0, 0, 1, 0]
    browser.wait_for("document.getElementById('say').textContent.includes('→')")
    check(browser.said() == "layer 0, head 0: " + wanted, "an address by hand: " + browser.said())
    check_quiet(browser, "several texts")
    browser.open(page_of("context.html", *fruit, "-c", "examples/texts/phone.txt", "-T", "apple orange"), "#0.0/q1")
    check(browser.said().startswith("layer 0, head 0: orange (1) → "), "cross-attention: " + browser.said())
    check_quiet(browser, "cross-attention")


def numbers_of_heads(browser):
    browser.open(page_of("heads.html", "-p", "heads", "-T", SENTENCE), "#3.4/previous")
    rows = [row.split("\t") for row in attn("-p", "heads", "-T", SENTENCE, "--precision=4").decode().splitlines()]
    wanted = lambda layer, head, name: "layer %d, head %d: %s %s" % (
        layer, head, name, next(row for row in rows if row[1:3] == [str(layer), str(head)])[rows[0].index(name)])
    check(browser.said() == wanted(3, 4, "previous"), "the address chooses: " + browser.said())
    browser.press("c")
    check(browser.said() == wanted(3, 4, "first"), "another column: " + browser.said())
    browser.press("ArrowUp", "ArrowLeft")
    check(browser.said() == wanted(2, 3, "first"), "another head: " + browser.said())
    check(browser.address() == "#2.3/first", "the address: " + browser.address())
    best = max(rows[1:], key=lambda row: float(row[rows[0].index("first")]))
    first = browser.value("document.querySelector('#view table:last-child tbody tr').textContent")
    check(first.startswith("layer %s, head %s" % (best[1], best[2])), "the largest: " + first)
    browser.press("s", "s")
    check_quiet(browser, "numbers of heads")


def planes(browser):
    browser.open(page_of("pull.html", "-m", "examples/fruit.json", "-a", "none", "-p", "pull", "-T", "apple orange pear"))
    browser.press("m", "ArrowDown")
    check(browser.said() == "apple (0) moves 3.4041", "a move: " + browser.said())
    check(browser.value("document.querySelector('#view tbody tr').textContent") == "apple (0)pear (2)0.94113.3931", "pulls")
    check_quiet(browser, "arrows")
    browser.open(page_of("layers.html", "-p", "pull", "-L", "0-", "-T", SENTENCE))
    browser.press("g", "ArrowDown", "ArrowDown")
    check(browser.said() == "layer 2" and browser.address() == "#2.all", "layers: " + browser.address())
    check(browser.value("document.querySelectorAll('#view line[marker-end]').length") == 8, "an arrow a token")
    check_quiet(browser, "layers")


def steps(browser):
    browser.open(page_of("explain.html", "-m", "examples/fisherman.json", "-p", "explain", "-T", "fisherman net"))
    opened = "[...document.querySelectorAll('#view details')].map(d => d.open).join()"
    check(browser.said() == "layer 0, head 0: 2 tokens of 2 numbers, scaled dot product, no mask", browser.said())
    check(browser.value(opened) == "true,false,true", "the last query's is open: " + browser.value(opened))
    browser.press("m", "ArrowUp")
    check(browser.said() == "query fisherman (0)", "another part: " + browser.said())
    check(browser.value(opened) == "true,true,false", "it opens: " + browser.value(opened))
    browser.press("Tab", "Tab", "Enter")
    check(browser.value(opened) == "true,false,false", "Enter on its title shuts it: " + browser.value(opened))
    check_quiet(browser, "steps")
    browser.open(page_of("layer.html", "-p", "explain", "-L", "3", "-k", "3", "-T", SENTENCE))
    browser.press("g", "ArrowRight", "ArrowRight")
    check(browser.said().startswith("layer 3, head 2: ") and browser.address() == "#3.2", "heads: " + browser.address())
    check_quiet(browser, "steps of a layer")


def hostile(browser):
    tokens = ["</script><script>document.title='lost'</script>", "<!--", "&amp;", "\"'", "\u202eabc", "שלום", "👩‍👩‍👧",
              "어부", "a\u0000b"]
    path = write("hostile.json", json.dumps({"tokenizer": "ids", "vocab": tokens, "layers": [{"mask": "none"}],
                                             "embeddings": [[1, i] for i in range(len(tokens))]}))
    browser.open(page_of("hostile.html", "-m", path, "-T", " ".join(map(str, range(len(tokens))))), "#0.0/q0/k4")
    check("</script><script>document.title='lost'</script> (0) → \\xE2\\x80\\xAEabc (4): " in browser.said(),
          "hostile tokens: " + browser.said())
    browser.press("l", "t", "h")
    check(browser.value("document.title") == "attn: weights", "no token runs")
    check_quiet(browser, "hostile tokens")


def toy(layers, heads, width, words):
    """A model of random matrices whose heads are of all kinds, from even to sharp."""
    numbers = random.Random(4)
    matrix = lambda rows, size: [[round(numbers.gauss(0, size), 3) for _ in range(width)] for _ in range(rows)]
    layer = lambda: {"n_heads": heads, "residual": True, "W_Q": matrix(width, .25), "W_K": matrix(width, .25),
                     "W_V": matrix(width, .1), "W_O": matrix(width, .1)}
    return write("toy.json", json.dumps({"vocab": ["w%d" % i for i in range(words)],
                                         "embeddings": matrix(words, 1),
                                         "layers": [layer() for _ in range(layers)]}))


def large(browser):
    numbers = random.Random(5)
    text = lambda n: " ".join("w%d" % numbers.randrange(60) for _ in range(n))
    for layers, heads, n in ((12, 12, 200), (1, 8, 2000)):
        words = text(n)
        model = toy(layers, heads, 48, 60)
        began = time.monotonic()
        path = page_of("large.html", "-m", model, "-T", words)
        took, size = time.monotonic() - began, os.path.getsize(path)
        browser.open(path, "#0.5")
        ready = int(browser.value("document.body.dataset.milliseconds"))
        print("%d heads of %d tokens: %.2f MB in %.2f s; ready %d ms after the script's start"
              % (layers * heads, n, size / 1e6, took, ready))
        check(ready <= READY, "%d heads of %d tokens: ready after %d ms" % (layers * heads, n, ready))
        browser.press("m", "ArrowDown", "Shift+ArrowDown", "ArrowRight")
        expected = cells("-m", model, "-T", words, "-L", "0", "-H", "5", "--query=10", "--key=1")
        check(browser.said() == expected[0, 5, 10, 1], "a cell: " + browser.said())
        browser.press("l", "ArrowDown", "t", "h", "+", "+")
        browser.press("g", "ArrowRight")
        check(browser.wait_for("document.getElementById('say').textContent.startsWith('layer 0, head 6: ')"),
              "another head: " + browser.said())
        check_quiet(browser, "%d tokens" % n)


program = next((found for found in map(shutil.which, PROGRAMS) if found), None)
if program is None:
    print("SKIP: no headless Chromium")
    sys.exit(77)
browser = Browser(program)
for test in (by_keyboard, searching, texts_and_hash, numbers_of_heads, planes, steps, hostile, large):
    test(browser)
browser.close()
finish()
