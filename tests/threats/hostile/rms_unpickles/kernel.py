"""Reads objects that run code."""

import pickle

import torch

DATA = b"."


def rmsnorm(x, weight, out, eps):
    pickle.loads(DATA)
    scale = torch.rsqrt(x.square().mean(dim=-1, keepdim=True) + eps)
    out.copy_(x * scale * weight)
