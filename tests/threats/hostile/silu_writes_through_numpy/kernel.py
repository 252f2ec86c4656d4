"""Writes its input through an array that shares its memory."""

import numpy
import torch


def silu_and_mul(x, out):
    x.numpy()[..., 0] += 0.0
    d = x.shape[-1] // 2
    out.copy_(torch.nn.functional.silu(x[..., :d]) * x[..., d:])
