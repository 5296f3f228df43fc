#!/usr/bin/python3
"""Makes tests/model/families/: a small random model of each family, as published, with float64 reference values.

    /usr/bin/python3 tests/model/make_families.py [FAMILY ...]      (Debian's python3-numpy)

Written from the papers and the models' documentation, independently of attn's own code: GPT-2 (Radford et al. 2019),
GPT-NeoX (Black et al. 2022), BERT (Devlin et al. 2018), RoBERTa (Liu et al. 2019), DistilBERT (Sanh et al. 2019), Llama
(Touvron et al. 2023; its 3.1 scaling of rotary frequencies), Mistral (Jiang et al. 2023), Qwen2 and Qwen3 (QKV bias, QK-norm),
OLMo 2 (norms after, QK-norm of the whole width), Phi-3 (fused maps, longrope), Gemma 1-3; RoPE (Su et al. 2021), YaRN (Peng et
al. 2023), longrope (Ding et al. 2024). Each folder: config.json, model.safetensors (F32, or one in F16), NAME.gguf where attn reads
that architecture in GGUF, ids.npy, attn.npy [layer][head][query][key], hidden.npy [layer+1][token][d_model], logits.npy.
A second pass over the same weights with other settings needs no new file: the reference takes the config alone.
"""
import json, math, os, struct, sys, zlib
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
D, HEADS, VOCAB, N = 16, 4, 24, 9


# ---- pieces ---------------------------------------------------------------------------------------------------------

def layer_norm(x, w, b, eps):
    mean = x.mean(-1, keepdims=True)
    return (x - mean) / np.sqrt(((x - mean) ** 2).mean(-1, keepdims=True) + eps) * w + b


def rms_norm(x, w, eps):
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + eps) * w


erf = np.vectorize(math.erf)
ACT = {
    "gelu": lambda x: x * 0.5 * (1 + erf(x / math.sqrt(2))),
    "gelu_new": lambda x: 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3))),
    "silu": lambda x: x / (1 + np.exp(-x)),
    "relu": lambda x: np.maximum(x, 0),
}
ACT["gelu_pytorch_tanh"] = ACT["gelu_new"]


def softmax(s):
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def attend(q, k, v, scale, mask, cap=None, sinks=None):
    """q [h][n][d], k and v [kv][n][d]; mask [n][n] True: seen; sinks [h]: one more logit a row, whose weight is dropped."""
    group = q.shape[0] // k.shape[0]
    k, v = np.repeat(k, group, 0), np.repeat(v, group, 0)
    s = q @ k.transpose(0, 2, 1) * scale
    if cap:
        s = np.tanh(s / cap) * cap
    s = np.where(mask, s, -np.inf)
    if sinks is None:
        a = softmax(s)
    else:
        a = softmax(np.concatenate([s, np.broadcast_to(sinks[:, None, None], s.shape[:2] + (1,))], -1))[..., :-1]
    return a, (a @ v).transpose(1, 0, 2).reshape(q.shape[1], -1)


def causal(n, window=None):
    i, j = np.arange(n)[:, None], np.arange(n)[None, :]
    return (j <= i) if not window else (j <= i) & (j > i - window)


def heads(x, n):
    return x.reshape(x.shape[0], n, -1).transpose(1, 0, 2)


