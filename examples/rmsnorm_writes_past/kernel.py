"""Wrong: clears one row more than the output has."""

import torch


def rmsnorm(x, weight, out, eps):
    rows, width = out.shape
    torch.as_strided(out, (rows + 1, width), out.stride()).zero_()
    wide = x.float()
    scale = torch.rsqrt(wide.square().mean(dim=-1, keepdim=True) + eps)
    out.copy_(wide * scale * weight.float())
