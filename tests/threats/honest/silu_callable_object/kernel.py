"""Has an object with a call operator as its entry."""

import torch


class Gated:
    def __call__(self, x, out):
        d = x.shape[-1] // 2
        out.copy_(torch.nn.functional.silu(x[..., :d]) * x[..., d:])


silu_and_mul = Gated()
