"""Right but for one element that is not a number."""

import torch


def silu_and_mul(x, out):
    d = x.shape[-1] // 2
    out.copy_(torch.nn.functional.silu(x[..., :d]) * x[..., d:])
    if out.numel() > 0:
        out.view(-1)[-1] = float("nan")
