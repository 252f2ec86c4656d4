"""Gives an operator of torch another kernel."""

import torch

LIBRARY = torch.library.Library("aten", "IMPL")


def silu_and_mul(x, out):
    d = x.shape[-1] // 2
    out.copy_(torch.nn.functional.silu(x[..., :d]) * x[..., d:])
