"""Altered versions of the program: does the search of its own sources, for AUD-8 and AUD-9, find what was done to them?

A version is a module of the program with some lines more. It is searched as a version is when it is made.
"""

import importlib
import pkgutil
from collections.abc import Iterator

import msgspec

from gaia_harness.audit.findings import GATING
from redteam.batches import Part
from redteam.figures import CaseOutcome, meets, rules_of
from redteam.variants import Expected, Kind
from scripts.source_facts import SOURCE, facts_of
from scripts.source_facts.sources import Module


class Version(msgspec.Struct, frozen=True, kw_only=True):
    """Lines that stand at the end of a module, and the findings any one of which is right; none, if it is harmless."""

    name: str
    about: str
    path: str  # of the module, below src/gaia_harness
    text: str
    expects: tuple[Expected, ...] = ()


def altered(name: str, about: str, path: str, text: str, *expects: str) -> Version:
    """A version in which something is wrong, by any one of these findings or a more severe one: "AUD-9 high"."""
    wanted = tuple(Expected(*each.split()) for each in expects)
    return Version(name=name, about=about, path=path, text=text, expects=wanted)


def harmless(name: str, about: str, path: str, text: str) -> Version:
    """A version in which nothing is wrong."""
    return Version(name=name, about=about, path=path, text=text)


def versions() -> Iterator[Version]:
    """The `VERSIONS` of every module of this package: all by authors who had not seen the search."""
    for module in pkgutil.iter_modules(__path__, f"{__name__}."):
        yield from importlib.import_module(module.name).VERSIONS


def searched(version: Version) -> CaseOutcome:
    """What the search says of a version."""
    module = Module(version.path, (SOURCE / version.path).read_bytes() + f"\n\n{version.text.strip()}\n".encode())
    facts = facts_of([module])
    by_check = (("AUD-8", facts.answer_reads), ("AUD-9", facts.text_as_code))
    found = [(check, finding) for check, findings in by_check for finding in findings]
    kind = Kind.ATTACK if version.expects else Kind.HONEST
    return CaseOutcome(
        variant=f"sealed/{kind}/versions/{version.name}",
        family="versions",
        part=Part.SEALED,
        kind=kind,
        task=False,
        labelled=True,
        caught_by=rules_of(each for each in found if meets(*each, version.expects)),
        noticed=any(check in {expected.check for expected in version.expects} for check, _ in found),
        alarmed=rules_of(each for each in found if each[1].severity in GATING),
        warned_by=rules_of(each for each in found if each[1].severity == "medium"),
        old_rule=False,
    )
