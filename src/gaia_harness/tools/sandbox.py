"""The bubblewrap sandbox for untrusted code: no network, a read-only system, a private tmp, no privileges."""

import asyncio
import importlib.util
import itertools
import json
import os
import shutil
import stat
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from gaia_harness.errors import ToolError
from gaia_harness.shortening import shorten
from gaia_harness.tools.base import Attachment
from gaia_harness.tools.cgroup import CgroupMaker, find_cgroups
from gaia_harness.tools.containment import Limits, Outcome, contained, in_memory
from gaia_harness.tools.hiding import Hidden
from gaia_harness.tools.memory_watch import WRITABLE
from gaia_harness.tools.seccomp import seccomp_filter

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_ETC = ("/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives", "/etc/mime.types")
_WORK = WRITABLE[0]
_PACKAGES = "/packages"
# What models use for the kinds of files they get, and what those in turn need.
# fmt: off
_OFFERED = (
    "openpyxl", "et_xmlfile", "pypdf", "docx", "pptx", "PIL", "pillow.libs", "lxml", "numpy", "numpy.libs", "pandas",
    "pandas.libs", "dateutil", "pytz", "sympy", "mpmath", "typing_extensions", "xlrd", "xlsxwriter", "six", "tzdata",
)
# fmt: on
NOBODY = 65534
FIRST_UID, UIDS = 61184, 4000  # systemd's range for uids that belong to nobody for long


class SandboxSearch(msgspec.Struct, frozen=True, kw_only=True):
    """Whether there is a working sandbox here; if not, why, and what would help."""

    sandbox: "Sandbox | None" = None
    reason: str | None = None
    hint: str | None = None


class Sandbox:
    """A bubblewrap that works here. Each run is a new one: nothing stays from one run to the next."""

    def __init__(
        self,
        bwrap: str,
        version: str,
        *,
        hidden: tuple[Path, ...] = (),
        own_package: Path | None = None,
        interpreter: tuple[Path, Path] | None = None,
        root: bool | None = None,
        cgroups: CgroupMaker | None = None,
    ) -> None:
        """`interpreter` is (executable, prefix); by default the one that our virtual environment is based on.

        GaiaError if something in `hidden` cannot be hidden.
        """
        self.description = version
        self.memory = "watched" if cgroups is None else "cgroup v2"
        self._bwrap = bwrap
        self._cgroups = cgroups
        package = own_package or Path(__file__).parents[1]
        self._python, prefix = interpreter or base_interpreter()
        needed = (*map(Path, filter(os.path.isdir, SYSTEM)), prefix, self._python, Path(os.__file__).parent)
        self._hidden = Hidden(hidden, (package, *home_folders()), needed)
        within = self._python.is_relative_to(prefix)
        self._prefixes = (prefix,) if within else (prefix, self._python.parent)
        self._root = os.geteuid() == 0 if root is None else root
        self._uids = itertools.count(os.getpid())
        self._packages = tuple(_offered_packages())
        self._inside = Path(__file__).with_name("inside.py").read_text(encoding="utf-8")

    async def run(self, code: str, attachment: Attachment | None, limits: Limits) -> Outcome:
        """Run Python code; the attachment, if any, lies read-only in the working directory."""
        # As real root the kernel does not keep RLIMIT_NPROC, so we run under a uid of its own for each sandbox.
        uid = FIRST_UID + next(self._uids) % UIDS if self._root else None
        settings = {"uid": uid, "rlimits": limits.rlimits(), "packages": [_PACKAGES]}
        data: list[int] = []
        try:
            arguments = [*self._namespaces(), *self._files(limits, data, attachment, uid), "--chdir", _WORK]
            program = seccomp_filter()
            if program is not None:
                data.append(in_memory(program))
                arguments += ["--seccomp", str(data[-1])]
            # By descriptor: the command line of bwrap can be read inside, and these are full of the host's paths.
            data.append(in_memory(b"".join(os.fsencode(argument) + b"\0" for argument in arguments)))
            status = os.pipe()
        except BaseException:
            for fd in data:
                os.close(fd)
            raise
        python = [str(self._python), "-I", "-S", "-B", "-c", self._inside, json.dumps(settings)]
        argv = [self._bwrap, "--args", str(data[-1]), "--json-status-fd", str(status[1]), "--", *python]
        try:
            # bwrap itself gets no environment: its /proc/1/environ can be read inside.
            return await contained(
                argv, code.encode(), limits, env={}, pass_fds=data, status_pipe=status, cgroups=self._cgroups
            )
        except OSError as error:
            raise ToolError(f"The sandbox could not be started: {error.strerror}.") from None

    def _namespaces(self) -> Iterator[str]:
        # --unshare-all would also make a user namespace, in which root stays root for RLIMIT_NPROC.
        yield from ("--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try")
        if self._root:
            yield from ("--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID")
        else:
            yield from ("--unshare-user", "--uid", str(NOBODY), "--gid", str(NOBODY))
        yield from ("--die-with-parent", "--new-session", "--hostname", "sandbox", "--clearenv")
        environment = {
            "PATH": f"{self._python.parent}:/usr/bin:/bin",
            "HOME": _WORK,
            "TMPDIR": "/tmp",  # noqa: S108
            "LANG": "C.UTF-8",
            "OMP_NUM_THREADS": "2",  # a thread counts as a process, and libraries start one per core
            "OPENBLAS_NUM_THREADS": "2",
        }
        for name, value in environment.items():
            yield from ("--setenv", name, value)

    def _files(self, limits: Limits, data: list[int], attachment: Attachment | None, uid: int | None) -> Iterator[str]:
        binds: dict[str, str] = {}
        for path in SYSTEM:
            if Path(path).is_symlink():
                yield from ("--symlink", str(Path(path).readlink()), path)
            elif Path(path).is_dir():
                binds[path] = path
        binds |= {path: path for path in _ETC if Path(path).exists()}
        binds |= {str(path): str(path) for path in self._prefixes if not beneath(path, map(Path, binds.values()))}
        binds |= {f"{_PACKAGES}/{path.name}": str(path) for path in self._packages}
        masks = self._hidden.masks(binds)
        # From the outside in, so that a mask covers what lies beneath it and a deeper bind shows through again.
        made: set[Path] = {Path("/")}
        for path in sorted({*binds, *masks}, key=lambda path: (len(Path(path).parts), path)):
            for folder in reversed(Path(path).parents):
                if folder not in made:  # bwrap makes missing folders too, but for root alone
                    made.add(folder)
                    yield from ("--perms", "0755", "--dir", str(folder))
            if path in binds:
                yield from ("--ro-bind", binds[path], path)
            if path in masks:
                yield from ("--perms", "0555", "--tmpfs", path) if masks[path] else ("--ro-bind", "/dev/null", path)
        account = NOBODY if uid is None else uid
        for path, text in {
            "/etc/passwd": f"agent:x:{account}:{account}::{_WORK}:/bin/sh\n",
            "/etc/group": f"agent:x:{account}:\n",
            "/etc/hosts": "127.0.0.1 localhost\n",
            "/etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
        }.items():
            data.append(in_memory(text.encode()))
            yield from ("--perms", "0444", "--ro-bind-data", str(data[-1]), path)
        yield from ("--proc", "/proc", "--dev", "/dev")
        # Shared memory made of /dev/zero is counted nowhere; /dev/full reads the same and cannot be mapped.
        yield from ("--dev-bind", "/dev/full", "/dev/zero")
        for path in WRITABLE:
            yield from ("--perms", "1777", "--size", str(limits.tmp_bytes), "--tmpfs", path)
        if attachment is not None:
            data.append(
                open_attachment(attachment)
            )  # by descriptor: its path, which names the task, is not to be seen inside
            yield from ("--perms", "0444", "--ro-bind-data", str(data[-1]), f"{_WORK}/{attachment.name}")
        for path in ("/dev", *(mask for mask, folder in masks.items() if folder), "/"):
            yield from ("--remount-ro", path)


