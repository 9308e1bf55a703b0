"""`python -m gaia_harness.submission.line_worker`: looks at trajectories for another process of this program."""

import sys

from gaia_harness.submission.trajectory_pass import work

if __name__ == "__main__":
    work(sys.stdin.buffer, sys.stdout.buffer)
