"""Writes the table of all rules of the audit into docs/audit.md: `python -m scripts.rule_table`."""

from pathlib import Path

from gaia_harness.audit.explanations import read_rules

PAGE = Path(__file__).parents[1] / "docs" / "audit.md"
BEGIN, END = "<!-- rules: begin -->", "<!-- rules: end -->"


def table() -> str:
    """One row for each check: its rules with their severities, by their first letters."""
    rows: dict[str, list[str]] = {}
    for rule in read_rules():
        letters = "".join(severity[0].upper() for severity in rule.said.severities)
        rows.setdefault(rule.check, []).append(f"`{rule.name}` {letters}")
    lines = ["| check | rules |", "|---|---|", *(f"| {check} | {', '.join(rules)} |" for check, rules in rows.items())]
    return "\n".join(lines) + "\n"


def put_into(page: str) -> str:
    """The page with the table between its marks."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{table()}{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(put_into(PAGE.read_text("utf-8")), "utf-8")
