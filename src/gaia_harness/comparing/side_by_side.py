"""Writes a comparison as one HTML page: the figures, and the steps of each task side by side. No script runs in it."""

import base64
import hashlib
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

import jinja2
import msgspec
from markupsafe import Markup

from gaia_harness.comparing.pairs import Compared, Comparison, ComparisonReport, Score
from gaia_harness.comparing.sides import Difference, Side
from gaia_harness.comparing.wording import MEASURED, p_value, points, ratio, value, verdict
from gaia_harness.errors import EvidenceError
from gaia_harness.exchange.export_source import open_source
from gaia_harness.figures import counted, money
from gaia_harness.protocol import STANDING_ROLES
from gaia_harness.records.outcome import TaskFacts
from gaia_harness.records.steps import Step
from gaia_harness.shortening import shorten
from gaia_harness.version import __version__
from gaia_harness.viewing.page import seen, stylesheet
from gaia_harness.viewing.place import new_page
from gaia_harness.viewing.redacting import TextRemover
from gaia_harness.viewing.steps import tell_steps
from gaia_harness.viewing.story import StepTold, Words

FOLDER = Path(__file__).with_name("web")
LONGEST_TEXT = 1500
"""Characters of each text. Two runs of 165 tasks with 40 steps make a page of about 15 MB."""
MOST_BYTES = 64 << 20
"""Of all steps. The tasks that come out differently are written first; what is beyond is left out, and that said."""
TOO_MUCH = "its steps are left out: the page would be too large. gaia view has them"


class _TaskShown(msgspec.Struct, frozen=True):
    outcome: str
    said: str
    answer: str | None
    error: str | None


class _StepShown(msgspec.Struct, frozen=True):
    """A step: the texts are each a name, a beginning, and what is left out. Those of every task are folded."""

    kind: str
    seq: int
    name: str
    meta: str
    failed: bool
    folded: bool
    texts: list[tuple[str, str, str]]


def write_comparison_page(
    report: ComparisonReport, sides: Sequence[Side], out: Path, *, redacted: bool = False, most: int = MOST_BYTES
) -> int:
    """Write the page to `out`, in place of a page that was there, with so many bytes of steps; its size in bytes.

    `redacted`: without questions, texts and answers.
    """
    macros, remover = _macros(), TextRemover() if redacted else None
    if remover is not None:
        runs = tuple(msgspec.structs.replace(run, path=remover.name(run.path)) for run in report.runs)
        report = msgspec.structs.replace(report, runs=runs)
    style = stylesheet() + (FOLDER / "compare.css").read_text("utf-8")
    sha256 = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{sha256}'; img-src data:; base-uri 'none'; form-action 'none'"
    with tempfile.TemporaryFile() as spool:
        columns = [
            _Column(side, run, spool, macros.side, remover) for side, run in zip(sides, report.runs, strict=True)
        ]
        with new_page(out) as file:

            def write(markup: object) -> None:
                file.write(str(markup).encode("utf-8", "replace"))

            shown = [_comparison(comparison, remover) for comparison in report.comparisons]
            title = f"{' and '.join(side.model for side in sides)[:200]} · gaia-harness"
            write(macros.head(title, policy, Markup(style), __version__, report, shown, redacted))  # noqa: S704
            left = most
            for task_id in _ordered(sides):
                write(_summary(macros.pair, task_id, sides, remover))
                for column in columns:
                    left -= column.size(task_id)
                    file.write(column.read(task_id) if left >= 0 else column.without(task_id).encode())
                write("</div></details>")
            write(macros.foot(report.methods, __version__))
            size = file.tell()
    return size


class _Column:
    """What a run made of each task, as pieces of the page in a spool."""

    def __init__(
        self, side: Side, run: Compared, spool: IO[bytes], draw: Callable[..., object], remover: TextRemover | None
    ) -> None:
        self._side, self._run, self._spool, self._draw, self._remover = side, run, spool, draw, remover
        self._places: dict[str, tuple[int, int]] = {}
        try:
            with open_source(Path(side.path)) as source:
                for task in source.tasks():
                    steps = () if task.trajectory is None else task.trajectory.steps
                    self._keep(task.facts.task_id, steps)
        except EvidenceError as error:
            raise EvidenceError(f"{side.path}: {error.message}", hint=error.hint) from error

    def _keep(self, task_id: str, steps: Sequence[Step]) -> None:
        told = tell_steps(steps)
        if "seconds" in self._side.unmeasured:
            told = tuple(msgspec.structs.replace(step, ms=None) for step in told)
        shown = [_step(step) if self._remover is None else _redacted(step, self._remover) for step in told]
        data = str(self._draw(self._run, self._task(task_id), shown, "")).encode("utf-8", "replace")
        self._spool.seek(0, 2)
        self._places[task_id] = (self._spool.tell(), len(data))
        self._spool.write(data)

    def _task(self, task_id: str) -> _TaskShown | None:
        facts = self._side.results.get(task_id)
        if facts is None:
            return None
        unknown = self._side.unmeasured
        cost = "" if facts.cost_usd is None or "cost_usd" in unknown else f", {money(facts.cost_usd)}"
        taken = "" if "seconds" in unknown else f", {facts.wall_ms / 1000:.1f} s"
        said = f"{counted(facts.turns, 'turn')}{taken}{cost}"
        if self._remover is not None:
            return _TaskShown(_outcome(facts), said, None, None if facts.error is None else "an error, left out")
        return _TaskShown(_outcome(facts), said, facts.answer, facts.error)

    def size(self, task_id: str) -> int:
        return self._places.get(task_id, (0, 0))[1]

    def read(self, task_id: str) -> bytes:
        at, size = self._places.get(task_id, (0, 0))
        if not size:
            return str(self._draw(self._run, self._task(task_id), [], "")).encode("utf-8", "replace")
        self._spool.seek(at)
        return self._spool.read(size)

    def without(self, task_id: str) -> str:
        return str(self._draw(self._run, self._task(task_id), [], TOO_MUCH))


