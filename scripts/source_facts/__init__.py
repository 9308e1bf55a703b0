"""What AUD-8 and AUD-9 say of the program's own sources, found when a version is made and not at every audit."""

from pathlib import Path

import msgspec

from gaia_harness.audit.findings import Findings
from gaia_harness.audit.source_facts import FILE_NAME, SourceFacts, read_facts
from gaia_harness.signing.intent import files_sha256
from scripts.source_facts.answer_reads import reads_of_answers
from scripts.source_facts.sources import Module, read_modules
from scripts.source_facts.text_as_code import runs_of_text

SOURCE = Path(__file__).parents[2] / "src" / "gaia_harness"


def facts_of(modules: list[Module]) -> SourceFacts:
    """The facts of these sources."""
    answer_reads, text_as_code = Findings(), Findings()
    for module in modules:
        if not module.path.endswith(".py"):
            continue  # a table: it is part of the hash
        for finding in reads_of_answers(module):
            answer_reads.add(finding)
        for finding in runs_of_text(module):
            text_as_code.add(finding)
    return SourceFacts(
        source_sha256=hash_of(modules),
        answer_reads=answer_reads.sorted(),
        text_as_code=text_as_code.sorted(),
    )


def hash_of(modules: list[Module]) -> str:
    """The hash by which an intent names these sources."""
    return files_sha256((module.path, module.data) for module in modules)


def encoded(facts: SourceFacts) -> bytes:
    """What the file of these facts must be."""
    return msgspec.json.format(msgspec.json.encode(facts), indent=2) + b"\n"


def encoded_facts(source: Path = SOURCE) -> bytes:
    """What the file of facts in this package must be."""
    return encoded(facts_of(read_modules(source)))


def is_current(source: Path = SOURCE) -> bool:
    """Whether the file is there and is of the sources as they are."""
    file, modules = source / "audit" / FILE_NAME, read_modules(source)
    facts = read_facts(file)
    if facts is None or facts.source_sha256 != hash_of(modules):
        return False  # without the search, which takes seconds
    return file.read_bytes() == encoded(facts_of(modules))


def write(source: Path = SOURCE) -> None:
    """Make the file anew."""
    (source / "audit" / FILE_NAME).write_bytes(encoded_facts(source))
