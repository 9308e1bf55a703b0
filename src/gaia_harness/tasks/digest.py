"""The digest of a task list: one hash that anyone with the data set can recompute.

The digest is the SHA-256, in lower-case hex, of the RFC 8785 canonical JSON (UTF-8, no line end) of one array
with one object per selected task, in the order of the data set:

    {"attachment_sha256": H, "level": L, "question": Q, "task_id": I}

`I` and `Q` are the strings of the columns `task_id` and `Question`, unchanged. `L` is the level as a number:
1, 2 or 3. `H` is the SHA-256 of the attachment's bytes in lower-case hex, or null for a task without one.
Nothing else is in it: no answer, no file name, no path, no revision.
"""

import hashlib
from collections.abc import Sequence
from pathlib import Path

import rfc8785

from gaia_harness.errors import DatasetError
from gaia_harness.tasks.task import Task


def digest_tasks(tasks: Sequence[Task]) -> str:
    """The digest of exactly these tasks in this order, as the module says."""
    listed = [
        {
            "task_id": task.task_id,
            "question": task.question,
            "level": task.level,
            "attachment_sha256": _file_sha256(task.attachment) if task.attachment else None,
        }
        for task in tasks
    ]
    return hashlib.sha256(rfc8785.dumps(listed)).hexdigest()


def _file_sha256(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise DatasetError(f"{path}: cannot be read: {error.strerror}") from None
