#!/usr/bin/env python3
"""Twice the input, twice the work: each kind of input at a size and at twice that, what attn does counted, never timed.

usage: work.py [--all] [KIND...]      KIND: of files.py; * stands for any letters

Counted are the basic blocks that run (count.c says how), so a run gives the same count each time but for the secrets of
its hash tables. From the first size to the second at most 2.5 × as many: sorting takes a little more than twice, what is
quadratic four times.
"""
import argparse, fnmatch, os, subprocess, sys, tempfile

sys.dont_write_bytecode = True
import files  # noqa: E402: beside this file

SIZE = 1 << 17
MOST = 2.5
SKIPPED = 77
BUILD = os.path.abspath(os.environ.get("ATTN_BUILD", "."))
PROGRAM = "tests/bounds/counted"
MODEL = os.path.join(os.path.abspath(os.environ.get("ATTN_SOURCE", ".")), "models/attn-tiny")


def count(name, size):
    """(how much was done, what the run said); None: it ended otherwise than by 0 or 1"""
    with tempfile.TemporaryDirectory() as path:
        arguments = files.KINDS[name](files.Folder(path), size)
        work = os.path.join(path, "work")
        try:
            run = subprocess.run([os.path.join(BUILD, PROGRAM), "-j", "1"] + arguments, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.PIPE, timeout=100, env=dict(os.environ, WORK=work, ATTN_MODEL=MODEL))
        except subprocess.TimeoutExpired:
            return None, "no end"
        said = run.stderr.decode("utf-8", "replace").strip()
        if run.returncode not in (0, 1):
            return None, "status %d: %s" % (run.returncode, said)
        with open(work, encoding="ascii") as stream:
            return int(stream.read()), said


def check(name, show):
    (once, said), (twice, said_twice) = count(name, SIZE), count(name, 2 * SIZE)
    fine = once is not None and twice is not None and twice <= MOST * once
    if show or not fine:
        print("%s %s: %s, %s%s  %s" % ("ok" if fine else "FAIL:", name, once, twice,
                                      ", %.2f ×" % (twice / once) if once and twice else "", said_twice[:150]))
    return fine


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--all", action="store_true")
    parser.add_argument("kinds", nargs="*")
    options = parser.parse_args()
    with open(os.environ.get("ATTN", os.path.join(BUILD, "attn")), "rb") as program:
        code = program.read()
        if b"__asan_init" in code or b"__tsan_init" in code:
            print("SKIP: work is counted without a sanitizer")
            return SKIPPED
    made = subprocess.run(["make", "-s", "-C", BUILD, PROGRAM], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if made.returncode != 0:
        print("SKIP: no build that counts: " + made.stdout.decode("utf-8", "replace").strip()[-300:])
        return SKIPPED
    names = [name for name in files.KINDS if not options.kinds or any(fnmatch.fnmatch(name, k) for k in options.kinds)]
    failed = sum(not check(name, options.all) for name in names)
    print("%d passed, %d failed, 0 skipped" % (len(names) - failed, failed))
    return 1 if failed or not names else 0


sys.exit(main())
