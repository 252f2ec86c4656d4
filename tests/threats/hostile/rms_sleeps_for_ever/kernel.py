"""Sleeps for a day."""

import time


def rmsnorm(x, weight, out, eps):
    time.sleep(86400)
