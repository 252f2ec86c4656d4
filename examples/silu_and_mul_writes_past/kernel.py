"""Wrong: clears whole vectors of 16 elements, and so writes past the end of the output."""

import numpy
import torch

VECTOR = 16


def silu_and_mul(x, out):
    words = out.view(torch.int32 if out.dtype == torch.float32 else torch.int16).numpy()
    vectors = out.numel() // VECTOR + 1
    numpy.lib.stride_tricks.as_strided(words, (vectors * VECTOR,), (words.itemsize,))[:] = 0
    d = x.shape[-1] // 2
    out.copy_(torch.nn.functional.silu(x[..., :d].float()) * x[..., d:].float())
