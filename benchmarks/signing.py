"""What the log and signing cost. Prints one JSON line."""

import json
import statistics
import tempfile
import time
from pathlib import Path

from gaia_harness.records.events import AttemptStarted
from gaia_harness.run.opening import now
from gaia_harness.signing.checkpoints import Checkpoints
from gaia_harness.signing.log import RunLog
from gaia_harness.signing.merkle import Tree
from gaia_harness.signing.signers import generate_signer, sign_note, verify

TASKS, STEPS = 165, 6600
LATENCY, CONCURRENCY = 2.0, 8
"""A model call of two seconds, eight tasks at once: quicker than real runs are."""


def appended(count: int, *, signed: bool | None) -> float:
    """Log lines per second: without checkpoints, or with one after every third line."""
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as place:
        tree = Tree()
        log = RunLog(Path(place) / "log.jsonl", now, tree=tree)
        signer = generate_signer() if signed else None
        points = Checkpoints(Path(place) / "checkpoints", "bench", tree, signer=signer)
        began = time.perf_counter()
        for number in range(count):
            log.add(AttemptStarted(task_id=f"task-{number}", attempt=1))
            if signed is not None and number % 3 == 2:
                points.now()
        seconds = time.perf_counter() - began
        log.close()
        points.close()
    return count / seconds


def median(work, times: int = 500) -> float:
    taken = []
    for _ in range(times):
        began = time.perf_counter()
        work()
        taken.append(time.perf_counter() - began)
    return statistics.median(taken) * 1000


def main() -> None:
    signer = generate_signer()
    data = b"x" * 500
    signature = signer.sign(data)
    sign_ms = median(lambda: sign_note(signer, "bench", "bench\n1\nAAAA\n"))
    verify_ms = median(lambda: verify(signer.public, signature, data))
    # every task: one checkpoint, one judgment kept and looked up; the run: intent, ledger twice, first and last checkpoint
    signatures, checks = TASKS * 2 + 5, TASKS
    signing_s = (signatures * sign_ms + checks * verify_ms) / 1000
    model_calls = STEPS / 2
    run_s = model_calls * LATENCY / CONCURRENCY
    print(
        json.dumps(
            {
                "log_lines_per_s": appended(600, signed=None),
                "log_lines_per_s_with_checkpoints": appended(600, signed=False),
                "log_lines_per_s_with_signed_checkpoints": appended(600, signed=True),
                "sign_ms": sign_ms,
                "verify_ms": verify_ms,
                "run": {
                    "steps": STEPS,
                    "signatures": signatures,
                    "checks": checks,
                    "signing_s": signing_s,
                    "model_s": run_s,
                    "share": signing_s / run_s,
                },
            }
        )
    )


if __name__ == "__main__":
    main()
