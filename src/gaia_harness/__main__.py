"""`python -m gaia_harness` is `gaia`."""

import sys

if not sys.flags.safe_path:
    del sys.path[0]  # the folder that somebody stands in, which may be a stranger's: nothing is imported from there

from gaia_harness.cli import main

main()
