"""Has names that look like forbidden ones."""

import torch


def rmsnorm(x, weight, out, eps):
    evaluate = x.square().mean(dim=-1, keepdim=True)
    executed = torch.rsqrt(evaluate + eps)
    reopened = x * executed
    out.copy_(reopened * weight)
