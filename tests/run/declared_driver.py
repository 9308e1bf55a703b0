"""A declared run that ends its own process at a chosen moment: `declared_driver.py DATASET OUT KEYS [MOMENT:N]`.

The moments are those at which what is on disk is not all of one piece: around the N-th time that the newest head is put
on record, around the N-th entry of the ledger, and before the head is taken away at the end.
"""

import asyncio
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from crash_driver import Quiet, SlowModel

from gaia_harness.files import unfinished
from gaia_harness.records.config import RunConfig
from gaia_harness.run.folder import RunFolder
from gaia_harness.run.runner import Stop
from gaia_harness.run.session import Session
from gaia_harness.signing import newest_head
from gaia_harness.signing.ledger import Ledger
from gaia_harness.signing.newest_head import NewestHead

CRASHED = 99


def crash_at(moment: str, number: int) -> None:
    """Arrange for it."""
    what, _, when = moment.partition("-")
    owner, name = {"head": (NewestHead, "record"), "ledger": (Ledger, "add"), "drop": (NewestHead, "drop")}[what]
    real, calls = getattr(owner, name), []

    def torn(path: Path, data: bytes, **_: object) -> None:
        unfinished(path).write_bytes(data[:40])
        os._exit(CRASHED)

    def counted(self, *args):
        calls.append(name)
        if len(calls) < number:
            return real(self, *args)
        if when == "before":
            os._exit(CRASHED)
        if when == "within":
            newest_head.write_atomic = torn
        real(self, *args)
        os._exit(CRASHED)

    setattr(owner, name, counted)


def main() -> None:
    dataset, out, place = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
    if len(sys.argv) > 4:
        moment, _, number = sys.argv[4].partition(":")
        crash_at(moment, int(number))
    config = RunConfig(
        model="openai/slow",
        base_url="http://127.0.0.1:9/v1",
        dataset=dataset,
        concurrency=1,
        search_url="http://127.0.0.1:9",
        submit_intent=True,
    )
    env = {"GAIA_KEYS_DIR": f"{place}/keys", "GAIA_CACHE_DIR": f"{place}/cache", "PATH": os.environ["PATH"]}
    session = Session(config, env, model=SlowModel())
    if not (out / "run.json").exists():
        asyncio.run(session.start(out, Quiet(), Stop()))
        return
    with RunFolder.reopen(out) as folder:
        asyncio.run(session.resume(folder, folder.read_record(), Quiet(), Stop()))


if __name__ == "__main__":
    main()
