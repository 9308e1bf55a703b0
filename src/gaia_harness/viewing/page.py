"""Writes the HTML page of a story: one file that loads nothing; the steps of a task are packed until it is opened."""

import base64
import gzip
import hashlib
import shutil
import tempfile
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlencode

import jinja2
import msgspec
from markupsafe import Markup, escape

from gaia_harness.errors import UsageError
from gaia_harness.figures import counted
from gaia_harness.records.excerpt import sound
from gaia_harness.version import __version__
from gaia_harness.viewing import glance, pictures
from gaia_harness.viewing.place import new_page
from gaia_harness.viewing.steps import host_of
from gaia_harness.viewing.story import Progress, RunTold, StepTold, Story, TaskLine, TaskTold, Words, silent
from gaia_harness.viewing.unseen import marked

FOLDER = Path(__file__).with_name("web")
MOST_TEXT = 64 << 20
"""Bytes of whole texts in one page. What is beyond is shown by its beginning, and `gaia show` has the rest."""
LONGEST_TEXT = 16 << 20
MOST_HOSTS = 200
DATA = Markup("<!-- tasks -->")
"""Stands in the template where the tasks come. No text can have it: there, < is escaped."""


class Start(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Where the page opens."""

    task: str | None = None
    step: str = ""
    finding: str = ""
    list: str = ""


OVERVIEW = Start()


class WrittenPage(msgspec.Struct, frozen=True, kw_only=True):
    """The page that was written: its file, its size, how many tasks are in it, and which address opens it there."""

    path: Path
    bytes: int
    tasks: int
    address: str


class _Index(msgspec.Struct, omit_defaults=True, kw_only=True):
    title: str
    tasks: list[TaskLine]
    findings: tuple[Any, ...] = ()
    rules: tuple[Any, ...] = ()
    redacted: bool = False
    boxed: bool = False
    live: float = 0
    start: Start | None = None


def write_page(
    story: Story, out: Path, *, start: Start = OVERVIEW, live: float = 0, progress: Progress = silent
) -> WrittenPage:
    """Write the page to `out`, in place of a page that was there. `live`: it reloads itself after so many seconds."""
    with tempfile.TemporaryFile() as spool:
        gathered = _Gathered(story, spool, progress)
        start = _place(start, gathered, story.run)
        index = _Index(
            title=f"{story.run.model} · {story.run.split} · gaia-harness",
            tasks=gathered.lines,
            findings=story.run.findings,
            rules=story.run.rules,
            redacted=story.run.redacted,
            boxed=story.run.boxed,
            live=live,
            start=None if start == OVERVIEW else start,
        )
        before, after = _render(story.run, gathered, pack(index)).split(DATA)
        with new_page(out) as file:
            file.write(before.encode("utf-8", "replace"))
            spool.seek(0)
            shutil.copyfileobj(spool, file)
            file.write(after.encode("utf-8", "replace"))
            size = file.tell()
    return WrittenPage(path=out, bytes=size, tasks=len(gathered.lines), address=out.resolve().as_uri() + _behind(start))


class _Gathered:
    """What is known when all tasks were read once; their steps are in the spool by then."""

    def __init__(self, story: Story, spool: IO[bytes], progress: Progress) -> None:
        self.lines: list[TaskLine] = []
        self.tools: dict[str, tuple[int, int]] = {}
        self.hosts: dict[str, int] = {}
        self.steps: dict[str, int] = {}
        self.places: dict[str, str] = {}
        self._story = story
        self._spool = spool
        self._blocks: dict[str, str] = {}
        self._left = MOST_TEXT
        for task in story.tasks():
            self._take(task)
            progress("writing", len(self.lines), story.run.total)

    def _take(self, task: TaskTold) -> None:
        steps = []
        for step in task.steps:
            self._count(step)
            steps.append(
                msgspec.structs.replace(
                    step, text=self._with_whole(step.text), thoughts=self._with_whole(step.thoughts)
                )
            )
        self.steps[task.line.id] = len(steps)
        self.places[task.place] = task.line.id
        self._block(f"t{len(self.lines)}", msgspec.structs.replace(task, steps=tuple(steps)))
        self.lines.append(task.line)

    def _count(self, step: StepTold) -> None:
        if step.kind == "call":
            calls, failed = self.tools.get(step.name, (0, 0))
            self.tools[step.name] = calls + 1, failed
        elif step.kind == "result":
            calls, failed = self.tools.get(step.name, (0, 0))
            self.tools[step.name] = calls, failed + step.failed
            if len(step.sources) == 1 and (host := host_of(step.sources[0].url)):
                self.hosts[host] = self.hosts.get(host, 0) + 1

    def _with_whole(self, words: Words | None) -> Words | None:
        """The same words, with the block of the page that has the whole of them."""
        if words is None or not words.whole:
            return words
        if words.whole not in self._blocks:
            self._blocks[words.whole] = self._keep(words)
        block = self._blocks[words.whole]
        return msgspec.structs.replace(
            words, whole=block if block.startswith("w") else "", missing="" if block.startswith("w") else block
        )

    def _keep(self, words: Words) -> str:
        """The id of the block; or why there is none."""
        if words.bytes > min(LONGEST_TEXT, self._left):
            return "kept in the run, and too long for this page: gaia show has it with --step and --full"
        text = self._story.whole(words.whole)
        if text is None:
            return "said to be kept whole, and cannot be read"
        self._left -= words.bytes
        block = f"w{len(self._blocks)}"
        self._block(block, text)
        return block

    def _block(self, name: str, value: object) -> None:
        self._spool.write(f'<script type="text/plain" id="{name}">{pack(value)}</script>\n'.encode())


def pack(value: object) -> str:
    """A value as JSON, gzipped, in base64: the same bytes every time."""
    try:
        data = msgspec.json.encode(value)
    except UnicodeEncodeError:  # half a character, which JSON in UTF-8 cannot hold
        data = msgspec.json.encode(sound(msgspec.to_builtins(value)))
    return base64.b64encode(gzip.compress(data, 6, mtime=0)).decode()


def _behind(start: Start) -> str:
    """What stands behind the # of the page's address."""
    given = {name: value for name, value in msgspec.structs.asdict(start).items() if value}
    return f"#{urlencode(given)}" if given else ""


def _place(start: Start, gathered: _Gathered, run: RunTold) -> Start:
    """The same place with the whole id of its task; an error where there is no such place."""
    if start.finding:
        number = int(start.finding)
        if not 1 <= number <= len(run.findings):
            raise UsageError(f"there is no finding {number}: the audit has {counted(len(run.findings), 'finding')}")
        task = run.findings[number - 1].task
        return Start(task=task, finding=start.finding) if task is not None else Start(list=start.finding)
    if start.task is None:
        if start.step:
            raise UsageError("--step needs --task", hint="name the task that the step is of")
        return start
    task = gathered.places.get(start.task) or find_task(start.task, gathered.steps)
    if start.step and int(start.step) >= gathered.steps[task]:
        raise UsageError(
            f"there is no step {start.step}: the task has {counted(gathered.steps[task], 'step')}, from 0 on"
        )
    return msgspec.structs.replace(start, task=task)


def find_task(wanted: str, known: Iterable[str]) -> str:
    """The id that a person means by its beginning; an error where there is none, or several."""
    if not wanted:
        raise UsageError("the task is named by nothing", hint="give the beginning of its id; gaia show lists the tasks")
    ids = list(known)
    meant = [wanted] if wanted in ids else [task_id for task_id in ids if task_id.startswith(wanted)]
    if len(meant) > 1:
        raise UsageError(f"{len(meant)} tasks have an id that begins with {wanted[:80]!a}", hint="give more of the id")
    if not meant:
        raise UsageError(f"there is no task {wanted[:80]!a} here", hint="gaia show lists the tasks")
    return meant[0]


@cache
def environment() -> jinja2.Environment:
    """The templates of our pages, with everything escaped that is put into them."""
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(FOLDER), autoescape=True, undefined=jinja2.StrictUndefined, auto_reload=False
    )
    made.filters["seen"] = seen
    return made


