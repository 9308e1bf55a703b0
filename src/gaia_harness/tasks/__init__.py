"""Tasks. The answer key is in `tasks.answers` and is not exported here on purpose."""

from gaia_harness.tasks.task import Task

__all__ = ["Task"]
