#!/usr/bin/env python3
"""Shows that the tests bite: makes each mutant of the list (edits), builds it and runs the tests that it names.

usage: run.py [--build=DIR] [--jobs=N] [--changed=REV] [NAME...]
  NAME...        these mutants only; * stands for any letters
  --changed=REV  those whose entry, files or tests have changed since the commit REV
  --jobs=N       so many at once, each in a build tree of its own (default: the processors)
  --build=DIR    where attn was configured (default: here); the trees go to DIR/build-mutants and stay for the next run

At least one test must fail. A mutant that cannot be made or built, a survivor, and a test that fails without any
mutant are failures; a mutant whose tests all skip is skipped. Prints `N passed, N failed, N skipped`.
"""
import argparse, collections, fcntl, fnmatch, os, queue, re, shutil, signal, subprocess, sys, threading, time

sys.dont_write_bytecode = True
import edits  # noqa: E402: beside this file

SKIPPED = 77
CASES_SKIPPED = "0 passed, 0 failed, "
BASE_TIMEOUT = 300  # seconds, of a test without a mutant
BUILT = {".o", ".a", ".log", ".trs"}
CONFIGURED = {"Makefile", "config.h", "config.status", "stamp-h1"}


class Tree:
    """A copy of the sources with its own build. Only files that differ are copied, so that make stays incremental."""

    def __init__(self, root, shared):
        self.root, self.process = root, None
        self.environment = dict(os.environ, ATTN=root + "/attn", ATTN_SOURCE=root, ATTN_BUILD=root, ATTN_SHARED=shared,
                                CK_DEFAULT_TIMEOUT="120")
        for name in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS", "ATTN_KERNEL", "ATTN_MODEL"):
            self.environment.pop(name, None)

    def run(self, command, timeout=None):
        """Runs a command in the tree: (its status, what it printed); status None when it took too long."""
        process = subprocess.Popen(command, cwd=self.root, env=self.environment, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
        self.process = process
        try:
            output = process.communicate(timeout=timeout)[0]
        except subprocess.TimeoutExpired:
            kill_session(process.pid)
            return None, process.communicate()[0].decode("utf-8", "replace")
        return process.returncode, output.decode("utf-8", "replace")

    def must(self, *command):
        status, output = self.run(command)
        if status != 0:
            raise edits.Wrong("%s failed:\n%s" % (" ".join(command), output[-2000:]))

    def write(self, file, text):
        with open(os.path.join(self.root, file), "w", encoding="utf-8", newline="") as stream:
            stream.write(text)

    def sync(self, files):
        """Makes the tree's sources those of the project; what was copied before and has gone, goes."""
        listed = os.path.join(self.root, "mutants.files")
        if os.path.exists(listed):
            with open(listed, encoding="utf-8") as stream:
                for file in set(stream.read().split("\n")) - set(files):
                    if os.path.isfile(os.path.join(self.root, file)):
                        os.unlink(os.path.join(self.root, file))
        for file in files:
            source, target = os.path.join(edits.SOURCE, file), os.path.join(self.root, file)
            if not os.path.exists(target) or not same(source, target):
                os.makedirs(os.path.dirname(target), exist_ok=True)
                shutil.copyfile(source, target)
                shutil.copymode(source, target)
        with open(listed, "w", encoding="utf-8") as stream:
            stream.write("\n".join(files))

    def configure(self):
        if not os.path.exists(self.root + "/Makefile"):
            if not os.path.exists(self.root + "/configure"):
                os.makedirs(self.root + "/m4", exist_ok=True)
                self.must("autoreconf", "-i")
            self.must("./configure", "-q", "CFLAGS=-O1")

    def copy_of(self, other):
        """Takes over another tree with its objects; config.status writes the new place into the makefile."""
        if not os.path.exists(self.root + "/Makefile"):
            shutil.copytree(other.root, self.root, symlinks=True)
            self.must("./config.status", "-q")

    def build(self, tests, jobs=1):
        """Builds attn and the programs of tests: what make said when it failed, else ""."""
        programs = sorted({test.split()[0] for test in tests if is_program(test)})
        status, output = self.run(["make", "-s", "-j%d" % jobs, "attn"] + programs)
        return "" if status == 0 else output

    def passes(self, test, timeout):
        """True when a test passes, False when it fails, None when it skips."""
        status, output = self.run(["./" + test.split()[0]] + test.split()[1:], timeout)
        last = (output.strip().split("\n") or [""])[-1]
        if status == SKIPPED or (last.startswith(CASES_SKIPPED) and not last.startswith(CASES_SKIPPED + "0")):
            return None
        return status == 0


def kill_session(leader):
    """Kills all that a command has started. Its process group would not do: Check gives each test one of its own."""
    for entry in os.listdir("/proc"):
        try:
            if entry.isdigit() and os.getsid(int(entry)) == leader:
                os.kill(int(entry), signal.SIGKILL)
        except ProcessLookupError:
            pass


def same(one, other):
    if os.path.getsize(one) != os.path.getsize(other):
        return False
    with open(one, "rb") as first, open(other, "rb") as second:
        return first.read() == second.read()


def is_program(test):
    return edits.source_of(test) != test.split()[0]


def git(*arguments):
    """The lines of a git command about the sources; None where there is no git."""
    done = subprocess.run(("git", "-C", edits.SOURCE) + arguments, capture_output=True, text=True)
    return done.stdout.split("\n")[:-1] if done.returncode == 0 else None


def source_files():
    """The files of the project: what git knows or does not ignore; in a release, all that is not built."""
    files = git("ls-files", "-co", "--exclude-standard")
    if files is None:
        files = [os.path.relpath(os.path.join(folder, name), edits.SOURCE)
                 for folder, _, names in os.walk(edits.SOURCE)
                 if not re.search(r"/(build(?!-aux)|\.deps)", folder[len(edits.SOURCE):])
                 for name in names if os.path.splitext(name)[1] not in BUILT and name not in CONFIGURED]
    return sorted(file for file in files if os.path.isfile(os.path.join(edits.SOURCE, file)))


def changed_since(revision, mutants):
    """The mutants whose entry, files or tests differ from those of a commit."""
    names = git("diff", "--name-only", revision)
    if names is None:
        raise edits.Wrong("git knows no commit %s" % revision)
    changed = set(names)
    before = git("show", revision + ":tests/mutants/edits") or []
    try:
        known = [mutant.key() for mutant in edits.read_list(before)]
    except edits.Wrong:
        known = []
    return [mutant for mutant in mutants if mutant.key() not in known or changed & set(mutant.files())
            or changed & {edits.source_of(test) for test in mutant.tests}]


class Run:
    """All of a run: the trees, what the tests do without a mutant, what became of the mutants."""

    def __init__(self, mutants, trees):
        self.mutants, self.trees = mutants, trees
        self.lock = threading.Lock()
        self.seconds, self.useless = {}, {}  # of each test without a mutant: how long it took; why it cannot tell
        self.totals = collections.Counter()
        self.read = edits.file_reader(edits.SOURCE)

    def say(self, kind, text):
        with self.lock:
            self.totals[kind] += 1
            print(text, flush=True)

    def share(self, work, items):
        """Calls work(tree, item) for all items, the trees side by side."""
        waiting, errors = queue.SimpleQueue(), []
        for item in items:
            waiting.put(item)

        def worker(tree):
            try:
                while not errors:
                    work(tree, waiting.get_nowait())
            except queue.Empty:
                pass
            except Exception as error:  # ends the other workers, then the run
                errors.append(error)

        threads = [threading.Thread(target=worker, args=(tree,), daemon=True) for tree in self.trees]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if errors:
            raise errors[0]

    def prepare(self):
        """The trees with attn and all tests of the mutants built, and those tests tried."""
        files = source_files()
        tests = sorted({test for mutant in self.mutants for test in mutant.tests})
        first = self.trees[0]
        for tree in self.trees:
            if tree is not first:
                tree.copy_of(first)
            tree.sync(files)
            tree.configure()
            failed = tree.build(tests, len(self.trees))
            if failed:
                raise edits.Wrong("the sources do not build:\n" + failed[-2000:])
        self.share(self.try_test, tests)

    def try_test(self, tree, test):
        start = time.monotonic()
        passes = tree.passes(test, BASE_TIMEOUT)
        self.seconds[test] = time.monotonic() - start
        if passes is None:
            self.useless[test] = "skips"
        elif not passes:
            self.useless[test] = "fails without any mutant"
            self.say("failed", "FAIL: %s fails without any mutant" % test)

    def run_file(self, tree, mutants):
        """The mutants of one file: the next one's edits take the place of the last one's."""
        for mutant in mutants:
            self.run_mutant(tree, mutant)

    def run_mutant(self, tree, mutant):
        start = time.monotonic()
        tests = [test for test in mutant.tests if test not in self.useless]
        if not tests:
            why = ", ".join("%s %s" % (test, self.useless[test]) for test in mutant.tests)
            self.say("skipped", "SKIP: %s: %s" % (mutant.name, why))
            return
        texts = mutant.made(self.read)
        for file, text in texts.items():
            tree.write(file, text)
        failed = tree.build(tests)
        caught = None if failed else next((test for test in tests if self.fails(tree, test)), None)
        for file in texts:
            tree.write(file, self.read(file))
        seconds = time.monotonic() - start
        if failed:
            errors = [line for line in failed.split("\n") if "error" in line] or [failed]
            self.say("failed", "FAIL: %s does not build: %s" % (mutant.name, errors[0]))
        elif caught:
            self.say("passed", "caught: %s by %s (%.1f s)" % (mutant.name, caught, seconds))
        else:
            self.say("failed", "SURVIVED: %s: no test noticed: %s" % (mutant.name, ", ".join(tests)))

    def fails(self, tree, test):
        return tree.passes(test, 20 + 10 * self.seconds[test]) is False

    def run(self):
        self.prepare()
        groups = collections.defaultdict(list)
        for mutant in self.mutants:
            groups[mutant.files()[0]].append(mutant)
        self.share(self.run_file, sorted(groups.values(), key=len, reverse=True))
        totals = self.totals
        print("%d passed, %d failed, %d skipped" % (totals["passed"], totals["failed"], totals["skipped"]))
        return 0 if totals["failed"] == 0 and totals["passed"] > 0 else 1


def chosen(options):
    """The mutants that a run is about; raises Wrong when one cannot be made or a name is not there."""
    mutants = edits.read_mutants()
    for name in options.names:
        if not any(fnmatch.fnmatchcase(mutant.name, name) for mutant in mutants):
            raise edits.Wrong("there is no mutant %s" % name)
    if options.changed:
        mutants = changed_since(options.changed, mutants)
    if options.names:
        mutants = [mutant for mutant in mutants
                   if any(fnmatch.fnmatchcase(mutant.name, name) for name in options.names)]
    wrong = edits.check(mutants)
    if wrong:
        raise edits.Wrong("\n".join(wrong))
    return mutants


def shared_of(build):
    """The folder of outside data that a build was configured with."""
    shared = "$(abs_top_srcdir)/../shared"
    if os.path.exists(build + "/Makefile"):
        with open(build + "/Makefile", encoding="utf-8") as stream:
            shared = next((line[14:].strip() for line in stream if line.startswith("ATTN_SHARED = ")), shared)
    return os.path.abspath(shared.replace("$(abs_top_srcdir)", edits.SOURCE))


def main():
    parser = argparse.ArgumentParser(usage=__doc__.partition("usage: ")[2])
    parser.add_argument("--build", default=".")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--changed")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.getsignal(signal.SIGINT))
    work = os.path.join(os.path.abspath(options.build), "build-mutants")
    try:
        mutants = chosen(options)
        if not mutants:
            print("no mutant is concerned")
            return 0
        os.makedirs(work, exist_ok=True)
        with open(work + "/lock", "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # one run at a time in these trees
            shared = shared_of(os.path.abspath(options.build))
            trees = [Tree("%s/%d" % (work, i + 1), shared) for i in range(max(1, min(options.jobs, len(mutants))))]
            try:
                return Run(mutants, trees).run()
            except KeyboardInterrupt:
                for tree in trees:
                    kill_session(tree.process.pid if tree.process else None)
                return 130
    except edits.Wrong as wrong:
        print("FAIL: %s" % wrong)
        return 1


if __name__ == "__main__":
    sys.exit(main())
