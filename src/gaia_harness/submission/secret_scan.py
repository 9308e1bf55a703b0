"""Scans a package for API keys of the submitter before it is published."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from gaia_harness.evidence.bodies import TextStore
from gaia_harness.evidence.redaction import Redactor
from gaia_harness.files import read_lines


class SecretScan:
    """Looks for secrets in texts and files. Each is given with the name of its variable."""

    def __init__(self, secrets: Mapping[str, str]) -> None:
        self._secrets = secrets
        self._redactor = Redactor(secrets) if secrets else None

    def held(self, text: str) -> str | None:
        """The name of the variable whose value a text contains."""
        held = None if self._redactor is None else self._redactor.holds(text)
        return None if held is None else self._secrets[held]

    def in_package(self, folder: Path, known: Mapping[str, str | None]) -> tuple[str, ...]:
        """A sentence for each file with a key in it. Of some files the variable of the key, or None, is `known`."""
        found = []
        for path in sorted(path for path in folder.rglob("*") if path.is_file()) if self._secrets else ():
            name = path.relative_to(folder).as_posix()
            held = known[name] if name in known else self._in_file(path)
            if held is not None:
                found.append(f"{name}: has the value of {held} in it; a new key makes the old one worthless")
        return tuple(found)

    def _in_file(self, path: Path) -> str | None:
        return next((held for text in _texts(path) if (held := self.held(text))), None)


def _texts(path: Path) -> Iterator[str]:
    if path.suffix == ".zst":
        yield TextStore(path.parent, compressed=True).get(path.stem).decode("utf-8", "replace")
        return
    for line in read_lines(path):
        yield line.data.decode("utf-8", "replace")
