"""The ranges of the options of a run, for the command line and the Python API alike."""

import math

from gaia_harness.strict_json import MAX_INTEGER

_MOST_ATTEMPTS = 100
_LARGEST_SEED = MAX_INTEGER - _MOST_ATTEMPTS  # each attempt adds one, and JSON keeps no larger number exactly

WHOLE_NUMBERS: dict[str, tuple[int, int]] = {
    "voting_attempts": (1, _MOST_ATTEMPTS),
    "limits.max_turns": (1, 1000),
    "limits.max_output_tokens": (1, MAX_INTEGER),
    "max_retries": (0, 20),
    "concurrency": (1, 256),
    "seed": (-_LARGEST_SEED, _LARGEST_SEED),
}
"""The least and the largest whole number that an option may be."""
AMOUNTS: dict[str, tuple[float, float]] = {
    "call_timeout": (1, math.inf),
    "task_timeout": (1, math.inf),
    "temperature": (0, 2),
    "price_in": (0, math.inf),
    "price_out": (0, math.inf),
    "max_cost": (0, math.inf),
}
"""The same of options that need not be whole; none may be infinite."""
