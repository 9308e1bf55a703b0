"""The protocol of all checks, and what most of them note.

A check is a class, made from the `RunEvidence`. Its `look(task)` notes what matters of one task, None if nothing does;
its `conclude(notes)` says what was found, from the notes of all tasks in the order of the file. Tasks may be looked at
in several processes, so `look` depends on the task and on what the run states, and on nothing that it saw before. What
it returns is all that is kept: little, for runs can be large. `noted` is the type of it, which msgspec can send.
"""

import msgspec

from gaia_harness.audit.findings import Finding


class Notes(msgspec.Struct, frozen=True, gc=False):
    """What was found in a task, and how much could not be looked at."""

    task_id: str
    findings: tuple[Finding, ...] = ()
    not_seen: int = 0
