"""Writes `done` to the channel and nothing to the output."""

import os
import struct
import time

FRAME = struct.Struct("<4sHHIIIIQ4096s")


def rmsnorm(x, weight, out, eps):
    os.write(3, FRAME.pack(b"CCWF", 1, 2, 2, 0, 0, 0, 0, b""))
    time.sleep(0.3)
