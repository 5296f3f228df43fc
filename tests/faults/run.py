#!/usr/bin/env python3
"""Makes one call of the C library fail in each run of attn, over a dozen commands.

usage: run.py [--whole] [COMMAND/CALL/MODE/NUMBER...]   (these runs alone, as failures name them; * for any letters)

faults.so, which is preloaded, lets malloc, mmap, read, write, open, close, fstat, stat, access, rename, fsync or
pthread_create fail the Nth time (once), from the Nth time on (on), takes a byte a call (short), or interrupts (eintr).
A run that ends with the status of the unhindered run must have the same output; any other ends with status 1 and a
message that names the fault itself, and leaves the target of -o as it was. None crashes, hangs or leaves a file.
Without --whole each call of each command fails at a few numbers; with it at each.
"""
import errno, fnmatch, os, subprocess, sys, tempfile

ATTN = os.path.abspath(os.environ.get("ATTN", "./attn"))
BUILD = os.path.abspath(os.environ.get("ATTN_BUILD", "."))
SOURCE = os.path.abspath(os.environ.get("ATTN_SOURCE", "."))
FAULTS = BUILD + "/tests/faults/faults.so"
ERRNO = {"malloc": errno.ENOMEM, "mmap": errno.ENODEV, "read": errno.EIO, "write": errno.ENOSPC, "open": errno.EMFILE,
         "close": errno.EIO, "fstat": errno.EIO, "stat": errno.EIO, "access": errno.EIO, "rename": errno.EXDEV,
         "fsync": errno.EIO, "pthread_create": errno.EAGAIN}
MODES = {"read": ("once", "on", "short", "eintr"), "write": ("once", "on", "short", "eintr"),
         "fsync": ("once", "on", "eintr")}
FEW = 6           # numbers of a call that fail without --whole
SECONDS = 60      # a run that takes longer hangs
OLD = b"apple orange\n"  # a text, too: it must not become the output of itself

# Beside the arguments of each: what standard input holds. out is the target of -o, and is there before; {E}, {F},
# {M} and {S} are the folders of examples, of small models, of the model in the box and of seeds.
COMMANDS = {
    "toy": ("-m {E}/fruit.json -o out -f json -p scores -T apple -T orange", b""),
    "stdout": ("-m {E}/weekday.json -p heads -f table", b"ann-monday bob-monday\n"),
    "lines": ("-m {E}/subjects.json -p nearest -l -o out -k 2 -", b"maths physics\nmaths\n\nphysics maths\n" * 40),
    "parts": ("-v {E}/ko/fishing-words.txt -w {E}/ko/fishing-weights.json -t longest -p tokens -o new -T " + "어부가",
              b""),
    "files": ("-m {E}/fruit.json -f matrix -o out {E}/texts/orchard.txt {E}/texts/phone.txt", b""),
    "context": ("-m {E}/fruit.json -c {E}/texts/phone.txt -f npy -o out {E}/texts/orchard.txt", b""),
    "safetensors": ("-m {M} -p next -k 3 -j 2 -o out", b"the cat sat on the mat and the dog sat on the log " * 4),
    "gguf": ("-m {F}/llama/model.gguf -t ids -j 2 -o out -T 1,2,3,4,5", b""),
    "vectors": ("-e vectors -p similar -k 2 -o out -T red", b""),
    "mask": ("-e vectors -a mask.json -p pull -f table -o out red.txt", b""),
    "npz": ("-e vectors -w npy.npz -o out -p embeddings red.txt", b""),
    "binary": ("-e {S}/vectors/binary -p nearest -o out -T the", b""),
    "pieces": ("-v {S}/spm_model/unigram -p tokens -o out -T ab", b""),
    "ids": ("-v {S}/vocab_json/holes -p tokens -t ids -o out -T 1", b""),
    "vocab": ("-v {M} -p tokens -o out -T hello", b""),
    "default": ("-p tokens -o out -T hello", b""),
    "input": ("-m {E}/fruit.json -o out out", b""),
}
FILES = {"vectors": b"red 1 0\nblue 0 1\ngreen 0.5 0.5\nlime 0.4 0.6\n", "red.txt": b"red blue green\n",
         "mask.json": b"[[true, false, false], [true, true, false], [true, true, true]]"}


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def read(path):
    if not os.path.exists(path):
        return None
    with open(path, "rb") as file:
        return file.read()


class Fault:
    """What is to go wrong in a run: CALL/MODE/NUMBER."""

    def __init__(self, call, mode, number):
        self.call, self.mode, self.number = call, mode, number
        self.errno = errno.EINTR if mode == "eintr" else ERRNO[call]

    def __str__(self):
        return "%s/%s/%d" % (self.call, self.mode, self.number)

    def variable(self):
        return "%s %s %d %d" % (self.call, "once" if self.mode == "eintr" else self.mode, self.number, self.errno)

    def harmless(self):
        return self.mode in ("short", "eintr")

    def words(self):
        """One of these must be said: out of memory is never taken for something else, nor is anything else."""
        return ["memory"] if self.call == "malloc" else [os.strerror(self.errno), "out of memory"]


