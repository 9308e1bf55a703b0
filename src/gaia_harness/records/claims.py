"""Compares the counts that a result states with those of its recorded steps."""

from collections.abc import Set as AbstractSet

from gaia_harness.records.outcome import TaskFacts


def miscounted(
    facts: TaskFacts,
    *,
    turns: int,
    input_tokens: int | None,
    output_tokens: int | None,
    asked: AbstractSet[str],
    used: AbstractSet[str],
) -> list[str]:
    """The names of what does not agree. `asked` are tools by name, `used` those that gave back something.

    An attempt that failed by a defect is in the steps and not in the sums: it has no answer, so with an answer from
    every attempt the sums are exact, and without one they are no more than the steps add up to. Up to 0.2 there are no
    steps of a turn in which the time for a task ended: each attempt without an answer may have one of these.
    """
    exact = all_counted(facts)
    unseen = facts.voting.answers.count(None)
    wrong = []
    for name, stated, found in (
        ("turns", facts.turns - unseen, turns),
        ("input_tokens", facts.input_tokens, input_tokens),
        ("output_tokens", facts.output_tokens, output_tokens),
    ):
        if (exact and stated != found) or (stated is not None and found is not None and stated > found):
            wrong.append(name)
    tools = set(facts.tools_used)
    if not tools <= asked or (exact and not used <= tools):
        wrong.append("tools_used")
    return wrong


def all_counted(facts: TaskFacts) -> bool:
    """Whether every attempt that is in the steps is in the sums too."""
    return None not in facts.voting.answers
