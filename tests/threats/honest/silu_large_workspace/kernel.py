"""Takes a workspace far larger than its output, new in each call."""

import torch


def silu_and_mul(x, out):
    workspace = torch.zeros(1 << 25, dtype=torch.float32)
    d = x.shape[-1] // 2
    gate = workspace[: x.shape[0] * d].view(x.shape[0], d)
    gate.copy_(torch.nn.functional.silu(x[..., :d]))
    out.copy_(gate * x[..., d:])
