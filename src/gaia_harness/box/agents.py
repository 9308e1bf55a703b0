"""Which program is the agent, and how it is started: agent.toml, a command, or a preset by its name."""

import hashlib
import os
import shlex
import shutil
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Annotated, Literal

import msgspec
import rfc8785

from gaia_harness.box.boxing import AGENT, TASK
from gaia_harness.box.folder_hash import hashed
from gaia_harness.errors import UsageError
from gaia_harness.evidence.redaction import named_secrets, secrets_in
from gaia_harness.protocol import ToolRole
from gaia_harness.tools.sandbox import base_interpreter

FILE_NAME = "agent.toml"
HAL, HAL_SHIM = "hal:", "/etc/gaia-hal.py"
ACP, ACP_SHIM = "acp:", "/etc/gaia-acp.py"
LARGEST = 256 << 10
_PLACES = (".venv/bin", "venv/bin", "node_modules/.bin", "bin")
"""Where a folder may have programs of its own."""


SubAgent = Annotated[str, msgspec.Meta(pattern="^[A-Za-z][A-Za-z0-9_-]{0,39}$")]
Words = Annotated[str, msgspec.Meta(min_length=4, max_length=1000)]


class AgentFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """agent.toml. `command` is run for each attempt, in the agent's folder or, with `folder = "task"`, in the task's.

    `environment` names variables of yours that the agent gets; `variables` gives values that it gets. Keys are in
    neither: model calls get theirs outside of the box. `tools` says what the agent's own tools do (search, fetch, read,
    code, look, delegate, answer, other); `agents` names its sub-agents, by words of what each is told first. `hosts`
    names hosts that it needs, for whoever reads this. `model` is the one that it is tried with where no other is named.
    With `instruct`, the question is followed by a sentence that asks for the line `FINAL ANSWER:`.
    """

    command: str | list[str]
    folder: Literal["agent", "task"] = "agent"
    environment: tuple[str, ...] = ()
    variables: dict[str, str] = {}
    programs: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    seconds: float | None = None
    tools: dict[str, ToolRole] = {}
    agents: dict[SubAgent, Words] = {}
    model: str | None = None
    question: Literal["stdin", "argument"] = "stdin"
    instruct: bool = False
    about: str = ""


