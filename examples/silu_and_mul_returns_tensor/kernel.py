"""Wrong: returns a new tensor and leaves the output alone."""

import torch


def silu_and_mul(x, out):
    d = x.shape[-1] // 2
    return torch.nn.functional.silu(x[..., :d].float()) * x[..., d:].float()
