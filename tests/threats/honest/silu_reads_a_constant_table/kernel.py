"""Has a table of numbers in its source."""

import torch

TILES = (1024, 1024, 1024, 1024, 1024, 512, 512, 512, 256, 256, 256, 128, 128)


def silu_and_mul(x, out):
    d = x.shape[-1] // 2
    rows = max(1, TILES[min(d.bit_length(), len(TILES) - 1)])
    for begin in range(0, x.shape[0], rows):
        part = x[begin : begin + rows]
        out[begin : begin + rows] = torch.nn.functional.silu(part[..., :d]) * part[..., d:]
