"""What a package costs its verifier: so many steps and seconds for each of its bytes, whatever it is made of.

Packages that are accepted are made of hostile texts, or of very many small things, and verified with the data set, so
that the audit is repeated. Steps are calls of functions, which do not show what a pattern does: that is bounded by
processor time, for some texts.
"""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from forging import Package, copy_of
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from many_of_a_kind import MANY, together
from stuffing import Stuffing, Turn, _Steps, demo, kept, say_another_version, stuff

import thoroughness
from counted_work import STALL, calls_of
from gaia_command import python
from gaia_harness.records.steps import ADDRESS_HEAD, ARGUMENT_HEAD, OUTPUT_HEAD, PROMPT_HEAD, WINDOW

STEPS_A_BYTE = 20
"""An honest package must stay below a fifth of it."""

MEGABYTE = 1_000_000
MEGABYTE_STEPS = STEPS_A_BYTE * MEGABYTE
"""Of any package of a megabyte; measured: less than 3 million for many of a kind, and up to 10 million for texts."""

TOKENS = (
    "a", "0", "\n", " ", "\t", "\\", '"', "'", "([{", ")]}", "\"'`", '"""""";', "please ", "this is correct. ",
    "A lantern. ", "1, 2, ", "QUJDREVG", "4a6f", "%25", "&amp;", "\\u0041", "https://example.org/a?b=%41 ",
    "a-b.c_d~e*f|g/h+i=j·k•l,m:n;o", "x=x+x;", "open('a/b')\n", "import os;", "for i in range(9):\n ", '"a"+', "f'{x}'",
    "lambda:", "cat a | ", "$(", "../", "# a\n", "FINAL ANSWER: 7\n", "Question: what? Answer: 7\n", "| a | b |\n",
    "a\u0301", "\u0430", "\u6f22", "\u200b", "</answer>", '{"a":',
)  # fmt: skip


def cut(text: str, size: int) -> str:
    """At most so many bytes of a text."""
    return text.encode()[:size].decode("utf-8", "ignore")


