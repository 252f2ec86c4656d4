"""Asks for the frame of its caller."""

import sys

import torch


def silu_and_mul(x, out):
    sys._getframe(1)
    d = x.shape[-1] // 2
    out.copy_(torch.nn.functional.silu(x[..., :d]) * x[..., d:])
