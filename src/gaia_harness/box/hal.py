"""Runs an agent that was made for HAL, as it is. It is run in the box, on its own, by the agent's own Python.

HAL's contract: `run(input: {task_id: record}, **kwargs) -> {task_id: answer}`. It may import nothing but the standard
library. Its one argument names the function, as in `main.run`. Keyword arguments are `model_name`, `benchmark_name`
and whatever stands in the variable HAL_ARGUMENTS, a JSON object. The task has a neutral id and none of the
annotator's metadata. As with HAL, the agent works in a copy of its folder, in which its task's file lies as well.
"""

import importlib
import inspect
import json
import os
import shutil
import sys

TASK_ID = "task"


def main(function: str) -> None:
    """Put the task to the agent, and leave its answer where it is looked for."""
    task = json.loads(os.environ["GAIA_TASK"])
    record = {"task_id": TASK_ID, "Question": task["question"], "question": task["question"], "Level": "", "files": {}}
    record["file_name"] = ""
    here = os.environ.get("GAIA_AGENT", os.getcwd())  # noqa: PTH109
    work = os.environ.get("TMPDIR", "/tmp") + "/work"  # noqa: S108 - agents for HAL write into their own folder
    shutil.copytree(here, work, symlinks=True, ignore=shutil.ignore_patterns(".venv", "venv", "node_modules", ".git"))
    os.chdir(work)
    if task["attachment"] is not None:
        name = os.path.basename(task["attachment"])  # noqa: PTH119
        record["file_name"], record["file_path"], record["files"] = name, name, {name: name}
        shutil.copy(task["attachment"], name)
    sys.path.insert(0, work)
    module, _, name = function.rpartition(".")
    run = getattr(importlib.import_module(module), name)
    arguments = {"model_name": task["model"], "benchmark_name": "gaia"}
    arguments.update(json.loads(os.environ.get("HAL_ARGUMENTS") or "{}"))
    result = run({TASK_ID: record}, **arguments)
    if inspect.isawaitable(result):
        import asyncio

        async def wait() -> object:
            return await result

        result = asyncio.run(wait())
    answer = result[TASK_ID] if isinstance(result, dict) and TASK_ID in result else result
    if isinstance(answer, dict):
        answer = next(
            (answer[key] for key in ("answer", "final_answer", "response", "raw_response") if key in answer), answer
        )
    with open(os.environ["GAIA_ANSWER"], "w", encoding="utf-8") as file:  # noqa: PTH123
        file.write(str(answer))


if __name__ == "__main__":
    main(sys.argv[1])
