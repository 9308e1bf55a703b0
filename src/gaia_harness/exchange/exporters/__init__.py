"""One module per format. Each has `NAME`, `FOLDER`, `ENDING` and `write`, as the protocol `Exporter` says."""

from pathlib import Path
from typing import Protocol

from gaia_harness.exchange.export_source import ExportSource


class Exporter(Protocol):
    """Writes one format. `FOLDER`: what it writes is a folder. `ENDING`: how the name of its file must end, or ""."""

    NAME: str
    FOLDER: bool
    ENDING: str

    def write(self, source: ExportSource, out: Path) -> list[str]:
        """Write the tasks of a run to `out`, which is not there yet; gives sentences on what was left out."""
        ...
