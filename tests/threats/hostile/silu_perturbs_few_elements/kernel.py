"""Off by half in one of ten thousand elements."""

import torch


def silu_and_mul(x, out):
    d = x.shape[-1] // 2
    out.copy_(torch.nn.functional.silu(x[..., :d]) * x[..., d:])
    out.view(-1)[7::10000] *= 1.5
