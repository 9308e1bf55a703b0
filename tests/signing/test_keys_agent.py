"""Keys that only an ssh-agent holds: a real agent, and false ones that answer badly."""

import socket
import struct
import threading
from contextlib import contextmanager

import pytest
from ssh_agent import ssh_add, ssh_agent

from gaia_harness.signing import agent_socket
from gaia_harness.signing.keys import KeyFileError, KeyFolder
from gaia_harness.signing.signers import (
    AgentSigner,
    LocalSigner,
    SignatureError,
    check_ssh,
    generate_signer,
    open_dsse,
    sign_dsse,
    sign_ssh,
)
from gaia_harness.signing.wire import ssh_string

SIGNER = LocalSigner(bytes(range(32)))
STRANGER = LocalSigner(bytes(range(1, 33)))


@pytest.fixture
def agent(tmp_path):
    with ssh_agent(tmp_path) as env:
        yield env


@contextmanager
def false_agent(folder, answer: bytes):
    """Listens where an agent would, and gives everybody the same answer."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(folder / "false"))
        listener.listen()

        def serve():
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                with connection:
                    connection.recv(1 << 20)
                    connection.sendall(answer)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield folder / "false"
        listener.shutdown(socket.SHUT_RDWR)
    thread.join()


def message(kind: int, body: bytes) -> bytes:
    return ssh_string(bytes([kind]) + body)


def test_a_key_held_only_by_an_agent_signs(agent, tmp_path):
    folder = KeyFolder(tmp_path / "keys")
    made = folder.create("submit", "ada@example.org")
    ssh_add(agent, made.path)
    made.path.unlink()
    signer = folder.signer("submit", env=agent)
    assert isinstance(signer, AgentSigner)
    assert signer.public == made.public
    envelope = sign_dsse(signer, "a/b", b"payload")
    assert open_dsse(envelope, "a/b", [made.public]) == (b"payload", made.public)
    assert check_ssh(sign_ssh(signer, "ns", b"data"), "ns", b"data", [made.public]) == made.public


def test_an_agent_opens_what_would_need_a_passphrase(agent, tmp_path):
    folder = KeyFolder(tmp_path / "keys")
    made = folder.create("submit", "ada@example.org", b"secret")
    with pytest.raises(KeyFileError, match="needs its passphrase") as caught:
        folder.signer("submit", env=agent)
    assert "ssh-add" in caught.value.hint
    signer = KeyFolder(tmp_path / "keys").signer("submit", env={}, ask=lambda path: b"secret")
    (tmp_path / "open").touch(0o600)
    (tmp_path / "open").write_bytes(signer.private_openssh(None))
    ssh_add(agent, tmp_path / "open")
    assert isinstance(folder.signer("submit", env=agent), AgentSigner)
    assert folder.signer("submit", env=agent).public == made.public


def test_an_agent_that_holds_other_keys_is_no_help(agent, tmp_path):
    folder = KeyFolder(tmp_path / "keys")
    folder.create("submit", "ada@example.org").path.unlink()
    other = KeyFolder(tmp_path / "other").create("submit", "bob@example.org")
    ssh_add(agent, other.path)
    with pytest.raises(KeyFileError, match="no ssh-agent holds the key SHA256:"):
        folder.signer("submit", env=agent)


def test_a_key_that_left_the_agent_no_longer_signs(agent, tmp_path):
    made = KeyFolder(tmp_path / "keys").create("submit", "ada@example.org")
    ssh_add(agent, made.path)
    signer = AgentSigner(tmp_path / "agent", made.public)
    assert signer.ready()
    assert len(signer.sign(b"x")) == 64
    ssh_add(agent, "-D")
    assert not signer.ready()
    with pytest.raises(SignatureError, match="refuses"):
        signer.sign(b"x")


def test_an_agent_signs_as_much_as_we_say_it_does(agent, tmp_path):
    made = KeyFolder(tmp_path / "keys").create("submit", "ada@example.org")
    ssh_add(agent, made.path)
    signer = AgentSigner(tmp_path / "agent", made.public)
    signer.sign(bytes(agent_socket.LARGEST_DATA))
    with pytest.raises(SignatureError, match="more than an ssh-agent signs"):
        signer.sign(bytes(agent_socket.LARGEST_DATA + 1))


@pytest.mark.parametrize("place", ["gone", "x" * 200])
def test_no_agent_is_an_error_of_ours_and_no_reason_to_fail_for_a_file(tmp_path, place):
    with pytest.raises(SignatureError, match="does not answer"):
        AgentSigner(tmp_path / place, SIGNER.public).sign(b"x")
    folder = KeyFolder(tmp_path / "keys")
    folder.create("submit", "ada@example.org", b"secret")
    signer = folder.signer("submit", env={"SSH_AUTH_SOCK": str(tmp_path / place)}, ask=lambda path: b"secret")
    assert isinstance(signer, LocalSigner)


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"\0\0",
        struct.pack(">I", 0),
        struct.pack(">I", 1 << 31),
        struct.pack(">I", 100) + b"short",
        message(5, b""),
        message(12, b""),
        message(12, struct.pack(">I", 1 << 30)),
        message(12, struct.pack(">I", 1) + struct.pack(">I", 1 << 30)),
        message(12, struct.pack(">I", 0) + b"more"),
        message(14, b""),
        message(14, ssh_string(b"") + b"more"),
        message(14, ssh_string(ssh_string(b"ssh-rsa") + ssh_string(bytes(64)))),
        message(14, ssh_string(ssh_string(b"ssh-ed25519") + ssh_string(bytes(10)))),
        message(14, ssh_string(ssh_string(b"ssh-ed25519") + ssh_string(STRANGER.sign(b"x")))),
    ],
)
def test_an_agent_that_answers_badly_is_an_error_of_ours(tmp_path, answer):
    with false_agent(tmp_path, answer) as place:
        signer = AgentSigner(place, SIGNER.public)
        with pytest.raises(SignatureError):
            signer.sign(b"x")
        with pytest.raises(SignatureError):
            signer.ready()


def test_an_agent_that_promises_gigabytes_is_not_waited_for(tmp_path):
    with (
        false_agent(tmp_path, struct.pack(">I", 1 << 31)) as place,
        pytest.raises(SignatureError, match="answers with 2147483648 bytes"),
    ):
        AgentSigner(place, SIGNER.public).sign(b"x")


def test_a_good_answer_from_a_false_agent_would_pass(tmp_path):
    """So that the test above fails for the answers, not for the agent."""
    good = message(14, ssh_string(ssh_string(b"ssh-ed25519") + ssh_string(SIGNER.sign(b"x"))))
    with false_agent(tmp_path, good) as place:
        assert AgentSigner(place, SIGNER.public).sign(b"x") == SIGNER.sign(b"x")
    other = generate_signer().public
    with pytest.raises(SignatureError, match="does not answer"):
        AgentSigner(place, other).ready()
