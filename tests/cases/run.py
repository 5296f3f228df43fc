#!/usr/bin/env python3
"""Runs the outside cases of table.tsv (cases/ of the outside data) through the program.

A row of the table: case, check, where in expected.json (keys joined by /), arguments. The arguments are those
of attn, run in the case's folder; {data} is the outside data's folder. Checks:
  weights   -f npy, layer 0: [head][query][key] within 1e-5     out    embeddings of layer 0 within 1e-5
  ids       the ids of -p tokens                                tokens the labels of -p tokens
  first     its first ids                                       count  how many tokens
  vectors   -p embeddings --at=before: rows of words            error  status 1, a message, no output
  nearest   -p similar: [[word, similarity]]                    fine   status 0
  sh        a shell script in $ATTN's terms; status 0
"""
import ast, json, os, struct, subprocess, sys, tempfile

ATTN = os.path.abspath(os.environ.get("ATTN", "./attn"))
SHARED = os.path.abspath(os.environ.get("ATTN_SHARED", "../shared"))
HERE = os.path.dirname(os.path.abspath(__file__))


def run(arguments, folder, shell=False):
    command = arguments if shell else [ATTN] + arguments
    done = subprocess.run(command, cwd=folder, shell=shell, capture_output=True, timeout=120,
                          stdin=subprocess.DEVNULL, env=dict(os.environ, ATTN=ATTN, DATA=SHARED + "/data"),
                          executable="/bin/bash" if shell else None)
    return done.returncode, done.stdout, done.stderr.decode("utf-8", "replace")


def npy(data):
    """Nested lists of a float32 .npy."""
    assert data[:6] == b"\x93NUMPY", "not an npy file: %r" % data[:40]
    size = struct.unpack("<H", data[8:10])[0]
    header = ast.literal_eval(data[10:10 + size].decode())
    assert header["descr"] == "<f4" and not header["fortran_order"]
    numbers = struct.unpack("<%df" % ((len(data) - 10 - size) // 4), data[10 + size:])
    return nest(list(numbers), list(header["shape"]))


def nest(numbers, shape):
    if len(shape) <= 1:
        return numbers
    step = len(numbers) // max(shape[0], 1)
    return [nest(numbers[i * step:(i + 1) * step], shape[1:]) for i in range(shape[0])]


def flat(value):
    return [x for item in value for x in flat(item)] if isinstance(value, list) else [value]


def near(found, expected):
    a, b = flat(found), flat(expected)
    if len(a) != len(b):
        return "%d numbers, expected %d" % (len(a), len(b))
    for i, (x, y) in enumerate(zip(a, b)):
        if not abs(x - y) <= 1e-5 * max(1, abs(y)):
            return "number %d is %r, expected %r" % (i, x, y)
    return ""


def look_up(expected, path):
    for key in path.split("/") if path not in ("", "-") else []:
        expected = expected[int(key)] if isinstance(expected, list) else expected[key]
    return expected


def lines_of(output):
    return [line for line in output.decode("utf-8", "replace").split("\n") if line != ""]


def output_of(arguments, folder):
    status, out, err = run(arguments, folder)
    if status != 0:
        raise AssertionError("status %d: %s" % (status, err.strip()))
    return out


def check_weights(arguments, folder, expected):
    return near(npy(output_of(["-p", "weights", "-f", "npy"] + arguments, folder))[0], expected)


def check_out(arguments, folder, expected):
    return near(npy(output_of(["-p", "embeddings", "-f", "npy"] + arguments, folder))[0], expected)


def check_vectors(arguments, folder, expected):
    out = output_of(["-p", "embeddings", "--at=before", "-f", "npy"] + arguments, folder)
    return near(npy(out)[0], expected)


def tokens(column, arguments, folder):
    return lines_of(output_of(["-p", "tokens", "-f", "tsv", "--no-header", "--columns=" + column] + arguments, folder))


def check_ids(arguments, folder, expected):
    found = [int(x) for x in tokens("id", arguments, folder)]
    return "" if found == expected else "ids %r, expected %r" % (found[:40], expected[:40])


def check_tokens(arguments, folder, expected):
    found = tokens("token", ["--raw-tokens"] + arguments, folder)
    return "" if found == expected else "tokens %r, expected %r" % (found[:40], expected[:40])


def check_count(arguments, folder, expected):
    found = len(tokens("id", arguments, folder))
    return "" if found == expected else "%d tokens, expected %d" % (found, expected)


def check_nearest(arguments, folder, expected):
    rows = lines_of(output_of(["-p", "similar", "-f", "tsv", "--no-header",
                               "--columns=neighbor,similarity"] + arguments, folder))
    found = [row.split("\t") for row in rows]
    if [f[0] for f in found] != [e[0] for e in expected]:
        return "words %r, expected %r" % (found, expected)
    return near([float(f[1]) for f in found], [e[1] for e in expected])


def check_error(arguments, folder, expected):
    status, out, err = run(arguments, folder)
    if status != 1 or out != b"" or not err.startswith("attn: "):
        return "status %d, output %r, message %r" % (status, out[:60], err[:200])
    return ""


def check_fine(arguments, folder, expected):
    status, out, err = run(arguments, folder)
    return "" if status == 0 else "status %d: %s" % (status, err.strip())


def check_sh(script, folder, expected):
    status, out, err = run(script, folder, shell=True)
    return "" if status == 0 else "status %d: %s%s" % (status, out.decode("utf-8", "replace")[-300:], err[-300:])


def one(row, number):
    case, check, path, arguments = row
    found = [name for name in os.listdir(SHARED + "/cases") if name.startswith(case + "-")]
    if not found:
        return None
    folder = os.path.join(SHARED, "cases", found[0])
    arguments = arguments.replace("{data}", SHARED + "/data")
    expected = None
    if path not in ("", "-"):
        with open(os.path.join(folder, "expected.json"), encoding="utf-8") as f:
            expected = look_up(json.load(f), path)
    try:
        if check != "sh":
            return globals()["check_" + check](json.loads(arguments) if arguments.startswith("[") else arguments.split(),
                                               folder, expected)
        with tempfile.TemporaryDirectory() as copy:
            subprocess.run(["cp", "-rL", folder + "/.", copy], check=True)
            subprocess.run(["chmod", "-R", "u+w", copy], check=True)
            return check_sh(arguments, copy, None)
    except (AssertionError, subprocess.TimeoutExpired, ValueError) as error:
        return "%s: %s" % (type(error).__name__, error)


def main():
    if not os.path.isdir(SHARED + "/cases"):
        print("SKIP: no outside data: cases")
        return 77
    wanted = sys.argv[1:]
    passed = failed = skipped = 0
    with open(os.path.join(HERE, "table.tsv"), encoding="utf-8") as table:
        for number, line in enumerate(table, 1):
            if line.startswith("#") or line.strip() == "":
                continue
            row = line.rstrip("\n").split("\t")
            if len(row) != 4 or (wanted and row[0] not in wanted):
                assert len(row) == 4, "table.tsv:%d: expected 4 columns" % number
                continue
            wrong = one(row, number)
            passed, failed, skipped = passed + (wrong == ""), failed + bool(wrong), skipped + (wrong is None)
            if wrong is None:
                print("SKIP: case %s: no outside data: cases/%s" % (row[0], row[0]))
            elif wrong != "":
                print("FAIL: table.tsv:%d: case %s %s: %s" % (number, row[0], row[1], wrong))
    print("%d passed, %d failed, %d skipped" % (passed, failed, skipped))
    return 1 if failed or passed == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
