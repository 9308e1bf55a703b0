"""All tools of a run: opened once, and given to each task with its own attachment."""

import asyncio
import importlib.util
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from gaia_harness.errors import GaiaError
from gaia_harness.models.messages import Transcript
from gaia_harness.protocol import NOT_OFFERED, PYTHON, UNSANDBOXED, WEB_SEARCH
from gaia_harness.tools.base import Attachment, Tool
from gaia_harness.tools.fetch import WebFetch
from gaia_harness.tools.files import FileRead, neutral_name
from gaia_harness.tools.programs import Programs
from gaia_harness.tools.proxies import Proxies
from gaia_harness.tools.python import CodeRunner, PythonTool, Unsandboxed
from gaia_harness.tools.reader_pool import ReaderPool
from gaia_harness.tools.reading import AttemptReader, Transcriber
from gaia_harness.tools.sandbox import find_sandbox
from gaia_harness.tools.search import SearchBackend, WebSearch
from gaia_harness.tools.search_engines import Brave, Keyless, SearXNG, Tavily
from gaia_harness.tools.third_party import ThirdPartyTool

NEEDED = ("httpx2", "trafilatura", "lxml", "lxml_html_clean", "pypdf", "openpyxl", "xlrd", "docx", "pptx", "PIL")
PROGRAMS = 8
"""Programs in the sandbox that run at once, over all tasks: each may take its full share of memory."""


class ToolConfig(msgspec.Struct, frozen=True, kw_only=True):
    """What the user has said about tools. `hidden` are paths that sandboxed code must never see.

    `third_party` are the names of tools that other installed packages offer.
    """

    search_url: str | None = None
    allow_hosts: tuple[str, ...] = ()
    unsandboxed_python: bool = False
    hidden: tuple[Path, ...] = ()
    third_party: tuple[str, ...] = ()


class ToolKit:
    """The tools of a run. `isolation` says for the record how foreign code is kept in, who is searched, who listens."""

    def __init__(
        self,
        readers: ReaderPool,
        fetch: WebFetch,
        engine: SearchBackend,
        runner: CodeRunner | None,
        isolation: dict[str, Any],
        *,
        transcriber: Transcriber | None = None,
        sees_images: Callable[[], bool] = lambda: True,
        third_party: Sequence[ThirdPartyTool] = (),
    ) -> None:
        self._readers = readers
        self._fetch = fetch
        self._engine = engine
        self._runner = runner
        self._at_once = asyncio.Semaphore(PROGRAMS)
        self._programs = Programs(runner, at_once=self._at_once)
        self._transcriber = transcriber
        self._sees_images = sees_images
        self._third_party = third_party
        self.isolation = isolation

    @classmethod
    async def open(
        cls,
        config: ToolConfig,
        env: Mapping[str, str],
        *,
        transcriber: Transcriber | None = None,
        sees_images: Callable[[], bool] = lambda: True,
    ) -> "ToolKit":
        """Make the tools ready. GaiaError when a package they need is not installed.

        `transcriber` listens to audio; `sees_images` says whether the model takes images, as far as is known by then.
        """
        third_party = [ThirdPartyTool.find(name) for name in config.third_party]
        engine = _engine(config, env)
        needed = (*NEEDED, "ddgs") if isinstance(engine, Keyless) else NEEDED
        missing = [name for name in needed if importlib.util.find_spec(name) is None]
        if missing:
            raise GaiaError(
                f"The tools need packages that are not installed: {', '.join(missing)}.",
                hint="pip install 'gaia-harness[run]'",
            )
        isolation: dict[str, Any] = {}
        runner: CodeRunner | None
        if config.unsandboxed_python:
            runner = Unsandboxed()
            isolation[PYTHON] = UNSANDBOXED
        else:
            search = await find_sandbox(config.hidden)
            runner = search.sandbox
            isolation[PYTHON] = NOT_OFFERED if search.sandbox is None else search.sandbox.description
            if search.sandbox is not None:
                isolation["memory"] = search.sandbox.memory
            if search.reason is not None:
                isolation["reason"] = search.reason
        isolation[WEB_SEARCH] = engine.name
        if transcriber is not None:
            isolation["transcription"] = transcriber.name
        for tool in third_party:
            isolation[f"tool {tool.plugin.name}"] = tool.plugin.provenance()
        readers = ReaderPool()
        fetch = WebFetch(readers, allow_hosts=config.allow_hosts, proxies=Proxies.from_env(env))
        return cls(
            readers,
            fetch,
            engine,
            runner,
            isolation,
            transcriber=transcriber,
            sees_images=sees_images,
            third_party=third_party,
        )

    def for_task(
        self, attachment: Path | None, on_transcript: Callable[[Transcript], None] = lambda _: None
    ) -> tuple[Tool, ...]:
        """The tools of one task: `file_read` only if there is a file, `python` only if there is a place to run it."""
        reader = AttemptReader(
            self._readers,
            self._programs,
            transcriber=self._transcriber,
            sees_images=self._sees_images,
            on_transcript=on_transcript,
        )
        tools: list[Tool] = [WebSearch(self._engine), self._fetch.for_attempt(reader)]
        file = None if attachment is None else Attachment(path=attachment, name=neutral_name(attachment))
        if file is not None:
            tools.append(FileRead(file, reader, hears=self._transcriber is not None))
        if self._runner is not None:
            tools.append(PythonTool(self._runner, file, at_once=self._at_once))
        tools += [tool.for_task(file) for tool in self._third_party]
        return tuple(tools)

    async def aclose(self) -> None:
        """Give back connections and end the reader processes."""
        await self._fetch.aclose()
        await self._engine.aclose()
        await self._readers.aclose()


def _engine(config: ToolConfig, env: Mapping[str, str]) -> SearchBackend:
    proxies = Proxies.from_env(env)
    if config.search_url is not None:
        return SearXNG(config.search_url, proxies=proxies)
    if key := env.get("BRAVE_API_KEY"):
        return Brave(key, proxies=proxies)
    if key := env.get("TAVILY_API_KEY"):
        return Tavily(key, proxies=proxies)
    return Keyless(proxies)
