"""The box itself: what a foreign agent sees of this machine, by bubblewrap, and how it is started and ended in it."""

import asyncio
import base64
import itertools
import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import msgspec

from gaia_harness.box.certificates import CHROMIUM_POLICIES, bundles, chromium_policy
from gaia_harness.box.doors import PORT, PROXY_PORT, Channel, Doors, launched, sees_sockets
from gaia_harness.errors import ToolError
from gaia_harness.protocol import ANSWER_FILE, ANSWER_VARIABLE
from gaia_harness.tools.base import Attachment
from gaia_harness.tools.containment import Ended, Limits, Output, contained, in_memory
from gaia_harness.tools.hiding import Hidden
from gaia_harness.tools.memory_watch import WRITABLE
from gaia_harness.tools.sandbox import (
    FIRST_UID,
    NOBODY,
    SYSTEM,
    UIDS,
    base_interpreter,
    beneath,
    home_folders,
    open_attachment,
)
from gaia_harness.tools.seccomp import seccomp_filter

AGENT, TASK, HOME = "/agent", WRITABLE[0], "/home/agent"
"""The agent's own folder, read-only; its working folder with the task's file; its home."""

ANSWER = ANSWER_FILE
LONGEST_REPORT = 256 << 10

_ETC = (
    *("/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives", "/etc/mime.types"),
    *(
        "/etc/ssl",
        "/etc/pki",
        "/etc/ca-certificates",
        "/etc/fonts",
        "/etc/localtime",
        "/etc/protocols",
        "/etc/services",
    ),
    *("/etc/chromium.d", "/etc/python3.11", "/etc/nodejs"),
)


class BoxLimits(msgspec.Struct, frozen=True, kw_only=True):
    """What an agent may use. Memory is what its processes hold, not what they have mapped: browsers map a lot."""

    seconds: float = 1800.0
    memory: int = 8 << 30
    processes: int = 512
    file_bytes: int = 2 << 30
    tmp_bytes: int = 2 << 30
    output_bytes: int = 64 << 20
    open_files: int = 4096


class Mounts(msgspec.Struct, frozen=True, kw_only=True):
    """What is shown of this machine beside the system: the agent's folder, and folders of programs that it needs.

    `extra` are files of ours below /etc, by their paths in the box. What is `hidden` must not be seen. What is
    `left_out` is not part of the agent by its hash, and so is not shown either.
    """

    agent: Path | None = None
    programs: tuple[Path, ...] = ()
    extra: Mapping[str, bytes] = {}
    hidden: tuple[Path, ...] = ()
    left_out: tuple[Path, ...] = ()


class Finished(msgspec.Struct, frozen=True, kw_only=True):
    """How an agent came to its end. `status` is None when we killed it, `signal` is the one that it died of;
    `answer` is what its answer's file holds.
    """

    ended: Ended
    status: int | None
    signal: int | None = None
    not_started: str | None
    out: Output
    errors: Output
    answer: bytes | None
    memory: int | None


