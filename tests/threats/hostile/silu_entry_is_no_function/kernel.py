"""Its entry is a number."""

silu_and_mul = 1
