"""Keeps one workspace for each shape and fills it anew in each call."""

import torch

WORKSPACES = {}


def rmsnorm(x, weight, out, eps):
    key = tuple(x.shape)
    if key not in WORKSPACES:
        WORKSPACES[key] = torch.empty(key, dtype=torch.float32)
    squares = WORKSPACES[key]
    torch.mul(x, x, out=squares)
    out.copy_(x * torch.rsqrt(squares.mean(dim=-1, keepdim=True) + eps) * weight)
