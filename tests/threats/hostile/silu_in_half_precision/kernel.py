"""Rounds its inputs to half precision."""

import torch


def silu_and_mul(x, out):
    d = x.shape[-1] // 2
    short = x.half().float()
    out.copy_(torch.nn.functional.silu(short[..., :d]) * short[..., d:])
