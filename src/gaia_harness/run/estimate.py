"""Estimates the cost of a run, from stated assumptions."""

import msgspec

from gaia_harness.figures import counted
from gaia_harness.models.messages import Usage

TURNS = 8
FIRST_PROMPT = 1_500
PER_TURN_READ = 3_000
PER_TURN_WRITTEN = 300


class Estimate(msgspec.Struct, frozen=True):
    """Tokens for a whole run, and what was assumed."""

    usage: Usage
    assumption: str


def estimate(attempts: int, max_turns: int) -> Estimate:
    """Every turn sends the whole conversation again, so input grows with the square of the turns."""
    turns = min(TURNS, max_turns)
    grown = sum(turn * (PER_TURN_READ + PER_TURN_WRITTEN) for turn in range(turns))
    return Estimate(
        Usage(
            input_tokens=attempts * (turns * FIRST_PROMPT + grown),
            output_tokens=attempts * turns * PER_TURN_WRITTEN,
        ),
        f"{counted(turns, 'turn')} an attempt, {PER_TURN_READ:,} tokens read and {PER_TURN_WRITTEN} written in each; "
        "no discount for cached input",
    )
