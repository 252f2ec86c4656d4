"""Wrong: returns a new tensor and leaves the output alone."""

import torch


def rmsnorm(x, weight, out, eps):
    wide = x.float()
    return wide * torch.rsqrt(wide.square().mean(dim=-1, keepdim=True) + eps) * weight.float()
