"""`python -m gaia_harness.submission.line_worker`: examines trajectories for another process of this program."""

import gc
import sys

from gaia_harness.submission.trajectory_pass import work

if __name__ == "__main__":
    gc.set_threshold(100_000)  # steps come and go by the thousand, and none is part of a cycle
    work(sys.stdin.buffer, sys.stdout.buffer)
