"""`gaia view`'s page in a real browser: it shows what was recorded, as it was written, and does nothing else."""

import hashlib
import json
from pathlib import Path

import msgspec
import pytest
from browser import Opened, chromium, needs_chromium
from hostile_story import HostileStory
from looked_at import GOLD, HOSTILE, LONG, MARKUP, QUESTION, write_hostile, write_three

from gaia_command import own_folders
from gaia_harness.offline import submit_run, view_run
from gaia_harness.submission.verdict import NotExamined
from gaia_harness.viewing.page import write_page
from gaia_harness.viewing.story import StepTold, TaskLine, TaskTold, Words

pytestmark = needs_chromium


@pytest.fixture(scope="module")
def browser():
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    return tmp_path_factory.mktemp("looked-at")


@pytest.fixture(scope="module")
def run(places):
    return write_three(places / "three", own_folders())


@pytest.fixture(scope="module")
def three(run, places):
    return view_run(run, places / "three.html", env=own_folders()).path


@pytest.fixture(scope="module")
def hostile(places):
    return view_run(write_hostile(places / "hostile", own_folders()), places / "hostile.html", env=own_folders()).path


@pytest.fixture
def opened(browser):
    pages = []

    def open_at(path: Path, behind: str = "", **how: object) -> Opened:
        context = browser.new_context(**how)
        pages.append((context, found := Opened(context.new_page(), path)))
        found.go(behind)
        return found

    yield open_at
    for context, page in pages:
        page.kept_to_itself()
        context.close()


def ids(page: Opened) -> list[str]:
    return page.texts(".tasks tbody td.q a")


def test_the_run_at_a_glance_and_its_tasks(opened, three):
    page = opened(three)
    assert page.text(".big strong") == "66.7"
    assert "1 after the audit" in page.text(".score")
    assert page.texts("svg[role=img] .label")[:5] == ["as made", "audited", "level 1", "level 2", "level 3"]
    assert ids(page) == ["quay-1", "quay-2", "quay-3"]
    assert page.texts(".tasks tbody .outcome") == ["✓ right", "✓ right, not counted", "! error"]
    assert page.texts(".findings > li .sev")[:2] == ["critical", "info"]
    assert {"quay.example 2"} <= set(page.texts(".hosts li"))


def test_filters_and_order_of_the_table_stand_in_the_address(opened, three):
    page = opened(three)
    page.page.select_option("[name=outcome]", "error")
    assert ids(page) == ["quay-3"]
    page.page.select_option("[name=outcome]", "")
    page.page.check("[name=flagged]")
    assert ids(page) == ["quay-2"]
    page.page.fill("[name=q]", "herring WIDOW")
    assert ids(page) == ["quay-2"]
    assert page.text(".count") == "1 of 3 tasks"
    page.go("#level=3")
    assert ids(page) == ["quay-3"]
    page.go("#tool=ask_keeper")
    assert ids(page) == ["quay-1"]
    page.go()
    page.page.click("th button:text('Turns')")
    page.page.wait_for_selector("th[aria-sort=ascending]")
    page.page.click("th button:text('Turns')")
    page.page.wait_for_selector("th[aria-sort=descending]")
    assert ids(page)[0] == "quay-1"


def test_the_keyboard_walks_through_tasks_and_steps(opened, three):
    page = opened(three)
    page.key("j", "j", "Enter")
    page.page.wait_for_selector("#task h2:has-text('quay-2')")
    assert not page.shown("#overview")
    page.key("j", "j", "k")
    assert page.text("#task .step.here .kind") == "Prompt"
    page.key("Escape")
    page.page.wait_for_selector("#overview", state="visible")
    assert page.text(".tasks tr.on td.q a") == "quay-2"
    page.key("/")
    page.page.keyboard.type("seventh")
    assert ids(page) == ["quay-3"]
    page.key("Escape")
    assert len(ids(page)) == 3


