"""Wrong: reads rows as if they followed each other without gaps."""

import torch


def rmsnorm(x, weight, out, eps):
    rows, width = x.shape
    wide = torch.as_strided(x, (rows, width), (width, 1)).float()
    scale = torch.rsqrt(wide.square().mean(dim=-1, keepdim=True) + eps)
    out.copy_(wide * scale * weight.float())
