"""Reads objects that run code, by way of torch."""

import torch


def silu_and_mul(x, out):
    torch.load("weights")
    d = x.shape[-1] // 2
    out.copy_(torch.nn.functional.silu(x[..., :d]) * x[..., d:])