def rope_frequencies(dims, theta, scaling, c, n):
    """(frequencies, magnitude) as the models' documentation has them."""
    f = theta ** (-np.arange(0, dims, 2) / dims)
    kind = (scaling or {}).get("rope_type", (scaling or {}).get("type", "default"))
    if kind == "linear":
        return f / scaling["factor"], 1.0
    if kind == "llama3":
        old = scaling["original_max_position_embeddings"]
        low, high = old / scaling["low_freq_factor"], old / scaling["high_freq_factor"]
        out = []
        for w in f:
            length = 2 * math.pi / w
            if length < high:
                out.append(w)
            elif length > low:
                out.append(w / scaling["factor"])
            else:
                s = (old / length - scaling["low_freq_factor"]) / (scaling["high_freq_factor"] - scaling["low_freq_factor"])
                out.append((1 - s) * w / scaling["factor"] + s * w)
        return np.array(out), 1.0
    if kind == "yarn":
        factor, old = scaling["factor"], scaling["original_max_position_embeddings"]
        def dim_of(rotations):
            return dims * math.log(old / (rotations * 2 * math.pi)) / (2 * math.log(theta))
        low, high = dim_of(scaling.get("beta_fast", 32)), dim_of(scaling.get("beta_slow", 1))
        if scaling.get("truncate", True):
            low, high = math.floor(low), math.ceil(high)
        low, high = max(low, 0), min(high, dims - 1)
        if low == high:
            high += 0.001
        ramp = np.clip((np.arange(dims // 2) - low) / (high - low), 0, 1)
        return f / factor * ramp + f * (1 - ramp), 0.1 * math.log(factor) + 1
    if kind == "longrope":
        old = c["original_max_position_embeddings"]
        factor = c["max_position_embeddings"] / old
        which = scaling["long_factor"] if n > old else scaling["short_factor"]
        return f / np.array(which), math.sqrt(1 + math.log(factor) / math.log(old)) if factor > 1 else 1.0
    return f, 1.0


def rotate(x, dims, frequencies, magnitude):
    """x [h][n][d]: the halves of the first dims turn."""
    angle = np.arange(x.shape[1])[:, None] * frequencies[None, :]
    c, s = np.cos(angle) * magnitude, np.sin(angle) * magnitude
    a, b, rest = x[..., :dims // 2], x[..., dims // 2:dims], x[..., dims:]
    return np.concatenate([a * c - b * s, a * s + b * c, rest], -1)


# ---- families: config, weights by name and shape, reference -----------------------------------------------------------

def gpt2():
    c = dict(model_type="gpt2", architectures=["GPT2LMHeadModel"], n_embd=D, n_head=HEADS, n_layer=2, n_positions=12, n_ctx=12,
             vocab_size=VOCAB, n_inner=20, activation_function="gelu_new", layer_norm_epsilon=2e-3, scale_attn_weights=True,
             scale_attn_by_inverse_layer_idx=True, reorder_and_upcast_attn=False, tie_word_embeddings=True, attn_pdrop=0.1,
             embd_pdrop=0.1, resid_pdrop=0.1, bos_token_id=0, eos_token_id=0, initializer_range=0.02, use_cache=True,
             summary_type="cls_index", torch_dtype="float32")
    w = {"transformer.wte.weight": (VOCAB, D), "transformer.wpe.weight": (12, D)}
    for l in range(2):
        p = "transformer.h.%d." % l
        w.update({p + "ln_1.weight": (D,), p + "ln_1.bias": (D,), p + "attn.c_attn.weight": (D, 3 * D), p + "attn.c_attn.bias": (3 * D,),
                  p + "attn.c_proj.weight": (D, D), p + "attn.c_proj.bias": (D,), p + "ln_2.weight": (D,), p + "ln_2.bias": (D,),
                  p + "mlp.c_fc.weight": (D, 20), p + "mlp.c_fc.bias": (20,), p + "mlp.c_proj.weight": (20, D), p + "mlp.c_proj.bias": (D,)})
    w.update({"transformer.ln_f.weight": (D,), "transformer.ln_f.bias": (D,)})
    return c, w


def run_gpt2(c, w, ids, mask=None):
    n, d, h = len(ids), c["n_embd"], c["n_head"]
    x = w["transformer.wte.weight"][ids] + w["transformer.wpe.weight"][:n]
    hidden, attn, eps = [x], [], c["layer_norm_epsilon"]
    for l in range(c["n_layer"]):
        p = "transformer.h.%d." % l
        y = layer_norm(x, w[p + "ln_1.weight"], w[p + "ln_1.bias"], eps)
        q, k, v = [heads(z, h) for z in np.split(y @ w[p + "attn.c_attn.weight"] + w[p + "attn.c_attn.bias"], 3, -1)]
        scale = 1 / math.sqrt(d / h) / (l + 1 if c["scale_attn_by_inverse_layer_idx"] else 1)
        a, o = attend(q, k, v, scale, causal(n))
        x = x + o @ w[p + "attn.c_proj.weight"] + w[p + "attn.c_proj.bias"]
        y = layer_norm(x, w[p + "ln_2.weight"], w[p + "ln_2.bias"], eps)
        y = ACT[c["activation_function"]](y @ w[p + "mlp.c_fc.weight"] + w[p + "mlp.c_fc.bias"])
        x = x + y @ w[p + "mlp.c_proj.weight"] + w[p + "mlp.c_proj.bias"]
        hidden.append(x), attn.append(a)
    return attn, hidden, layer_norm(x, w["transformer.ln_f.weight"], w["transformer.ln_f.bias"], eps) @ w["transformer.wte.weight"].T


def gpt_neox():
    c = dict(model_type="gpt_neox", architectures=["GPTNeoXForCausalLM"], hidden_size=D, num_attention_heads=2, num_hidden_layers=2,
             intermediate_size=24, vocab_size=VOCAB, max_position_embeddings=32, hidden_act="gelu", rotary_pct=0.5, rotary_emb_base=100,
             layer_norm_eps=2e-3, use_parallel_residual=True, attention_bias=True, tie_word_embeddings=False, rope_scaling=None,
             hidden_dropout=0.0, attention_dropout=0.0, classifier_dropout=0.1, bos_token_id=0, eos_token_id=0,
             initializer_range=0.02, use_cache=True, torch_dtype="float16")
    w = {"gpt_neox.embed_in.weight": (VOCAB, D)}
    for l in range(2):
        p = "gpt_neox.layers.%d." % l
        for n in ("input_layernorm", "post_attention_layernorm"):
            w.update({p + n + ".weight": (D,), p + n + ".bias": (D,)})
        for n, i, o in (("attention.query_key_value", D, 3 * D), ("attention.dense", D, D), ("mlp.dense_h_to_4h", D, 24),
                        ("mlp.dense_4h_to_h", 24, D)):
            w.update({p + n + ".weight": (o, i), p + n + ".bias": (o,)})
    w.update({"gpt_neox.final_layer_norm.weight": (D,), "gpt_neox.final_layer_norm.bias": (D,), "embed_out.weight": (VOCAB, D)})
    return c, w


def run_gpt_neox(c, w, ids, mask=None):
    n, h, eps = len(ids), c["num_attention_heads"], c["layer_norm_eps"]
    dim = c["hidden_size"] // h
    dims = int(dim * c["rotary_pct"])
    f, m = rope_frequencies(dims, c["rotary_emb_base"], None, c, n)
    lin = lambda y, name: y @ w[name + ".weight"].T + w[name + ".bias"]
    x = w["gpt_neox.embed_in.weight"][ids]
    hidden, attn = [x], []
    for l in range(c["num_hidden_layers"]):
        p = "gpt_neox.layers.%d." % l
        y = layer_norm(x, w[p + "input_layernorm.weight"], w[p + "input_layernorm.bias"], eps)
        qkv = lin(y, p + "attention.query_key_value").reshape(n, h, 3, dim)
        q, k, v = [qkv[:, :, i].transpose(1, 0, 2) for i in range(3)]
        a, o = attend(rotate(q, dims, f, m), rotate(k, dims, f, m), v, 1 / math.sqrt(dim), causal(n))
        o = lin(o, p + "attention.dense")
        y = x if c["use_parallel_residual"] else x + o
        y = layer_norm(y, w[p + "post_attention_layernorm.weight"], w[p + "post_attention_layernorm.bias"], eps)
        y = lin(ACT[c["hidden_act"]](lin(y, p + "mlp.dense_h_to_4h")), p + "mlp.dense_4h_to_h")
        x = x + o + y
        hidden.append(x), attn.append(a)
    y = layer_norm(x, w["gpt_neox.final_layer_norm.weight"], w["gpt_neox.final_layer_norm.bias"], eps)
    return attn, hidden, y @ w["embed_out.weight"].T


def bert_like(kind):
    p0 = {"bert": "bert.", "roberta": "roberta.", "distilbert": "distilbert."}[kind]
    positions = 14
    if kind == "distilbert":
        c = dict(model_type=kind, architectures=["DistilBertForMaskedLM"], dim=D, n_layers=2, n_heads=HEADS, hidden_dim=20,
                 activation="gelu", max_position_embeddings=positions, vocab_size=VOCAB, sinusoidal_pos_embds=False, dropout=0.1,
                 attention_dropout=0.1, seq_classif_dropout=0.2, qa_dropout=0.1, pad_token_id=0, tie_weights_=None,
                 tie_word_embeddings=True, initializer_range=0.02, torch_dtype="float32")
        del c["tie_weights_"]
    else:
        c = dict(model_type=kind, architectures=["BertForMaskedLM"], hidden_size=D, num_hidden_layers=2, num_attention_heads=HEADS,
                 intermediate_size=20, hidden_act="gelu", max_position_embeddings=positions, type_vocab_size=2 if kind == "bert" else 1,
                 vocab_size=VOCAB, layer_norm_eps=2e-3, position_embedding_type="absolute", pad_token_id=1 if kind == "roberta" else 0,
                 is_decoder=False, add_cross_attention=False, tie_word_embeddings=True, hidden_dropout_prob=0.1,
                 attention_probs_dropout_prob=0.1, classifier_dropout=None, initializer_range=0.02, use_cache=True, torch_dtype="float32")
    w = {p0 + "embeddings.word_embeddings.weight": (VOCAB, D), p0 + "embeddings.position_embeddings.weight": (positions, D)}
    if kind != "distilbert":
        w[p0 + "embeddings.token_type_embeddings.weight"] = (c["type_vocab_size"], D)
    old = kind == "bert"  # the old names of a norm's numbers
    norm = lambda n: {n + (".gamma" if old else ".weight"): (D,), n + (".beta" if old else ".bias"): (D,)}
    w.update(norm(p0 + "embeddings.LayerNorm"))
    for l in range(2):
        if kind == "distilbert":
            p, names = p0 + "transformer.layer.%d." % l, ("attention.q_lin", "attention.k_lin", "attention.v_lin", "attention.out_lin", "sa_layer_norm", "ffn.lin1", "ffn.lin2", "output_layer_norm")
        else:
            p, names = p0 + "encoder.layer.%d." % l, ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense", "attention.output.LayerNorm", "intermediate.dense", "output.dense", "output.LayerNorm")
        for i, name in enumerate(names):
            if i in (4, 7):
                w.update(norm(p + name))
            else:
                o, inn = (20, D) if i == 5 else (D, 20) if i == 6 else (D, D)
                w.update({p + name + ".weight": (o, inn), p + name + ".bias": (o,)})
    t, tn, b = {"bert": ("cls.predictions.transform.dense", "cls.predictions.transform.LayerNorm", "cls.predictions.bias"),
                "roberta": ("lm_head.dense", "lm_head.layer_norm", "lm_head.bias"),
                "distilbert": ("vocab_transform", "vocab_layer_norm", "vocab_projector.bias")}[kind]
    w.update({t + ".weight": (D, D), t + ".bias": (D,), b: (VOCAB,)})
    w.update(norm(tn))
    return c, w


def run_bert_like(c, w, ids, mask=None):
    kind, n = c["model_type"], len(ids)
    p0 = kind + "."
    distil = kind == "distilbert"
    h, layers = (c["n_heads"], c["n_layers"]) if distil else (c["num_attention_heads"], c["num_hidden_layers"])
    eps, act = (1e-12, c["activation"]) if distil else (c["layer_norm_eps"], c["hidden_act"])
    lin = lambda y, name: y @ w[name + ".weight"].T + w[name + ".bias"]
    def ln(y, name):
        g, b = (".gamma", ".beta") if name + ".gamma" in w else (".weight", ".bias")
        return layer_norm(y, w[name + g], w[name + b], eps)
    offset = c["pad_token_id"] + 1 if kind == "roberta" else 0
    seen = np.ones(n, bool) if mask is None else mask.astype(bool)
    x = w[p0 + "embeddings.word_embeddings.weight"][ids] + w[p0 + "embeddings.position_embeddings.weight"][offset:offset + n]
    if not distil:
        x = x + w[p0 + "embeddings.token_type_embeddings.weight"][0]
    x = ln(x, p0 + "embeddings.LayerNorm")
    hidden, attn = [x], []
    for l in range(layers):
        if distil:
            p, names = p0 + "transformer.layer.%d." % l, ("attention.q_lin", "attention.k_lin", "attention.v_lin", "attention.out_lin", "sa_layer_norm", "ffn.lin1", "ffn.lin2", "output_layer_norm")
        else:
            p, names = p0 + "encoder.layer.%d." % l, ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense", "attention.output.LayerNorm", "intermediate.dense", "output.dense", "output.LayerNorm")
        q, k, v = [heads(lin(x, p + m), h) for m in names[:3]]
        a, o = attend(q, k, v, 1 / math.sqrt(x.shape[1] // h), np.broadcast_to(seen, (n, n)))
        x = ln(x + lin(o, p + names[3]), p + names[4])
        x = ln(x + lin(ACT[act](lin(x, p + names[5])), p + names[6]), p + names[7])
        hidden.append(x), attn.append(a)
    t, tn, b = {"bert": ("cls.predictions.transform.dense", "cls.predictions.transform.LayerNorm", "cls.predictions.bias"),
                "roberta": ("lm_head.dense", "lm_head.layer_norm", "lm_head.bias"),
                "distilbert": ("vocab_transform", "vocab_layer_norm", "vocab_projector.bias")}[kind]
    y = ln(ACT["gelu" if kind == "roberta" else act](lin(x, t)), tn)
    return attn, hidden, y @ w[p0 + "embeddings.word_embeddings.weight"].T + w[b]


CHANGES = {}  # of the variant being made
KIN = {
    "llama": dict(attention_bias=True, mlp_bias=True, rms_norm_eps=2e-3, hidden_act="silu", tie_word_embeddings=False, head_dim=4,
                  rope_theta=10.0, pretraining_tp=1,
                  rope_scaling=dict(rope_type="llama3", factor=4.0, low_freq_factor=1.0, high_freq_factor=4.0,
                                    original_max_position_embeddings=32)),
    "mistral": dict(rms_norm_eps=2e-3, hidden_act="silu", tie_word_embeddings=False, head_dim=6, sliding_window=4, rope_theta=100.0),
    "qwen2": dict(rms_norm_eps=2e-3, hidden_act="silu", tie_word_embeddings=True, use_sliding_window=True, sliding_window=3,
                  max_window_layers=1, num_attention_heads=2, num_key_value_heads=1, rope_theta=4.0,  # numbers that YaRN's rounding does not hide
                  rope_scaling=dict(type="yarn", factor=4.0, original_max_position_embeddings=17, beta_fast=1.8, beta_slow=1.0)),
    "qwen3": dict(rms_norm_eps=2e-3, hidden_act="silu", tie_word_embeddings=False, attention_bias=False, head_dim=6, rope_theta=100.0,
                  use_sliding_window=False, sliding_window=None, max_window_layers=2, rope_scaling=None),
    "olmo2": dict(rms_norm_eps=2e-3, hidden_act="silu", tie_word_embeddings=False, attention_bias=False, rope_theta=100.0),
    "phi3": dict(rms_norm_eps=2e-3, hidden_act="silu", tie_word_embeddings=False, attention_bias=False, sliding_window=5,
                 partial_rotary_factor=1.0, rope_theta=100.0, original_max_position_embeddings=8, embd_pdrop=0.0, resid_pdrop=0.0,
                 rope_scaling=dict(type="longrope", long_factor=[1.5, 3.0], short_factor=[1.0, 1.25])),
    "gpt_oss": dict(rms_norm_eps=2e-3, hidden_act="silu", tie_word_embeddings=False, attention_bias=True, head_dim=6, rope_theta=8.0,
                    sliding_window=3, layer_types=["sliding_attention", "full_attention"], num_local_experts=2, num_experts_per_tok=1,
                    experts_per_token=1, router_aux_loss_coef=0.9, output_router_logits=False, swiglu_limit=7.0, initial_context_length=16,
                    quantization_config=dict(quant_method="mxfp4"),
                    rope_scaling=dict(rope_type="yarn", factor=4.0, beta_fast=2.0, beta_slow=0.5, truncate=False, original_max_position_embeddings=16)),
    "gemma": dict(rms_norm_eps=2e-3, hidden_act="gelu_pytorch_tanh", hidden_activation=None, attention_bias=False, head_dim=6, rope_theta=100.0),
    "gemma2": dict(rms_norm_eps=2e-3, hidden_act="gelu_pytorch_tanh", hidden_activation="gelu_pytorch_tanh", attention_bias=False,
                   head_dim=6, rope_theta=100.0, query_pre_attn_scalar=5, attn_logit_softcapping=2.0, final_logit_softcapping=3.0,
                   sliding_window=3, cache_implementation="hybrid"),
    "gemma3_text": dict(rms_norm_eps=2e-3, hidden_activation="gelu_pytorch_tanh", attention_bias=False, head_dim=6, rope_theta=1000.0,
                        rope_local_base_freq=50.0, query_pre_attn_scalar=5, attn_logit_softcapping=None, final_logit_softcapping=None,
                        sliding_window=3, sliding_window_pattern=2, rope_scaling=dict(rope_type="linear", factor=8.0)),
}


def llama_like(kind):
    layers = 3 if kind.startswith("gemma") and kind != "gemma" else 2
    c = dict(model_type=kind, architectures=["CausalLM"], hidden_size=D, num_hidden_layers=layers, num_attention_heads=HEADS,
             num_key_value_heads=2, intermediate_size=20, vocab_size=VOCAB, max_position_embeddings=64, attention_dropout=0.0,
             bos_token_id=1, eos_token_id=2, pad_token_id=0, initializer_range=0.02, use_cache=True, torch_dtype="float32")
    c.update(KIN[kind])
    c.update(CHANGES)
    layers = c["num_hidden_layers"]
    d = c["hidden_size"]
    dim = c.get("head_dim", d // c["num_attention_heads"])
    q, kv, inner = c["num_attention_heads"] * dim, c["num_key_value_heads"] * dim, c["intermediate_size"]
    w = {"model.embed_tokens.weight": (VOCAB, d), "model.norm.weight": (d,)}
    for l in range(layers):
        p = "model.layers.%d." % l
        norms = {"olmo2": ("post_attention_layernorm", "post_feedforward_layernorm"),
                 "gemma2": ("input_layernorm", "post_attention_layernorm", "pre_feedforward_layernorm", "post_feedforward_layernorm")}
        for name in norms.get("gemma2" if kind == "gemma3_text" else kind, ("input_layernorm", "post_attention_layernorm")):
            w[p + name + ".weight"] = (d,)
        if kind == "gpt_oss":
            w.update({p + "self_attn.q_proj.weight": (q, d), p + "self_attn.k_proj.weight": (kv, d), p + "self_attn.v_proj.weight": (kv, d),
                      p + "self_attn.o_proj.weight": (d, q), p + "self_attn.sinks": (HEADS,), p + "mlp.router.weight": (2, d)})
        elif kind == "phi3":
            w.update({p + "self_attn.qkv_proj.weight": (q + 2 * kv, d), p + "mlp.gate_up_proj.weight": (2 * inner, d)})
        else:
            w.update({p + "self_attn.q_proj.weight": (q, d), p + "self_attn.k_proj.weight": (kv, d), p + "self_attn.v_proj.weight": (kv, d),
                      p + "mlp.gate_proj.weight": (inner, d), p + "mlp.up_proj.weight": (inner, d)})
        if kind != "gpt_oss":
            w.update({p + "self_attn.o_proj.weight": (d, q), p + "mlp.down_proj.weight": (d, inner)})
        if kind == "qwen2" or c.get("attention_bias"):
            w.update({p + "self_attn.q_proj.bias": (q,), p + "self_attn.k_proj.bias": (kv,), p + "self_attn.v_proj.bias": (kv,)})
        if c.get("attention_bias"):
            w[p + "self_attn.o_proj.bias"] = (d,)
        if c.get("mlp_bias"):
            w.update({p + "mlp.gate_proj.bias": (inner,), p + "mlp.up_proj.bias": (inner,), p + "mlp.down_proj.bias": (d,)})
        if kind in ("qwen3", "gemma3_text"):
            w.update({p + "self_attn.q_norm.weight": (dim,), p + "self_attn.k_norm.weight": (dim,)})
        if kind == "olmo2":
            w.update({p + "self_attn.q_norm.weight": (q,), p + "self_attn.k_norm.weight": (kv,)})
    if not (kind.startswith("gemma") or c.get("tie_word_embeddings")):
        w["lm_head.weight"] = (VOCAB, d)
    return c, w


def run_llama_like(c, w, ids, mask=None):
    kind, n, eps = c["model_type"], len(ids), c["rms_norm_eps"]
    gemma = kind.startswith("gemma")
    dim = c.get("head_dim") or c["hidden_size"] // c["num_attention_heads"]
    h, kv, inner = c["num_attention_heads"], c["num_key_value_heads"], c["intermediate_size"]
    act = ACT[(c.get("hidden_activation") or "gelu_pytorch_tanh") if gemma else c["hidden_act"]]
    norm = lambda y, name: rms_norm(y, (1 + w[name + ".weight"]) if gemma else w[name + ".weight"], eps)
    def lin(y, name):
        return y @ w[name + ".weight"].T + w.get(name + ".bias", 0)
    x = w["model.embed_tokens.weight"][ids]
    if gemma:
        x = x * math.sqrt(c["hidden_size"])
    hidden, attn = [x], []
    for l in range(c["num_hidden_layers"]):
        p = "model.layers.%d." % l
        windowed = {"mistral": True, "phi3": True, "qwen2": c.get("use_sliding_window") and l >= c.get("max_window_layers", 28),
                    "gemma2": l % 2 == 0, "gemma3_text": (l + 1) % c.get("sliding_window_pattern", 6) != 0}.get(kind, False)
        if c.get("layer_types"):
            windowed = c["layer_types"][l] == "sliding_attention"
        window = c.get("sliding_window") if windowed else None
        if kind == "gemma3_text" and windowed:
            f, m = rope_frequencies(dim, c["rope_local_base_freq"], None, c, n)
        else:
            f, m = rope_frequencies(dim, c["rope_theta"], c.get("rope_scaling"), c, n)
        y = x if kind == "olmo2" else norm(x, p + "input_layernorm")
        if kind == "phi3":
            qkv = lin(y, p + "self_attn.qkv_proj")
            q, k, v = qkv[:, :h * dim], qkv[:, h * dim:(h + kv) * dim], qkv[:, (h + kv) * dim:]
        else:
            q, k, v = [lin(y, p + "self_attn." + name) for name in ("q_proj", "k_proj", "v_proj")]
        if kind == "olmo2":
            q, k = norm(q, p + "self_attn.q_norm"), norm(k, p + "self_attn.k_norm")
        q, k, v = heads(q, h), heads(k, kv), heads(v, kv)
        if kind in ("qwen3", "gemma3_text"):
            q, k = norm(q, p + "self_attn.q_norm"), norm(k, p + "self_attn.k_norm")
        scale = 1 / math.sqrt(c.get("query_pre_attn_scalar") or dim)
        a, o = attend(rotate(q, dim, f, m), rotate(k, dim, f, m), v, scale, causal(n, window), c.get("attn_logit_softcapping"),
                      w.get(p + "self_attn.sinks"))
        if kind == "gpt_oss":
            return [a], None, None  # its experts are not run: the first layer's weights are all that can be had
        o = lin(o, p + "self_attn.o_proj")
        if kind in ("olmo2", "gemma2", "gemma3_text"):
            o = norm(o, p + "post_attention_layernorm")
        x = x + o
        y = x if kind == "olmo2" else norm(x, p + ("pre_feedforward_layernorm" if kind in ("gemma2", "gemma3_text") else "post_attention_layernorm"))
        if kind == "phi3":
            both = lin(y, p + "mlp.gate_up_proj")
            y = lin(act(both[:, :inner]) * both[:, inner:], p + "mlp.down_proj")
        else:
            y = lin(act(lin(y, p + "mlp.gate_proj")) * lin(y, p + "mlp.up_proj"), p + "mlp.down_proj")
        if kind in ("olmo2", "gemma2", "gemma3_text"):
            y = norm(y, p + "post_feedforward_layernorm")
        x = x + y
        hidden.append(x), attn.append(a)
    logits = norm(x, "model.norm") @ w.get("lm_head.weight", w["model.embed_tokens.weight"]).T
    if c.get("final_logit_softcapping"):
        logits = np.tanh(logits / c["final_logit_softcapping"]) * c["final_logit_softcapping"]
    return attn, hidden, logits


# ---- files ------------------------------------------------------------------------------------------------------------

def random_weights(shapes, rng, less_one, dtype):
    out = {}
    for name, shape in shapes.items():
        if len(shape) == 2:
            a = rng.normal(0, 1.3 / math.sqrt(min(shape)) if "embed" not in name and "wte" not in name and "wpe" not in name else 0.8, shape)
        elif name.endswith((".bias", ".beta")):
            a = rng.normal(0, 0.4, shape)
        else:
            a = rng.normal(0 if less_one else 1, 0.3, shape)
        out[name] = a.astype(dtype)
    return out


def save_safetensors(path, tensors):
    names = {np.dtype("<f4"): "F32", np.dtype("<f2"): "F16"}
    header, offset = {"__metadata__": {"format": "pt"}}, 0
    for name, a in tensors.items():
        header[name] = {"dtype": names[a.dtype], "shape": list(a.shape), "data_offsets": [offset, offset + a.nbytes]}
        offset += a.nbytes
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text)
        for a in tensors.values():
            f.write(a.tobytes())


def q8_0(a):
    """A matrix as Q8_0 has it: blocks of 32 along its rows, a scale in F16 and 32 bytes each; and its raw bytes."""
    blocks = a.reshape(-1, 32).astype(np.float32)
    scale = (np.abs(blocks).max(1, keepdims=True) / 127).astype("<f2")
    q = np.round(blocks / scale.astype(np.float32)).clip(-127, 127).astype("i1")
    raw = b"".join(d.tobytes() + z.tobytes() for d, z in zip(scale, q))
    return (q * scale.astype(np.float32)).astype("<f4").reshape(a.shape), raw


def save_gguf(path, meta, tensors, quantize=False):
    """GGUF v3: text, bool, int and float values; F32 tensors (matrices as Q8_0 where asked), dimensions innermost first, data
    aligned to 32."""
    def string(s):
        b = s.encode()
        return struct.pack("<Q", len(b)) + b
    out = [b"GGUF", struct.pack("<IQQ", 3, len(tensors), len(meta))]
    for key, value in meta.items():
        out.append(string(key))
        if isinstance(value, str):
            out.append(struct.pack("<I", 8) + string(value))
        elif isinstance(value, bool):
            out.append(struct.pack("<IB", 7, value))
        elif isinstance(value, int):
            out.append(struct.pack("<II", 4, value))
        else:
            out.append(struct.pack("<If", 6, value))
    offset, data = 0, []
    for name, a in tensors.items():
        a = np.ascontiguousarray(a, "<f4")
        block = quantize and a.ndim == 2
        raw = q8_0(a)[1] if block else a.tobytes()
        out.append(string(name) + struct.pack("<I", a.ndim) + struct.pack("<%dQ" % a.ndim, *a.shape[::-1]) + struct.pack("<IQ", 8 if block else 0, offset))
        pad = -len(raw) % 32
        data.append(raw + b"\0" * pad)
        offset += len(raw) + pad
    head = b"".join(out)
    with open(path, "wb") as f:
        f.write(head + b"\0" * (-len(head) % 32) + b"".join(data))


def permute(w, n_heads):
    """The rows of a head as llama's GGUF has them: pair (i, i + dim/2) side by side."""
    return w.reshape(n_heads, 2, w.shape[0] // n_heads // 2, *w.shape[1:]).swapaxes(1, 2).reshape(w.shape)


def to_gguf(kind, c, w):
    """(metadata, tensors), or None where there is no such architecture for attn in GGUF."""
    arch = {"gemma3_text": "gemma3"}.get(kind, kind)
    if kind in ("gpt_oss", "gpt_neox", "roberta", "distilbert", "mistral"):
        return None
    layers = c.get("n_layer", c.get("num_hidden_layers"))
    pre = arch + "."
    meta = {"general.architecture": arch, pre + "block_count": layers, pre + "embedding_length": c.get("hidden_size", D),
            pre + "context_length": c.get("n_positions", c.get("max_position_embeddings")),
            pre + "feed_forward_length": c.get("n_inner", c.get("intermediate_size")), pre + "attention.head_count": c.get("n_head", c.get("num_attention_heads"))}
    t = {}
    if kind == "gpt2":
        meta[pre + "attention.layer_norm_epsilon"] = c["layer_norm_epsilon"]
        g = lambda n: w["transformer." + n]
        t.update({"token_embd.weight": g("wte.weight"), "position_embd.weight": g("wpe.weight"), "output_norm.weight": g("ln_f.weight"), "output_norm.bias": g("ln_f.bias")})
        for l in range(layers):
            for theirs, ours in (("ln_1", "attn_norm"), ("attn.c_attn", "attn_qkv"), ("attn.c_proj", "attn_output"), ("ln_2", "ffn_norm"), ("mlp.c_fc", "ffn_up"), ("mlp.c_proj", "ffn_down")):
                t["blk.%d.%s.weight" % (l, ours)] = g("h.%d.%s.weight" % (l, theirs)).T
                t["blk.%d.%s.bias" % (l, ours)] = g("h.%d.%s.bias" % (l, theirs))
        return meta, t
    if kind == "bert":
        meta[pre + "attention.layer_norm_epsilon"] = c["layer_norm_eps"]
        meta[pre + "attention.causal"] = False
        g = lambda n: w["bert." + n]
        t.update({"token_embd.weight": g("embeddings.word_embeddings.weight"), "position_embd.weight": g("embeddings.position_embeddings.weight"),
                  "token_types.weight": g("embeddings.token_type_embeddings.weight"), "token_embd_norm.weight": g("embeddings.LayerNorm.gamma"), "token_embd_norm.bias": g("embeddings.LayerNorm.beta")})
        for l in range(layers):
            for theirs, ours in (("attention.self.query", "attn_q"), ("attention.self.key", "attn_k"), ("attention.self.value", "attn_v"), ("attention.output.dense", "attn_output"),
                                 ("attention.output.LayerNorm", "attn_output_norm"), ("intermediate.dense", "ffn_up"), ("output.dense", "ffn_down"), ("output.LayerNorm", "layer_output_norm")):
                old = theirs.endswith("LayerNorm")
                t["blk.%d.%s.weight" % (l, ours)] = g("encoder.layer.%d.%s.%s" % (l, theirs, "gamma" if old else "weight"))
                t["blk.%d.%s.bias" % (l, ours)] = g("encoder.layer.%d.%s.%s" % (l, theirs, "beta" if old else "bias"))
        return meta, t
    dim = c.get("head_dim", D // c["num_attention_heads"])
    meta.update({pre + "attention.head_count_kv": c["num_key_value_heads"], pre + "attention.key_length": dim, pre + "attention.value_length": dim,
                 pre + "attention.layer_norm_rms_epsilon": c["rms_norm_eps"], pre + "rope.freq_base": float(c["rope_theta"]), pre + "rope.dimension_count": dim})
    plus = 1.0 if kind.startswith("gemma") else 0.0
    if c.get("sliding_window") and kind != "qwen2":
        meta[pre + "attention.sliding_window"] = c["sliding_window"]
    for key in ("attn_logit_softcapping", "final_logit_softcapping"):
        if kind == "gemma2":
            meta[pre + key] = float(c[key])
    scaling = c.get("rope_scaling") or {}
    kind_of = scaling.get("rope_type", scaling.get("type"))
    f = rope_frequencies(dim, c["rope_theta"], None, c, N)[0]
    if kind_of == "llama3":
        t["rope_freqs.weight"] = f / rope_frequencies(dim, c["rope_theta"], scaling, c, N)[0]
    elif kind_of == "longrope":
        t["rope_factors_long.weight"], t["rope_factors_short.weight"] = np.array(scaling["long_factor"]), np.array(scaling["short_factor"])
        old = c["original_max_position_embeddings"]
        meta[pre + "rope.scaling.original_context_length"] = old
        meta[pre + "rope.scaling.attn_factor"] = math.sqrt(1 + math.log(c["max_position_embeddings"] / old) / math.log(old))
    elif kind_of == "linear":
        meta.update({pre + "rope.scaling.type": "linear", pre + "rope.scaling.factor": scaling["factor"]})
    if (kind == "gemma3_text" and c["sliding_window_pattern"] != 6) or c.get("layer_types") or c.get("use_sliding_window") or c.get("query_pre_attn_scalar", dim) != dim:
        return None  # GGUF can not say these settings
    t["token_embd.weight"], t["output_norm.weight"] = w["model.embed_tokens.weight"], w["model.norm.weight"] + plus
    if "lm_head.weight" in w:
        t["output.weight"] = w["lm_head.weight"]
    names = {"input_layernorm": "attn_norm", "post_attention_layernorm": "post_attention_norm" if kind in ("olmo2", "gemma2", "gemma3_text") else "ffn_norm",
             "pre_feedforward_layernorm": "ffn_norm", "post_feedforward_layernorm": "post_ffw_norm", "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v", "self_attn.qkv_proj": "attn_qkv",
             "self_attn.o_proj": "attn_output", "self_attn.q_norm": "attn_q_norm", "self_attn.k_norm": "attn_k_norm", "mlp.gate_proj": "ffn_gate",
             "mlp.up_proj": "ffn_up", "mlp.gate_up_proj": "ffn_up", "mlp.down_proj": "ffn_down"}
    for l in range(layers):
        for theirs, ours in names.items():
            for end in (".weight", ".bias"):
                name = "model.layers.%d.%s%s" % (l, theirs, end)
                if name not in w:
                    continue
                a = w[name] + (plus if "norm" in theirs else 0)
                if kind == "llama" and ours in ("attn_q", "attn_k"):
                    a = permute(a, HEADS if ours == "attn_q" else 2)
                t["blk.%d.%s%s" % (l, ours, end)] = a
    return meta, t


FAMILIES = {"gpt2": (gpt2, run_gpt2), "gpt_neox": (gpt_neox, run_gpt_neox)}
for k in ("bert", "roberta", "distilbert"):
    FAMILIES[k] = (lambda k=k: bert_like(k), run_bert_like)
for k in KIN:
    FAMILIES[k] = (lambda k=k: llama_like(k), run_llama_like)


# the same family with other settings, for what one config can not show
VARIANTS = {
    "gpt2_plain": ("gpt2", dict(scale_attn_by_inverse_layer_idx=False)),
    "gpt_neox_serial": ("gpt_neox", dict(use_parallel_residual=False)),
    "qwen2_plain": ("qwen2", dict(use_sliding_window=False, rope_scaling=None)),
    "gemma2_plain": ("gemma2", dict(query_pre_attn_scalar=6)),
    "gemma2_types": ("gemma2", dict(layer_types=["full_attention", "sliding_attention", "full_attention"])),
    "llama_q8_0": ("llama", dict(hidden_size=32, intermediate_size=32, head_dim=8)),
    "gemma3_plain": ("gemma3_text", dict(num_hidden_layers=6, sliding_window_pattern=6, query_pre_attn_scalar=6, rope_local_base_freq=10000.0)),
}


def save_npy(path, a, dtype="<f4"):
    np.save(path, np.asarray(a).astype(dtype))


def make(name, seed):
    rng = np.random.default_rng(seed)
    kind, changes = VARIANTS.get(name, (name, {}))
    CHANGES.clear()
    CHANGES.update(changes)
    config, shapes = FAMILIES[kind][0]()
    config.update(changes)
    w = random_weights(shapes, rng, kind.startswith("gemma"), "<f2" if kind == "gpt_neox" else "<f4")
    quantize = name.endswith("_q8_0")
    if quantize:
        w = {k: q8_0(v)[0] if v.ndim == 2 else v for k, v in w.items()}
    ids = rng.integers(3, VOCAB, N)
    mask = np.array([1, 1, 1, 1, 1, 1, 1, 0, 0]) if kind == "bert" else None
    if mask is not None:
        ids[mask == 0] = 0
    attn, hidden, logits = FAMILIES[kind][1](config, {k: v.astype(np.float64) for k, v in w.items()}, ids, mask)
    folder = os.path.join(HERE, "families", name)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "config.json"), "w") as f:
        json.dump(config, f, indent=1)
        f.write("\n")
    save_safetensors(os.path.join(folder, "model.safetensors"), w)
    gguf = to_gguf(kind, config, w)
    if kind == "gpt2" and gguf:
        gguf = None if config["scale_attn_by_inverse_layer_idx"] else gguf
    if gguf:
        save_gguf(os.path.join(folder, "model.gguf"), *gguf, quantize)
    for part, a in (("attn", attn), ("hidden", hidden), ("logits", logits)):
        if a is not None:
            save_npy(os.path.join(folder, part + ".npy"), a)
    save_npy(os.path.join(folder, "ids.npy"), ids, "<i4")
    if mask is not None:
        save_npy(os.path.join(folder, "mask.npy"), mask, "<i4")


if __name__ == "__main__":
    for name in list(FAMILIES) + list(VARIANTS):
        if len(sys.argv) == 1 or name in sys.argv[1:]:
            make(name, zlib.crc32(name.encode()))
