"""Right, but changes the output of the first call later."""

import torch

kept = []


def rmsnorm(x, weight, out, eps):
    scale = torch.rsqrt(x.square().mean(dim=-1, keepdim=True) + eps)
    out.copy_(x * scale * weight)
    if kept and kept[0].numel() > 0:
        kept[0].view(-1)[0] = 0.5
    if not kept:
        kept.append(out)