def seen(text: object) -> Markup:
    """Untrusted text for the template: escaped, with signs that cannot be seen named."""
    return Markup("").join(
        part if sign is None else Markup('<span class="unseen" data-sign="{}"></span>').format(sign)
        for part, sign in ((escape(part), sign) for part, sign in marked(str(text)))
    )


def content_policy(script: str, style: str) -> str:
    """What a page with this script and this style may do: nothing else, and no address at all."""
    return (
        f"default-src 'none'; script-src {_csp(script)}; style-src {_csp(style)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _render(run: RunTold, gathered: _Gathered, index: str) -> str:
    style, script = stylesheet(), program("parts.js", "steps.js", "page.js")
    lines = gathered.lines
    hosts = sorted(gathered.hosts.items(), key=lambda item: (-item[1], item[0]))[:MOST_HOSTS]
    charts = [
        pictures.strips("Turns", lines, lambda line: line.turns, lambda figure: f"{figure:g}"),
        pictures.strips("Time", lines, lambda line: line.ms, glance.duration, logarithmic=True),
        pictures.strips("Cost", lines, lambda line: line.cost, lambda figure: f"${figure:.2g}", logarithmic=True),
    ]
    return (
        environment()
        .get_template("page.html.jinja")
        .render(
            run=run,
            version=__version__,
            policy=content_policy(script, style),
            style=Markup(style),  # noqa: S704 - our own file
            script=Markup(script),  # noqa: S704 - our own file
            index=index,
            data=DATA,
            state=glance.STATES[run.state],
            open=glance.is_open(run),
            submission=glance.submission(run),
            audit=glance.audit(run),
            going_on=glance.going_on(run),
            facts=list(glance.facts(run)),
            intervals=pictures.intervals(glance.rates(run)) if run.raw else None,
            strips=[chart for chart in charts if chart is not None],
            bars=pictures.bars(gathered.tools),
            hosts=hosts,
        )
    )


def stylesheet() -> str:
    """The style of our pages."""
    return (FOLDER / "page.css").read_text("utf-8")


def program(*names: str) -> str:
    """The script of a page, made of these files: one block, so that none of its names is known outside of it."""
    return '"use strict";\n{\n' + "".join((FOLDER / name).read_text("utf-8") for name in names) + "}\n"


def _csp(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
