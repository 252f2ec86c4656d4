"""Wrong: normalises and forgets the weight."""

import torch


def rmsnorm(x, weight, out, eps):
    wide = x.float()
    out.copy_(wide * torch.rsqrt(wide.square().mean(dim=-1, keepdim=True) + eps))
