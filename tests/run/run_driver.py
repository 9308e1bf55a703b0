"""A run that a test can end at any moment: `run_driver.py DATASET OUT [KEYS [MOMENT:N]]` starts it, or resumes it.

With a folder for keys it is declared. The moments are those at which what is on disk is not all of one piece: around
the N-th time that the newest head is put on record, around the N-th entry of the ledger, and before the head is taken
away at the end.
"""

import asyncio
import os
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from fakes import request_hash
from gaia_harness.files import temporary_path
from gaia_harness.models.messages import Assistant, Reply, Request, ToolCall, Usage
from gaia_harness.records.config import RunConfig
from gaia_harness.run.folder import RunFolder
from gaia_harness.run.runner import Stop
from gaia_harness.run.session import Session
from gaia_harness.signing import newest_head
from gaia_harness.signing.ledger import Ledger
from gaia_harness.signing.newest_head import NewestHead

CRASHED = 99


class SlowModel:
    """Reads the attachment, thinks a moment, and knows the answer."""

    name = "openai/slow"
    address = "http://127.0.0.1:9/v1"

    async def reply(self, request: Request) -> Reply:
        await asyncio.sleep(0.02)
        room = re.search(r"in room (\d+)\?", request.messages[1].text)[1]
        turn = 1 + sum(isinstance(message, Assistant) for message in request.messages)
        calls = ()
        if turn == 1:
            raw = '{"url": "http://127.0.0.1:9/"}'
            calls = (ToolCall(f"call-{room}", "web_fetch", raw, {"url": "http://127.0.0.1:9/"}),)
        return Reply(
            text="" if calls else f"FINAL ANSWER: {room} lanterns",
            tool_calls=calls,
            usage=Usage(input_tokens=1, output_tokens=1),
            request_sha256=request_hash(request),
        )

    async def aclose(self) -> None:
        pass


class Quiet:
    def finished(self, result, tally) -> None:
        pass

    def waiting(self, running, longest) -> None:
        pass


def crash_at(moment: str, number: int) -> None:
    """Arrange for it."""
    what, _, when = moment.partition("-")
    owner, name = {"head": (NewestHead, "record"), "ledger": (Ledger, "add"), "drop": (NewestHead, "drop")}[what]
    real, calls = getattr(owner, name), []

    def torn(path: Path, data: bytes, **_: object) -> None:
        temporary_path(path).write_bytes(data[:40])
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


def main(dataset: str, out: str, keys: str | None = None, moment: str | None = None) -> None:
    if moment is not None:
        what, _, number = moment.partition(":")
        crash_at(what, int(number))
    config = RunConfig(
        model="openai/slow",
        base_url="http://127.0.0.1:9/v1",
        dataset=dataset,
        concurrency=3 if keys is None else 1,
        search_url="http://127.0.0.1:9",
        evidence_full_bodies=keys is None,
        submit_intent=keys is not None,
    )
    env = {"GAIA_KEYS_DIR": f"{keys}/keys", "GAIA_CACHE_DIR": f"{keys}/cache", "PATH": os.environ["PATH"]}
    session = Session(config, {} if keys is None else env, model=SlowModel())
    if not Path(out, "run.json").exists():
        asyncio.run(session.start(Path(out), Quiet(), Stop()))
        return
    with RunFolder.reopen(Path(out)) as folder:
        asyncio.run(session.resume(folder, folder.read_record(), Quiet(), Stop()))


if __name__ == "__main__":
    main(*sys.argv[1:])
