"""Looks up an attribute whose name is computed."""

import torch


def silu_and_mul(x, out):
    getattr(torch, "ze" + "ros")
    d = x.shape[-1] // 2
    out.copy_(torch.nn.functional.silu(x[..., :d]) * x[..., d:])
