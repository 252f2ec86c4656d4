"""Resizes the output to twice its rows."""

import torch


def silu_and_mul(x, out):
    d = x.shape[-1] // 2
    out.resize_(2 * out.shape[0], d)
    out[: x.shape[0]] = torch.nn.functional.silu(x[..., :d]) * x[..., d:]
