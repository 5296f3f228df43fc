#!/usr/bin/env python3
"""The words of a target's format as a dictionary of libFuzzer's: the names that the code which reads it knows.

usage: dictionary.py TARGET >FILE      (nothing for a target that has no words of its own)
"""
import glob, os, re, sys

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# Where the names stand, and how an input spells one.
JSON, BARE = '"%s"', "%s"
TARGETS = {
    "command_line": (["src/cli/*.c", "src/report/*.[ch]", "src/output/*.[ch]", "src/load/masks.c", "src/attention/score.c"],
                     BARE),
    "config": (["src/load/config*.c", "src/load/huggingface.c", "src/load/family/*.c"], JSON),
    "gguf": (["src/formats/gguf*.c", "src/load/gguf*.c"], BARE),
    "gguf_model": (["src/formats/gguf*.c", "src/load/gguf*.c"], BARE),
    "npy": (["src/formats/npy.c"], BARE),
    "safetensors": (["src/formats/safetensors.c", "src/tensor/dtype.c"], JSON),
    "safetensors_index": (["src/formats/safetensors_index.c"], JSON),
    "tokenizer_json": (["src/text/vocab/tokenizer_json*.c"], JSON),
    "tokenizer_pair": (["src/text/vocab/tokenizer_json*.c"], JSON),
    "torch": (["src/formats/torch*.c", "src/formats/pickle*.c"], BARE),
    "toy_model": (["src/load/toy/*.c", "src/attention/score.c", "src/attention/position.c"], JSON),
}
MOST = 40  # bytes of a name


def names(text):
    """What stands in quotes or as the argument of a list's row, and looks like a name."""
    found = re.findall(r'"([A-Za-z_][A-Za-z0-9_.<>-]*)"', text) + re.findall(r"^ +[A-Z]+\((\w+)\)", text, re.M)
    return {name for name in found if len(name) <= MOST and not name.endswith((".c", ".h"))}


def main():
    patterns, spelling = TARGETS.get(sys.argv[1], ([], BARE))
    words = set()
    for path in sorted(path for pattern in patterns for path in glob.glob(os.path.join(SOURCE, pattern))):
        with open(path, encoding="utf-8") as file:
            words |= names(file.read())
    if sys.argv[1] == "command_line":
        words |= {"--" + word for word in words if re.fullmatch(r"[a-z-]+", word)}
    for number, word in enumerate(sorted(words)):
        print('w%d="%s"' % (number, (spelling % word).replace('"', '\\"')))


if __name__ == "__main__":
    main()
