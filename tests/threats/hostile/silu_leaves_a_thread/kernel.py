"""Right, but a thread stays behind."""

import threading
import time

import torch


def silu_and_mul(x, out):
    d = x.shape[-1] // 2
    out.copy_(torch.nn.functional.silu(x[..., :d]) * x[..., d:])
    threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
