"""Imports what lists all objects."""

import gc

import torch


def rmsnorm(x, weight, out, eps):
    gc.get_objects()
    scale = torch.rsqrt(x.square().mean(dim=-1, keepdim=True) + eps)
    out.copy_(x * scale * weight)
