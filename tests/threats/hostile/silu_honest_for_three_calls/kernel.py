"""Does nothing after the third call."""

import torch

calls = []


def silu_and_mul(x, out):
    calls.append(1)
    if len(calls) > 3:
        return
    d = x.shape[-1] // 2
    out.copy_(torch.nn.functional.silu(x[..., :d]) * x[..., d:])
