"""Wrong: has its own eps, which agrees with the usual one and no other."""

import torch


def rmsnorm(x, weight, out, eps):
    wide = x.float()
    out.copy_(wide * torch.rsqrt(wide.square().mean(dim=-1, keepdim=True) + 1e-6) * weight.float())
