"""One module per format. Each has `NAME`, `detect` and `read`, as the protocol `Importer` says."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol

from gaia_harness.exchange.inputs import ImportRefused, InputFile
from gaia_harness.exchange.neutral import NeutralRun


class OnFault(Protocol):
    """Told of a task-run that cannot be read: raises the error, or counts it and goes on (`--keep-going`)."""

    def __call__(self, error: ImportRefused) -> None: ...


class Importer(Protocol):
    """Reads one format."""

    NAME: str

    def inputs(self, path: Path) -> Sequence[InputFile]:
        """The files of this format that `path`, a file or a folder, stands for; none where it has none."""
        ...

    def detect(self, file: InputFile) -> bool:
        """Whether the file looks like this format, by its head alone. Never raises."""
        ...

    def read(self, file: InputFile, on_fault: OnFault) -> Iterator[NeutralRun]:
        """The task-runs of the file, one at a time."""
        ...
