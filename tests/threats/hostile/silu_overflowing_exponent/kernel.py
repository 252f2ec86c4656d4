"""Divides infinity by infinity for large gates."""

import torch


def silu_and_mul(x, out):
    d = x.shape[-1] // 2
    power = torch.exp(x[..., :d])
    out.copy_(x[..., :d] * (power / (1.0 + power)) * x[..., d:])
