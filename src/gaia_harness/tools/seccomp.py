"""Which system calls does sandboxed code have no use for? A filter for `bwrap --seccomp` (seccomp(2), classic BPF).

Two reasons put a call on the list: it takes memory that no limit on a process counts (memfd, System V shared memory,
a file system mounted in a user namespace of one's own), or it is a large door into the kernel that ordinary programs
never use.
"""

import platform
import struct

_LOAD, _JUMP_EQUAL, _JUMP_BITS, _JUMP_AT_LEAST, _RETURN = 0x20, 0x15, 0x45, 0x35, 0x06
_NUMBER, _ARCH, _FIRST_ARGUMENT = 0, 4, 16  # offsets in struct seccomp_data
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_EPERM, _ENOSYS = 1, 38
_NEW_NAMESPACES = 0x7E020000 | 0x00000080  # CLONE_NEW* flags, CLONE_NEWTIME included
_X32 = 0x40000000

# fmt: off
_REFUSED = {  # name: (x86_64, aarch64)
    "memfd_create": (319, 279), "memfd_secret": (447, 447), "shmget": (29, 194), "msgget": (68, 186),
    "unshare": (272, 97), "setns": (308, 268), "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41),
    "open_tree": (428, 428), "move_mount": (429, 429), "fsopen": (430, 430), "fsmount": (432, 432),
    "mount_setattr": (442, 442), "open_by_handle_at": (304, 265), "add_key": (248, 217), "request_key": (249, 218),
    "keyctl": (250, 219), "bpf": (321, 280), "perf_event_open": (298, 241), "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425), "io_uring_enter": (426, 426), "io_uring_register": (427, 427),
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
}
# fmt: on
_CLONE = (56, 220)
_CLONE3 = 435
_AUDIT_ARCH = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}


def seccomp_filter(machine: str | None = None) -> bytes | None:
    """The filter for this machine, or None where we do not know its system call numbers."""
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
    for numbers in _REFUSED.values():
        program += [(_JUMP_EQUAL, 0, 1, numbers[column]), (_RETURN, 0, 0, refuse)]
    program += [
        (_JUMP_EQUAL, 0, 3, _CLONE[column]),
        (_LOAD, 0, 0, _FIRST_ARGUMENT),
        (_JUMP_BITS, 0, 1, _NEW_NAMESPACES),
        (_RETURN, 0, 0, refuse),
        (_RETURN, 0, 0, _ALLOW),
    ]
    return b"".join(struct.pack("=HBBI", *each) for each in program)
