# -*- coding: latin-1 -*-
"""Declares a coding in which another program stands."""


def silu_and_mul(x, out):
    pass