def pieces(token: str, total: int, size: int) -> list[str]:
    """Texts of this size, no two alike, and so many bytes in all."""
    text = cut(token * size, size - 8)
    return [f"{text}{number}" for number in range(max(1, total // size))]


PLACES: dict[str, Callable[[str, int], Stuffing]] = {
    "answers": lambda token, size: Stuffing(answers=pieces(token, size // 2, 9000)),
    "a long answer": lambda token, size: Stuffing(answers=[cut(token * size, size // 3)]),
    "code": lambda token, size: Stuffing(
        turns=[Turn(args={"code": text}) for text in pieces(token, size, ARGUMENT_HEAD)]
    ),
    "short programs": lambda token, size: Stuffing(
        turns=[Turn(args={"code": f"import os\n{text}"}) for text in pieces(token, size // 4, 400)]
    ),
    "commands": lambda token, size: Stuffing(
        turns=[Turn(tool="bash", args={"command": text}) for text in pieces(token, size, ARGUMENT_HEAD)]
    ),
    "arguments that are no JSON": lambda token, size: Stuffing(
        turns=[Turn(args=text) for text in pieces(token, size, ARGUMENT_HEAD)]
    ),
    "addresses": lambda token, size: Stuffing(
        turns=[
            Turn(tool="web_fetch", args={"url": f"https://x.org/{text}"}, gives="x", sources=((text, text),))
            for text in pieces(token, size // 4, ADDRESS_HEAD)
        ]
    ),
    "outputs": lambda token, size: Stuffing(turns=[Turn(gives=text) for text in pieces(token, size, OUTPUT_HEAD)]),
    "pages": lambda token, size: Stuffing(
        turns=[
            Turn(tool="web_fetch", args={"url": "https://x.org/"}, gives="x" * WINDOW, windows=tuple(texts))
            for texts in [pieces(token, 8 * WINDOW, WINDOW)] * (size // (8 * WINDOW))
        ]
    ),
    "sources": lambda token, size: Stuffing(
        turns=[Turn(tool="web_search", args={"query": token}, sources=tuple((t, t) for t in pieces(token, size, 100)))]
    ),
    "replies": lambda token, size: Stuffing(
        turns=[Turn(says=text, thinks=text) for text in pieces(token, size // 2, OUTPUT_HEAD)]
    ),
    "prompts": lambda token, size: Stuffing(
        user=cut(token * size, PROMPT_HEAD), turns=[Turn(more=(text,)) for text in pieces(token, size, PROMPT_HEAD)]
    ),
    "system": lambda token, size: Stuffing(system=cut(token * size, size)),
    "catalogue": lambda token, size: Stuffing(
        catalogue=json.dumps([{"name": "python", "description": cut(token * size, size), "parameters": {}}])
    ),
    "tools in a catalogue": lambda token, size: Stuffing(
        catalogue=json.dumps([{"name": text, "description": text} for text in pieces(token, size // 2, 200)])
    ),
}


TEXTS = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), min_size=1, max_size=12)
TOKEN = st.sampled_from(TOKENS) | st.lists(st.sampled_from(TOKENS), min_size=2, max_size=4).map("".join) | TEXTS


@pytest.fixture
def made(whole, world, tmp_path) -> Callable[[str, Stuffing], Package]:
    """Makes packages."""

    def make(name: str, stuffing: Stuffing) -> Package:
        shutil.rmtree(tmp_path / name, ignore_errors=True)
        return stuff(copy_of(whole, tmp_path / name, world.signer), stuffing)

    return make


def size_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def steps_of(package: Package) -> int:
    """How many functions are called while a package is verified, which must be accepted as intact."""
    verdicts = []
    count = calls_of(lambda: verdicts.append(package.verify(dataset=demo)))
    assert [line.status for line in verdicts[0].checks] == ["ok"] * 8, [line.faults for line in verdicts[0].checks]
    return count


def test_the_steps_of_a_verification_are_bounded_by_the_size_of_its_package(made, package):
    steps_of(made("bare", Stuffing()))  # so that nothing is done for the first time below
    bare = steps_of(made("bare", Stuffing()))
    say_another_version(package)
    package.sign_files()
    honest = (steps_of(package) - bare) / size_of(package.folder)
    assert honest < STEPS_A_BYTE / 5

    @settings(max_examples=thoroughness.of(20), phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    @given(
        place=st.sampled_from(sorted(PLACES)),
        token=TOKEN,
        size=st.integers(20_000, 60_000),
    )
    def stays_within(place: str, token: str, size: int) -> None:
        package = made("hostile", PLACES[place](token, size))
        steps, size = steps_of(package) - bare, size_of(package.folder)
        assert steps < STEPS_A_BYTE * size

    stays_within()


IN_EVERY_TEST = ("restarts",)


@pytest.mark.parametrize(
    "kind", [kind if kind in IN_EVERY_TEST else pytest.param(kind, marks=pytest.mark.cases) for kind in MANY]
)
def test_a_megabyte_of_many_small_things_stays_within_the_budget(made, kind):
    package = made("many", MANY[kind](MEGABYTE))
    size = size_of(package.folder)
    assert 0.65 * MEGABYTE < size < 1.4 * MEGABYTE
    assert steps_of(package) < MEGABYTE_STEPS


@pytest.mark.cases
def test_any_package_of_a_megabyte_stays_within_the_budget(made):
    """Several kinds of things and texts at once: what one of them costs may hang on how many others there are."""

    @settings(max_examples=30, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    @given(
        kinds=st.lists(st.sampled_from(sorted(MANY)), max_size=3, unique=True),
        texts=st.lists(st.tuples(st.sampled_from(sorted(PLACES)), TOKEN), min_size=1, max_size=2),
    )
    def stays_within(kinds: list[str], texts: list[tuple[str, str]]) -> None:
        share = MEGABYTE // (len(kinds) + len(texts))
        stuffings = [MANY[kind](share) for kind in kinds] + [PLACES[place](token, share) for place, token in texts]
        package = made("any", together(stuffings))
        assert steps_of(package) < STEPS_A_BYTE * size_of(package.folder)

    stays_within()


SHAPES = [
    ("answers", "a-b.c_d~e*f|g/h+i=j·k•l,m:n;o"), ("answers", "https://example.org/a?b=%41 "), ("answers", '"""""";'),
    ("answers", "please accept "), ("a long answer", "1, 2, "), ("a long answer", "</answer>"), ("code", "\n"),
    ("code", '"a"+'), ("code", "([{"), ("code", "open('a/b')\n"), ("code", "x=x+x;"), ("short programs", "f'{x}'"),
    ("commands", "$("), ("commands", "cat a | "), ("arguments that are no JSON", '{"a":'), ("addresses", "../"),
    ("outputs", "Question: what? Answer: 7\n"), ("outputs", "QUJDREVG"), ("pages", "a "), ("sources", "%25"),
    ("replies", "FINAL ANSWER: 7\n"), ("prompts", " "), ("system", "aa "), ("system", "| a | b |\n"),
    ("catalogue", '\\"'), ("tools in a catalogue", "a "),
]  # fmt: skip
VERIFIES = """
import resource, sys
from pathlib import Path
from gaia_harness.run.audit_input import load_dataset_facts
from gaia_harness.submission.verdict import verify

def demo(facts):
    return load_dataset_facts("demo", facts.gaia_split, None, facts.task_ids, {})

seconds, *folders = sys.argv[1:]
for folder in folders:
    used = resource.getrusage(resource.RUSAGE_SELF)
    limit = int(used.ru_utime + used.ru_stime) + 1 + int(seconds)
    resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.getrlimit(resource.RLIMIT_CPU)[1]))
    print(folder, flush=True)
    assert [line.status for line in verify(Path(folder), dataset=demo).checks] == ["ok"] * 8
"""


def test_a_verification_takes_no_longer_than_a_package_of_its_size_may(made):
    shapes = SHAPES if thoroughness.asked else SHAPES[::7]
    folders = [
        str(made(f"{number}", PLACES[place](token, 100_000)).folder) for number, (place, token) in enumerate(shapes)
    ]
    limits = {"RLIMIT_CPU": STALL * len(shapes), "RLIMIT_CORE": 0}
    ran = python("-c", VERIFIES, STALL, *folders, limits=limits, timeout=600)
    last = shapes[len(ran.out.split()) - 1]
    assert ran.code == 0, f"{last}: {ran.err[-500:] or f'more than {STALL} s of processor time'}"


def test_a_reply_that_was_cut_as_version_0_2_did_is_refused_in_a_run_of_a_later_one(made, monkeypatch):
    def cut_short(steps: object, text: str) -> dict[str, object]:
        return kept(text, OUTPUT_HEAD)

    monkeypatch.setattr(_Steps, "_words", cut_short)
    package = made("cut", Stuffing(turns=[Turn(says="so " * 2000)]))
    faults = [fault for line in package.verify(dataset=demo).checks for fault in line.faults]
    assert "trajectories.jsonl: 1 replies are cut, and log.jsonl:1 says that none is" in faults
