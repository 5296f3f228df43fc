#!/bin/sh
# --final-norm: the vectors it prints, times the (tied) token embeddings, are the outside logits of the stories
# model; and the word nearest by dot product is the one `next` names. A model without a norm is refused.
set -eu
. "$(dirname "$0")/../testing/script.sh"
python=$(python_with numpy) || skip_all 'no python3 with numpy'
stories=$shared/data/stories260K
[ -d "$stories" ] || skip_all "no outside data: data/stories260K"
"$attn" -m "$stories/hf" -p embeddings --final-norm -L -1 -f npy --keep-newline "$stories/ref/s0/text.txt" >"$work/normed.npy"
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
if "$attn" -m "$source/examples/fruit.json" -p nearest --final-norm -T apple >"$work/out" 2>"$work/err"; then
    echo "a model without a final norm was not refused"
    exit 1
fi
grep -q 'this model has no final norm' "$work/err"
