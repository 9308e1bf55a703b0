"""The origin of a run that is recorded live: by whom, with which tools, and what it cannot know."""

import os
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from gaia_harness.disclosure import disclosed_options
from gaia_harness.errors import UsageError
from gaia_harness.protocol import ToolRole
from gaia_harness.records.origin import Origin, Unknown

LONGEST_NAME = 1000
"""Characters of a model's or program's name."""

LARGEST_ORIGIN = 16 << 20
"""Bytes of all that is said of an origin: it stands in run.json, intent, metadata and attestation."""


def live(
    recorded_by: str,
    *,
    tools: Mapping[str, ToolRole] | None = None,
    unknown: Iterable[Unknown] = (),
    workdir: str | None = None,
    attachments: Iterable[str] = (),
    options: Mapping[str, Any] | None = None,
) -> Origin:
    """The origin of a run that is recorded while it happens, by the program `recorded_by` ("acme-loop 1.2").

    `tools` gives the role of each tool by its name. `workdir` is the folder that the agent works in, `attachments` are
    the names under which it has the tasks' files there. `options` are settings that you want to disclose.
    `unknown` names what the program cannot know: the audit then says so, and does not take it for a sign of fraud.
    """
    for name, given in (("unknown", unknown), ("attachments", attachments)):
        if isinstance(given, str):
            raise UsageError(f"{name} is one text", hint=f"give a list, as in {name}=[{given[:80]!r}]")
    try:
        return checked_origin(
            Origin(
                kind="live",
                recorded_by=recorded_by.strip() if isinstance(recorded_by, str) else recorded_by,
                tools=dict(tools or {}),
                unknown=tuple(dict.fromkeys(unknown)),
                workdir=msgspec.UNSET if workdir is None else os.fspath(workdir),
                attachments=tuple(map(os.fspath, attachments)) or msgspec.UNSET,
                options=msgspec.UNSET if options is None else _plain(options),
            )
        )
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(f"not what an origin is made of: {error}", hint="see docs/recording.md") from error


def checked_origin(origin: Origin) -> Origin:
    """The same origin, if each part is what it must be, as it is read again."""
    if not is_line(origin.recorded_by):
        raise UsageError(
            "an origin needs the name of the program that records, in one line", hint='as in live("acme-loop 1.2")'
        )
    try:
        data = msgspec.json.encode(origin)
        checked = msgspec.json.decode(data, type=Origin)
    except (msgspec.MsgspecError, TypeError, ValueError, RecursionError) as error:
        raise UsageError(f"not what an origin is made of: {error}", hint="see docs/recording.md") from error
    if len(data) > LARGEST_ORIGIN:
        raise UsageError(f"an origin of {len(data)} bytes, and it may have {LARGEST_ORIGIN}")
    return checked


def is_line(text: object) -> bool:
    """Whether it is a text of one line that can be shown."""
    return isinstance(text, str) and bool(text.strip()) and text.isprintable() and len(text) <= LONGEST_NAME


def _plain(options: Mapping[str, Any]) -> dict[str, Any]:
    """Settings as they can be signed: JSON without floats."""
    return disclosed_options({"stated": dict(options)})["stated"]  # type: ignore[no-any-return]
