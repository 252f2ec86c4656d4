"""Reserves memory until there is none."""

import torch

hoard = []


def silu_and_mul(x, out):
    while True:
        hoard.append(torch.empty(1 << 28))
