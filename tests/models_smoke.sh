#!/bin/sh
# A short run of models/train.py on a small made text: it must be resumable, and end with a directory that
# models/reference.py, which shares no forward pass with it, reads to the same held-out loss.
# Skipped (77) where there is no Python with torch.
set -eu
. "$(dirname "$0")/testing/script.sh"
models=$source/models
python=$(python_with numpy torch) || skip_all 'no python3 with torch and numpy'
export PYTHONDONTWRITEBYTECODE=1

awk 'BEGIN {
    split("king queen fisher child teacher", who); split("sees feeds follows greets", does); split("boat bird river dog", what)
    for (i = 0; i < 1200; i++)
        print "the " who[i % 5 + 1] " " does[int(i / 3) % 4 + 1] " the " what[int(i / 7) % 4 + 1] " and the " who[int(i / 11) % 5 + 1] "."
}' >"$work/text"

train() {
    "$python" "$models/train.py" --out "$work/model" --work "$work/work" --text "$work/text" --vocab 300 --width 32 \
        --inner 48 --layers 2 --heads 2 --context 32 --batch 8 --shard 4 --check-every 10 "$@" 2>>"$work/log"
}

stop() {
    tail -20 "$work/log" | fail "$1"
    exit 1
}

train --steps 20 || stop "the first run"
train --steps 40 || stop "the second run"
grep -q '^resumed at step 20$' "$work/log" || stop "the second run did not resume"

"$python" - "$models" "$work" <<'END' || stop "the model directory"
import json, sys
models, work = sys.argv[1:]
sys.path.insert(0, models)
import numpy as np, torch
import corpus, export, net, reference, train

model = reference.Model(work + "/model")
told = json.load(open(work + "/model/training.json"))
held = corpus.collect_file(work + "/text")["text"]["held"]
ids = [0] + [i for d in held for i in model.tokenizer.encode(d) + [0]]
nats = []
for start in range(0, len(ids) - 1, 32):
    window = ids[start:start + 33]
    logits, _ = model.forward(window[:-1])
    top = logits.max(-1)
    nats += list(np.log(np.exp(logits - top[:, None]).sum(-1)) + top - logits[np.arange(len(window) - 1), window[1:]])
told_nats = told["held_out"]["text"]["model"]["nats_per_token"]
assert abs(np.mean(nats) - told_nats) < 2e-4, (np.mean(nats), told_nats)
assert told_nats < np.log(len(model.tokenizer.tokens)) - 0.5, "nothing was learnt"
text = "a 어부가 boat  _x\n"
assert model.tokenizer.decode(model.tokenizer.encode(text)) == text

# Both forward passes on weights large enough that every part of them shows.
torch.manual_seed(3)
large = net.Llama({k: model.config[k] for k in net.SIZE})
for p in large.parameters():
    p.data = torch.randn_like(p) * 0.4 + (p.dim() == 1)
export.save_model(work + "/large", large, model.tokenizer)
train.use_exported(large, work + "/large")
ids = np.arange(32) * 7 % 300
logits, weights = reference.Model(work + "/large").forward(ids)
with torch.no_grad():
    torch_logits = large(torch.from_numpy(ids)[None])[0].numpy()
torch_weights = np.stack([block.self_attn.weights[0].numpy() for block in large.layers])
assert abs(weights - torch_weights).max() < 1e-4, "attention"
assert abs(logits - torch_logits).max() < 1e-4 * abs(logits).max(), "logits"
END
echo "PASS: models/train.py, 40 steps"
