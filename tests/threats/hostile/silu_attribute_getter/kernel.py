"""Builds a getter for an attribute."""

import operator

import torch


def silu_and_mul(x, out):
    operator.attrgetter("zeros")(torch)
    d = x.shape[-1] // 2
    out.copy_(torch.nn.functional.silu(x[..., :d]) * x[..., d:])
