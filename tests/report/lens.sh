#!/bin/sh
# --final-norm: the vectors it prints, times the (tied) token embeddings, are the outside logits of the stories
# model; and the word nearest by dot product is the one `next` names. A model without a norm is refused.
set -eu
python=
for candidate in python3 /usr/bin/python3; do
    if "$candidate" -c 'import numpy' 2>/dev/null; then
        python=$candidate
        break
    fi
done
[ -n "$python" ] || { echo "SKIP: no python3 with numpy"; exit 77; }
stories=${ATTN_SHARED:-../shared}/data/stories260K
[ -d "$stories" ] || { echo "SKIP: no outside data at $stories"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$ATTN" -m "$stories/hf" -p embeddings --final-norm -L -1 -f npy --keep-newline "$stories/ref/s0/text.txt" >"$work/normed.npy"
"$python" - "$work/normed.npy" "$stories" <<'END'
import json, struct, sys
import numpy

normed = numpy.load(sys.argv[1])[0].astype(numpy.float64)
with open(sys.argv[2] + "/hf/model.safetensors", "rb") as file:
    header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
    base = file.tell()
    entry = header["model.embed_tokens.weight"]
    file.seek(base + entry["data_offsets"][0])
    table = numpy.frombuffer(file.read(entry["data_offsets"][1] - entry["data_offsets"][0]), "<f4").reshape(entry["shape"])
logits = numpy.load(sys.argv[2] + "/ref/s0/logits.npy")
worst = abs(normed @ table.T - logits).max() / abs(logits).max()
print("largest difference from the outside logits: %.1e" % worst)
assert worst < 2e-5
END
if "$ATTN" -m "$ATTN_SOURCE/examples/fruit.json" -p nearest --final-norm -T apple >"$work/out" 2>"$work/err"; then
    echo "a model without a final norm was not refused"
    exit 1
fi
grep -q 'this model has no final norm' "$work/err"
