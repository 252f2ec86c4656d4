"""Adds the squares in pairs, in an order of its own."""

import torch


def rmsnorm(x, weight, out, eps):
    squares = x.square()
    while squares.shape[-1] > 1:
        if squares.shape[-1] % 2:
            squares = torch.nn.functional.pad(squares, (0, 1))
        squares = squares[..., ::2] + squares[..., 1::2]
    out.copy_(x * torch.rsqrt(squares / x.shape[-1] + eps) * weight)
