"""Puts its own storage under the output."""

import torch


def silu_and_mul(x, out):
    d = x.shape[-1] // 2
    out.set_(torch.nn.functional.silu(x[..., :d]) * x[..., d:])
