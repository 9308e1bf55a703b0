"""`python -m gaia_harness.audit.line_worker`: checks and hashes trajectories for an audit in another process."""

import gc
import sys

from gaia_harness.audit.line_checks import work

if __name__ == "__main__":
    gc.set_threshold(100_000)  # steps come and go by the thousand, and none is part of a cycle
    work(sys.stdin.buffer, sys.stdout.buffer)
