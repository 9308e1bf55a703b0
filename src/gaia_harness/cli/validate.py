"""`gaia validate`."""

import asyncio
import importlib.util
import os
import platform
import shutil
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import click

from gaia_harness.errors import GaiaError, ModelError, ToolError
from gaia_harness.protocol import NOT_OFFERED, PYTHON, UNSANDBOXED, WEB_SEARCH
from gaia_harness.shortening import shorten
from gaia_harness.version import __version__

SDKS = ("ahocorasick_rs", "anthropic", "ddgs", "huggingface_hub", "openai", "pyarrow")
ENOUGH_DISK = 1 << 30

Check = Callable[[], Awaitable[str]]


@click.command("validate")
@click.option("--dataset", default="hub", show_default=True, help="hub, demo, or a folder in GAIA's layout.")
@click.option("--split", default="validation", show_default=True)
@click.option("--revision", help="Revision of the hub's data set; the default is pinned.")
@click.option("--model", metavar="PROVIDER/NAME", help="Also ask this model to say one word.")
@click.option("--base-url", help="Another server that speaks the provider's protocol.")
@click.option("--search-url", help="A SearXNG instance; else Brave or Tavily by key, else keyless.")
@click.option("--unsandboxed-python", is_flag=True, help="As for `gaia run`: a missing sandbox is no failure.")
@click.option("--out", type=click.Path(path_type=Path), default=Path("runs"), show_default=True)
@click.pass_context
def command(
    ctx: click.Context,
    dataset: str,
    split: str,
    revision: str | None,
    model: str | None,
    base_url: str | None,
    search_url: str | None,
    unsandboxed_python: bool,
    out: Path,
) -> None:
    """Check that everything a run needs is in place, and say what to do about what is not.

    \b
    Exit codes: 0 all in place, 1 something is missing, 2 usage.
    """
    from gaia_harness.cli.run import check_addresses
    from gaia_harness.run.opening import warn_of_unmasked

    check_addresses({"base_url": base_url, "search_url": search_url})
    env = dict(os.environ)
    warn_of_unmasked(env)
    checks: dict[str, Check] = {
        "python": _python,
        "packages": _packages,
        "disk": lambda: _disk(out),
        "sandbox": lambda: _sandbox(unsandboxed_python, dataset, out, env),
        "box": _box,
        "readers": _readers,
        "browser": _browser,
        "dataset": lambda: _dataset(dataset, split, revision, env),
        "search": lambda: _search(dataset, search_url, env),
        "model": lambda: _model(model, base_url, env),
    }
    ctx.exit(asyncio.run(_all(checks)))


async def _all(checks: dict[str, Check]) -> int:
    failed = 0
    for name, check in checks.items():
        try:
            said, mark = await check(), "ok  "
        except GaiaError as error:
            failed += 1
            said, mark = error.message, "FAIL"
            if error.hint:
                said += f"\n{'':15}next: {error.hint}"
        except OSError as error:
            failed += 1
            said, mark = f"{error.filename or name}: {error.strerror}", "FAIL"
        click.echo(f"{mark}  {name:<8} {said}")
    click.echo("everything is in place" if not failed else f"{failed} of {len(checks)} checks failed")
    return 1 if failed else 0


async def _python() -> str:
    if sys.version_info < (3, 11):  # noqa: UP036 - said to the person, not only to pip
        raise GaiaError(f"Python {platform.python_version()} is too old", hint="use Python 3.11 or newer")
    return f"Python {platform.python_version()}, gaia-harness {__version__}"


async def _packages() -> str:
    from gaia_harness.tools.kit import NEEDED

    missing = [name for name in (*SDKS, *NEEDED) if importlib.util.find_spec(name) is None]
    if missing:
        raise GaiaError(f"not installed: {', '.join(missing)}", hint="pip install 'gaia-harness[run]'")
    return "all packages of the extra `run` are installed"


async def _disk(out: Path) -> str:
    place = out.absolute()
    while not place.exists():
        place = place.parent
    if not os.access(place, os.W_OK | os.X_OK):
        raise GaiaError(f"{place}: not writable", hint="choose another --out")
    free = shutil.disk_usage(place).free
    if free < ENOUGH_DISK:
        raise GaiaError(f"{place}: {free / 1e6:,.0f} MB free", hint="make room, or choose another --out")
    return f"{free / 1e9:,.0f} GB free for {out}"


def _need_tools() -> None:
    """The tools cannot be tried without their packages, which the check of the packages names."""
    from gaia_harness.tools.kit import NEEDED

    if any(importlib.util.find_spec(name) is None for name in NEEDED):
        raise GaiaError("cannot be tried before the packages above are installed")


