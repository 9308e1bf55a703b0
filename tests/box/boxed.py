"""Puts programs into a real box, with a real provider on loopback behind its gateway."""

import contextlib
import json
import socket
import textwrap
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from gaia_harness.agent import AgentResult
from gaia_harness.box.agents import find_agent
from gaia_harness.box.attempt import BoxedAgent
from gaia_harness.box.boxing import BoxLimits, Finished, find_bwrap
from gaia_harness.box.model_gate import GatePolicy
from gaia_harness.box.purse import Allowance, Meter
from gaia_harness.evidence.recorder import Recorder
from gaia_harness.models.endpoint import Endpoint
from gaia_harness.models.messages import Usage
from gaia_harness.records.steps import ToolCallStep, ToolResultStep
from gaia_harness.tools.base import Attachment

KEY = "sk-the-real-key-0123456789abcdef"
MODEL = "gpt-4o"
QUESTION = "How high is the tower of Grimble?"

ASK = """
import json, urllib.request
def ask(words, path="/v1/chat/completions", base="http://127.0.0.1:8317", **more):
    body = {"model": "gpt-4o", "messages": [{"role": "user", "content": words}], **more}
    request = urllib.request.Request(base + path, json.dumps(body).encode(), {"content-type": "application/json"})
    return json.load(urllib.request.urlopen(request, timeout=60))["choices"][0]["message"]["content"]
"""
"""A function of the agent's that asks the model, without any package."""

RAW = """
import socket, ssl
def raw(host, data, port=80, tls=False, name=None, seconds=20):
    with socket.create_connection((host, port), seconds) as sock:
        if tls:
            context = ssl._create_unverified_context()
            sock = context.wrap_socket(sock, server_hostname=name or host)
        sock.sendall(data)
        said = b""
        try:
            while piece := sock.recv(65536):
                said += piece
        except OSError as error:
            said += repr(error).encode()
        return said
"""
"""A function of the agent's that sends bytes and gives what comes back until the end."""


@dataclass(frozen=True)
class Tried:
    """An attempt that has ended."""

    result: AgentResult
    finished: Finished | None
    steps: Sequence[Any]
    failures: Sequence[str]

    @property
    def ended(self) -> str:
        """What the record says of the program's end."""
        return self.results("agent.program")[-1].head

    @property
    def said(self) -> Any:
        """The JSON that the program printed as its last line."""
        assert self.finished is not None
        out = (self.finished.out.head + self.finished.out.tail).decode().strip()
        assert out, self.finished.errors.head.decode()
        return json.loads(out.splitlines()[-1])

    def results(self, name: str) -> list[ToolResultStep]:
        return [step for step in self.steps if isinstance(step, ToolResultStep) and step.name == name]

    def calls(self, name: str) -> list[ToolCallStep]:
        return [step for step in self.steps if isinstance(step, ToolCallStep) and step.name == name]

    @property
    def refused(self) -> list[tuple[str, str]]:
        """What was refused: where, and why."""
        pairs = zip(self.calls("agent.refused"), self.results("agent.refused"), strict=True)
        return [(call.args["where"], result.head) for call, result in pairs]

    @property
    def pages(self) -> dict[str, Any]:
        """The results of pages by their addresses."""
        pairs = zip(self.calls("agent.http"), self.results("agent.http"), strict=True)
        return {call.args["url"]: result for call, result in pairs}


class Unlimited:
    """A run that may cost what it will."""

    def spent(self) -> str | None:
        return None

    def room(self) -> bool:
        return True

    def begun(self) -> None:
        pass

    def ended(self, usage: Usage | None, *, cut: bool = False) -> None:
        pass

    async def settled(self) -> None:
        pass


def needs_box() -> str:
    bwrap = find_bwrap()
    if bwrap is None:
        pytest.skip("bubblewrap is not installed")
    return bwrap


def folder_of(path: Path, script: str, files: Mapping[str, str] | None = None) -> Path:
    """A folder with an agent that is this script."""
    path.mkdir(exist_ok=True)
    (path / "main.py").write_text(textwrap.dedent(script))
    for name, text in (files or {}).items():
        (path / name).write_text(text)
    path.chmod(0o755)
    return path


def boxed_agent(
    folder: Path,
    *,
    base_url: str = "http://127.0.0.1:1/v1",
    limits: BoxLimits | None = None,
    allowance: Allowance | None = None,
    provider: str = "openai",
    hidden: Sequence[Path] = (),
    given: str = "python3 main.py",
    **how: Any,
) -> BoxedAgent:
    """The agent in a folder, ready to be asked."""
    env = {"PATH": "/usr/local/bin:/usr/bin:/bin"}
    return BoxedAgent(
        find_agent(given, folder, f"{provider}/{MODEL}", env),
        needs_box(),
        Endpoint(provider=provider, url=base_url, own=False, key_variable="OPENAI_API_KEY", key=KEY),
        GatePolicy(provider=provider, model=MODEL),
        env=env,
        hidden=hidden,
        limits=limits or BoxLimits(seconds=60),
        allowance=allowance,
        **how,
    )


async def ask(
    boxed: BoxedAgent,
    *,
    attachment: Attachment | None = None,
    recorder: Recorder | None = None,
    seconds: float | None = None,
    meter: Meter | None = None,
) -> Tried:
    """Put a question to it."""
    recorder = recorder or Recorder()
    kept: list[Finished] = []
    run = boxed._box.run

    async def watched(*args: Any, **more: Any) -> Finished:
        kept.append(await run(*args, **more))
        return kept[-1]

    boxed._box.run = watched  # type: ignore[method-assign]
    try:
        done = await boxed.attempt(QUESTION, attachment, recorder, seconds=seconds, meter=meter or Unlimited())
    finally:
        boxed._box.run = run  # type: ignore[method-assign]
    return Tried(done.result, kept[-1] if kept else None, done.steps, tuple(recorder.failures))


async def tried(path: Path, script: str, **how: Any) -> Tried:
    """Run a script as the agent, once."""
    boxed = boxed_agent(folder_of(path / "agent", script), **how)
    try:
        return await ask(boxed)
    finally:
        await boxed.aclose()


@contextlib.contextmanager
def raw_server(answer: Callable[[socket.socket, bytes], None]) -> Iterator[int]:
    """A server that says whatever `answer` does with a connection and the request on it; its port."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                threading.Thread(target=one, args=(connection,), daemon=True).start()

        def one(connection: socket.socket) -> None:
            with connection, contextlib.suppress(OSError):
                said = b""
                while b"\r\n\r\n" not in said:
                    said += connection.recv(65536)
                head, _, body = said.partition(b"\r\n\r\n")
                length = head.lower().partition(b"content-length:")[2].split(b"\r\n")[0]
                while len(body) < int(length or 0):  # or the end of the connection would cut the answer off
                    body += connection.recv(65536)
                answer(connection, said)

        threading.Thread(target=serve, daemon=True).start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)


async def resolver(host: str, port: int) -> Sequence[str]:
    """The names of the tests: documentation's own stand for public ones that nobody reaches."""
    return {
        "metadata.test": ["169.254.169.254"],
        "inside.test": ["10.1.2.3"],
        "home.test": ["127.0.0.1"],
        "six.test": ["::1"],
        "mixed.test": ["93.184.215.14", "127.0.0.1"],
        "web.test": ["127.0.0.1"],  # for tests that allow it
    }.get(host, ())
