"""Wrong: returns at once and lets a thread fill the output later."""

import threading
import time

import torch


def _fill(x, weight, out, eps):
    time.sleep(0.0005)
    wide = x.float()
    scale = torch.rsqrt(wide.square().mean(dim=-1, keepdim=True) + eps)
    out.copy_(wide * scale * weight.float())


def rmsnorm(x, weight, out, eps):
    threading.Thread(target=_fill, args=(x, weight, out, eps), daemon=True).start()
