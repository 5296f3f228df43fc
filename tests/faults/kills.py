#!/usr/bin/env python3
"""Ends attn by each signal, at random moments and behind single calls: no temporary file stays, and the target of -o is
the old file or the whole new one.

usage: kills.py [--whole] [--seed=N]     (each failure names the seed)

--whole: 200 random moments for each signal and single calls for all; else 10, and single calls for three.

A random moment lies between the start of the process and a little behind its usual end. Behind single calls: faults.so,
which is preloaded, sends the signal right behind the Nth open, write, close, fsync and rename, each in turn.
"""
import os, random, signal, subprocess, sys, tempfile, time

sys.dont_write_bytecode = True
import run as faults  # noqa: E402: beside this file

ARGUMENTS = ["-m", faults.SOURCE + "/examples/subjects.json", "-a", "none", "-l", "-o", "out", "texts"]
TEXTS = b"maths physics maths physics physics maths\n" * 500
CALLS = ("open", "write", "close", "fsync", "rename")

# All that end a process by default and can be caught; of the real-time signals the first and the last.
SIGNALS = [number for number in sorted(signal.valid_signals())
           if not signal.SIGRTMIN < number < signal.SIGRTMAX
           and number not in (signal.SIGKILL, signal.SIGSTOP, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU,
                              signal.SIGCONT, signal.SIGCHLD, signal.SIGURG, signal.SIGWINCH)]
FEW_SIGNALS = (signal.SIGTERM, signal.SIGSEGV, signal.SIGRTMAX)


class Target:
    """A folder with the texts and the file that -o replaces."""

    def __init__(self, folder):
        self.folder = folder
        faults.write(folder + "/texts", TEXTS)
        faults.write(folder + "/out", faults.OLD)
        began = time.monotonic()
        status = self.start().wait()
        self.seconds = time.monotonic() - began
        self.new = faults.read(folder + "/out")
        assert status == 0 and len(self.new) > 300000, "status %d" % status

    def start(self, variables=None):
        faults.write(self.folder + "/out", faults.OLD)
        return subprocess.Popen([faults.ATTN] + ARGUMENTS, cwd=self.folder, stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
                                env=dict(os.environ, ASAN_OPTIONS=OWN_HANDLERS, **(variables or {})))

    def wrong(self, status, number):
        """What a run that got the signal has left that it must not; "" if nothing."""
        left = sorted(set(os.listdir(self.folder)) - {"texts", "out"})
        for name in left:
            os.unlink(self.folder + "/" + name)
        out = faults.read(self.folder + "/out")
        if left:
            return "leaves %s" % left[0]
        if out not in (faults.OLD, self.new):
            return "leaves %d bytes of %d" % (len(out or b""), len(self.new))
        if status == 0 and out != self.new:
            return "ends well without its output"
        if status not in (0, 1, -number):
            return "ends with status %d" % status
        return ""


# The address sanitizer takes the signals of wrong addresses for itself, and attn's own handlers would never run.
OWN_HANDLERS = ":".join("handle_%s=0" % name for name in ("segv", "sigbus", "sigfpe", "sigill", "abort")) + ":" + \
    os.environ.get("ASAN_OPTIONS", "")


def at_random(target, number, chance):
    process = target.start()
    moment = chance.uniform(0, 1.2 * target.seconds)
    time.sleep(moment)
    process.send_signal(number)
    wrong = target.wrong(process.wait(timeout=60), number)
    return wrong and "signal %d after %.6f s: %s" % (number, moment, wrong)


def behind_calls(target, number, n_calls):
    for call in CALLS:
        for at in range(1, n_calls + 1):
            process = target.start({"LD_PRELOAD": faults.FAULTS, "FAULT": "%s signal %d %d" % (call, at, number)})
            wrong = target.wrong(process.wait(timeout=60), number)
            yield wrong and "signal %d behind %s %d: %s" % (number, call, at, wrong)


def main():
    whole = "--whole" in sys.argv[1:]
    seeds = [int(word[7:]) for word in sys.argv[1:] if word.startswith("--seed=")]
    seed = seeds[-1] if seeds else random.SystemRandom().randrange(1 << 32)
    chance, found, preload = random.Random(seed), [], faults.can_preload()
    with tempfile.TemporaryDirectory() as folder:
        target = Target(folder)
        for number in SIGNALS:
            found += [at_random(target, number, chance) for _ in range(200 if whole else 10)]
            if preload and (whole or number in FEW_SIGNALS):
                found += behind_calls(target, number, 4)
    failures = [wrong for wrong in found if wrong]
    for wrong in failures:
        print("FAIL: seed %d: %s" % (seed, wrong))
    if not preload:
        print("SKIP: signals behind single calls: no library can be preloaded: a sanitizer's must come first")
    print("%d signals, seed %d" % (len(SIGNALS), seed))
    print("%d passed, %d failed, %d skipped" % (len(found) - len(failures), len(failures), not preload))
    return 1 if failures or not found else 0


if __name__ == "__main__":
    sys.exit(main())
