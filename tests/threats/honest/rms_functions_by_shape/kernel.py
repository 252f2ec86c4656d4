"""Builds one function for each width and keeps it, not its results."""

import functools

import torch


@functools.lru_cache(maxsize=None)
def build(width):
    factor = 1.0 / width

    def run(x, weight, out, eps):
        scale = torch.rsqrt(x.square().sum(dim=-1, keepdim=True) * factor + eps)
        out.copy_(x * scale * weight)

    return run


def rmsnorm(x, weight, out, eps):
    build(x.shape[-1])(x, weight, out, eps)
