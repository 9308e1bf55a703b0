"""`python -m gaia_harness` is `gaia`."""

from gaia_harness.cli import main

main()
