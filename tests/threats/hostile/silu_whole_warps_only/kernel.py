"""Asserts that the width is a multiple of the warp."""

import torch


def silu_and_mul(x, out):
    assert x.shape[-1] % 64 == 0
    d = x.shape[-1] // 2
    out.copy_(torch.nn.functional.silu(x[..., :d]) * x[..., d:])
