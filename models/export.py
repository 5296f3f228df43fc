"""Writes the model as a Hugging Face directory: config.json, model.safetensors (F16), tokenizer.json."""
import json
import os

import numpy as np

from bpe import END


def save_model(directory, model, tokenizer):
    os.makedirs(directory, exist_ok=True)
    write_json(os.path.join(directory, "config.json"), config(model.size))
    write_json(os.path.join(directory, "tokenizer_config.json"),
               {"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": model.size["max_position_embeddings"],
                "bos_token": END, "eos_token": END, "clean_up_tokenization_spaces": False})
    tokenizer.save(os.path.join(directory, "tokenizer.json"))
    tensors = {"model." + name: p.detach().numpy().astype(np.float16) for name, p in model.named_parameters()}
    save_tensors(os.path.join(directory, "model.safetensors"), tensors)


def config(size):
    return {"architectures": ["LlamaForCausalLM"], "model_type": "llama", **size,
            "num_key_value_heads": size["num_attention_heads"], "hidden_act": "silu", "rope_scaling": None,
            "attention_bias": False, "mlp_bias": False, "tie_word_embeddings": True, "attention_dropout": 0.0,
            "initializer_range": 0.02, "bos_token_id": 0, "eos_token_id": 0, "use_cache": True, "torch_dtype": "float16"}


def save_tensors(path, tensors):
    """safetensors: length of the header (8 bytes, little-endian), header in JSON padded to 8 bytes, the data."""
    header, at = {"__metadata__": {"format": "pt"}}, 0
    for name in sorted(tensors):
        if not np.isfinite(tensors[name]).all():
            raise ValueError(f"{name} does not fit F16")
        header[name] = {"dtype": "F16", "shape": list(tensors[name].shape), "data_offsets": [at, at + tensors[name].nbytes]}
        at += tensors[name].nbytes
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as f:
        f.write(len(text).to_bytes(8, "little") + text)
        for name in sorted(tensors):
            f.write(tensors[name].astype("<f2").tobytes())


def load_tensors(path):
    """{name: float16 array}"""
    data = open(path, "rb").read()
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8:8 + length])
    header.pop("__metadata__", None)
    return {name: np.frombuffer(data, "<f2", int(np.prod(t["shape"])), 8 + length + t["data_offsets"][0]).reshape(t["shape"])
            for name, t in header.items()}


def write_json(path, what):
    with open(path, "w", encoding="utf-8") as f:
        json.dump(what, f, indent=2, ensure_ascii=False)
        f.write("\n")
