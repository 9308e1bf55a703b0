"""What a user of Inspect asks of the recording, by environment variables: GAIA_INSPECT_… (docs/inspect.md)."""

from collections.abc import Mapping
from pathlib import Path
from typing import cast, get_args

import msgspec

from gaia_harness.errors import UsageError
from gaia_harness.protocol import ToolRole
from gaia_harness.run.declaring import Declaration
from gaia_harness.run.opening import now
from gaia_harness.tasks.loading import LoadedTasks, load_tasks

PREFIX = "GAIA_INSPECT_"
SWITCH = "GAIA_INSPECT_DATASET"
NAMES = (SWITCH, "GAIA_INSPECT_SPLIT", "GAIA_INSPECT_OUT", "GAIA_INSPECT_DECLARE", "GAIA_INSPECT_TOOLS")


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """`out` is the run folder, or None for one beside the log. `tools` has the roles of tools of other packages."""

    loaded: LoadedTasks
    out: Path | None
    declare: bool
    tools: dict[str, ToolRole]
    env: dict[str, str]


def open_settings(environment: Mapping[str, str]) -> Settings:
    """Read and try everything that can be tried before an eval begins; a GaiaError says what is wrong."""
    env = dict(environment)
    for name in env:
        if name.startswith(PREFIX) and name not in NAMES:
            raise UsageError(f"there is no variable {name[:60]}", hint=f"there are {', '.join(NAMES)}")
    declare = env.get("GAIA_INSPECT_DECLARE", "").strip()
    if declare not in ("", "0", "1"):
        raise UsageError(f"GAIA_INSPECT_DECLARE is {declare[:40]!a}", hint="write 1 to declare the run, or 0")
    out = Path(env["GAIA_INSPECT_OUT"]) if env.get("GAIA_INSPECT_OUT") else None
    if out is not None and not (out / "run.json").is_file() and out.exists() and (out.is_file() or any(out.iterdir())):
        raise UsageError(
            f"GAIA_INSPECT_OUT: {out} is not empty, and no run was begun there",
            hint="name a new folder, or that of a run which is to go on",
        )
    settings = Settings(
        loaded=load_tasks(env[SWITCH], split=env.get("GAIA_INSPECT_SPLIT") or "validation", env=env),
        out=out,
        declare=declare == "1",
        tools=_roles(env.get("GAIA_INSPECT_TOOLS", "")),
        env=env,
    )
    if settings.declare:
        Declaration.open(env, now, None)  # there must be a key, and it must open without asking
    return settings


def _roles(text: str) -> dict[str, ToolRole]:
    roles: dict[str, ToolRole] = {}
    for part in filter(None, map(str.strip, text.split(","))):
        name, found, role = (piece.strip() for piece in part.partition("="))
        if not name or not found or role not in get_args(ToolRole):
            raise UsageError(
                f"GAIA_INSPECT_TOOLS: {part[:60]!a} is not a tool with its role",
                hint=f"write name=role,name=role with the roles {', '.join(get_args(ToolRole))}",
            )
        roles[name] = cast(ToolRole, role)
    return roles
