"""Wrong: reads rows as if they followed each other without gaps."""

import torch


def silu_and_mul(x, out):
    rows, width = x.shape
    dense = torch.as_strided(x, (rows, width), (width, 1))
    d = width // 2
    out.copy_(torch.nn.functional.silu(dense[:, :d].float()) * dense[:, d:].float())
