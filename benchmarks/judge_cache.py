"""What a cached judgment costs beside the bare check of its signature. Prints one JSON line."""

import asyncio
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from workload import questions

from gaia_harness.judge.cache import JudgeCache
from gaia_harness.judge.entry import PAYLOAD_TYPE, JudgeRequest
from gaia_harness.judge.llm import LlmJudge
from gaia_harness.judge.prompt import PROMPT_VERSION
from gaia_harness.judge.verdict import JudgeVerdict
from gaia_harness.models.messages import Reply, Request
from gaia_harness.signing.dsse import pae, read_envelope
from gaia_harness.signing.signers import generate_signer

ENTRIES = 500
ROUNDS = 9
REASON = "The candidate names the same harbour as the reference and adds a year that the question did not ask for."


class NoModel:
    """A judge that must not be asked: everything is in the cache."""

    name = "anthropic/a-judge-of-some-kind"
    address = "https://api.anthropic.com"

    async def reply(self, request: Request) -> Reply:
        raise AssertionError("not cached")

    async def aclose(self) -> None:
        pass


def timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else ENTRIES
    cases = [(task_id, text, text[:60], text[:40]) for task_id, text in questions(count).items()]
    signer = generate_signer()
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as place:
        cache = JudgeCache(Path(place), signer)
        asked = [
            JudgeRequest(
                task_id=task_id,
                question=question,
                answer=answer,
                expected=expected,
                model=NoModel.name,
                address=NoModel.address,
                prompt_version=PROMPT_VERSION,
            )
            for task_id, question, answer, expected in cases
        ]
        keeping = timed(lambda: [cache.put(one, JudgeVerdict(True, REASON)) for one in asked])
        entries = sorted((Path(place) / "judgments").glob("*/*.json"))
        envelopes = [
            read_envelope(msgspec.json.encode(json.loads(entry.read_bytes())["envelope"])) for entry in entries
        ]
        signed = [(envelope.signature, pae(PAYLOAD_TYPE, envelope.payload)) for envelope in envelopes]
        public = Ed25519PublicKey.from_public_bytes(signer.public.raw)
        judge = LlmJudge(NoModel(), cache, on_integrity=lambda kind, detail: sys.exit(detail))

        def bare() -> None:
            for signature, data in signed:
                public.verify(signature, data)

        def lookups() -> None:
            assert all(cache.get(one).state == "hit" for one in asked)

        async def judgments() -> None:
            for case in cases:
                assert (await judge.judge(*case)).cached

        rounds = []
        for _ in range(ROUNDS):  # turn about, so that a busy moment hits all of them
            rounds.append((timed(bare), timed(lookups), timed(lambda: asyncio.run(judgments()))))
    figures = {
        "entries": count,
        "bytes_signed": round(statistics.mean(len(data) for _, data in signed)),
        "verifications_per_s": count / min(round[0] for round in rounds),
        "lookups_per_s": count / min(round[1] for round in rounds),
        "judgments_per_s": count / min(round[2] for round in rounds),
        "lookups_share_of_verification": statistics.median(round[0] / round[1] for round in rounds),
        "judgments_share_of_verification": statistics.median(round[0] / round[2] for round in rounds),
        "kept_per_s": count / keeping,
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