class Box:
    """A place for one kind of agent. Each attempt gets a new one: nothing stays from one to the next."""

    def __init__(
        self, bwrap: str, mounts: Mounts, certificate: bytes, *, root: bool | None = None, proxied: bool = False
    ) -> None:
        """`certificate` is trusted in the box. With `proxied`, bubblewrap makes the network, in which nothing but a
        proxy is reached. GaiaError if something in `hidden` cannot be hidden.
        """
        self._bwrap = bwrap
        self.proxied = proxied
        self._mounts = mounts
        self._certificate = certificate
        self._root = os.geteuid() == 0 if root is None else root
        self._python, self._prefix = base_interpreter()
        self._uids = itertools.count(os.getpid())
        needed = (*map(Path, filter(os.path.isdir, SYSTEM)), self._prefix, self._python)
        # our package has the demo's answers in it, and a home has keys: what lies deeper in it is shown all the same
        self._hidden = Hidden(mounts.hidden, (Path(__file__).parents[1], *home_folders(), *mounts.left_out), needed)
        self._starter = Path(__file__).with_name("starter.py").read_text(encoding="utf-8")
        self._bundles = dict(bundles(self._shown(), certificate))

    @property
    def python(self) -> Path:
        """A Python that is there in every box."""
        return self._python

    def _shown(self) -> Iterator[Path]:
        yield from (self._prefix, *self._mounts.programs)
        if self._mounts.agent is not None:
            yield self._mounts.agent

    async def run(
        self,
        argv: Sequence[str],
        environment: Mapping[str, str],
        attachment: Attachment | None,
        limits: BoxLimits,
        serve: Callable[[Doors], AbstractAsyncContextManager[object]],
        *,
        stdin: bytes = b"",
        cwd: str = AGENT,
        ports: Sequence[int] = (),
    ) -> Finished:
        """Run a command to its end. `serve` answers the doors while the box lives, at `ports` beside the usual ones."""
        uid = FIRST_UID + next(self._uids) % UIDS if self._root else None
        report = in_memory(b"")  # not a pipe: nobody reads it before the end
        settings: dict[str, object] = {
            "uid": uid,
            "rlimits": {
                "NPROC": limits.processes,
                "FSIZE": limits.file_bytes,
                "NOFILE": limits.open_files,
                "CORE": 0,
            },
            "argv": list(argv),
            "cwd": cwd,
            "answer": ANSWER,
        }
        data: list[int] = [os.dup(report)]
        settings["report"] = data[0]
        status = os.pipe()
        channel = Channel()
        data.append(channel.descriptor)
        if self.proxied:
            own = [port for port in ports if port >= 1024]  # nobody in the box may listen at others
            settings |= {"channel": channel.descriptor, "ports": [PORT, PROXY_PORT, *own]}
        out, errors = Output(LONGEST_REPORT), Output(LONGEST_REPORT)
        try:
            arguments = [*self._namespaces(environment), *self._files(limits, data, attachment, uid), "--chdir", "/"]
            through_launcher = not self.proxied or sees_sockets(self._bwrap)
            program = seccomp_filter(agent=True, sockets=not through_launcher)
            if program is not None:
                data.append(in_memory(program))
                arguments += ["--seccomp", str(data[-1])]
            data.append(in_memory(b"".join(os.fsencode(argument) + b"\0" for argument in arguments)))
            python = [str(self._python), "-I", "-S", "-B", "-c", self._starter, json.dumps(settings)]
            words = [self._bwrap, "--args", str(data[-1]), "--json-status-fd", str(status[1]), "--", *python]
            if through_launcher:
                words = launched(words, channel.descriptor, ports, root=self._root, network=not self.proxied)
        except BaseException:
            channel.close()
            for descriptor in (*data, report, *status):
                os.close(descriptor)
            raise
        serving = asyncio.create_task(self._serve(channel, serve))
        try:
            outcome = await contained(
                words,
                stdin,
                Limits(
                    seconds=limits.seconds,
                    memory=limits.memory,
                    processes=limits.processes,
                    output_bytes=limits.output_bytes,
                ),
                env={},
                pass_fds=data,
                status_pipe=status,
                out=out,
                errors=errors,
            )
            said = _report(report)
        finally:
            os.close(report)
            serving.cancel()
            failed = (await asyncio.gather(serving, return_exceptions=True))[0]
            channel.close()
        if isinstance(failed, ToolError | OSError):
            told = " ".join(errors.head.decode(errors="replace").split())[:300]
            raise ToolError(f"{getattr(failed, 'message', failed)}{f' ({told})' if told else ''}") from failed
        answer, status_said = said.get("answer"), said.get("status")
        memory = said.get("memory")
        not_started = said.get("not_started")
        return Finished(
            ended=outcome.ended,
            status=outcome.status,
            signal=-status_said if isinstance(status_said, int) and -65 < status_said < 0 else None,
            not_started=not_started if isinstance(not_started, str) else None,
            out=out,
            errors=errors,
            answer=base64.b64decode(answer) if isinstance(answer, str) else None,
            memory=memory if isinstance(memory, int) else None,
        )

    @staticmethod
    async def _serve(channel: Channel, serve: Callable[[Doors], AbstractAsyncContextManager[object]]) -> None:
        doors: Doors | None = None
        try:
            doors = await channel.doors()
            async with serve(doors):
                channel.go()
                await asyncio.Event().wait()
        finally:
            channel.close()  # a launcher that still waits ends
            if doors is not None:
                doors.close()

    def _namespaces(self, environment: Mapping[str, str]) -> Iterator[str]:
        if self.proxied:
            yield "--unshare-net"  # else it is the network that the launcher has made
        yield from ("--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try")
        if self._root:
            yield from ("--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID")
        else:
            yield from ("--unshare-user", "--uid", str(NOBODY), "--gid", str(NOBODY))
        yield from ("--die-with-parent", "--new-session", "--hostname", "box", "--clearenv")
        for name, value in environment.items():
            yield from ("--setenv", name, value)

    def _files(
        self, limits: BoxLimits, data: list[int], attachment: Attachment | None, uid: int | None
    ) -> Iterator[str]:
        binds: dict[str, str] = {}
        for path in SYSTEM:
            if Path(path).is_symlink():
                yield from ("--symlink", str(Path(path).readlink()), path)
            elif Path(path).is_dir():
                binds[path] = path
        binds |= {path: path for path in _ETC if Path(path).exists()}
        for folder in (self._prefix, *self._mounts.programs):
            if not beneath(folder, map(Path, binds.values())):
                binds[str(folder)] = str(folder)
        if self._mounts.agent is not None:
            binds[AGENT] = str(self._mounts.agent)
        masks = self._hidden.masks(binds)
        made: set[Path] = {Path("/")}
        scratch = (*WRITABLE[:2], HOME)
        # from the outside in, so that a folder which is shown beneath /tmp is not covered by the private one
        for path in sorted({*binds, *masks, *scratch}, key=lambda path: (len(Path(path).parts), path)):
            for folder in reversed(Path(path).parents):
                if folder not in made:
                    made.add(folder)
                    yield from ("--perms", "0755", "--dir", str(folder))
            if path in scratch:
                yield from ("--perms", "1777", "--size", str(limits.tmp_bytes), "--tmpfs", path)
            if path in binds:
                yield from ("--ro-bind", binds[path], path)
            if path in masks:
                yield from ("--perms", "0555", "--tmpfs", path) if masks[path] else ("--ro-bind", "/dev/null", path)
        shown = {Path(outside).resolve(): inside for inside, outside in binds.items()}
        for bundle, text in self._bundles.items():
            for outside, inside in shown.items():
                if bundle.is_relative_to(outside):
                    data.append(in_memory(text))
                    place = str(Path(inside) / bundle.relative_to(outside))
                    yield from ("--perms", "0444", "--ro-bind-data", str(data[-1]), place)
        account = NOBODY if uid is None else uid
        for path, words in {
            "/etc/passwd": f"agent:x:{account}:{account}::{HOME}:/bin/sh\n",
            "/etc/group": f"agent:x:{account}:\n",
            "/etc/hosts": "127.0.0.1 localhost\n",
            "/etc/resolv.conf": "nameserver 127.0.0.1\n",
            "/etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
            "/etc/gaia-ca.pem": self._certificate.decode(),
            **dict.fromkeys(CHROMIUM_POLICIES, chromium_policy(self._certificate)),
            **{path: text.decode() for path, text in self._mounts.extra.items()},
        }.items():
            data.append(in_memory(words.encode()))
            yield from ("--perms", "0444", "--ro-bind-data", str(data[-1]), path)
        yield from ("--proc", "/proc", "--dev", "/dev")
        yield from ("--perms", "1777", "--size", str(limits.tmp_bytes), "--tmpfs", "/dev/shm")  # noqa: S108
        if attachment is not None:
            data.append(open_attachment(attachment))
            yield from ("--perms", "0444", "--ro-bind-data", str(data[-1]), f"{TASK}/{attachment.name}")
        for path in (*(mask for mask, folder in masks.items() if folder), "/"):
            yield from ("--remount-ro", path)


