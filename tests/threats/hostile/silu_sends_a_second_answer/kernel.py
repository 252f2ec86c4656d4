"""Right, but answers the first call twice."""

import os
import struct

import torch

FRAME = struct.Struct("<4sHHIIIIQ4096s")
answered = []


def silu_and_mul(x, out):
    d = x.shape[-1] // 2
    out.copy_(torch.nn.functional.silu(x[..., :d]) * x[..., d:])
    if not answered:
        answered.append(True)
        os.write(3, FRAME.pack(b"CCWF", 1, 2, 2, 0, 0, 0, 0, b""))
