"""The seccomp filter of the sandbox, for `bwrap --seccomp` (seccomp(2), classic BPF).

Two reasons put a call on the list: it takes memory that no limit on a process counts (memfd, shared memory without a
file, semaphores, pages given to a pipe, a file system mounted in a user namespace of one's own), or it is a large door
into the kernel that ordinary programs never use. Sockets are of four families; of Unix sockets only streams, because
each of these holds no more than its one peer has sent, so that they can be counted.
"""

import platform
import socket
import struct
from collections.abc import Iterator, Sequence

SOCKET_TYPE = 0xF
"""The bits of a socket's type: without SOCK_CLOEXEC and SOCK_NONBLOCK."""

_LOAD, _JUMP_EQUAL, _JUMP_BITS, _JUMP_AT_LEAST, _AND, _RETURN = 0x20, 0x15, 0x45, 0x35, 0x54, 0x06
_NUMBER, _ARCH, _ARGUMENTS = 0, 4, 16  # offsets in struct seccomp_data
_ALLOW, _ERRNO, _ASK = 0x7FFF0000, 0x00050000, 0x7FC00000  # allow, fail, let whoever holds the listener answer
_EPERM, _ENOSYS, _EAFNOSUPPORT, _EPROTONOSUPPORT = 1, 38, 97, 93
_DONE = _ERRNO | 0  # the call returns 0 and does nothing
_NEW_NAMESPACES = 0x7E020000 | 0x00000080  # CLONE_NEW* flags, CLONE_NEWTIME included
_MAP_SHARED, _MAP_ANONYMOUS = 0x01, 0x20
_X32 = 0x40000000
_SOL_SOCKET, _SO_SNDBUF, _SO_RCVBUF, _SO_ZEROCOPY = 1, 7, 8, 60

# fmt: off
_REFUSED = {  # name: (x86_64, aarch64); None where the machine has no such call
    "memfd_create": (319, 279), "memfd_secret": (447, 447), "shmget": (29, 194), "msgget": (68, 186),
    "semget": (64, 190), "vmsplice": (278, 75), "inotify_init": (253, None), "inotify_init1": (294, 26),
    "fanotify_init": (300, 262),
    "unshare": (272, 97), "setns": (308, 268), "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41),
    "open_tree": (428, 428), "move_mount": (429, 429), "fsopen": (430, 430), "fsmount": (432, 432),
    "mount_setattr": (442, 442), "open_by_handle_at": (304, 265), "add_key": (248, 217), "request_key": (249, 218),
    "keyctl": (250, 219), "bpf": (321, 280), "perf_event_open": (298, 241), "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425), "io_uring_enter": (426, 426), "io_uring_register": (427, 427),
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
}
# fmt: on
_FOR_AGENTS = frozenset(
    ("memfd_create", "shmget", "msgget", "semget", "vmsplice", "inotify_init", "inotify_init1", "process_vm_readv")
)
_INET = (socket.AF_INET, socket.AF_INET6)
_CLONE, _CLONE3 = (56, 220), 435
_MMAP = (9, 222)
_SOCKET, _SOCKETPAIR, _SETSOCKOPT = (41, 198), (53, 199), (54, 208)
_SECCOMP, _NEW_LISTENER = (317, 277), 0x8
_AUDIT_ARCH = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}

_Instruction = tuple[int, int, int, int]


def seccomp_filter(machine: str | None = None, *, agent: bool = False, sockets: bool = True) -> bytes | None:
    """The filter for this machine, or None where we do not know its system call numbers.

    That for a whole agent lets it share memory and watch files, as Node and browsers do: its memory is watched as that
    of processes, and what goes beyond is the price of running any program. Without `sockets`, it leaves socket(2) to
    `socket_filter`: of two filters that refuse a call, the one that asks nobody would decide.
    """
    known = _AUDIT_ARCH.get(machine or platform.machine())
    if known is None:
        return None
    column, arch = known
    refuse = _ERRNO | _EPERM
    program = [
        (_LOAD, 0, 0, _ARCH),
        (_JUMP_EQUAL, 1, 0, arch),  # another ABI has other numbers: nothing of it
        (_RETURN, 0, 0, refuse),
        (_LOAD, 0, 0, _NUMBER),
        (_JUMP_AT_LEAST, 0, 1, _X32),
        (_RETURN, 0, 0, refuse),
        (_JUMP_EQUAL, 0, 1, _CLONE3),  # its flags are behind a pointer; libc falls back to clone
        (_RETURN, 0, 0, _ERRNO | _ENOSYS),
    ]
    for name, numbers in _REFUSED.items():
        number = numbers[column]
        if number is not None and not (agent and name in _FOR_AGENTS):
            program += [(_JUMP_EQUAL, 0, 1, number), (_RETURN, 0, 0, refuse)]
    rules = {
        _CLONE[column]: [_argument(0), (_JUMP_BITS, 0, 1, _NEW_NAMESPACES), (_RETURN, 0, 0, refuse)],
        # Shared memory without a file stays when it is no longer mapped, and then nobody's limit counts it.
        _MMAP[column]: [
            _argument(3),
            (_JUMP_BITS, 0, 2, _MAP_ANONYMOUS),
            (_JUMP_BITS, 0, 1, _MAP_SHARED),
            (_RETURN, 0, 0, refuse),
        ],
        _SOCKET[column]: list(_sockets()),
        _SOCKETPAIR[column]: list(_sockets()),
        _SETSOCKOPT[column]: [
            _argument(1),
            (_JUMP_EQUAL, 0, 6, _SOL_SOCKET),
            _argument(2),
            (_JUMP_EQUAL, 1, 0, _SO_SNDBUF),  # the kernel too keeps silent about a size that it does not grant
            (_JUMP_EQUAL, 0, 1, _SO_RCVBUF),
            (_RETURN, 0, 0, _DONE),
            (_JUMP_EQUAL, 0, 1, _SO_ZEROCOPY),  # pages given to a socket, like vmsplice to a pipe
            (_RETURN, 0, 0, refuse),
        ],
    }
    if agent:
        del rules[_MMAP[column]], rules[_SETSOCKOPT[column]]
        for number in (_SOCKET[column], _SOCKETPAIR[column]):
            rules[number] = list(_agent_sockets())
        if not sockets:
            del rules[_SOCKET[column]]
        # Whoever holds a listener may let a call through that a filter below asks about.
        rules[_SECCOMP[column]] = [_argument(1), (_JUMP_BITS, 0, 1, _NEW_LISTENER), (_RETURN, 0, 0, refuse)]
    for number, rule in rules.items():
        program += [(_JUMP_EQUAL, 0, len(rule) + 1, number), *rule, (_RETURN, 0, 0, _ALLOW)]
    program.append((_RETURN, 0, 0, _ALLOW))
    return _packed(program)


