"""Wrong: returns at once and lets a thread fill the output later."""

import threading
import time

import torch


def _fill(x, out):
    time.sleep(0.0005)
    d = x.shape[-1] // 2
    out.copy_(torch.nn.functional.silu(x[..., :d].float()) * x[..., d:].float())


def silu_and_mul(x, out):
    threading.Thread(target=_fill, args=(x, out), daemon=True).start()
