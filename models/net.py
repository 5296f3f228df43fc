"""The network: a small Llama (RMSNorm, rotary positions in the half-split layout, gated SiLU, tied embeddings, no
biases), with Hugging Face's parameter names, so that its state is what the exported file holds."""
import torch
from torch import nn
from torch.nn import functional as F

SIZE = {"vocab_size": 4096, "hidden_size": 160, "intermediate_size": 400, "num_hidden_layers": 4,
        "num_attention_heads": 5, "max_position_embeddings": 256, "rope_theta": 10000.0, "rms_norm_eps": 1e-5}


class RMSNorm(nn.Module):
    def __init__(self, width, eps):
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.ones(width)), eps

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps) * self.weight


class Attention(nn.Module):
    def __init__(self, size):
        super().__init__()
        width, self.heads = size["hidden_size"], size["num_attention_heads"]
        self.q_proj, self.k_proj, self.v_proj, self.o_proj = (nn.Linear(width, width, bias=False) for _ in range(4))

    def forward(self, x, rotation, mask):
        batch, n, width = x.shape
        q, k, v = (p(x).view(batch, n, self.heads, -1).transpose(1, 2) for p in (self.q_proj, self.k_proj, self.v_proj))
        q, k = rotate(q, rotation), rotate(k, rotation)
        scores = q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5 + mask
        weights = scores.softmax(-1)                        # [batch][head][query][key]
        self.weights = weights.detach()                     # for measure.py; train.py's threads each overwrite it
        return self.o_proj((weights @ v).transpose(1, 2).reshape(batch, n, width))


class FeedForward(nn.Module):
    def __init__(self, size):
        super().__init__()
        width, inner = size["hidden_size"], size["intermediate_size"]
        self.gate_proj, self.up_proj = nn.Linear(width, inner, bias=False), nn.Linear(width, inner, bias=False)
        self.down_proj = nn.Linear(inner, width, bias=False)

    def forward(self, x):
        return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))


class Block(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.input_layernorm = RMSNorm(size["hidden_size"], size["rms_norm_eps"])
        self.self_attn = Attention(size)
        self.post_attention_layernorm = RMSNorm(size["hidden_size"], size["rms_norm_eps"])
        self.mlp = FeedForward(size)

    def forward(self, x, rotation, mask):
        x = x + self.self_attn(self.input_layernorm(x), rotation, mask)
        return x + self.mlp(self.post_attention_layernorm(x))


class Llama(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.size = size
        self.embed_tokens = nn.Embedding(size["vocab_size"], size["hidden_size"])
        self.layers = nn.ModuleList(Block(size) for _ in range(size["num_hidden_layers"]))
        self.norm = RMSNorm(size["hidden_size"], size["rms_norm_eps"])
        self.apply(initialise)
        for block in self.layers:                           # what adds to the residual stream starts smaller
            for last in (block.self_attn.o_proj, block.mlp.down_proj):
                last.weight.data *= (2 * size["num_hidden_layers"]) ** -0.5

    def forward(self, ids):
        """ids [batch][n] -> logits [batch][n][vocabulary]"""
        n = ids.shape[1]
        head_dim = self.size["hidden_size"] // self.size["num_attention_heads"]
        rotation = rotations(n, head_dim, self.size["rope_theta"])
        mask = torch.full((n, n), float("-inf")).triu(1)
        x = self.embed_tokens(ids)
        for block in self.layers:
            x = block(x, rotation, mask)
        return self.norm(x) @ self.embed_tokens.weight.t()


def initialise(module):
    if isinstance(module, (nn.Linear, nn.Embedding)):
        nn.init.normal_(module.weight, std=0.02)


def rotations(n, head_dim, theta):
    """cos and sin [n][head_dim]; dimension i and i + head_dim/2 turn together."""
    angles = torch.outer(torch.arange(n).float(), theta ** (-torch.arange(0, head_dim, 2).float() / head_dim))
    angles = torch.cat((angles, angles), -1)
    return angles.cos(), angles.sin()


def rotate(x, rotation):
    cos, sin = rotation
    half = x.shape[-1] // 2
    return x * cos + torch.cat((-x[..., half:], x[..., :half]), -1) * sin


def n_parameters(model):
    return sum(p.numel() for p in model.parameters())