async def _sandbox(unsandboxed: bool, dataset: str, out: Path, env: dict[str, str]) -> str:
    from gaia_harness.run.opening import hidden_paths
    from gaia_harness.tools.kit import ToolConfig, ToolKit

    _need_tools()
    hidden = hidden_paths(dataset, out / "run", env)
    kit = await ToolKit.open(ToolConfig(unsandboxed_python=unsandboxed, hidden=hidden), {})
    try:
        python = kit.isolation[PYTHON]
        if python == NOT_OFFERED:
            raise GaiaError(
                f"python code cannot be sandboxed: {kit.isolation.get('reason', 'bubblewrap is missing')}",
                hint="apt install bubblewrap; without it the python tool is not offered",
            )
        tool = next(tool for tool in kit.for_task(None) if tool.name == PYTHON)
        output = await tool.call({"code": "print(6 * 7)"})
        if "42" not in output.text:
            raise GaiaError(f"python code does not run: {shorten(' '.join(output.text.split()), 200)}")
        if python == UNSANDBOXED:
            return "python runs UNSANDBOXED"
        return f"python runs in {python}, memory: {kit.isolation['memory']}"
    except ToolError as error:
        raise GaiaError(f"python code does not run: {error.message}") from error
    finally:
        await kit.aclose()


async def _box() -> str:
    """For agents that are programs. Our own loop needs none, so that a missing one is no failure."""
    _need_tools()
    from gaia_harness.box.trial import try_box

    trial = await try_box()
    if trial.bwrap is None:
        return f"not here, so that `gaia run --agent` cannot be used: {trial.reason}\n{'':15}next: {trial.hint}"
    if trial.proxied:
        return (
            "programs run in a WEAKER box (`gaia run --agent`), with the gateway as a proxy: what does not use it goes "
            f"nowhere, and is on no record. {trial.reason}\n{'':15}next: {trial.hint}"
        )
    return "programs run in a box (`gaia run --agent`), with the gateway as their only way out"


async def _readers() -> str:
    """What optional programs read. A run needs none of them."""
    from gaia_harness.tools.programs import DOCUMENT_READERS, OCR, installed

    words = next((argv[0] for argv in DOCUMENT_READERS if installed(argv[0])), None)
    eyes = OCR[0] if installed(OCR[0]) else None
    return "; ".join(
        (
            f".doc by {words}" if words else ".doc not read (apt install catdoc)",
            f"text in pictures, for models without images, by {eyes}"
            if eyes
            else "text in pictures not read for models without images (apt install tesseract-ocr)",
        )
    )


async def _browser() -> str:
    """In which the page of `gaia view` is tested. A run needs none."""
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        return (
            "no chromium here: `gaia view` writes its page all the same, its tests are skipped (apt install chromium)"
        )
    return f"{found}; `gaia view` writes its page for any browser"


async def _dataset(dataset: str, split: str, revision: str | None, env: dict[str, str]) -> str:
    from gaia_harness.records.config import Selection
    from gaia_harness.tasks.loading import load_tasks

    loaded = load_tasks(dataset, split=split, selection=Selection(first=1, last=1), revision=revision, env=env)
    return f"{dataset}, split {split}, can be read" + (f", revision {loaded.revision}" if loaded.revision else "")


async def _search(dataset: str, search_url: str | None, env: dict[str, str]) -> str:
    from gaia_harness.tools.kit import ToolConfig, ToolKit

    if dataset == "demo" and search_url is None:
        return "the demo brings its own"
    _need_tools()
    kit = await ToolKit.open(ToolConfig(search_url=search_url), env)
    try:
        tool = next(tool for tool in kit.for_task(None) if tool.name == WEB_SEARCH)
        output = await tool.call({"query": "lighthouse"})
        return f"{kit.isolation['web_search']} answers, {len(output.sources)} hits"
    except ToolError as error:
        raise GaiaError(
            error.message,
            hint="name a SearXNG instance with --search-url, or set BRAVE_API_KEY or TAVILY_API_KEY",
        ) from error
    finally:
        await kit.aclose()


async def _model(name: str | None, base_url: str | None, env: dict[str, str]) -> str:
    from gaia_harness.models.messages import Request, User
    from gaia_harness.models.registry import open_model

    if name is None:
        return "not asked for (--model PROVIDER/NAME)"
    if name.startswith("scripted/"):
        open_model(name, base_url=base_url, env=env)
        return f"{name} can be opened"
    model = open_model(name, base_url=base_url, env=env, call_timeout=60, max_retries=1)
    try:
        reply = await model.reply(Request(messages=(User("Say OK."),), max_output_tokens=2048))
    except ModelError as error:
        raise GaiaError(error.message, hint=error.hint) from error
    finally:
        await model.aclose()
    return f"{name} answers in {reply.latency_ms} ms"
