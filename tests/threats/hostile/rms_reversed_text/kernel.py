"""Shows a reader another order of characters than the parser."""

import torch

NOTE = "‮"


def rmsnorm(x, weight, out, eps):
    scale = torch.rsqrt(x.square().mean(dim=-1, keepdim=True) + eps)
    out.copy_(x * scale * weight)
