"""A run that a test can kill at any moment: `crash_driver.py DATASET OUT` starts it, or resumes what is there."""

import asyncio
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from fakes import request_hash
from gaia_harness.models.messages import Assistant, Reply, Request, ToolCall, Usage
from gaia_harness.records.config import RunConfig
from gaia_harness.run.folder import RunFolder
from gaia_harness.run.runner import Stop
from gaia_harness.run.session import Session


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


def main() -> None:
    dataset, out = sys.argv[1], Path(sys.argv[2])
    config = RunConfig(
        model="openai/slow",
        base_url="http://127.0.0.1:9/v1",
        dataset=dataset,
        concurrency=3,
        search_url="http://127.0.0.1:9",
        evidence_full_bodies=True,
    )
    session = Session(config, {}, model=SlowModel())
    if not (out / "run.json").exists():
        asyncio.run(session.start(out, Quiet(), Stop()))
        return
    with RunFolder.reopen(out) as folder:
        asyncio.run(session.resume(folder, folder.read_record(), Quiet(), Stop()))


if __name__ == "__main__":
    main()
