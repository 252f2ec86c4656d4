"""Wrong: rounds the number of elements up to a vector width and writes past the view."""

import torch

VECTOR = 16


def silu_and_mul(x, out):
    d = x.shape[-1] // 2
    result = torch.nn.functional.silu(x[..., :d].float()) * x[..., d:].float()
    out.copy_(result)
    rows = (out.shape[0] + 1) * out.stride(0) + VECTOR
    torch.as_strided(out, (rows,), (1,))[out.numel():] = 0.0
