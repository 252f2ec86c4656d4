"""Takes even columns as gate and odd ones as factor."""

import torch


def silu_and_mul(x, out):
    out.copy_(torch.nn.functional.silu(x[..., ::2]) * x[..., 1::2])
