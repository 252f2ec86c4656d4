"""Evaluates text."""

import torch


def rmsnorm(x, weight, out, eps):
    out.copy_(eval("x"))
