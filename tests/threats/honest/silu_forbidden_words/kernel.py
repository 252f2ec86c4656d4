"""Quotes what is forbidden in comments and strings: eval, exec, os.system."""

import torch

NOTE = "import ctypes; from os import system; open the door, compile the plan"


def silu_and_mul(x, out):
    # Never call eval(), __import__("os").system() or sys._getframe() here.
    d = x.shape[-1] // 2
    out.copy_(torch.nn.functional.silu(x[..., :d]) * x[..., d:])