def _macros() -> Any:
    """The macros of the template; untrusted text goes through the filter of the page of a run."""
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(FOLDER), autoescape=True, undefined=jinja2.StrictUndefined, auto_reload=False
    )
    made.filters["seen"] = seen
    return made.get_template("compare.html.jinja").module


def _ordered(sides: Sequence[Side]) -> Iterator[str]:
    """All tasks, those that came out differently first."""
    asked = sorted({task_id for side in sides for task_id in (*side.asked, *side.results)})
    outcomes = {task_id: [_outcome(side.results.get(task_id)) for side in sides] for task_id in asked}
    yield from sorted(asked, key=lambda task_id: (len(set(outcomes[task_id])) == 1, outcomes[task_id]))


def _outcome(task: TaskFacts | None) -> str:
    if task is None:
        return "missing"
    if task.correct is None:
        return "done"
    return "right" if task.correct else "wrong"


def _summary(draw: Callable[..., object], task_id: str, sides: Sequence[Side], remover: TextRemover | None) -> object:
    found = [side.results[task_id] for side in sides if task_id in side.results]
    question = next((side.questions[task_id] for side in sides if task_id in side.questions), "")
    outcomes = [(side.label, _outcome(side.results.get(task_id))) for side in sides]
    name, asked = (task_id, shorten(question, 200)) if remover is None else (remover.name(task_id), "")
    return draw(name, found[0].level if found else "–", asked, outcomes)


def _comparison(comparison: Comparison, remover: TextRemover | None) -> dict[str, object]:
    scores = [] if comparison.score is None else [("all", comparison.score), *comparison.levels.items()]
    return {
        "first": comparison.first,
        "second": comparison.second,
        "tasks": comparison.tasks,
        "so": verdict(comparison),
        "notes": comparison.notes,
        "scores": [
            (name if name == "all" else f"level {name}", score, points(score), _p(name, score, comparison))
            for name, score in scores
        ],
        "ratios": [(MEASURED[name], ratio(name, each, comparison)) for name, each in comparison.ratios.items()],
        "configuration": [_setting(each, remover) for each in comparison.configuration],
    }


def _setting(setting: Difference, remover: TextRemover | None) -> tuple[str, ...]:
    shown = (setting.name, value(setting.first), value(setting.second))
    if remover is None or not setting.name.startswith("origin."):
        return shown
    return tuple(each if each == value(None) else remover.name(each) for each in shown)  # what others say is any text


def _p(name: str, score: Score, comparison: Comparison) -> str:
    if name != "all" or isinstance(comparison.p_corrected, msgspec.UnsetType):
        return p_value(score.p)
    return f"{p_value(score.p)}, corrected {p_value(comparison.p_corrected)}"


def _step(step: StepTold) -> _StepShown:
    meta = [] if step.ms is None else [f"{step.ms / 1000:.1f} s"]
    if step.tokens_in is not None and step.tokens_out is not None:
        meta.append(f"{step.tokens_in:,} tokens in, {step.tokens_out:,} out")
    texts = [_text("", step.text), _text("thoughts", step.thoughts)]
    texts += [_cut(each.name, each.text, "more was sent" if each.cut else "") for each in step.args]
    return _StepShown(
        step.kind,
        step.seq,
        step.name,
        " · ".join(meta),
        step.failed,
        step.kind == "prompt" and step.name in STANDING_ROLES,
        [each for each in texts if each],
    )


def _text(name: str, words: Words | None) -> tuple[str, str, str] | None:
    if words is None or not words.bytes:
        return None
    return _cut(name, words.head, f"of {words.bytes:,} bytes; sha256 {words.sha256[:16]}…" if words.cut else "")


def _redacted(step: StepTold, remover: TextRemover) -> _StepShown:
    """A step with the sizes of its texts alone, and the hashes of those that are long enough."""
    step = remover.step(step)
    texts = [("", step.text), ("thoughts", step.thoughts)]
    shown = [(name, "", _left_out(words)) for name, words in texts if words is not None and words.bytes]
    shown += [(each.name, "", "left out") for each in step.args]
    return msgspec.structs.replace(_step(step), folded=False, texts=shown)


def _left_out(words: Words) -> str:
    return f"{words.bytes:,} bytes, left out" + (f"; sha256 {words.sha256[:16]}…" if words.sha256 else "")


def _cut(name: str, text: str, cut: str) -> tuple[str, str, str]:
    if len(text) <= LONGEST_TEXT:
        return name, text, cut
    return name, text[:LONGEST_TEXT], f"the first {LONGEST_TEXT:,} characters{f' {cut}' if cut else ''}"
