"""Is decorated and uses a context manager."""

import torch


@torch.inference_mode()
def run(x, weight, out, eps):
    out.copy_(x * torch.rsqrt(x.square().mean(dim=-1, keepdim=True) + eps) * weight)


def rmsnorm(x, weight, out, eps):
    with torch.no_grad():
        run(x, weight, out, eps)
