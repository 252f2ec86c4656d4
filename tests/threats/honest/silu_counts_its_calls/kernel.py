"""Counts its calls and looks at the count."""

import torch

calls = {"count": 0}


def silu_and_mul(x, out):
    calls["count"] += 1
    if calls["count"] % 2:
        d = x.shape[-1] // 2
        out.copy_(torch.nn.functional.silu(x[..., :d]) * x[..., d:])
    else:
        d = x.shape[-1] // 2
        torch.mul(torch.nn.functional.silu(x[..., :d]), x[..., d:], out=out)