def test_a_task_shows_what_happened_and_checks_every_hash(opened, three):
    page = opened(three, "#task=quay-1")
    page.page.wait_for_selector("#hashes")
    kinds = page.texts("#task > ol > .step > .shead .kind")
    assert kinds[:5] == ["Prompt", "Prompt", "Model", "Call", "Call"]
    assert page.texts("#task .together") == ["one of 2 calls made at once"] * 2
    assert page.texts("#task .inner .step .kind") == ["Prompt", "Model"]  # of the sub-agent, within its call
    assert page.text("#task .inner .agent") == "sub-agent keeper"
    assert page.texts("#task .checked.no") == []
    assert len(page.texts("#task .checked.ok")) == 10
    assert page.texts("#task details .sources li")[0].split() == ["https://quay.example/a", "step", "5"]
    assert "4.0 KiB of 7.2 KiB kept" in page.text("#task")
    assert "1,240 tokens in, 5 out" in page.text("#task")
    page.page.click("#task button:has-text('Open the whole text')")
    page.page.wait_for_selector("#task .inner .step.model .checked.ok")


def test_the_expected_answer_is_covered_until_somebody_asks(opened, three):
    page = opened(three, "#task=quay-3")
    assert "Ottilie" not in page.page.inner_html("main")
    page.page.click("button:has-text('Show the expected answer')")
    assert "Ottilie Quern" in page.text("#task")
    assert "the connection was lost" in page.text("#task")


def test_a_finding_stands_at_its_place_and_links_lead_both_ways(opened, three):
    page = opened(three, "#task=quay-2&finding=1")
    page.page.wait_for_selector("mark")
    assert page.text("mark").startswith("On the long quay of Farrowby")
    assert page.page.get_attribute(".step.here", "id") == "step-3"
    page.page.click(".fnote a:has-text('finding 1 in the list')")
    page.page.wait_for_selector("#finding-1.here")
    page.page.click("#finding-1 a:has-text('quay-2')")
    page.page.wait_for_selector("#step-3.here")
    page.page.click("#step-3 .fnote a:has-text('copy-with-answer')")
    page.page.wait_for_selector("#rules dt.here", state="visible")


def test_addresses_are_links_only_when_asked_for_and_pictures_too(opened, three):
    page = opened(three, "#task=quay-1")
    assert page.page.query_selector_all("#task a[href^=http], img") == []
    page.page.check("#task input[type=checkbox]")
    page.page.wait_for_selector("#task a[href='https://quay.example/lamps'][rel~=noreferrer]", state="attached")
    page.page.click("button:has-text('Show 1 picture')")
    page.page.wait_for_selector("img.kept")
    assert page.page.eval_on_selector("img.kept", "async image => (await image.decode(), image.naturalWidth)") == 10


def test_hostile_content_is_shown_as_it_was_written(opened, hostile):
    page = opened(hostile)
    task_id = f"x{MARKUP}"
    assert page.page.get_attribute(".tasks td.q a", "title") == task_id
    page.page.click(".tasks td.q a")
    page.page.wait_for_selector("#hashes")
    assert page.text("#task h2 bdi") == task_id
    assert page.text("#task .question") == f"Q {HOSTILE}"
    assert page.text("#task .given") == f"A {HOSTILE}"
    shown = page.texts("#task .words")
    for begins in ("P", "O", "I", "T", "value"):
        assert f"{begins} {HOSTILE}" in shown
    assert "U+202E" in [page.page.get_attribute(".unseen", "data-sign")]
    page.page.check("#task input[type=checkbox]")
    page.page.wait_for_selector("#task a[href^=https]", state="attached")
    assert (
        page.page.query_selector_all(
            "a[href^=javascript], a[href^=data], img, iframe, script:not([id]):nth-of-type(n+3)"
        )
        == []
    )
    page.page.click("button:has-text('Open the whole text (5.1 MiB)')")
    page.page.wait_for_selector("#step-5 .checked.ok")
    assert hashlib.sha256(LONG.encode()).hexdigest()[:12] in page.text("#step-5 .tmeta")
    page.page.click("#step-5 button:has-text('more of')")
    assert LONG.startswith(page.text("#step-5 pre.words"))
    page.page.click("#task a:has-text('next')")
    page.page.wait_for_selector("#task h2:has-text('second')")
    assert f"E {HOSTILE}" in page.text("#task dl")


def test_hostile_text_in_every_field_of_a_story(opened, places):
    story = HostileStory(f"{HOSTILE} \ud800")
    path = write_page(story, places / "every-field.html").path
    page = opened(path)
    for behind in story.places():
        page.go(behind)
        assert page.page.query_selector_all("img, iframe, a[href^=javascript], a[href^='data:']") == []
        if "task" in behind:
            assert page.text("#task").count(story.text) > 20
    assert page.page.evaluate("document.scripts.length") == len(story.told) + 2
    story.run = msgspec.structs.replace(
        story.run, verdict=NotExamined(exit_code=2, verdict="unreadable", error=HOSTILE), kind="package"
    )
    page = opened(write_page(story, places / "not-examined.html").path)
    assert "evil" in page.text("#verify")


