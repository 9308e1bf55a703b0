"""Is a key of the submitter in what is about to be published? A last look, whoever wrote the run."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from gaia_harness.evidence.bodies import TextStore
from gaia_harness.evidence.redaction import Redactor
from gaia_harness.files import read_lines


def leaks_in(folder: Path, secrets: Mapping[str, str]) -> tuple[str, ...]:
    """A sentence for each file of a package that has one of these keys in it; the key is named by its variable."""
    if not secrets:
        return ()
    redactor = Redactor(secrets)
    found = []
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        held = next((held for text in _texts(path) if (held := redactor.holds(text))), None)
        if held is not None:
            name = path.relative_to(folder)
            found.append(f"{name}: has the value of {secrets[held]} in it; a new key makes the old one worthless")
    return tuple(found)


def _texts(path: Path) -> Iterator[str]:
    if path.suffix == ".zst":
        yield TextStore(path.parent, compressed=True).get(path.stem).decode("utf-8", "replace")
        return
    for line in read_lines(path):
        yield line.data.decode("utf-8", "replace")
