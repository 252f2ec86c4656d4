"""Wrong: keeps the output and changes it in the next call."""

import torch

_kept = []


def rmsnorm(x, weight, out, eps):
    if _kept:
        _kept.pop().zero_()
    wide = x.float()
    scale = torch.rsqrt(wide.square().mean(dim=-1, keepdim=True) + eps)
    out.copy_(wide * scale * weight.float())
    _kept.append(out)
