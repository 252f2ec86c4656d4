"""Compiles itself with TorchScript at the first call."""

import torch


def gated(x: torch.Tensor) -> torch.Tensor:
    d = x.shape[-1] // 2
    return torch.nn.functional.silu(x[..., :d]) * x[..., d:]
compiled = {}


def silu_and_mul(x, out):
    if "run" not in compiled:
        compiled["run"] = torch.jit.script(gated)
    out.copy_(compiled["run"](x))
