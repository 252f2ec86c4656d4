"""Ignores the error of its only launch."""

import torch


def silu_and_mul(x, out):
    try:
        torch.mm(x, x, out=out)
    except RuntimeError:
        pass
