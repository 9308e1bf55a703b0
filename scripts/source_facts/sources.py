"""The program's own source files, as the two searches read them."""

import ast
from pathlib import Path

import msgspec

from gaia_harness.audit.reaching.code import parsed
from gaia_harness.signing.intent import source_files


class Module(msgspec.Struct, frozen=True):
    """One source file: its path within the package, and its bytes."""

    path: str
    data: bytes

    @property
    def package(self) -> str:
        """The part of the program that it belongs to, such as `agent`."""
        return self.path.partition("/")[0] if "/" in self.path else ""

    @property
    def text(self) -> str:
        """What stands in it."""
        return self.data.decode("utf-8", "replace")

    def tree(self) -> ast.Module | None:
        """Its syntax tree; None where it cannot be read."""
        return parsed(self.text)[0]

    def offset(self, line: int) -> int:
        """Where a line, from 1, begins, in bytes."""
        return len(b"".join(self.data.splitlines(keepends=True)[: line - 1]))

    def line(self, line: int) -> str:
        """What stands in a line, from 1."""
        return self.text.split("\n")[line - 1].strip()


def read_modules(root: Path) -> list[Module]:
    """The modules of the package in this folder, sorted by path."""
    return [Module(path, data) for path, data in source_files(root)]
