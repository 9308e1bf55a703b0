"""What each rule of the audit means, why it is a sign, and what honest work can look like it.

One TOML file for each check, beside this module: `rules/aud-1.toml` and so on, keyed by the name of the rule.
"""

import tomllib
from pathlib import Path
from typing import Annotated

import msgspec

from gaia_harness.audit.findings import Severity
from gaia_harness.errors import GaiaError

RULES = Path(__file__).with_name("rules")

Sentence = Annotated[str, msgspec.Meta(min_length=10)]


class Explanation(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is said of a rule."""

    severities: Annotated[tuple[Severity, ...], msgspec.Meta(min_length=1)]
    means: Sentence
    sign: Sentence
    honest: Sentence


class Rule(msgspec.Struct, frozen=True):
    """A rule of one check. Two checks may have a rule of the same name."""

    check: str
    name: str
    said: Explanation


def read_rules(folder: Path = RULES) -> tuple[Rule, ...]:
    """All rules, by check and in the order of their files."""
    rules: list[Rule] = []
    for number, path in sorted((int(path.stem.removeprefix("aud-")), path) for path in folder.glob("aud-*.toml")):
        try:
            explained = msgspec.convert(tomllib.loads(path.read_text("utf-8")), dict[str, Explanation])
        except (OSError, ValueError, msgspec.ValidationError) as error:  # ValueError: no TOML, or no UTF-8
            raise GaiaError(f"{path}: not the rules of a check: {error}", hint="install gaia-harness anew") from error
        rules += [Rule(f"AUD-{number}", name, said) for name, said in explained.items()]
    return tuple(rules)