def standard_environment(path: Iterable[str], *, proxied: bool = False) -> dict[str, str]:
    """What every agent finds in its environment: where to look for programs, whom to trust, where models are."""
    certificate = "/etc/gaia-ca.pem"
    here = f"http://127.0.0.1:{PORT}"
    return (_proxies() if proxied else {}) | {
        "PATH": ":".join(path),
        "HOME": HOME,
        "USER": "agent",
        "TMPDIR": "/tmp",  # noqa: S108
        "LANG": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUNBUFFERED": "1",
        "NODE_EXTRA_CA_CERTS": certificate,
        "SSL_CERT_FILE": "/etc/ssl/certs/ca-certificates.crt",
        "REQUESTS_CA_BUNDLE": "/etc/ssl/certs/ca-certificates.crt",
        "CURL_CA_BUNDLE": "/etc/ssl/certs/ca-certificates.crt",
        "GIT_SSL_CAINFO": "/etc/ssl/certs/ca-certificates.crt",
        "OPENAI_BASE_URL": f"{here}/v1",
        "OPENAI_API_KEY": "in-the-gateway",
        "ANTHROPIC_BASE_URL": here,
        "ANTHROPIC_API_KEY": "in-the-gateway",
        "GOOGLE_GEMINI_BASE_URL": here,
        "GEMINI_API_KEY": "in-the-gateway",
        ANSWER_VARIABLE: ANSWER,
        "GAIA_MCP_URL": f"{here}/mcp",
        "GAIA_SAYS_URL": f"{here}/says",
    }


def _proxies() -> dict[str, str]:
    names = ("http_proxy", "https_proxy", "all_proxy")
    proxies = dict.fromkeys((*names, *map(str.upper, names)), f"http://127.0.0.1:{PROXY_PORT}")
    return proxies | dict.fromkeys(("no_proxy", "NO_PROXY"), "127.0.0.1,localhost") | {"NODE_USE_ENV_PROXY": "1"}


def find_bwrap() -> str | None:
    """Where bubblewrap is."""
    return shutil.which("bwrap")


def _report(fd: int) -> dict[str, object]:
    told = os.pread(fd, LONGEST_REPORT, 0)
    try:
        said = json.loads(told)
    except ValueError:
        return {}
    return said if isinstance(said, dict) else {}