class Command:
    """One of COMMANDS in a folder of its own, and what it does unhindered."""

    def __init__(self, name, folder):
        arguments, self.input = COMMANDS[name]
        places = {"E": SOURCE + "/examples", "F": SOURCE + "/tests/model/families", "M": SOURCE + "/models/attn-tiny",
                  "S": SOURCE + "/tests/fuzz/seeds"}
        self.arguments = [word.format(**places) for word in arguments.split()]
        self.name, self.folder = name, folder
        os.mkdir(folder)
        for file, data in FILES.items():
            write(folder + "/" + file, data)
        self.reset()
        self.before = self.listing()
        self.expected = self.run({"FAULT_COUNTS": folder + ".counts"})
        with open(folder + ".counts") as file:
            self.counts = {call: int(count) for call, count in (line.split() for line in file)}

    def reset(self):
        """The target of -o as it was before."""
        if read(self.folder + "/out") != OLD:
            write(self.folder + "/out", OLD)
        if os.path.exists(self.folder + "/new"):
            os.unlink(self.folder + "/new")

    def listing(self):
        return {name: read(self.folder + "/" + name) for name in os.listdir(self.folder)}

    def run(self, variables):
        """(status, standard output, what the folder then holds, standard error); status None when it hangs."""
        environment = {key: value for key, value in os.environ.items() if not key.startswith("ATTN")}
        environment.update(variables, LD_PRELOAD=FAULTS, LC_ALL="C")
        self.reset()
        try:
            done = subprocess.run([ATTN] + self.arguments, cwd=self.folder, env=environment, input=self.input,
                                  capture_output=True, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return None, b"", {}, b""
        return done.returncode, done.stdout, self.listing(), done.stderr

    def wrong(self, fault):
        """What a run with the fault does that it must not; "" if nothing."""
        status, output, files, said = self.run({"FAULT": fault.variable()})
        text = said.decode("utf-8", "replace")
        if status is None:
            return "hangs"
        if status not in (0, 1, 2):
            return "ends with status %d: %s" % (status, text)
        if status == self.expected[0] and (output, files) != self.expected[1:3]:
            return "another output, with status %d: %s" % (status, text)
        if status != self.expected[0] and fault.harmless():
            return "fails: %s" % text
        if status not in (self.expected[0], 1):
            return "ends with status %d: %s" % (status, text)
        if status == 1 and files != self.before:
            return "leaves %s" % ", ".join(sorted(name for name in files if files[name] != self.before.get(name)))
        if status == 1 and not any(word in text for word in fault.words()):
            return "takes it for something else: %s" % text
        return ""


def numbers(count, whole):
    """Which of the calls 1 to count fail."""
    few = range(count) if whole or count <= FEW else [i * (count - 1) // (FEW - 1) for i in range(FEW)]
    return [number + 1 for number in few]


def faults(command, whole):
    """Without --whole each number meets one of the modes, in turn."""
    turn = 0
    for call, count in sorted(command.counts.items()):
        modes = MODES.get(call, ("once", "on"))
        for number in numbers(count, whole):
            for mode in modes if whole or count < 3 else modes[turn % len(modes):][:1]:
                yield Fault(call, mode, number)
            turn += 1


def can_preload():
    """Makes the library where make check has not; False where it can not come first: the sanitizers' own must."""
    subprocess.run(["make", "-s", "-C", BUILD, "tests/faults/faults.so"], capture_output=True)
    probe = dict(os.environ, LD_PRELOAD=FAULTS)
    with open(ATTN, "rb") as file:
        program = file.read()
    if b"__asan_init" in program or b"__tsan_init" in program:
        return False
    return subprocess.run([ATTN, "--version"], env=probe, capture_output=True).stderr == b""


def npz():
    """W_Q of 2 x 2 as numpy writes it, without numpy: a zip of one stored member."""
    import io, struct, zipfile
    header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }"
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    data = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + struct.pack("<4f", 1, 2, 3, 4)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(zipfile.ZipInfo("W_Q.npy"), data)
    return file.getvalue()


def main():
    whole, wanted = "--whole" in sys.argv[1:], [word for word in sys.argv[1:] if word != "--whole"]
    if not can_preload():
        print("SKIP: no library can be preloaded: a sanitizer's must come first")
        return 77
    FILES["npy.npz"] = npz()
    passed = failed = 0
    with tempfile.TemporaryDirectory() as work:
        for name in COMMANDS:
            command = Command(name, work + "/" + name)
            assert command.expected[0] == (1 if name == "input" else 0), command.expected
            for fault in faults(command, whole or wanted != []):
                title = "%s/%s" % (name, fault)
                if wanted and not any(fnmatch.fnmatchcase(title, pattern) for pattern in wanted):
                    continue
                wrong = command.wrong(fault)
                passed, failed = passed + (wrong == ""), failed + (wrong != "")
                if wrong != "":
                    print("FAIL: %s: %s" % (title, wrong.strip()))
    print("%d passed, %d failed, 0 skipped" % (passed, failed))
    return 1 if failed or passed == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
