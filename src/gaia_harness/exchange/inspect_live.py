"""Records evals of Inspect as run folders while they happen; Inspect loads this by its entry point (docs/inspect.md).

Without GAIA_INSPECT_DATASET there are no hooks, and nothing is imported.
"""

import os

if os.environ.get("GAIA_INSPECT_DATASET"):
    import gaia_harness.exchange.inspect_hooks  # noqa: F401
