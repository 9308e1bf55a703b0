"""Abandons a run: it is closed as aborted, and stays in its signer's ledger."""

from collections.abc import Mapping

import msgspec

from gaia_harness.errors import RunError, UsageError
from gaia_harness.records.events import RunClosed
from gaia_harness.records.summary import Summary
from gaia_harness.run.declaring import Declaration
from gaia_harness.run.disk_reserve import give_back
from gaia_harness.run.folder import RunFolder
from gaia_harness.run.opening import now, origin
from gaia_harness.run.resume import load_resume_state
from gaia_harness.signing.checkpoints import Checkpoints
from gaia_harness.signing.keys import Ask
from gaia_harness.signing.log import RunLog

REASON = "the run was abandoned"


def abandon(folder: RunFolder, env: Mapping[str, str], *, ask: Ask | None = None) -> None:
    """Close the run in this folder as aborted."""
    record = folder.read_record()
    if record.state in ("closed", "aborted"):
        raise UsageError(f"{folder.path}: this run is {record.state} already")
    declaration = Declaration.open(env, now, ask) if record.config.submit_intent else None
    signer = None if declaration is None else declaration.signer
    state = load_resume_state(folder.path, origin(record), key=None if signer is None else signer.public)
    if state.closed == "complete":
        raise RunError(f"{folder.path}: every task of this run is done", hint="finish it with --resume")
    if state.closed is None and state.tree.size:
        log = RunLog(folder.path / "log.jsonl", now, tree=state.tree)
        checkpoints = Checkpoints(folder.path / "checkpoints", origin(record), state.tree, signer=signer)
        try:
            log.add(
                RunClosed(
                    status="aborted",
                    tasks=len(record.dataset.task_ids),
                    finished=len(state.results),
                    attempts=state.attempts.total(),
                    submittable=False,
                )
            )
            checkpoints.now()
        finally:
            log.close()
            checkpoints.close()
    if declaration is not None:
        declaration.close(record.run_id, "aborted", state.tree)
    give_back(folder.path)
    path = folder.path / "summary.json"
    folder.write_record(msgspec.structs.replace(record, state="aborted", finished_at=now()))
    if not path.exists():
        return
    try:
        summary = msgspec.json.decode(path.read_bytes(), type=Summary)
    except (OSError, msgspec.MsgspecError) as error:
        raise RunError(f"{path}: not a summary: {error}") from error
    folder.write_summary(msgspec.structs.replace(summary, submittable=False, non_submittable_reasons=(REASON,)))
