"""Prepares the network of a box, hands its listening sockets to the gateway, and becomes bubblewrap.

Run as a program of its own, by `python -I -S`, with nothing but the standard library. In a new network namespace every
IPv4 address is made local, so that whatever a program in the box connects to, it is us who answer: ports 80 and 443, a
fixed port on the loopback, and the name service. Everything else is refused by the kernel, for nobody listens there.

Its one argument is a JSON object: `channel` (the descriptor of a Unix socket, to which the listening sockets are
sent), `user` (whether a user namespace is needed, which it is without root), `port` (the fixed one), `more` (other
ports at which somebody answers), `argv`.
"""

import ctypes
import json
import os
import socket
import struct
import sys

CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000
PR_SET_PDEATHSIG, SIGKILL = 1, 9
SIOCGIFINDEX, SIOCGIFFLAGS, SIOCSIFFLAGS = 0x8933, 0x8913, 0x8914
IFF_UP, IFF_RUNNING = 0x1, 0x40
RTM_NEWROUTE = 24
NLM_F_REQUEST, NLM_F_ACK, NLM_F_EXCL, NLM_F_CREATE = 0x1, 0x4, 0x200, 0x400
RT_TABLE_LOCAL, RTPROT_BOOT, RT_SCOPE_HOST, RTN_LOCAL, RTA_OIF = 255, 3, 254, 2, 4
NLMSG_ERROR = 2
BACKLOG = 512


def main(settings: dict) -> None:  # type: ignore[type-arg]
    """Make the namespace, open its doors, hand them out, and exec."""
    parent = os.getppid()
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(PR_SET_PDEATHSIG, SIGKILL)
    if os.getppid() != parent:
        sys.exit(1)
    unshare(libc, settings["user"])
    libc.prctl(PR_SET_PDEATHSIG, SIGKILL)  # which new rights may have taken back
    raise_loopback()
    route_everything_to_us()
    doors = [listening(80), listening(443), listening(settings["port"], "127.0.0.1"), name_service()]
    doors += [listening(port) for port in settings["more"]]
    with socket.socket(fileno=settings["channel"]) as channel:
        socket.send_fds(channel, [b"doors"], [door.fileno() for door in doors])
        if channel.recv(2) != b"go":
            sys.exit(1)  # the gateway did not take them
    for door in doors:
        door.close()
    os.execv(settings["argv"][0], settings["argv"])  # noqa: S606


def unshare(libc: ctypes.CDLL, user: bool) -> None:
    """A network namespace; without root, in a user namespace in which we are who we are outside."""
    uid, gid = os.getuid(), os.getgid()
    if libc.unshare(CLONE_NEWNET | (CLONE_NEWUSER if user else 0)) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    if user:
        for name, text in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1")):
            with open(f"/proc/self/{name}", "w") as file:  # noqa: PTH123
                file.write(text)


def raise_loopback() -> None:
    """Bring `lo` up."""
    import fcntl

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        request = struct.pack("16sh14x", b"lo", 0)
        (flags,) = struct.unpack_from("h", fcntl.ioctl(sock, SIOCGIFFLAGS, request), 16)
        fcntl.ioctl(sock, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", flags | IFF_UP | IFF_RUNNING))


def route_everything_to_us() -> None:
    """`ip route add local 0.0.0.0/0 dev lo` (rtnetlink(7))."""
    message = struct.pack(
        "BBBBBBBBI", socket.AF_INET, 0, 0, 0, RT_TABLE_LOCAL, RTPROT_BOOT, RT_SCOPE_HOST, RTN_LOCAL, 0
    )
    message += struct.pack("HHI", 8, RTA_OIF, socket.if_nametoindex("lo"))
    flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0) as sock:
        sock.send(struct.pack("IHHII", 16 + len(message), RTM_NEWROUTE, flags, 1, 0) + message)
        kind, error = struct.unpack_from("4xH10xi", sock.recv(4096))
        if kind != NLMSG_ERROR or error != 0:
            raise OSError(-error, os.strerror(-error))


def listening(port: int, host: str = "0.0.0.0") -> socket.socket:  # noqa: S104 - in a namespace of its own
    """A door for connections."""
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    sock.bind((host, port))
    sock.listen(BACKLOG)
    return sock


def name_service() -> socket.socket:
    """The door for questions about names, whichever server they are sent to."""
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sock.bind(("0.0.0.0", 53))  # noqa: S104
    return sock


if __name__ == "__main__":
    try:
        main(json.loads(sys.argv[1]))
    except OSError as error:
        sys.stderr.write(f"the network of the box could not be made: {error.strerror or error}\n")
        sys.exit(70)