async def find_sandbox(hidden: tuple[Path, ...] = (), bwrap: str | None = None) -> SandboxSearch:
    """Look for bubblewrap and really run a program in it: containers may forbid what it needs."""
    found = bwrap or shutil.which("bwrap")
    if found is None:
        return SandboxSearch(
            reason="bubblewrap is not installed",
            hint="Install it: apt-get install bubblewrap (or dnf, pacman, zypper).",
        )
    try:
        version = await _version(found)
        cgroups = await find_cgroups()
        # Whether we may enter a group shows only when we do.
        for each in (None,) if cgroups is None else (cgroups, None):
            sandbox = Sandbox(found, version, hidden=hidden, cgroups=each)
            outcome = await sandbox.run("print(6 * 7)", None, Limits(seconds=20))
            if outcome.status == 0 and outcome.head == b"42\n":
                return SandboxSearch(sandbox=sandbox)
    except (OSError, ToolError) as error:
        return SandboxSearch(reason=f"bubblewrap does not run: {error}")
    said = shorten(" ".join(outcome.head.decode(errors="replace").split()), 300)
    return SandboxSearch(
        reason=f"{version} does not work here: {said or outcome.ended.value}",
        hint="A container may forbid namespaces: allow them (for example docker run --privileged), or run outside.",
    )


async def _version(bwrap: str) -> str:
    process = await asyncio.create_subprocess_exec(
        bwrap, "--version", stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL, env={}
    )
    said, _ = await process.communicate()
    return " ".join(said.decode(errors="replace").split())[:60] or "bubblewrap"


def home_folders() -> Iterator[Path]:
    """The home of whoever runs this, unless that is part of the system."""
    try:
        home = Path.home()
    except RuntimeError:
        return  # an account without one
    if home.parent not in (Path("/"), Path("/usr")):  # system accounts live in /usr/sbin and the like
        yield home


def base_interpreter() -> tuple[Path, Path]:
    """The Python that our own virtual environment is based on, and the folder it is installed in."""
    executable = Path(getattr(sys, "_base_executable", None) or sys.executable).resolve()
    prefix = Path(sys.base_prefix).resolve()
    if prefix == Path("/"):
        raise ToolError("the Python interpreter has / as its prefix, so that nothing could be kept from it")
    return executable, prefix


def _offered_packages() -> Iterator[Path]:
    for name in _OFFERED:
        if name.endswith(".libs"):
            spec = importlib.util.find_spec({"pillow.libs": "PIL"}.get(name, name.removesuffix(".libs")))
            path = Path(spec.origin).parent.parent / name if spec and spec.origin else None
        else:
            spec = importlib.util.find_spec(name)
            path = Path(spec.origin) if spec and spec.origin else None
            if path and path.name == "__init__.py":
                path = path.parent
        if path and path.exists():
            yield path


def beneath(path: Path, others: Iterable[Path]) -> bool:
    """Whether a path lies in one of these folders."""
    return any(path.is_relative_to(other.resolve()) for other in others)


def open_attachment(attachment: Attachment) -> int:
    """A descriptor of a task's file."""
    try:
        fd = os.open(attachment.path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        raise ToolError(f"{attachment.name} cannot be opened: {error.strerror}.") from None
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise ToolError(f"{attachment.name} is not a regular file.")
    return fd
