"""Handles whole groups of four columns only."""

import torch


def silu_and_mul(x, out):
    d = x.shape[-1] // 2
    whole = d // 4 * 4
    out[..., :whole] = torch.nn.functional.silu(x[..., :whole]) * x[..., d : d + whole]
