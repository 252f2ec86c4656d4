"""Wrong: clears one row before the output's first."""

import numpy
import torch


def rmsnorm(x, weight, out, eps):
    width = out.shape[-1]
    words = out.view(torch.int32 if out.dtype == torch.float32 else torch.int16).numpy()
    pitch = words.itemsize
    reversed_row = numpy.lib.stride_tricks.as_strided(words[:1, :1], (width + 1,), (-pitch,))
    reversed_row[1:] = 0
    wide = x.float()
    scale = torch.rsqrt(wide.square().mean(dim=-1, keepdim=True) + eps)
    out.copy_(wide * scale * weight.float())
