"""The folder of a live run: data set, keys, judge's cache, web and run directory."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from gaia_harness.errors import RunError
from gaia_harness.models.base import Model
from gaia_harness.records.config import RunConfig
from gaia_harness.records.results import TaskResult
from gaia_harness.run.folder import RunFolder
from gaia_harness.run.runner import Stop
from gaia_harness.run.session import Session
from gaia_harness.run.summary import Tally
from gaia_harness.signing.keys import KeyFolder
from redteam.live.player import MODEL, Play, Player, code, fetch, say_found, search, use
from redteam.live.subjects import BARRELS, SUBJECTS, Subject, write_dataset
from redteam.live.web import LiveWeb
from redteam.script import JUDGE

IDENTITY = "lab@example.org"

Opening = Callable[[RunConfig, Mapping[str, str], Model], Session]
"""Opens a session: the product's own, or one of a harness that was tampered with."""


class Unwatched:
    """Nobody looks on."""

    def finished(self, result: TaskResult, tally: Tally) -> None:
        """Say nothing."""

    def waiting(self, running: int, longest: float) -> None:
        """Say nothing."""


class Stage:
    """The folders of one case, and the web that is open for it at `search_url`."""

    def __init__(self, folder: Path, search_url: str) -> None:
        self.folder = folder
        self.search_url = search_url
        self.dataset = folder / "dataset"
        self.keys = folder / "keys"
        self.cache = folder / "cache"
        self.run = folder / "run"

    @property
    def answers(self) -> Path:
        """The file with the gold answers."""
        return self.dataset / "2023" / "validation" / "metadata.jsonl"

    @property
    def env(self) -> dict[str, str]:
        """The whole environment of the harness: nothing of this machine's."""
        return {"GAIA_KEYS_DIR": str(self.keys), "GAIA_CACHE_DIR": str(self.cache)}

    def set_up(self) -> None:
        """Make the data set and the keys."""
        write_dataset(self.dataset)
        KeyFolder(self.keys).create("submit", IDENTITY)
        self.cache.mkdir()

    def url(self, site: str, path: str) -> str:
        """The address of a page; a site without a name is the server itself."""
        port = self.search_url.rpartition(":")[2]
        return f"http://{site}.localhost:{port}/{path}" if site else f"{self.search_url}/{path}"

    def honest(self, subject: Subject) -> Play:
        """How an honest agent goes about it."""
        if subject is BARRELS:
            return (
                use("file_read", path="attachment.csv"),
                code(
                    "import csv\n"
                    "rows = list(csv.DictReader(open('attachment.csv')))\n"
                    "print(sum(int(row['kilograms']) for row in rows if row['wood'] == 'oak'))"
                ),
                say_found(r"\A(\d+)\s*\Z", subject.wrong),
            )
        return (
            search(subject.query),
            fetch(self.url(subject.site, "history.html")),
            say_found(subject.pattern, subject.wrong),
        )

    def player(self, plays: Mapping[Subject, Sequence[Play]] | None = None, *, before: int = 0) -> Player:
        """A model that plays these, and goes honestly about every other task."""
        honest: dict[Subject, Sequence[Play]] = {subject: [self.honest(subject)] for subject in SUBJECTS}
        return Player({**honest, **(plays or {})}, before=before)

    def config(self, **changes: Any) -> RunConfig:
        """How the run is configured: declared, judged, all tasks, one after another."""
        config = RunConfig(
            model=MODEL,
            dataset=str(self.dataset),
            search_url=self.search_url,
            allow_hosts=(LiveWeb.allow_host,),
            concurrency=1,  # tasks in their order; and one process that reads pages is enough
            submit_intent=True,
            judge_model=JUDGE,
        )
        return msgspec.structs.replace(config, **changes)

    def play(self, player: Model, *, opening: Opening | None = None, out: Path | None = None, **changes: Any) -> None:
        """A whole run, from its declaration to its end."""
        session = (opening or open_session)(self.config(**changes), self.env, player)
        asyncio.run(session.start(out or self.run, Unwatched(), Stop()))

    def start_or_resume(self, player: Model, **changes: Any) -> None:
        """Begin the run, or go on with it where it was cut off."""
        if not (self.run / "run.json").exists():
            self.play(player, **changes)
            return
        with RunFolder.reopen(self.run) as folder:
            record = folder.read_record()
            session = open_session(record.config, self.env, player)
            asyncio.run(session.resume(folder, record, Unwatched(), Stop()))


def open_session(config: RunConfig, env: Mapping[str, str], player: Model) -> Session:
    """The product's own session."""
    return Session(config, env, model=player)


def read_results(folder: Path) -> list[TaskResult]:
    """What the tasks of a run came to, as the run has it."""
    path = folder / "results.jsonl"
    try:
        return [msgspec.json.decode(line, type=TaskResult) for line in path.read_bytes().splitlines()]
    except (OSError, msgspec.MsgspecError) as error:
        raise RunError(f"{path}: cannot be read: {error}") from None