def socket_filter(machine: str | None = None, *, ask: bool) -> bytes | None:
    """What an agent may not make by socket(2), and nothing else, for this machine.

    With `ask`, whoever holds the filter's listener answers such a call, so that it is seen (seccomp_unotify(2)). For
    programs that have the whole filter as well, which refuses what is not of this machine's own ABI.
    """
    known = _AUDIT_ARCH.get(machine or platform.machine())
    if known is None:
        return None
    column, arch = known
    rule = list(_agent_sockets())
    if ask:
        rule = [(_RETURN, 0, 0, _ASK) if each[0] == _RETURN and each[3] != _ALLOW else each for each in rule]
    return _packed(
        [
            (_LOAD, 0, 0, _ARCH),
            (_JUMP_EQUAL, 0, len(rule) + 2, arch),
            (_LOAD, 0, 0, _NUMBER),
            (_JUMP_EQUAL, 0, len(rule), _SOCKET[column]),
            *rule,
            (_RETURN, 0, 0, _ALLOW),
        ]
    )


def socket_error(family: int) -> int:
    """What a refused socket(2) fails with, by its family."""
    return _EPERM if family in _INET else _EAFNOSUPPORT


def _packed(program: Sequence[_Instruction]) -> bytes:
    return b"".join(struct.pack("=HBBI", *each) for each in program)


def _argument(index: int) -> _Instruction:
    """Load the lower half of an argument: all that the kernel takes of an int."""
    return (_LOAD, 0, 0, _ARGUMENTS + 8 * index)


def _sockets() -> Iterator[_Instruction]:
    """Unix streams, TCP, UDP and netlink: the other families and protocols are doors that nobody here goes through."""
    unix = [_argument(1), (_AND, 0, 0, SOCKET_TYPE), *_one_of((socket.SOCK_STREAM,), _EPROTONOSUPPORT)]
    inet = [_argument(2), *_one_of((0, socket.IPPROTO_TCP, socket.IPPROTO_UDP), _EPROTONOSUPPORT)]
    yield _argument(0)
    for families, rule in (((socket.AF_UNIX,), unix), ((socket.AF_INET, socket.AF_INET6), inet)):
        for number, family in enumerate(families, 1):
            last = number == len(families)
            yield (_JUMP_EQUAL, 0 if last else len(families) - number, len(rule) if last else 0, family)
        yield from rule
    yield from _one_of((socket.AF_NETLINK,), _EAFNOSUPPORT)


def _agent_sockets() -> Iterator[_Instruction]:
    """Unix, IP without raw packets, and netlink: virtual machines have sockets that no namespace holds back."""
    inet = [_argument(1), (_AND, 0, 0, SOCKET_TYPE), *_one_of((socket.SOCK_STREAM, socket.SOCK_DGRAM), _EPERM)]
    yield _argument(0)
    for number, family in enumerate(_INET, 1):
        yield (_JUMP_EQUAL, 0 if number == 2 else 1, len(inet) if number == 2 else 0, family)
    yield from inet
    yield from _one_of((socket.AF_UNIX, socket.AF_NETLINK), _EAFNOSUPPORT)


def _one_of(values: Sequence[int], error: int) -> Iterator[_Instruction]:
    """Allow these values of what was loaded; the call fails with `error` for others."""
    for value in values:
        yield from ((_JUMP_EQUAL, 0, 1, value), (_RETURN, 0, 0, _ALLOW))
    yield (_RETURN, 0, 0, _ERRNO | error)
