"""Prepares the network of a box, hands its listening sockets to the gateway, and becomes bubblewrap.

Run as a program of its own, by `python -I -S`, with nothing but the standard library. In a new network namespace every
address is made local, so that whatever a program in the box connects to, it is us who answer: ports 80 and 443, a
fixed port on the loopback, and the name service. Everything else is refused by the kernel, for nobody listens there;
what it refuses is seen at a socket of its own.

It also sets the filter of the sockets that an agent may make. What that refuses is asked of whoever holds the filter's
listener, which goes to the gateway; where the kernel has no such thing, it is refused and nobody hears of it.

Its one argument is a JSON object: `channel` (the descriptor of a Unix socket, to which the listening sockets are
sent), `network` (whether to make one, or leave it to bubblewrap), `user` (whether a user namespace is needed, which it
is without root), `port` (the fixed one), `more` (other ports at which somebody answers), `filters` (that which asks
and that which only refuses, in base64; or none), `argv`.
"""

import base64
import ctypes
import json
import os
import socket
import struct
import sys

CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000
PR_SET_PDEATHSIG, PR_SET_NO_NEW_PRIVS, SIGKILL = 1, 38, 9
SYS_SECCOMP = {"x86_64": 317, "aarch64": 277}
SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER = 1, 8
SIOCGIFINDEX, SIOCGIFFLAGS, SIOCSIFFLAGS = 0x8933, 0x8913, 0x8914
IFF_UP, IFF_RUNNING = 0x1, 0x40
RTM_NEWROUTE = 24
NLM_F_REQUEST, NLM_F_ACK, NLM_F_EXCL, NLM_F_CREATE = 0x1, 0x4, 0x200, 0x400
RT_TABLE_LOCAL, RTPROT_BOOT, RT_SCOPE_HOST, RTN_LOCAL, RTA_OIF = 255, 3, 254, 2, 4
NLMSG_ERROR = 2
BACKLOG = 512
SO_ATTACH_FILTER, ETH_P_ALL = 26, 3

# Classic BPF, for packets from their IP header on: lets those through by which the kernel says that nobody listens.
# Each line is (what to do, jump if true, jump if false, value); `?` is the last line, which lets nothing through.
REFUSALS = (
    (0x20, 0, 0, 0xFFFFF004),  # the kind of packet (SKF_AD_PKTTYPE):
    (0x15, 0, "?", 0),  # one that comes in, and not the same on its way out
    (0x30, 0, 0, 0),
    (0x54, 0, 0, 0xF0),
    (0x15, 0, "v6", 0x40),
    (0xB1, 0, 0, 0),  # X = length of the IPv4 header
    (0x30, 0, 0, 9),
    (0x15, "tcp", 0, 6),
    (0x15, 0, "?", 1),
    (0x50, 0, 0, 0),
    (0x15, "!", "?", 3),  # ICMP, destination unreachable
    "v6",
    (0x15, 0, "?", 0x60),
    (0x01, 0, 0, 40),  # X = length of the IPv6 header
    (0x30, 0, 0, 6),
    (0x15, "tcp", 0, 6),
    (0x15, 0, "?", 58),
    (0x50, 0, 0, 0),
    (0x15, "!", "?", 1),  # ICMPv6, destination unreachable
    "tcp",
    (0x50, 0, 0, 13),
    (0x54, 0, 0, 0x14),
    (0x15, 0, "?", 0x14),  # RST and ACK,
    (0x40, 0, 0, 4),
    (0x15, "!", "?", 0),  # with the number 0: the answer to a first packet (RFC 9293, 3.10.7.1)
    "!",
    (0x06, 0, 0, 256),
    "?",
    (0x06, 0, 0, 0),
)


def main(settings: dict) -> None:  # type: ignore[type-arg]
    """Make the network, open its doors, hand them out, and exec."""
    parent = os.getppid()
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(PR_SET_PDEATHSIG, SIGKILL)
    if os.getppid() != parent:
        sys.exit(1)
    doors = network(libc, settings) if settings["network"] else []
    listener = refuse_sockets(libc, settings["filters"]) if settings["filters"] else None
    with socket.socket(fileno=settings["channel"]) as channel:
        if listener is not None:
            socket.send_fds(channel, [b"calls"], [listener])
            os.close(listener)
        if doors:
            socket.send_fds(channel, [b"doors"], [door.fileno() for door in doors])
            if channel.recv(2) != b"go":
                sys.exit(1)  # the gateway did not take them
        else:
            channel.detach()  # for the first program in the box
    for door in doors:
        door.close()
    os.execv(settings["argv"][0], settings["argv"])  # noqa: S606


def network(libc: ctypes.CDLL, settings: dict) -> list[socket.socket]:  # type: ignore[type-arg]
    """A network in which everything leads to us, and its doors."""
    unshare(libc, settings["user"])
    libc.prctl(PR_SET_PDEATHSIG, SIGKILL)  # which new rights may have taken back
    raise_loopback()
    route_everything_to_us(socket.AF_INET)
    if os.path.exists("/proc/net/if_inet6"):  # noqa: PTH110
        route_everything_to_us(socket.AF_INET6)
    doors = [listening(80), listening(443), listening(settings["port"], "127.0.0.1"), name_service(), refusals()]
    return doors + [listening(port) for port in settings["more"]]


def refuse_sockets(libc: ctypes.CDLL, filters: list[str]) -> int | None:
    """Set the filter of sockets, and give its listener, if this kernel has listeners and nobody above us has one."""
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    for text, flags in zip(filters, (SECCOMP_FILTER_FLAG_NEW_LISTENER, 0), strict=True):
        lines = base64.b64decode(text)
        held = ctypes.create_string_buffer(lines)
        program = ctypes.create_string_buffer(struct.pack("HP", len(lines) // 8, ctypes.addressof(held)))
        number = SYS_SECCOMP[os.uname().machine]
        done = int(libc.syscall(number, SECCOMP_SET_MODE_FILTER, flags, program))
        if done >= 0:
            return done if flags else None
    raise OSError(ctypes.get_errno(), f"no filter of sockets: {os.strerror(ctypes.get_errno())}")


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


def route_everything_to_us(family: int) -> None:
    """`ip route add local 0.0.0.0/0 dev lo`, or `::/0` (rtnetlink(7))."""
    message = struct.pack("BBBBBBBBI", family, 0, 0, 0, RT_TABLE_LOCAL, RTPROT_BOOT, RT_SCOPE_HOST, RTN_LOCAL, 0)
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


def refusals() -> socket.socket:
    """A socket at which every refusal of the kernel is seen."""
    places: dict[str, int] = {}
    lines: list[tuple] = []  # type: ignore[type-arg]
    for each in REFUSALS:
        if isinstance(each, str):
            places[each] = len(lines)
        else:
            lines.append(each)
    program = b"".join(
        struct.pack("HBBI", what, *(places[jump] - at - 1 if jump else 0 for jump in jumps), value)
        for at, (what, *jumps, value) in enumerate(lines)
    )
    held = ctypes.create_string_buffer(program)
    sock = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, 0)  # which sees nothing yet
    sock.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, struct.pack("HP", len(lines), ctypes.addressof(held)))
    sock.bind(("lo", ETH_P_ALL))
    return sock


if __name__ == "__main__":
    try:
        main(json.loads(sys.argv[1]))
    except OSError as error:
        sys.stderr.write(f"the network of the box could not be made: {error.strerror or error}\n")
        sys.exit(70)