class Preset(AgentFile, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An agent that can be named: how it is installed, the version that was tried, whose models it can ask, and files
    below /etc that it reads.
    """

    install: str
    tried: str
    providers: tuple[str, ...]
    files: dict[str, str] = {}


class Agent(msgspec.Struct, frozen=True, kw_only=True):
    """A program that is ready to be run: its command as it is started in the box, and what is shown of this machine.

    `sha256` is the hash of the agent's folder, None where it has none. `extra` are files of ours that it needs.
    `version` is that of the package that its program is of, where that says so. `packages` is how many Python packages
    lie outside of the folder, as in an environment that it has a link to, and the hash of their names and versions.
    `left_out` are folders within the agent's own that the hash leaves out.
    """

    name: str
    argv: tuple[str, ...]
    folder: Path | None
    sha256: str | None
    cwd: str
    path: tuple[str, ...]
    programs: tuple[Path, ...]
    file: AgentFile
    extra: dict[str, bytes] = {}
    version: str | None = None
    packages: str | None = None
    left_out: tuple[Path, ...] = ()

    def environment(self, env: Mapping[str, str]) -> dict[str, str]:
        """The variables that this agent asks for, with their values."""
        return {name: env[name] for name in self.file.environment if name in env} | self.file.variables


@cache
def presets() -> dict[str, Preset]:
    """The agents that can be named: presets.toml."""
    text = resources.files(__package__).joinpath("presets.toml").read_text("utf-8")
    return msgspec.convert(tomllib.loads(text), dict[str, Preset])


def find_agent(given: str, folder: Path | None, model: str, env: Mapping[str, str]) -> Agent:
    """The agent that `--agent` and `--agent-dir` name. UsageError, with what to do, where there is none.

    `model` is the run's, as `PROVIDER/NAME`.
    """
    if given in presets() and folder is None and not Path(given).is_dir():
        return _preset(given, presets()[given], model, env)
    if Path(given).is_dir() and (folder is None or folder.resolve() == Path(given).resolve()):
        folder = Path(given)
        file = read_agent_file(folder / FILE_NAME)
        return _agent(folder.resolve().name, folder, file, env)
    if given.startswith(ACP):
        return _acp_agent(given, folder, model, env)
    if given.startswith(HAL):
        return _hal_agent(given, folder, env)
    if folder is not None and not folder.is_dir():
        raise UsageError(f"{folder}: no such folder", hint="--agent-dir is the folder that your agent lies in")
    if not given.strip():
        raise UsageError("--agent is empty", hint="give a folder with agent.toml, or a command")
    file = AgentFile(command=given)
    if folder is not None and (folder / FILE_NAME).is_file():
        file = msgspec.structs.replace(read_agent_file(folder / FILE_NAME), command=given)
    return _agent(given, folder, file, env)


def _preset(name: str, preset: Preset, model: str, env: Mapping[str, str]) -> Agent:
    if model.partition("/")[0] not in preset.providers:
        asks = " or ".join(f"{each}/NAME" for each in preset.providers)
        raise UsageError(f"{name} asks models of {' and '.join(preset.providers)}, not {model}", hint=f"--model {asks}")

    try:
        agent = _agent(name, None, _filled(preset, model), env)
    except UsageError as error:
        raise UsageError(error.message, hint=f"install it: {preset.install}") from error
    return msgspec.structs.replace(agent, extra=_files(preset))


def _files(file: AgentFile) -> dict[str, bytes]:
    return {path: text.encode() for path, text in file.files.items()} if isinstance(file, Preset) else {}


def _filled(file: AgentFile, model: str) -> AgentFile:
    """With the names of the run's model and its provider where these are asked for."""
    provider, _, name = model.partition("/")

    def filled(text: str) -> str:
        return text.replace("{provider}", provider).replace("{model}", name)

    return msgspec.structs.replace(
        file,
        command=filled(file.command) if isinstance(file.command, str) else [filled(word) for word in file.command],
        variables={key: filled(value) for key, value in file.variables.items()},
    )


def _acp_agent(given: str, folder: Path | None, model: str, env: Mapping[str, str]) -> Agent:
    """An agent that speaks the Agent Client Protocol: our shim starts it in the box, and speaks with it there.

    A program that is also a preset's gets what the preset says of its variables and tools.
    """
    command = given.removeprefix(ACP).strip()
    words = command.split()
    if not words:
        raise UsageError(f"{given}: which program? Its command is missing", hint="as in --agent acp:'gemini --acp'")
    own = folder is not None and (folder / FILE_NAME).is_file()
    known = next((each for each in presets().values() if each.command[0] == Path(words[0]).name), None)
    listed = read_agent_file(folder / FILE_NAME) if folder is not None and own else known or AgentFile(command=command)
    file = msgspec.structs.replace(listed, command=command, question="stdin", instruct=True)
    try:
        agent = _agent(given, folder, _filled(file, model), env)
    except UsageError as error:
        raise UsageError(error.message, hint=error.hint if known is None else f"install it: {known.install}") from error
    return msgspec.structs.replace(
        agent,
        argv=(str(base_interpreter()[0]), "-I", "-S", "-B", ACP_SHIM, *agent.argv),
        extra=_files(listed) | {ACP_SHIM: Path(__file__).with_name("acp.py").read_bytes()},
    )


def _hal_agent(given: str, folder: Path | None, env: Mapping[str, str]) -> Agent:
    """An agent made for HAL: a function in its folder, called by our shim with its own Python."""
    function = given.removeprefix(HAL)
    if folder is None or not folder.is_dir():
        raise UsageError(f"{given}: which folder? --agent-dir is missing", hint="give the folder of the HAL agent")
    if not all(part.isidentifier() for part in function.split(".")) or "." not in function:
        raise UsageError(f"{given}: not a module and a function", hint="as in --agent hal:main.run")
    listed = read_agent_file(folder / FILE_NAME) if (folder / FILE_NAME).is_file() else AgentFile(command="python3")
    file = msgspec.structs.replace(listed, command=["python3", HAL_SHIM, function], question="stdin")
    agent = _agent(given, folder, file, env)
    return msgspec.structs.replace(agent, extra={HAL_SHIM: Path(__file__).with_name("hal.py").read_bytes()})


def model_in_file(given: str, folder: Path | None) -> str:
    """The model that an agent's own file names, for who names none. UsageError where it does not."""
    path = (folder or Path(given)) / FILE_NAME
    model = read_agent_file(path).model if path.is_file() else None
    if model is None:
        raise UsageError(
            "which model? --model is missing",
            hint=f'for example --model openai/gpt-4o, or a line model = "openai/gpt-4o" in {FILE_NAME}',
        )
    return model


def read_agent_file(path: Path) -> AgentFile:
    """What an agent.toml says. UsageError, with its place, where it cannot be read."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise UsageError(
            f"{path}: no such file",
            hint='write one line into it, as in command = "python main.py", or give the command as --agent',
        ) from None
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from error
    if len(data) > LARGEST:
        raise UsageError(f"{path}: more than {LARGEST} bytes")
    try:
        return msgspec.convert(tomllib.loads(data.decode()), AgentFile)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, msgspec.ValidationError, RecursionError) as error:
        raise UsageError(f"{path}: {error}", hint="see docs/agents.md for what may stand in it") from error


def _agent(name: str, folder: Path | None, file: AgentFile, env: Mapping[str, str]) -> Agent:
    _refuse_keys(file, env)
    try:
        argv = shlex.split(file.command) if isinstance(file.command, str) else list(file.command)
    except ValueError as error:
        raise UsageError(f"the agent's command cannot be read: {error}", hint="mind its quotes") from error
    if not argv or not argv[0]:
        raise UsageError("the agent's command is empty", hint='as in command = "python main.py"')
    if folder is not None and _is_home(folder.resolve(), env):
        raise UsageError(
            f"{folder} is your home, or around it: the agent would see all that is in it",
            hint="give the agent a folder of its own",
        )
    inside, shown = _program(argv[0], folder, env)
    programs = [*shown, *(place for each in file.programs for place in _program(each, folder, env)[1])]
    if folder is not None:
        programs += [target for place in _PLACES if (target := _linked(folder, place)) and target.is_dir()]
    path = [
        *_own_paths(folder),
        *(str(place / name) for place in programs for name in ("bin", ".bin") if (place / name).is_dir()),
        *(str(place) for place in programs if place.name == "bin"),
        "/usr/local/bin",
        "/usr/bin",
        "/bin",
    ]
    environments = [*programs, *(() if folder is None else (folder / ".venv", folder / "venv"))]
    programs += [base for place in environments for base in _base(place)]
    sha256, left_out = (None, []) if folder is None else hashed(folder.resolve(), named_secrets(env))
    return Agent(
        name=name[:200],
        argv=(inside, *argv[1:]),
        folder=None if folder is None else folder.resolve(),
        sha256=sha256,
        left_out=tuple(left_out),
        version=_version(argv[0], folder, env),
        packages=_packages(programs),
        cwd=TASK if file.folder == "task" or folder is None else AGENT,
        path=tuple(dict.fromkeys(path)),
        programs=tuple(dict.fromkeys(programs)),
        file=file,
    )


def _refuse_keys(file: AgentFile, env: Mapping[str, str]) -> None:
    named = {name: env.get(name, "") for name in file.environment}
    keys = sorted(name for name in named if secrets_in({name: named[name] or "x" * 20}))
    keys += sorted(name for name, text in file.variables.items() if any(key in text for key in secrets_in(env)))
    if keys:
        raise UsageError(
            f"{FILE_NAME}: {', '.join(keys)} would take a key into the box",
            hint="leave it out: the gateway puts the model's key in, outside of the box",
        )


def _own_paths(folder: Path | None) -> Iterator[str]:
    if folder is not None:
        for place in _PLACES:
            if (folder / place).is_dir():
                target = _linked(folder, place)
                yield f"{AGENT}/{place}" if target is None else str(target.joinpath(*Path(place).parts[1:]))


def _linked(folder: Path, place: str) -> Path | None:
    """Where an environment lies that the agent's folder has only a link to: it is shown in the box in its own place."""
    top = folder / Path(place).parts[0]
    target = top.resolve()
    return target if top.is_symlink() and not target.is_relative_to(folder.resolve()) else None


def _program(word: str, folder: Path | None, env: Mapping[str, str]) -> tuple[str, list[Path]]:
    """A program as it is called in the box, and the folders outside that must be shown for it."""
    if folder is not None and Path(word).is_relative_to(folder.resolve()):
        word = str(Path(word).relative_to(folder.resolve()))
    if folder is not None and not Path(word).is_absolute():
        for place in ("", *_PLACES):
            if (folder / place / word).is_file():
                target = _linked(folder, place) if place else None
                if target is not None:
                    return str(target.joinpath(*Path(place).parts[1:], word)), [target]
                return f"{AGENT}/{place}/{word}".replace("//", "/").replace("/./", "/"), []
    places = (env.get("PATH") or os.defpath).split(os.pathsep)
    # a version manager's shim is a script that looks for the program at run time, in folders that are not in the box
    found = shutil.which(word, path=os.pathsep.join(place for place in places if Path(place).name != "shims"))
    if found is None:
        raise UsageError(
            f"the agent's program {word} is not installed here",
            hint="give its whole path, or a folder with it as --agent-dir",
        )
    real = Path(found).resolve()
    if real.is_relative_to("/usr") and Path(found).is_relative_to("/usr"):
        return found, []
    where = _home_of(Path(found), real)
    if not _is_home(where, env):
        return found, [where]
    # a home has more in it than programs: what the program is, and not what lies beside it
    own = _home_of(real, real)
    libraries = [where / "lib"] if where.name == ".local" and (where / "lib").is_dir() else []
    return str(real), [real if _is_home(own, env) else own, *libraries]


def _is_home(folder: Path, env: Mapping[str, str]) -> bool:
    """Whether a folder is somebody's home or around it, or the part of it in which programs keep their secrets."""
    home = Path(env.get("HOME") or "/").resolve()
    return folder == home / ".local" or home.is_relative_to(folder)


def _home_of(found: Path, real: Path) -> Path:
    """The folder in which a program is installed with what it needs: its node_modules, or what is above `bin`."""
    for path in (found, real):
        for folder in reversed(path.parents):
            if folder.name == "node_modules":
                return folder
    for path in (found, real):
        if path.parent.name == "bin":
            return path.parent.parent
    return real.parent


def _base(environment: Path) -> Iterator[Path]:
    """Where the Python of a virtual environment is installed, unless that is part of the system."""
    config = environment / "pyvenv.cfg"
    if config.is_file():
        for line in config.read_text(errors="replace").splitlines():
            key, _, value = line.partition("=")
            home = Path(value.strip()).resolve()
            if key.strip() == "home" and not home.is_relative_to("/usr"):
                yield home.parent


def _packages(programs: Iterable[Path]) -> str | None:
    """How many Python packages lie in these folders, and the hash of their sorted names and versions."""
    found = {path.name for each in programs for path in each.glob("lib/python3*/site-packages/*.dist-info")}
    if not found:
        return None
    return f"{len(found)} packages, sha256 {hashlib.sha256(rfc8785.dumps(sorted(found))).hexdigest()}"


class _Package(msgspec.Struct):
    name: str = ""
    version: str = ""


def _version(word: str, folder: Path | None, env: Mapping[str, str]) -> str | None:
    """The name and version in the package.json above a program. Nothing is run for it."""
    inside, shown = _program(word, folder, env)
    if not shown:
        return None
    for place in Path(inside).resolve().parents:
        if (place / "package.json").is_file():
            try:
                package = msgspec.json.decode((place / "package.json").read_bytes(), type=_Package)
            except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
                return None
            return f"{package.name} {package.version}".strip()[:200] or None
    return None
