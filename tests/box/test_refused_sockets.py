"""Sockets that are refused by the launcher's filter: who is asked, and what happens where nobody is."""

import asyncio
import io
import json
import os
import platform
import socket
import sys

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
print(json.dumps(said))
"""


async def under_the_filter(*, times: int = 1, answered: bool) -> tuple[list[str], list[str]]:
    """What a program hears that makes sockets under the filter, and what was told of it."""
    ours, theirs = socket.socketpair()
    words = [sys.executable, "-I", "-c", TRY]
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
        asking = RefusedSockets(io.FileIO(listener), told.append)
        said, _ = await program.communicate()
        asking.close()
    else:
        os.close(listener)
        said, _ = await program.communicate()
    ours.close()
    return json.loads(said), told


async def test_each_kind_is_told_once_and_not_without_end():
    said, told = await under_the_filter(answered=True)
    assert said == ["EAFNOSUPPORT", "EPERM", "made", "made", "EAFNOSUPPORT"]
    assert told[:3] == [
        "socket(AF_VSOCK, SOCK_STREAM, 0)",
        "socket(AF_INET, SOCK_RAW, 1)",
        "socket(AF_PACKET, SOCK_RAW, 0)",
    ]
    assert len(told) == len(set(told)) == MOST_KINDS


async def test_when_nobody_answers_any_more_the_kernel_refuses():
    said, _ = await under_the_filter(answered=False)
    assert said == ["ENOSYS", "ENOSYS", "made", "made", "ENOSYS"]


async def test_where_no_listener_can_be_had_the_filter_refuses_and_nobody_hears_of_it():
    """Beneath one listener the kernel gives no second."""
    said, told = await under_the_filter(times=2, answered=True)
    assert said == ["EAFNOSUPPORT", "EPERM", "made", "made", "EAFNOSUPPORT"]
    assert told == []


def test_a_program_with_rights_by_its_file_is_not_put_under_the_filter(tmp_path):
    program = tmp_path / "bwrap"
    program.write_bytes(b"")
    assert sees_sockets(str(program))
    program.chmod(0o4755)
    assert not sees_sockets(str(program))
