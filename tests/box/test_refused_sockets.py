"""Sockets that are refused by the launcher's filter: who is asked, and what happens where nobody is."""

import asyncio
import io
import json
import os
import platform
import socket
import sys
import time
from collections.abc import Callable

import pytest

from gaia_harness.box.doors import launched, sees_sockets
from gaia_harness.box.refused_sockets import MOST_KINDS, RefusedSockets

pytestmark = pytest.mark.skipif(
    platform.machine() not in ("x86_64", "aarch64"), reason="no filter for this kind of machine"
)

TRY = """
import errno, json, socket, sys
def made(family, kind=socket.SOCK_STREAM, protocol=0):
    try:
        socket.socket(family, kind, protocol).close()
        return "made"
    except OSError as error:
        return errno.errorcode[error.errno]
said = [made(socket.AF_VSOCK), made(socket.AF_INET, socket.SOCK_RAW, 1), made(socket.AF_INET), made(socket.AF_UNIX)]
said += sorted({made(socket.AF_PACKET, 3, number) for number in range(300)})
said += [made(socket.AF_ALG, socket.SOCK_SEQPACKET), made(12345)]
print(json.dumps(said))
"""


async def under_the_filter(
    *, times: int = 1, answered: bool, script: str = TRY, meanwhile: Callable[[], None] = lambda: None
) -> tuple[list[str], list[str]]:
    """What a program hears that makes sockets under the filter, and what was told of it."""
    ours, theirs = socket.socketpair()
    words = [sys.executable, "-I", "-c", script]
    for _ in range(times):
        words = launched(words, theirs.fileno(), (), root=True, network=False)
    program = await asyncio.create_subprocess_exec(
        *words, pass_fds=[theirs.fileno()], stdout=asyncio.subprocess.PIPE, cwd="/"
    )
    theirs.close()
    ours.settimeout(60)
    message, (listener,), _, _ = socket.recv_fds(ours, 16, 1)
    assert message == b"calls"
    told: list[str] = []
    if answered:

        def tell(kind: str) -> None:
            told.append(kind)
            meanwhile()

        asking = RefusedSockets(io.FileIO(listener), tell)
        said, _ = await program.communicate()
        asking.close()
    else:
        os.close(listener)
        said, _ = await program.communicate()
    ours.close()
    return json.loads(said or "[]"), told


async def test_each_kind_is_told_once_and_not_without_end():
    said, told = await under_the_filter(answered=True)
    assert said == ["EAFNOSUPPORT", "EPERM", "made", "made", *["EAFNOSUPPORT"] * 3]
    assert told[:3] == [
        "socket(AF_VSOCK, SOCK_STREAM, 0)",
        "socket(AF_INET, SOCK_RAW, 1)",
        "socket(AF_PACKET, SOCK_RAW, 0)",
    ]
    assert told[-1] == "socket(AF_ALG, SOCK_SEQPACKET, 0)"  # noise of another family does not hide it
    assert len(told) == len(set(told)) == MOST_KINDS + 1


async def test_a_call_is_told_before_it_is_answered(tmp_path):
    """Or one whose program is killed meanwhile would not be on record."""
    mark, seen = tmp_path / "mark", []
    script = TRY.replace("said = [", f"made(socket.AF_TIPC); open({str(mark)!r}, 'w'); said = [")

    def meanwhile() -> None:
        if not seen:
            time.sleep(0.3)
            seen.append(mark.exists())

    _, told = await under_the_filter(answered=True, script=script, meanwhile=meanwhile)
    assert told[0] == "socket(AF_TIPC, SOCK_STREAM, 0)" and seen == [False] and mark.exists()


async def test_when_nobody_answers_any_more_the_kernel_refuses():
    said, _ = await under_the_filter(answered=False)
    assert said == ["ENOSYS", "ENOSYS", "made", "made", *["ENOSYS"] * 3]


async def test_where_no_listener_can_be_had_the_filter_refuses_and_nobody_hears_of_it():
    """Beneath one listener the kernel gives no second."""
    said, told = await under_the_filter(times=2, answered=True)
    assert said == ["EAFNOSUPPORT", "EPERM", "made", "made", *["EAFNOSUPPORT"] * 3]
    assert told == []


def test_a_program_with_rights_by_its_file_is_not_put_under_the_filter(tmp_path):
    program = tmp_path / "bwrap"
    program.write_bytes(b"")
    assert sees_sockets(str(program))
    program.chmod(0o4755)
    assert not sees_sockets(str(program))
