"""Which sockets can sandboxed code make? Of four families, by no way round."""

import asyncio
import itertools
import platform
import struct

import pytest

from gaia_harness.tools.python import PythonTool
from gaia_harness.tools.sandbox import Sandbox, find_sandbox
from gaia_harness.tools.seccomp import seccomp_filter, socket_filter

ALLOW, FAMILIES = 0x7FFF0000, range(-1, 80)
NETLINK = 16
ARCHES = {"x86_64": (0xC000003E, 41, 53, 9), "aarch64": (0xC00000B7, 198, 199, 222)}
FOREIGN = {"x86_64": 0x40000003, "aarch64": 0x40000028}  # i386 and 32-bit ARM


@pytest.fixture(scope="module")
def sandbox() -> Sandbox:
    search = asyncio.run(find_sandbox())
    if search.sandbox is None:
        pytest.skip(f"no sandbox here: {search.reason}")
    return search.sandbox


async def test_only_four_families_of_sockets_can_be_made(sandbox):
    code = """
import socket
made = set()
for family in range(80):
    for kind in (1, 2, 3, 5):
        for make in (socket.socket, lambda *args: socket.socketpair(*args)[0]):
            try:
                make(family, kind).close()
            except (OSError, ValueError):
                continue
            made.add(family)
print(sorted(made))
"""
    families = [int(family) for family in (await PythonTool(sandbox).call({"code": code})).text.strip("[]").split(",")]
    assert {1, 2, NETLINK} <= set(families) <= {1, 2, 10, NETLINK}


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the other ABIs of x86_64")
async def test_other_abis_are_no_way_round(sandbox):
    code = """
import ctypes, mmap, os
libc = ctypes.CDLL(None, use_errno=True)
print("x32", libc.syscall(0x40000000 + 41, 40, 1, 0) >= 0, libc.syscall(0x40000000 + 41, 1, 1, 0) >= 0)
# mov eax, 359 (i386 socket); mov ebx, 40; mov ecx, 1; xor edx, edx; int 0x80; ret; with rbx kept
program = bytes.fromhex("53b867010000bb28000000b90100000031d2cd805bc3")
page = mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=7)
page.write(program)
address = ctypes.addressof(ctypes.c_char.from_buffer(page))
pid = os.fork()
if pid == 0:
    os._exit(9 if ctypes.CFUNCTYPE(ctypes.c_int)(address)() >= 0 else 0)
print("i386", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 9)
"""
    assert (await PythonTool(sandbox).call({"code": code})).text == "x32 False False\ni386 False"


@pytest.mark.parametrize("machine", sorted(ARCHES))
def test_the_filter_of_each_machine_lets_four_families_pass(machine):
    arch, socket_call, pair_call, _ = ARCHES[machine]
    program = seccomp_filter(machine)
    for call in (socket_call, pair_call):
        passed = {family for family in FAMILIES for kind in range(8) if asked(program, arch, call, family, kind)}
        assert passed == {1, 2, 10, NETLINK}
        assert {kind for kind in range(16) if asked(program, arch, call, 1, kind | 0o2004000)} == {1}
        assert {protocol for protocol in range(300) if asked(program, arch, call, 2, 1, protocol)} == {0, 6, 17}
        for family in FAMILIES:
            assert not asked(program, FOREIGN[machine], call, family, 1)
            assert not asked(program, arch, call | 0x40000000, family, 1)
    assert not asked(program, FOREIGN[machine], 102, 1, 1)  # i386 socketcall


@pytest.mark.parametrize("machine", sorted(ARCHES))
def test_an_agents_sockets_may_be_left_to_a_filter_of_their_own(machine):
    arch, socket_call, pair_call, _ = ARCHES[machine]
    whole, rest = (seccomp_filter(machine, agent=True, sockets=each) for each in (True, False))
    for ask in (True, False):
        own = socket_filter(machine, ask=ask)
        for arguments in itertools.product(FAMILIES, range(8), (0, 1)):
            passed = asked(own, arch, socket_call, *arguments)
            assert passed == asked(whole, arch, socket_call, *arguments)
            assert asked(rest, arch, socket_call, *arguments) and asked(own, arch, pair_call, *arguments)
            assert asked(rest, arch, pair_call, *arguments) == passed


@pytest.mark.parametrize("machine", sorted(ARCHES))
def test_the_filter_of_each_machine_refuses_shared_memory_without_a_file(machine):
    arch, *_, mmap = ARCHES[machine]
    passed = {flags for flags in range(256) if asked(seccomp_filter(machine), arch, mmap, 0, 4096, 3, flags)}
    assert passed == {flags for flags in range(256) if not (flags & 0x20 and flags & 1)}


@pytest.mark.parametrize("machine", sorted(ARCHES))
def test_the_filter_of_each_machine_leaves_other_options_of_sockets_alone(machine):
    arch, setsockopt = {"x86_64": (0xC000003E, 54), "aarch64": (0xC00000B7, 208)}[machine]
    program = seccomp_filter(machine)
    for level in (0, 1, 6, 41):
        passed = {option for option in range(90) if asked(program, arch, setsockopt, 5, level, option)}
        assert passed == set(range(90)) - ({7, 8, 60} if level == 1 else set())


def asked(program: bytes, arch: int, call: int, *arguments: int) -> bool:
    """Whether a filter lets a call pass: the part of classic BPF that filters are made of."""
    numbers = [each & 0xFFFFFFFFFFFFFFFF for each in (*arguments, *[0] * 6)][:6]
    data = struct.pack("=IIQ6Q", call, arch, 0, *numbers)
    instructions = list(struct.iter_unpack("=HBBI", program))
    held, at = 0, 0
    while True:
        code, yes, no, value = instructions[at]
        at += 1
        if code == 0x20:
            (held,) = struct.unpack_from("=I", data, value)
        elif code == 0x54:
            held &= value
        elif code == 0x06:
            return value == ALLOW
        else:
            true = {0x15: held == value, 0x35: held >= value, 0x45: bool(held & value)}[code]
            at += yes if true else no