@pytest.mark.parametrize(("scheme", "background"), [("light", "rgb(251, 250, 247)"), ("dark", "rgb(23, 24, 26)")])
def test_nobody_is_shut_out_and_nothing_overflows(opened, three, scheme, background):
    page = opened(three, "#task=quay-2", color_scheme=scheme, viewport={"width": 360, "height": 800})
    assert page.page.evaluate("getComputedStyle(document.body).backgroundColor") == background
    for behind in ("#task=quay-2", "#"):
        page.go(behind)
        assert page.page.evaluate("document.documentElement.scrollWidth") <= 360
        assert page.serious_faults() == []


def test_of_very_many_steps_and_tasks_the_first_are_drawn(opened, places):
    story = HostileStory("quiet")
    step = StepTold(kind="model", seq=0, text=Words(head="x", bytes=1, sha256=hashlib.sha256(b"x").hexdigest()))
    steps = tuple(msgspec.structs.replace(step, seq=seq) for seq in range(1000))
    story.told = [TaskTold(line=TaskLine(id=f"task-{n}"), steps=steps if n == 7 else ()) for n in range(5001)]
    page = opened(write_page(story, places / "many.html").path)
    assert page.text(".count") == "5,001 tasks; the first 5,000 are shown"
    page.page.evaluate("location.hash = '#task=task-7'")
    page.page.wait_for_selector("#step-399")
    assert len(page.texts("#task .step")) == 400
    page.page.click("button:has-text('Show more of 1,000 steps')")
    assert len(page.texts("#task .step")) == 800
    page.page.evaluate("location.hash = '#task=task-7&step=999'")
    page.page.wait_for_selector("#step-999.here")
    assert "1,000 texts with the hash that their steps say, 0 without" in page.text("#hashes")


def test_it_prints_without_its_controls(opened, three):
    page = opened(three, "#task=quay-2")
    page.page.emulate_media(media="print")
    assert not page.shown(".crumbs")
    assert page.shown("#task .step")
    page.go()
    page.page.emulate_media(media="print")
    assert not page.shown(".filters")
    assert page.shown(".tasks tbody tr")
    assert page.page.pdf()[:5] == b"%PDF-"


def test_a_changed_step_of_a_package_shows_in_verdict_and_hash(opened, run, places):
    env = own_folders()
    declared = write_three(places / "declared", env, declare=True)
    submit_run(declared, places / "package", allow_dirty=True, dataset=str(places / "declared" / "data"), env=env)
    path = places / "package" / "trajectories.jsonl"
    path.write_bytes(path.read_bytes().replace(b"I look in two places", b"I look in six places"))
    written = view_run(places / "package", places / "package.html", task="quay-1", env=env)
    page = opened(written.path)
    page.page.wait_for_selector("#hashes.bad")
    assert len(page.texts("#task .checked.no")) == 1
    assert "trajectories.jsonl:1: step 2: its text does not have the hash that it says" in page.text("#task .taskhead")
    assert page.page.query_selector("button:has-text('expected')") is None
    page.page.click("[data-go=back]")
    page.page.wait_for_selector("#verify", state="visible")
    assert page.text("#verify .verdict") == "failed"


def test_a_page_of_a_running_run_reloads_where_it_is(opened, run, places):
    written = view_run(run, places / "live.html", live=0.3, task="quay-2", env=own_folders())
    page = opened(written.path)
    with page.page.expect_event("load"):
        pass
    page.page.wait_for_selector("#task h2:has-text('quay-2')")
    view_run(run, written.path, env=own_folders())


def test_redacted_pages_have_no_text_in_them(opened, run, places):
    page = opened(view_run(run, places / "redacted.html", redacted=True, env=own_folders()).path)
    for behind in ("#task=quay-1", "#task=quay-2", "#task=quay-3", "#list=1"):
        page.go(behind)
        said = page.text("main")
        assert not any(word in said for word in (GOLD, QUESTION[:20], "twelve", "herring", "Ottilie", "connection was"))
    page.go("#task=quay-1")
    page.page.wait_for_selector("#task .step")
    assert "7.2 KiB, left out" in page.text("#task")
    assert json.dumps(page.texts("#task pre.words")) == "[]"
