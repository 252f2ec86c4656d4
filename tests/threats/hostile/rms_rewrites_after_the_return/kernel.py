"""Right at the return, then a thread spoils the output."""

import threading
import time

import torch


def spoil(out):
    time.sleep(0.05)
    out.zero_()


def rmsnorm(x, weight, out, eps):
    scale = torch.rsqrt(x.square().mean(dim=-1, keepdim=True) + eps)
    out.copy_(x * scale * weight)
    threading.Thread(target=spoil, args=(out,), daemon=True).start()
