"""`gaia compare` as a person meets it, and the figures behind it."""

import contextlib
import csv
import io
import json
import shutil

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_runs import TASKS, data_set, write_run

from gaia_command import gaia, own_folders
from gaia_harness.comparing.groups import group
from gaia_harness.comparing.pairs import compare
from gaia_harness.comparing.sides import Side, read_side
from gaia_harness.comparing.statistics import mcnemar_exact, newcombe_paired
from gaia_harness.errors import GaiaError, UsageError
from gaia_harness.offline import submit_run
from gaia_harness.records.outcome import TaskFacts, VotingFacts


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A first run, one that lost two of its tasks, won seven and used twice the tokens, and a package of the first."""
    place = tmp_path_factory.mktemp("runs")
    env = own_folders()
    data = data_set(place / "data")
    write_run(place / "first", data, range(4), env=env, declare=True)
    write_run(place / "second", data, range(2, 11), env=env, tokens=20, model="acme/agent-8")
    write_run(place / "half", data, range(6), env=env, done=6)
    submit_run(place / "first", place / "package", dataset=str(data), allow_dirty=True, env=env)
    shutil.make_archive(str(place / "package"), "gztar", place / "package")
    return place


def test_a_run_against_another_is_told_with_its_interval_its_p_and_its_tasks(runs):
    ran = gaia("compare", runs / "first", runs / "second")
    assert ran.code == 0, ran.said
    assert "A 4 of 12 = 33.3%, B 9 of 12 = 75.0%" in ran.out
    low, high = newcombe_paired(2, 2, 7, 1)
    assert f"+41.7 points (95 % interval {100 * low:+.1f} to {100 * high:+.1f})" in ran.out
    assert f"p = {mcnemar_exact(2, 7):.3f}" in ran.out
    assert "the difference may be luck: B against A, it won 7 tasks and lost 2" in ran.out
    assert "2.00 times (95 % interval 2.00 to 2.00); A 240, B 480" in ran.out
    lost = ran.out[ran.out.index("  lost") :]
    assert lost.index("quay-00") < lost.index("quay-01") < lost.index("model: A acme/agent-7, B acme/agent-8")


@pytest.mark.parametrize("package", ["package", "package.tar.gz"])
def test_a_package_stands_for_its_run(runs, package):
    ran = gaia("compare", runs / package, runs / "second", "--json")
    assert ran.code == 0, ran.said
    of_run = json.loads(gaia("compare", runs / "first", runs / "second", "--json").out)
    of_package = json.loads(ran.out)
    for name in ("score", "levels", "won", "lost", "ratios", "configuration"):
        assert of_package["comparisons"][0][name] == of_run["comparisons"][0][name], name


def test_several_are_each_compared_with_the_first_and_corrected(runs):
    report = json.loads(gaia("compare", runs / "first", runs / "second", runs / "half", "--json").out)
    assert [(c["first"], c["second"]) for c in report["comparisons"]] == [("A", "B"), ("A", "C")]
    second, half = report["comparisons"]
    assert second["p_corrected"] == min(1, 2 * second["score"]["p"])
    assert half["only_first"] == [f"quay-{n:02}" for n in range(6, TASKS)]
    assert half["tasks"] == 6 and half["won"] == ["quay-04", "quay-05"] and half["lost"] == []
    assert "C is not finished: 6 of its 12 tasks have no result" in half["notes"]


def test_runs_on_other_tasks_are_refused_unless_somebody_knows(runs, tmp_path):
    other = write_run(tmp_path / "other", data_set(tmp_path / "data", 3), range(3), env=own_folders(), done=3)
    ran = gaia("compare", runs / "first", other)
    assert (ran.code, ran.out) == (2, "")
    assert "were not asked the same" in ran.err and "--anyway" in ran.err
    ran = gaia("compare", runs / "first", other, "--anyway")
    assert ran.code == 0 and "B against A: 3 tasks of both" in ran.out and "only the ids say" in ran.out


def test_a_group_has_mean_spread_and_stable_tasks(runs):
    assert "several models" in gaia("compare", "--group", runs / "first", runs / "second").err
    assert "the same run" in gaia("compare", "--group", runs / "first", runs / "package").err
    ran = gaia("compare", "--group", "--anyway", runs / "first", runs / "second", "--json")
    report = json.loads(ran.out)
    assert report["mean"] == pytest.approx(13 / 24)
    assert report["standard_error"] == pytest.approx(5 / 24)  # the half of the difference of two
    assert report["pass_at"] == pytest.approx({"1": 13 / 24, "2": 11 / 12})
    assert report["pass_all"] == pytest.approx({"1": 13 / 24, "2": 2 / 12})
    assert (report["stable"]["passed"], report["always_right"], report["always_wrong"]) == (3, 2, 1)
    said = gaia("compare", "--group", "--anyway", runs / "first", runs / "second").out
    assert "pass@2 91.7%, pass^2 16.7%" in said and "quay-00  1 of 2" in said


def test_csv_has_a_line_for_each_task(runs):
    table = list(csv.DictReader(io.StringIO(gaia("compare", runs / "first", runs / "half", "--csv").out)))
    assert [row["task_id"] for row in table] == [f"quay-{n:02}" for n in range(TASKS)]
    assert (table[5]["A.correct"], table[5]["B.correct"], table[5]["B.tokens"]) == ("false", "true", "20")
    assert table[6]["B.correct"] == ""
    table = list(csv.DictReader(io.StringIO(gaia("compare", "--group", runs / "first", runs / "half", "--csv").out)))
    assert (table[5]["runs"], table[5]["right"], table[6]["runs"]) == ("2", "1", "1")


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("first",), "there is nothing to compare"),
        (("first", "nowhere"), "nowhere: there is no such run or package"),
        (("first", "data"), "data: neither a run nor a package"),
        (("first", "second", "--json", "--csv"), "do not go together"),
    ],
)
def test_wrong_use_is_told(runs, args, said):
    ran = gaia("compare", *(arg if arg.startswith("--") else runs / arg for arg in args))
    assert ran.code == 2 and said in ran.err and "next:" in ran.err


def test_a_broken_run_is_named(runs, tmp_path):
    broken = shutil.copytree(runs / "second", tmp_path / "broken")
    with (broken / "results.jsonl").open("ab") as file:
        file.write(b'{"task_id":')
    ran = gaia("compare", runs / "first", broken)
    assert ran.code == 1
    assert ran.err.startswith(f"error: {broken}: results.jsonl:{TASKS + 1}: the line is cut short")


def side(label, right, **more):
    """A run of three tasks; `more` are facts of each of its tasks."""
    results = {
        f"t{n}": TaskFacts(
            task_id=f"t{n}", level=1, model="m", correct=value, answer="a", error=None,
            voting=VotingFacts(selected_attempt=1, votes=1, cast=1, answers=("a",)),
            attempts=1, tools_used=(),
            **{"turns": 2, "wall_ms": 5, "input_tokens": 1, "output_tokens": 1, **more},
        )
        for n, value in enumerate(right)
    }  # fmt: skip
    return Side(
        label=label, path=label, run_id=label, model="m", agent="a", dataset="demo", split="validation", digest="d",
        asked=tuple(results), results=results, questions={}, settings={"seed": 1, "tools": []},
    )  # fmt: skip


def test_what_is_not_known_is_not_made_up():
    (found,) = compare([side("A", [None] * 3), side("B", [True] * 3, cost_usd=0.5, input_tokens=None)]).comparisons
    assert (found.score, found.levels, found.won, found.p) == (None, {}, (), None)
    assert found.ratios["cost_usd"].tasks == found.ratios["tokens"].tasks == 0
    assert found.ratios["turns"].ratio == 1
    untimed = msgspec.structs.replace(side("B", [True] * 3), unmeasured=frozenset({"seconds"}))
    (found,) = compare([side("A", [True] * 3), untimed]).comparisons
    assert (found.ratios["seconds"].tasks, found.ratios["seconds"].ratio, found.ratios["tokens"].tasks) == (0, None, 3)
    with pytest.raises(UsageError, match="no task that all"):
        group([side("A", [None]), side("B", [True])])


def test_options_that_are_off_do_not_differ_from_options_that_were_not_given():
    other = msgspec.structs.replace(side("B", [True]), settings={"seed": 0, "judge_all": False, "base_url": None})
    (found,) = compare([side("A", [True]), other]).comparisons
    assert [(each.name, each.first, each.second) for each in found.configuration] == [("seed", 1, 0)]


def test_another_question_under_the_same_id_is_noticed():
    one, other = side("A", [True, True]), side("B", [True, True])
    one = msgspec.structs.replace(one, questions={"t0": "How many?", "t1": "Who?"})
    other = msgspec.structs.replace(other, questions={"t0": "How many?", "t1": "Where?"})
    (found,) = compare([one, other]).comparisons
    assert found.notes == ("1 of the tasks of both have another question in the one than in the other",)


@given(st.binary(max_size=80), st.integers(0, 2000), st.sampled_from(["results.jsonl", "run.json", "log.jsonl"]))
def test_no_bytes_in_a_file_are_a_defect(runs, tmp_path_factory, data, at, name):
    folder = tmp_path_factory.mktemp("any")
    for file in ("run.json", "results.jsonl", "log.jsonl"):
        shutil.copy(runs / "second" / file, folder)
    whole = (folder / name).read_bytes()
    (folder / name).write_bytes(whole[: at % len(whole)] + data + whole[at % len(whole) + len(data) :])
    with contextlib.suppress(GaiaError):
        compare([read_side(runs / "first", "A"), read_side(folder, "B")])
