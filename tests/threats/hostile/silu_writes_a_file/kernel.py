"""Keeps its results in a file."""

import torch


def silu_and_mul(x, out):
    torch.save(x, "/scratch/x")
    d = x.shape[-1] // 2
    out.copy_(torch.nn.functional.silu(x[..., :d]) * x[..., d:])
