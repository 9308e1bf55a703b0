"""What a rule of the audit earns: the cases that nothing else catches."""

import contextlib
import json

import pytest
from click.testing import CliRunner

import redteam.ablation.__main__ as main
from gaia_harness.audit import report
from redteam.ablation.earnings import Seen, ablate, described_rules, less, tally
from redteam.ablation.page import BEGIN, END, IDLE, render
from redteam.batches import DEVELOPMENT, Part
from redteam.corpus import variants
from redteam.figures import CaseOutcome
from redteam.real.measure import Found, TaskRun
from redteam.switches import SWITCHES, patched, switched
from redteam.variants import Kind

PLAIN_COPY, HONEST = (
    next(each.id for each in variants(Part.DEVELOPMENT, kind) if each.family == family and each.batch is DEVELOPMENT)
    for kind, family in ((Kind.ATTACK, "leaked-rows"), (Kind.HONEST, "plain-work"))
)


def case(kind="attack", part="test", caught_by=(), alarmed=(), warned_by=()):
    return CaseOutcome(
        variant="v",
        family="f",
        part=part,
        kind=kind,
        task=True,
        labelled=True,
        caught_by=caught_by,
        noticed=False,
        alarmed=alarmed,
        warned_by=warned_by,
        old_rule=False,
    )


def task_run(label, *found):
    return TaskRun(run="r", task_id="1", file="r.jsonl", correct=True, label=label, found=tuple(found))


def lost(seen, *rules):
    return less(tally(seen), tally(seen, without=rules))


def test_an_attack_is_lost_only_without_all_rules_that_catch_it():
    seen = Seen(
        cases=[case(caught_by=("AUD-1 a", "AUD-1 b")), case(part="sealed", caught_by=("AUD-1 b",))], task_runs=[]
    )
    assert not lost(seen, "AUD-1 a").matters
    assert lost(seen, "AUD-1 b").attacks == {"development": 0, "test": 0, "unusual": 0, "sealed": 1}
    assert lost(seen, "AUD-1 a", "AUD-1 b").attacks["test"] == 1


def test_an_honest_task_that_is_no_longer_gated_may_still_be_warned():
    seen = Seen(cases=[case("honest", alarmed=("AUD-4 x",), warned_by=("AUD-4 y",))], task_runs=[])
    assert (tally(seen).honest_gated, tally(seen).honest_warned) == (1, 0)
    without = lost(seen, "AUD-4 x")
    assert (without.honest_gated, without.honest_warned) == (1, -1)
    assert not without.matters


def test_real_copies_count_as_found_at_the_severity_they_deserve():
    high, medium = Found("high", "AUD-1 a"), Found("medium", "AUD-1 b")
    runs = [
        task_run("copy-with-answer", high, medium),
        task_run("copy", medium),
        task_run("", high),
        task_run("", medium),
    ]
    seen = Seen(cases=[], task_runs=runs)
    assert (tally(seen).copies, tally(seen).real_gated, tally(seen).real_warned) == (2, 1, 1)
    assert (lost(seen, "AUD-1 a").copies, lost(seen, "AUD-1 a").real_gated) == (1, 1)
    assert (lost(seen, "AUD-1 b").copies, lost(seen, "AUD-1 b").real_warned) == (1, 1)


@pytest.fixture
def no_checks(monkeypatch):
    monkeypatch.setitem(SWITCHES, "all checks", lambda: patched("gaia_harness.audit.report", "CHECKS", ()))


def test_one_pass_says_what_every_rule_and_every_switch_earns(no_checks):
    ablation = ablate([PLAIN_COPY, HONEST], switches=["all checks"])
    caught = ablation.whole.attacks["development"]
    assert caught > 0 and ablation.variants == 2
    rules = {each.name: each for each in ablation.rules}
    assert described_rules() <= set(rules)
    assert sum(each.lost.attacks["development"] for each in ablation.rules) > 0
    assert set(ablation.spare) <= {name for name, each in rules.items() if each.idle}
    (switch,) = ablation.switches
    assert switch.lost.attacks["development"] == caught and not switch.idle
    page = render(ablation)
    assert all(f"| {name} |" in page for name in rules)
    assert page.count(IDLE) == sum(each.idle for each in rules.values())


def test_the_command_writes_figures_and_puts_its_tables_into_a_page(no_checks, tmp_path, monkeypatch):
    chosen = [each for each in variants(Part.DEVELOPMENT) if each.id == HONEST]
    monkeypatch.setattr(main, "variants", lambda part: chosen)
    (tmp_path / "page.md").write_text(f"before\n{BEGIN}\nold table\n{END}\nafter\n")
    args = ["--part", "development", "--workers", "1", "--out", tmp_path / "a.json", "--page", tmp_path / "page.md"]
    outcome = CliRunner().invoke(main.command, [*map(str, args)])
    assert outcome.exit_code == 0, outcome.output
    assert json.loads((tmp_path / "a.json").read_bytes())["variants"] == 1
    page = (tmp_path / "page.md").read_text()
    assert page.startswith("before\n") and page.endswith("after\n") and "old table" not in page and "all checks" in page


def test_real_runs_without_a_dataset_are_a_usage_error():
    outcome = CliRunner().invoke(main.command, ["--real", "a=b"])
    assert outcome.exit_code == 2 and "--dataset" in outcome.output


def test_a_patched_name_has_its_value_again_after_an_error():
    before = report.CHECKS
    with contextlib.suppress(KeyError), patched("gaia_harness.audit.report", "CHECKS", ()):
        assert report.CHECKS == ()
        raise KeyError
    assert report.CHECKS is before
    with switched(""):
        assert report.CHECKS is before
