"""Splits the rows over two threads and joins them before it returns."""

import threading

import torch


def fill(x, out):
    d = x.shape[-1] // 2
    out.copy_(torch.nn.functional.silu(x[..., :d]) * x[..., d:])


def silu_and_mul(x, out):
    half = x.shape[0] // 2
    workers = [
        threading.Thread(target=fill, args=(x[part], out[part]))
        for part in (slice(0, half), slice(half, None))
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
