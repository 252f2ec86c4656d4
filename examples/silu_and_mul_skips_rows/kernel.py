"""Wrong: works in tiles of four rows and forgets the rows of the last, partial tile."""

import torch

TILE = 4


def silu_and_mul(x, out):
    d = x.shape[-1] // 2
    rows = x.shape[0] // TILE * TILE
    whole = x[:rows].float()
    out[:rows].copy_(torch.nn.functional.silu(whole[..., :d]) * whole[..., d:])
