#!/usr/bin/env python3
"""No file makes attn hold more than it is worth: each kind of input at two sizes, the peak of each run measured.

usage: memory.py [--all] [KIND...]      KIND: of files.py; * stands for any letters

The rule, for all that reads: at most 12 × the files, 2 × the text, 48 bytes a token of it, and 16 MB; where a text is
one word, of which BPE, SentencePiece and Unigram keep all ways at once, 32 bytes more for each of its bytes. What a pass
of the model holds, tokens × the model's width, is apart. --all prints what each run took.
"""
import argparse, fnmatch, os, subprocess, sys, tempfile

sys.dont_write_bytecode = True
import files  # noqa: E402: beside this file

SIZES = (1 << 19, 3 << 20)
NOISE = 8 << 20  # between the two sizes, of what grows by steps and of holes that what was freed leaves
SKIPPED = 77
ATTN = os.path.abspath(os.environ.get("ATTN", "./attn"))
PEAK = os.path.join(os.path.abspath(os.environ.get("ATTN_BUILD", ".")), "tests/bounds/peak")


def measure(name, size):
    """(what is wrong or None, peak, what the rule grants but for the 16 MB, what the run said)"""
    with tempfile.TemporaryDirectory() as path:
        arguments = files.KINDS[name](files.Folder(path), size)
        all_bytes = text = 0
        for folder, _, names in os.walk(path):
            for file in names:
                place = os.path.join(folder, file)
                if place in arguments and name.startswith("text") and "." not in file:
                    text += os.path.getsize(place)
                else:
                    all_bytes += os.path.getsize(place)
        run = subprocess.run([PEAK, ATTN, "-j", "1"] + arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    said = run.stderr.decode("utf-8", "replace").strip()
    if run.returncode != 0:
        return "not measured", 0, 0, said
    status, kilobytes, lines = (int(field) for field in run.stdout.split())
    tokens = max(lines - 1, 0)
    granted = 12 * all_bytes + (2 + 32 * (name in files.ONE_WORD)) * text + 48 * tokens
    return None if status in (0, 1) else "status %d" % status, 1024 * kilobytes, granted, said


def check(name, show):
    """True when both sizes hold the rule, and what lies between them, too."""
    runs = [measure(name, size) for size in SIZES]
    wrong = next((run[0] for run in runs if run[0]), None)
    for _, peak, granted, said in runs:
        if not wrong and peak > granted + (16 << 20):
            wrong = "too much"
        if not wrong and "out of memory" in said:
            wrong = "out of memory"
    if not wrong and runs[1][1] - runs[0][1] > runs[1][2] - runs[0][2] + NOISE:
        wrong = "grows too fast"
    if wrong or show:
        print("%s %s: %s; %s" % ("FAIL:" if wrong else "ok", name, wrong or "", ", ".join(
            "%.1f MB of %.1f + 16.8" % (peak / 1e6, granted / 1e6) for _, peak, granted, _ in runs)))
        print("    " + runs[0][3][:200])
    return not wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--all", action="store_true")
    parser.add_argument("kinds", nargs="*")
    options = parser.parse_args()
    with open(ATTN, "rb") as program:
        code = program.read()
        if b"__asan_init" in code or b"__tsan_init" in code:
            print("SKIP: a sanitizer holds memory of its own")
            return SKIPPED
    if not os.path.exists(PEAK):  # not by make check
        subprocess.run(["make", "-s", "-C", os.path.dirname(os.path.dirname(os.path.dirname(PEAK))), "tests/bounds/peak"],
                       stdout=subprocess.DEVNULL, check=True)
    names = [name for name in files.MEMORY if not options.kinds or any(fnmatch.fnmatch(name, k) for k in options.kinds)]
    failed = sum(not check(name, options.all) for name in names)
    print("%d passed, %d failed, 0 skipped" % (len(names) - failed, failed))
    return 1 if failed or not names else 0


sys.exit(main())
