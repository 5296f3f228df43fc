"""The optimisers: AdamW for embeddings and norms, Muon (K. Jordan and others, 2024) for the matrices in between.

Muon takes the momentum of a matrix and steps along the nearest semi-orthogonal matrix instead (Newton-Schulz)."""
import torch


def orthogonalise(g):
    """[..., rows, columns] -> all singular values near 1, by five steps of a quintic Newton-Schulz iteration."""
    a, b, c = 3.4445, -4.7750, 2.0315
    tall = g.shape[-2] > g.shape[-1]
    x = g.transpose(-1, -2) if tall else g
    x = x / (x.norm(dim=(-2, -1), keepdim=True) + 1e-7)
    for _ in range(5):
        s = x @ x.transpose(-1, -2)
        x = a * x + (b * s + c * s @ s) @ x
    return x.transpose(-1, -2) if tall else x


class Muon(torch.optim.Optimizer):
    def __init__(self, params, lr, momentum=0.95, weight_decay=0.0):
        super().__init__(params, {"lr": lr, "momentum": momentum, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for shape in {p.shape for p in group["params"]}:
                params = [p for p in group["params"] if p.shape == shape]
                update = orthogonalise(torch.stack([self.momentum_of(p, group["momentum"]) for p in params]))
                scale = group["lr"] * max(1, shape[0] / shape[1]) ** 0.5
                for p, u in zip(params, update):
                    p.mul_(1 - group["lr"] * group["weight_decay"]).add_(u, alpha=-scale)

    def momentum_of(self, p, momentum):
        """Nesterov's look ahead."""
        state = self.state[p]
        if "momentum" not in state:
            state["momentum"] = torch.zeros_like(p)
        state["momentum"].mul_(momentum).add_(p.grad)
        return p.grad.add(state["momentum"], alpha=momentum)


def optimisers(model, options):
    matrices = [p for n, p in model.named_parameters() if n.startswith("layers.") and p.dim() == 2]
    norms = [p for p in model.parameters() if p.dim() == 1]
    adam = torch.optim.AdamW([{"params": [model.embed_tokens.weight], "weight_decay": options.weight_decay},
                              {"params": norms, "weight_decay": 0.0}], lr=options.lr, betas=(0.9, 0.95))
    if options.optimizer == "adamw":
        adam.add_param_group({"params": matrices, "weight_decay": options.weight_decay})
        return [adam]
    return [adam, Muon(matrices, lr=options.muon_lr, weight_decay=options.weight_decay)]


def learning_rate_share(step, n_steps, warmup, decay):
    """Linear warm-up, then constant, then over the last share `decay` of the steps linearly down to nothing. Until that
    begins, a run may be resumed with another number of steps and is still the run that number would have given."""
    return min(1.0, (step + 1) / warmup, (n_steps - step) / max(1, round(decay * n_steps)))
