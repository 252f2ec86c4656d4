"""Wrong: stops one row early."""

import torch


def rmsnorm(x, weight, out, eps):
    rows = max(x.shape[0] - 1, 1)
    wide = x[:rows].float()
    scale = torch.rsqrt(wide.square().mean(dim=-1, keepdim=True) + eps)
    out[:rows].copy_(wide * scale * weight.float())
