"""Wrong: uses its input as scratch space."""

import torch


def silu_and_mul(x, out):
    d = x.shape[-1] // 2
    gate = x[..., :d]
    torch.sigmoid(gate.clone(), out=out)
    gate.mul_(out)
    out.copy_(gate * x[..., d:])
