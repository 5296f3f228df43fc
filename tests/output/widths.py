#!/usr/bin/env python3
"""What is printed for eyes on a screen: no line of -f table or -f heat is wider than --width, whatever the report; what
a table leaves out or shortens is what the manual says (FORMATS, table); and what a terminal gets, through a
pseudo-terminal: its width, its colors, a heat map where a grid does not fit. Widths are counted here by Unicode's East
Asian Width (UAX 11). Prints `N passed, N failed, N skipped`."""
import fcntl, os, pty, re, select, struct, subprocess, sys, tempfile, termios, unicodedata

ATTN = os.path.abspath(os.environ.get("ATTN", "./attn"))
SOURCE = os.path.abspath(os.environ.get("ATTN_SOURCE", "."))
ENVIRONMENT = {k: v for k, v in os.environ.items()
               if k not in ("ATTN_MODEL", "COLUMNS", "NO_COLOR", "COLORTERM", "TERM", "LANG", "LC_CTYPE")}
ENVIRONMENT["LC_ALL"] = "C.UTF-8"
KING = "the king of Israel spake unto the people"
LISTS = set("pull moves explain embeddings queries keys values nearest tokens model similar next".split())
passed = failed = 0


def check(what, fine, detail=""):
    global passed, failed
    passed, failed = passed + bool(fine), failed + (not fine)
    if not fine:
        print("FAIL: %s%s" % (what, detail and ": %s" % (detail,)))


def attn(*arguments):
    done = subprocess.run([ATTN, "-q", *arguments], capture_output=True, env=ENVIRONMENT, stdin=subprocess.DEVNULL,
                          cwd=SOURCE, timeout=120)
    if done.returncode != 0:
        raise AssertionError("%s: %s" % (arguments, done.stderr.decode()))
    return done.stdout.decode("utf-8")


