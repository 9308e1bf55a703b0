"""The ablation as a person reads it: a table in Markdown."""

from collections.abc import Iterator, Sequence

from redteam.ablation.earnings import HELD_OUT, PARTS, Ablation, Earning, Tally
from redteam.page import markdown_table, put_between

BEGIN, END = "<!-- ablation: begin -->", "<!-- ablation: end -->"
IDLE = "**earns nothing**"


def put_into(page: str, ablation: Ablation) -> str:
    """A page with the tables between its two marks."""
    return put_between(page, BEGIN, END, render(ablation))


def render(ablation: Ablation) -> str:
    """The tables."""
    return "\n".join(_lines(ablation)) + "\n"


def _lines(ablation: Ablation) -> Iterator[str]:
    whole = ablation.whole
    held_out = sum(whole.attacks[part] for part in HELD_OUT)
    yield (
        f"{ablation.variants:,} variants of the lab, {ablation.seeds} seed{'s' * (ablation.seeds > 1)} each, "
        f"{ablation.versions} versions of the program, some of them altered, which count as sealed, and "
        f"{ablation.real_task_runs:,} real task-runs. With all rules, {sum(whole.attacks.values()):,} attacks are "
        f"caught ({held_out:,} of them held out) and {whole.copies} real copies found as they deserve."
    )
    yield "\nWithout a rule, these are lost. What two rules catch is lost only without both.\n"
    yield from _table("rule", ablation.rules, findings=True)
    yield f"\nCould all go at once, with no attack and no copy lost: {', '.join(ablation.spare) or 'no rule'}."
    if ablation.switches:
        yield "\nWith a mechanism switched off, these are lost; what is negative is found more.\n"
        yield from _table("mechanism", ablation.switches, findings=False)


def _table(head: str, earnings: Sequence[Earning], *, findings: bool) -> Iterator[str]:
    yield from markdown_table(
        (
            head,
            *(("speaks on",) if findings else ()),
            *(f"attacks, {part}" for part in PARTS),
            *("honest in the lab: gated, warned", "real copies", "honest real: gated, warned", ""),
        ),
        [
            (
                each.name,
                *((str(each.findings),) if findings else ()),
                *_cells(each.lost),
                IDLE if each.idle else "",
            )
            for each in earnings
        ],
    )


def _cells(lost: Tally) -> tuple[str, ...]:
    return (
        *(str(lost.attacks[part]) for part in PARTS),
        f"{lost.honest_gated}, {lost.honest_warned}",
        str(lost.copies),
        f"{lost.real_gated}, {lost.real_warned}",
    )
