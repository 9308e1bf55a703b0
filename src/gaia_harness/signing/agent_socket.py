"""A client of ssh-agent: lists its keys and asks it to sign (draft-miller-ssh-agent)."""

import socket
import struct
from pathlib import Path

from gaia_harness.signing.wire import SignatureError, SshReader, ssh_string

LARGEST_MESSAGE = 256 * 1024  # OpenSSH's agent hangs up on longer ones
LARGEST_DATA = LARGEST_MESSAGE - 1024
ANSWER_SECONDS = 10.0
CONFIRM_SECONDS = 120.0  # a person may be asked to confirm

REQUEST_IDENTITIES, IDENTITIES_ANSWER = 11, 12
SIGN_REQUEST, SIGN_RESPONSE = 13, 14


def held_keys(agent: Path) -> list[bytes]:
    """The public keys that the agent at this socket holds, as SSH writes them."""
    reader = _ask(agent, bytes([REQUEST_IDENTITIES]), IDENTITIES_ANSWER, ANSWER_SECONDS)
    keys = []
    for _ in range(reader.number()):  # however many it claims: they must fit into the message
        keys.append(reader.string())
        reader.string()  # its comment
    reader.end()
    return keys


def signature_by(agent: Path, key: bytes, data: bytes) -> bytes:
    """The agent's signature over the data, as SSH writes it."""
    if len(data) > LARGEST_DATA:
        raise SignatureError(
            f"{len(data)} bytes are more than an ssh-agent signs ({LARGEST_DATA})",
            hint="sign with the private key's file instead",
        )
    request = bytes([SIGN_REQUEST]) + ssh_string(key) + ssh_string(data) + struct.pack(">I", 0)
    reader = _ask(agent, request, SIGN_RESPONSE, CONFIRM_SECONDS)
    signature = reader.string()
    reader.end()
    return signature


def _ask(agent: Path, request: bytes, expected: int, seconds: float) -> SshReader:
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(seconds)
            connection.connect(str(agent))
            connection.sendall(ssh_string(request))
            length = int.from_bytes(_receive(connection, 4), "big")
            if not 0 < length <= LARGEST_MESSAGE:
                raise SignatureError(f"the ssh-agent at {agent} answers with {length} bytes")
            answer = _receive(connection, length)
    except OSError as error:
        raise SignatureError(f"the ssh-agent at {agent} does not answer: {error.strerror or error}") from None
    if answer[0] != expected:
        raise SignatureError(f"the ssh-agent at {agent} refuses")
    return SshReader(answer[1:], "the ssh-agent's answer")


def _receive(connection: socket.socket, count: int) -> bytes:
    data = bytearray()
    while len(data) < count:
        part = connection.recv(count - len(data))
        if not part:
            raise SignatureError("the ssh-agent hangs up")
        data += part
    return bytes(data)
