"""Changes torch's thread count between calls."""

import torch


def rmsnorm(x, weight, out, eps):
    torch.set_num_threads(1)
    scale = torch.rsqrt(x.square().mean(dim=-1, keepdim=True) + eps)
    out.copy_(x * scale * weight)
