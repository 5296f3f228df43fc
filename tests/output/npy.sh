#!/bin/sh
# numpy opens what -f npy writes, with the shape and values that the TSV of the same run has.
set -eu
. "$(dirname "$0")/../testing/script.sh"
python=$(python_with numpy) || skip_all 'no python3 with numpy'
model=$source/examples/fruit.json
text='orange pear android orange'
for report in weights scores embeddings; do
    "$attn" -m "$model" --n-heads=2 -p $report -f npy -T "$text" >"$work/$report.npy"
    "$attn" -m "$model" --n-heads=2 -p $report -f tsv -T "$text" >"$work/$report.tsv"
done
"$python" - "$work" <<'END'
import sys
import numpy

def rows(name):
    with open(f"{sys.argv[1]}/{name}.tsv", encoding="utf-8") as file:
        return [line.rstrip("\n").split("\t") for line in file][1:]

for name, outside in (("weights", 0), ("scores", -numpy.inf)):
    array = numpy.load(f"{sys.argv[1]}/{name}.npy")
    expected = numpy.full((1, 2, 4, 4), outside, dtype="<f4")
    for _, layer, head, query, _, key, _, value in rows(name):
        expected[int(layer), int(head), int(query), int(key)] = value
    assert array.dtype == numpy.dtype("<f4") and array.shape == (1, 2, 4, 4), (name, array.shape)
    assert (array == expected).all(), name
array = numpy.load(f"{sys.argv[1]}/embeddings.npy")
expected = numpy.array([[row[4:] for row in rows("embeddings")]], dtype="<f4")
assert array.shape == (1, 4, 2) and (array == expected).all(), "embeddings"
END