def on_terminal(width, *arguments, **environment):
    """What a terminal of WIDTH columns gets."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    process = subprocess.Popen([ATTN, "-q", *arguments], stdout=follower, stdin=subprocess.DEVNULL, cwd=SOURCE,
                               env=dict(dict(ENVIRONMENT, TERM="xterm"), **environment))
    os.close(follower)
    text = b""
    while select.select([leader], [], [], 60)[0]:
        try:
            part = os.read(leader, 65536)
        except OSError:
            break
        if not part:
            break
        text += part
    os.close(leader)
    process.wait()
    return text.decode("utf-8").replace("\r\n", "\n")


def plain(text):
    return re.sub("\033\\[[0-9;]*m", "", text)


def columns(text):
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def widest(text):
    return max(columns(line) for line in plain(text).split("\n"))


def every_line_fits():
    long_name = os.path.join(tempfile.mkdtemp(), "a-file-with-a-very-long-name-그물-of-fishermen.txt")
    with open(long_name, "w") as file:
        file.write("배 사과 오렌지 안드로이드 배 배 사과 오렌지 오렌지 안드로이드 사과 배")
    korean = ["-m", "examples/ko/fruit.json"]
    reports = [[*korean, "-p", p, long_name] for p in
               "weights scores pull moves explain embeddings queries keys values nearest tokens heads model".split()]
    reports += [["-m", "examples/fruit.json", "-s", "dot", "-p", "scores", "--scale=1e30", "-T", "apple orange pear"],
                ["-m", "examples/fruit.json", "--precision=30", "-T", "apple orange pear"],
                [*korean, "--columns=file,query_token,key_token,weight,layer", long_name],
                [*korean, "-p", "similar", "-T", "사과 - 배"]]
    default = [["-p", p, "-T", KING] for p in "weights heads next explain embeddings model moves".split()]
    for some, widths in ((reports, list(range(20, 60, 3)) + list(range(60, 201, 20))), (default, (20, 40, 80, 131))):
        for report in some:
            maps = not (LISTS & set(report) or any(word.startswith("--columns") for word in report))
            for form in ["table"] + ["heat"] * maps:
                wrong = []
                for width in widths:
                    for color in ("never", "always"):
                        found = attn("-f", form, "--width=%d" % width, "--color=" + color, *report)
                        if widest(found) > width or not found:
                            wrong.append("width %d: %r" % (width, found[:300]))
                check("%s as %s fits" % (" ".join(report), form), not wrong, wrong[:1])
    for form, report in (("heat", "weights"), ("table", "weights"), ("table", "heads"), ("heat", "heads")):
        wrong = [width for width in range(20, 201) if widest(attn(
            "-f", form, "--width=%d" % width, *korean, "-p", report, long_name)) > width]
        check("%s as %s fits at every width from 20 to 200" % (report, form), not wrong, wrong)
    os.unlink(long_name)


def tables_are_what_they_were():
    """The numbers of a fitted table are those of the whole one, as far as they are shown."""
    heads = ["-p", "heads", "-T", KING]
    whole = [line.split() for line in attn("-f", "table", *heads).split("\n")[:-1]]
    lines = attn("-f", "table", "--width=80", *heads).split("\n")[:-1]
    check("heads at 80: what is the same in each row is the title", lines[0] == "text 0, queries 8", lines[0])
    fewer = [row[1:3] + row[4:] for row in whole]
    check("heads at 80: all other columns, whole", [line.split() for line in lines[1:]] == fewer, lines[1:3])
    lines = attn("-f", "table", "--width=74", *heads).split("\n")[:-1]
    check("heads at 74: fewer decimals", lines[1].split() == fewer[0] and
          all(a == "%.3f" % float(b) or abs(float(a) - float(b)) < 0.00051
              for row, line in zip(fewer[1:], lines[2:]) for a, b in zip(line.split()[2:], row[2:])) and
          len(lines[2].split()[2]) == 5, lines[:3])
    lines = attn("-f", "table", "--width=74", "--precision=4", *heads).split("\n")[:-1]
    check("heads at 74: decimals that were asked for stay, and a column goes",
          [line.split() for line in lines[1:-1]] == [row[:-1] for row in fewer] and
          lines[-1] == "+ 1 more column: distance", lines[-2:])
    lines = attn("-f", "table", "--width=40", *heads).split("\n")[:-1]
    check("heads at 40: columns that are left out are named",
          lines[-2:] == ["+ 4 more columns: first, same,", "induction, distance"], lines[-2:])
    vectors = attn("-f", "table", "--width=60", "-p", "embeddings", "-T", KING).split("\n")[:-1]
    check("wide vectors are folded", re.match(r"\+ 15\d more columns: v\d to v159$", vectors[-1]), vectors[-1])
    chosen = attn("-f", "table", "--width=33", "-p", "heads", "--columns=text,layer,head,entropy,self", "-T", KING)
    check("columns that were chosen stay", chosen.startswith("text  layer  head  entropy   self\n"), chosen[:60])
    whole = attn("-f", "table", "-L", "1", "-H", "1", "-T", KING).split("\n")[1:-1]
    bands = attn("-f", "table", "-L", "1", "-H", "1", "--width=40", "-T", KING).split("\n\n")
    joined = [line.split() for line in bands[0].split("\n")[2:]]
    for band in bands[1:]:
        for row, line in zip(joined, band.rstrip("\n").split("\n")[1:]):
            row += line.split()[1:]
    check("a grid's keys go on below", joined == [line.split() for line in whole[1:]], bands[0][:80])
    long_words = attn("-f", "table", "--width=30", "-m", "examples/weekday.json", "-T", "ann-monday bob-monday")
    check("labels are cut", long_words == "text 0, layer 0, head 0\n          ann-mon…  bob-mon…\n"
          "ann-mon…    1.0000         ·\nbob-mon…         ·    1.0000\n", long_words)
    in_file = attn("-f", "table", *heads)
    check("a pipe has no width", widest(in_file) > 80 and in_file.startswith("text  layer  head  queries"),
          in_file[:80])
    # apple alone stays [4, 4]; its cosines with pear [7, 2], orange [6, 1] and android [1, 8] are 9/sqrt(106),
    # 7/sqrt(74) and 9/sqrt(130)
    found = attn("-f", "table", "--color=always", "-m", "examples/fruit.json", "-p", "nearest", "-T", "apple")
    check("a list's numbers stand on their colors",
          re.findall("\033\\[38;5;(?:16|231);48;5;([0-9]+)m([0-9.]+)\033\\[0m", found) ==
          [("130", "0.8742"), ("130", "0.8137"), ("130", "0.7894")], found)


def terminals():
    one = ("-L", "1", "-H", "1", "-T", KING)
    table, heat = attn("-f", "table", *one), attn("-f", "heat", *one)
    check("a grid that fits is a table", plain(on_terminal(80, *one)) == table)
    check("one that does not is a map", plain(on_terminal(72, *one)).split("\n")[1] == heat.split("\n")[1])
    check("asked for decimals, one is a table", "100.0" not in on_terminal(72, "--precision=2", *one) and
          "0.99" in on_terminal(72, "--precision=2", *one))
    check("-f table is a table everywhere", "0.9998" in on_terminal(40, "-f", "table", *one))
    two = ("-L", "1", "-H", "1", "-T", KING, "-T", "a king")
    found = plain(on_terminal(60, *two)).split("\n\n")
    check("each text by itself", len(found) == 2 and "1.0000" in found[1] and
          "1.0000" not in found[0], found)
    check("a record report is a table of the terminal's width",
          widest(on_terminal(80, "-p", "heads", "-T", KING)) <= 80)
    colored = on_terminal(80, "-f", "heat", *one, COLORTERM="truecolor")
    check("24 bits", "\033[38;5;16;48;2;253;231;37m 100" in colored and "48;5;" not in colored, colored[:200])
    check("256 colors", "\033[38;5;16;48;5;226m 100" in on_terminal(80, "-f", "heat", *one))
    check("weights in a table are colored", "\033[38;5;16;48;5;226m1.0000\033[0m" in on_terminal(80, *one))
    for name, value in (("NO_COLOR", "1"), ("TERM", "dumb")):
        found = on_terminal(80, "-f", "heat", *one, **{name: value})
        check("%s=%s: no escape sequences" % (name, value), "\033" not in found and "100" in found, found[:100])
    check("--color=never", "\033" not in on_terminal(80, "--color=never", *one))
    marker = os.path.join(tempfile.mkdtemp(), "paged")
    on_terminal(80, "-f", "heat", "--draw=large", "-T", KING, PAGER="touch " + marker)
    check("a pager is never started", not os.path.exists(marker))
    ascii_only = dict(ENVIRONMENT, LC_ALL="C")
    done = subprocess.run([ATTN, "-f", "heat", "-L", "1", "--width=40", "-m", "examples/fruit.json", "-L", "0", "-T",
                           "apple orange pear android apple orange pear android apple orange"],
                          capture_output=True, env=ascii_only, cwd=SOURCE)
    check("a locale of ASCII gets ASCII", done.returncode == 0 and max(done.stdout) < 128 and b"." in done.stdout,
          done.stdout[:100])


every_line_fits()
tables_are_what_they_were()
terminals()
print("%d passed, %d failed, 0 skipped" % (passed, failed))
sys.exit(failed > 0)
