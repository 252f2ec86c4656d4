"""Starts programs."""

import subprocess
