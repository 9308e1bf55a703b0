"""The page of a comparison: what is in it, and what hostile texts in it can not do."""

from html.parser import HTMLParser

import pytest
from small_runs import TASKS, data_set, write_run

import gaia_harness as gaia
from gaia_command import gaia as command
from gaia_command import own_folders
from gaia_harness.comparing.pairs import compare
from gaia_harness.comparing.side_by_side import write_comparison_page
from gaia_harness.comparing.sides import read_sides
from gaia_harness.run.live_origin import live
from gaia_harness.run.writer import RunWriter
from viewing.browser import Opened, chromium, needs_chromium

HOSTILE = (
    "</pre></style></script><script>alert(1)</script><img src=x onerror=alert(2)>"
    '"\'><a href="javascript:alert(3)">x</a>{{ 7*7 }}\u202e\x1b[2J\x00&amp;<svg onload=alert(4)>'
)


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return data_set(tmp_path_factory.mktemp("data"))


def hostile_run(folder, data):
    """A run that says this text wherever it can say one."""
    tasks, origin = gaia.load_tasks(str(data), env={}), live("acme-loop 1.2", tools={})
    with RunWriter(folder, dataset=tasks, model="acme/agent-7", origin=origin, env=own_folders()) as run:
        for task in run.tasks:
            with run.attempt(task) as attempt:
                attempt.prompt(HOSTILE, role="system")
                attempt.prompt(HOSTILE)
                attempt.llm_call(HOSTILE, thoughts=HOSTILE, model=HOSTILE, tokens_in=1, tokens_out=1)
                called = attempt.tool_call(HOSTILE, {HOSTILE: HOSTILE})
                attempt.tool_result(HOSTILE, call_id=called)
                attempt.answer(HOSTILE)
    return folder


class Read(HTMLParser):
    """The names of the elements, and the text of those in which untrusted text stands whole."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.texts: list[str] = []
        self._in = False
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag == "pre":
            self._in = True
            self.texts.append("")

    def handle_endtag(self, tag):
        self._in = self._in and tag != "pre"

    def handle_data(self, data):
        if self._in:
            self.texts[-1] += data


@pytest.fixture(scope="module")
def hostile_page(tmp_path_factory, data):
    place = tmp_path_factory.mktemp("hostile")
    sides = read_sides([hostile_run(place / "one", data), write_run(place / "two", data, range(4), env=own_folders())])
    write_comparison_page(compare(sides), sides, place / "page.html")
    return place / "page.html"


def test_a_page_has_the_figures_and_both_timelines(data, tmp_path):
    one = write_run(tmp_path / "one", data, range(4), env=own_folders())
    two = write_run(tmp_path / "two", data, range(2, 11), env=own_folders(), tokens=20)
    ran = command("compare", one, two, "--out", tmp_path / "page.html")
    assert ran.code == 0, ran.said
    page = (tmp_path / "page.html").read_text()
    assert f"{tmp_path / 'page.html'}: {len(page.encode()):,} bytes" in ran.err
    assert "the difference may be luck: B against A, it won 7 tasks and lost 2" in page
    places = [page.index(f'id="quay-{number:02}"') for number in range(TASKS)]
    different, same = [places[n] for n in (0, 1, *range(4, 11))], [places[n] for n in (2, 3, 11)]
    assert max(different) < min(same)
    assert page.count('<div class="side">') == 2 * TASKS
    assert page.count("FINAL ANSWER: 77 boats") == 8 + 3
    assert "--group and --csv" in command("compare", "--group", one, two, "--out", tmp_path / "p.html").err
    assert "cannot be written" in command("compare", one, two, "--out", tmp_path / "no" / "p.html").err


def test_hostile_text_is_text(hostile_page):
    page = hostile_page.read_text("utf-8")
    read = Read(page)
    assert not {"script", "img", "svg", "a", "iframe"} & read.tags
    assert not {name for name in read.attributes if name.startswith("on")} | {"src"} & read.attributes
    assert "49" not in "".join(read.texts) and "{{ 7*7 }}" in "".join(read.texts)


def test_a_page_that_would_be_too_large_leaves_steps_out_and_says_so(data, tmp_path):
    sides = read_sides([write_run(tmp_path / name, data, range(4), env=own_folders()) for name in ("one", "two")])
    write_comparison_page(compare(sides), sides, tmp_path / "page.html", most=4000)
    page = (tmp_path / "page.html").read_text()
    assert "its steps are left out" in page and page.count("FINAL ANSWER") < TASKS
    assert page.count('<div class="side">') == 2 * TASKS


def test_redacted_no_question_text_or_answer_is_in_the_page(data, tmp_path):
    options = {"hints": {"how many boats lie there?": "say seventeen boats"}, "steps": 7}
    two = write_run(tmp_path / "two", data, range(4), env=own_folders(), options=options)
    runs = [hostile_run(tmp_path / "one", data), two]
    mark = "<strong>redacted: no question, page text or answer is in this page</strong>"
    for options, left_out in (((), False), (("--redacted",), True)):
        ran = command("compare", *runs, "--out", tmp_path / "page.html", *options)
        assert ran.code == 0, ran.said
        page = (tmp_path / "page.html").read_text("utf-8")
        for text in ("FINAL ANSWER", "boats", "alert(1)", "How many", "how many", "seventeen"):
            assert (text not in page) is left_out, text
        assert (mark in page) is left_out and ("keep it to yourself" in page) is not left_out
        assert ("no question, page text or answer is in it" in ran.err) is left_out
    assert "bytes, left out</p>" in page and 'id="quay-00"' in page and "(text 1)" in page
    assert "<td>7</td>" in page  # a setting that is no text
    assert "name its file: --out FILE.html" in command("compare", *runs, "--redacted").err


@needs_chromium
@pytest.mark.parametrize(("scheme", "redacted"), [("light", False), ("dark", True)])
def test_nobody_is_shut_out_and_nothing_overflows(data, tmp_path, scheme, redacted):
    sides = read_sides([write_run(tmp_path / name, data, range(4), env=own_folders()) for name in ("one", "two")])
    write_comparison_page(compare(sides), sides, tmp_path / "page.html", redacted=redacted)
    with chromium() as browser:
        page = browser.new_page(color_scheme=scheme, viewport={"width": 360, "height": 800})
        opened = Opened(page, tmp_path / "page.html")
        page.goto(opened.path.as_uri())
        page.click("details.pair summary >> nth=0")
        assert opened.serious_faults() == []
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        opened.kept_to_itself()


@needs_chromium
def test_in_a_browser_nothing_runs_and_the_text_is_shown_as_written(hostile_page):
    with chromium() as browser:
        opened = Opened(browser.new_page(), hostile_page)
        opened.page.goto(hostile_page.as_uri())
        opened.page.click("details.pair summary >> nth=0")
        shown = opened.page.inner_text("details.pair[open] .given >> nth=0")
        opened.kept_to_itself()
    assert shown.startswith("</pre></style></script><script>alert(1)</script>") and "{{ 7*7 }}" in shown
