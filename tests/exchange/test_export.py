"""Runs and packages are exported whole or not at all, in what other tools read, and never with a gold answer."""

import json
import shutil
import sys
import zipfile
from pathlib import Path
from typing import Any

import jsonschema
import pyarrow.parquet
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import gaia_command
import gaia_harness as gaia
from exchange import exported_runs
from exchange.exported_runs import GOLD, LONG_OUTPUT, LONG_PROMPT, LONG_WORDS
from exchange.mutations import change
from gaia_harness.errors import EvidenceError, GaiaError, RunError, UsageError
from gaia_harness.exchange import export_source
from gaia_harness.exchange.export_source import ExportedResult, open_source
from gaia_harness.exchange.exporting import FORMATS
from gaia_harness.run.live_origin import live
from gaia_harness.run.writer import RunWriter
from small_disk import mounted

ROOT = Path(__file__).parents[2]
SCHEMAS = Path(__file__).parent / "fixtures" / "eee"
OUT = {"inspect": "out.eval"}


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """A run, its package, and a run with two attempts at each task."""
    place = tmp_path_factory.mktemp("world")
    env = {"GAIA_KEYS_DIR": str(place / "keys"), "GAIA_CACHE_DIR": str(place / "cache")}
    gaia.create_key("ada@example.org", env=env)
    data = exported_runs.data_set(place / "data")
    exported_runs.write_run(place / "run", data, env=env, declare=True)
    gaia.submit_run(place / "run", place / "package", env=env, allow_dirty=True)
    exported_runs.write_run(place / "votes", data, env=env, attempts=2)
    return place


def exported(source: Path, format: str, folder: Path) -> Path:
    if format == "inspect":
        pytest.importorskip("inspect_ai", reason="needs inspect_ai: pip install 'gaia-harness[inspect]'")
    out = folder / OUT.get(format, "out")
    gaia.export_run(source, out, format=format, env={})
    assert [path for path in folder.iterdir() if path.name.startswith(".")] == []
    return out


def all_bytes(out: Path) -> bytes:
    """Every byte of an export, unpacked where it is packed."""
    parts = []
    for path in [out] if out.is_file() else sorted(path for path in out.rglob("*") if path.is_file()):
        parts.append(str(path.relative_to(out)).encode() + path.read_bytes())
        if path.suffix == ".parquet":
            parts.append(repr(pyarrow.parquet.read_table(path).to_pylist()).encode())
        elif zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                parts += [name.encode() + archive.read(name) for name in archive.namelist()]
    return b"\0".join(parts)


@pytest.mark.parametrize("source", ["run", "package", "votes"])
@pytest.mark.parametrize("format", FORMATS)
def test_no_format_has_a_gold(world, tmp_path, format, source):
    data = all_bytes(exported(world / source, format, tmp_path))
    assert b"granite" in data  # answers are in it
    assert GOLD.encode() not in data
    if source != "package":
        assert GOLD in (world / source / "results.jsonl").read_text()


def test_the_type_of_a_result_has_no_place_for_a_gold():
    assert {"expected_output", "salt", "scoring"}.isdisjoint(ExportedResult.__struct_fields__)


def test_full_texts_are_given_where_they_are_kept_and_heads_are_marked_as_cut(world, monkeypatch):
    with open_source(world / "package") as source:
        [first, _] = source.tasks()
    [attempt] = first.attempts
    texts = {told.step.seq: (told.text, told.cut) for told in attempt.steps}
    assert texts[1] == (LONG_PROMPT + "How do they call stone 1 on the quay?", False)
    assert texts[2] == (LONG_WORDS, False)
    assert texts[15] == (LONG_OUTPUT[:4096], True)
    assert (first.question, attempt.answer) == (None, "granite 1")
    monkeypatch.setattr(export_source, "MOST_TEXT", 6000)  # room for the prompt, not for the words
    with open_source(world / "run") as source:
        [first, _] = source.tasks()
    texts = {told.step.seq: (len(told.text), told.cut) for told in first.attempts[0].steps}
    assert (texts[1], texts[2]) == ((len(LONG_PROMPT) + 37, False), (64 * 1024, True))


def test_the_leaderboard_gets_its_three_fields(world, tmp_path):
    lines = [json.loads(line) for line in exported(world / "run", "leaderboard", tmp_path).read_text().splitlines()]
    assert [set(line) for line in lines] == [{"task_id", "model_answer", "reasoning_trace"}] * 2
    assert [line["task_id"] for line in lines] == ["quay-1", "quay-2"]
    assert lines[0]["model_answer"] == "granite 1"
    assert "It must be granite 1." in lines[0]["reasoning_trace"]


@pytest.mark.parametrize("source", ["run", "package", "votes"])
def test_every_eval_ever_takes_aggregate_and_samples(world, tmp_path, source):
    out = exported(world / source, "eee", tmp_path)
    [aggregate] = out.rglob("*.json")
    [samples] = out.rglob("*.jsonl")
    value = json.loads(aggregate.read_text())
    validate(value, "eval")
    rows = [json.loads(line) for line in samples.read_text().splitlines()]
    for row in rows:
        validate(row, "instance_level_eval")
        assert row["evaluation_id"] == value["evaluation_id"]
        assert row["input"]["reference"] == []
        assert [message["turn_idx"] for message in row["messages"]] == list(range(len(row["messages"])))
    detail = value["detailed_evaluation_results"]
    assert (detail["total_rows"], detail["file_path"]) == (2, samples.relative_to(out).as_posix())
    assert value["evaluation_results"][0]["score_details"]["score"] == 0
    assert rows[0]["metadata"]["cut_turns"] == "7"
    assert rows[0]["messages"][7]["content"] == LONG_OUTPUT[:4096]


def validate(value: Any, name: str) -> None:
    schema = json.loads((SCHEMAS / f"{name}.schema.json").read_text())
    jsonschema.Draft7Validator(schema).validate(value)


def test_every_eval_ever_wants_a_score_of_every_task(world, tmp_path):
    run = shutil.copytree(world / "run", tmp_path / "run")
    lines = [json.loads(line) | {"correct": None} for line in (run / "results.jsonl").read_text().splitlines()]
    (run / "results.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    with pytest.raises(UsageError, match="2 of 2 results have no score"):
        gaia.export_run(run, tmp_path / "out", format="eee", env={})
    assert not (tmp_path / "out").exists()


def test_parquet_has_three_tables(world, tmp_path):
    out = exported(world / "votes", "parquet", tmp_path)
    steps, results, findings = (
        pyarrow.parquet.read_table(out / f"{name}.parquet").to_pylist() for name in ("steps", "results", "findings")
    )
    assert len(steps) == 2 * 2 * 19
    assert {step["type"] for step in steps} == {"prompt", "llm_call", "tool_call", "tool_result", "answer"}
    keeper = [step["type"] for step in steps if step["agent"] == "keeper" and step["task_id"] == "quay-1"]
    assert keeper == ["prompt", "llm_call", "tool_call", "tool_result", "llm_call"] * 2
    assert json.loads(steps[3]["args"]) == {"query": "stone on the quay", "count": 2}
    assert [(row["task_id"], row["answer"], row["correct"]) for row in results] == [
        ("quay-1", "granite 1", False),
        ("quay-2", "granite 1", False),
    ]
    assert "text-as-code-allowed" in {row["rule"] for row in findings}
    (tmp_path / "second").mkdir()
    package = exported(world / "package", "parquet", tmp_path / "second")
    rows = pyarrow.parquet.read_table(package / "findings.parquet").to_pylist()
    report = json.loads((world / "package/audit-report.json").read_text())
    assert len(rows) == sum(len(check["findings"]) for check in report["checks"])


def test_groups_of_rows_keep_all_of_them(world, tmp_path, monkeypatch):
    from gaia_harness.exchange.exporters import parquet

    monkeypatch.setattr(parquet, "GROUP", 1)
    out = exported(world / "run", "parquet", tmp_path)
    with pyarrow.parquet.ParquetFile(out / "steps.parquet") as file:
        assert (file.metadata.num_row_groups, file.metadata.num_rows) == (38, 38)


def test_inspect_opens_its_log(world, tmp_path):
    out = exported(world / "votes", "inspect", tmp_path)
    from inspect_ai.log import read_eval_log, read_eval_log_sample, read_eval_log_sample_summaries

    log = read_eval_log(str(out))
    assert (log.status, log.eval.config.epochs, log.results.scores[0].metrics["accuracy"].value) == ("success", 2, 0)
    assert [(sample.id, sample.epoch, sample.target) for sample in log.samples] == [
        ("quay-1", 1, ""), ("quay-2", 1, ""), ("quay-1", 2, ""), ("quay-2", 2, ""),
    ]  # fmt: skip
    assert len(read_eval_log_sample_summaries(str(out))) == 4
    sample = read_eval_log_sample(str(out), "quay-1", 2)
    assert sample.output.completion == "granite 2"
    assert sample.messages[2].text == LONG_WORDS


@pytest.mark.cases
@pytest.mark.parametrize("source", ["run", "package", "votes"])
def test_harbor_takes_the_trajectories(world, tmp_path, source):
    models = pytest.importorskip("harbor.models.trajectories", reason="needs harbor, which needs Python 3.12")
    files = list(exported(world / source, "atif", tmp_path).iterdir())
    assert len(files) == (4 if source == "votes" else 2)
    for path in files:
        models.Trajectory.model_validate(json.loads(path.read_text()))


def test_packages_and_runs_of_0_1_and_archives_are_exported(tmp_path):
    old = ROOT / "conformance" / "frozen" / "0.1"
    sources = [*(old / "runs").iterdir(), *(old / "packages").iterdir()]
    sources += [ROOT / "conformance/archive_pass/package.tar.gz", ROOT / "conformance/voted_pass/package"]
    for number, source in enumerate(sources):
        done = gaia.export_run(source, tmp_path / str(number), format="atif", env={})
        assert done.tasks > 0
        assert list((tmp_path / str(number)).iterdir())


def test_the_command_says_what_it_wrote_and_refuses_a_second_time(world, tmp_path):
    args = ("export", world / "run", "--format", "leaderboard", "--out", tmp_path / "lines.jsonl")
    done = gaia_command.gaia(*args)
    assert (done.code, done.out) == (0, f"{tmp_path / 'lines.jsonl'}: 2 tasks, format leaderboard\n"), done.err
    before = (tmp_path / "lines.jsonl").read_bytes()
    again = gaia_command.gaia(*args)
    assert again.code == 2
    assert "is there already" in again.err
    assert "next:  choose another --out" in again.err
    assert (tmp_path / "lines.jsonl").read_bytes() == before


@pytest.mark.parametrize(
    ("source", "format", "out", "said"),
    [
        ("run", "csv", "out", "there is no format 'csv'"),
        ("run", "inspect", "out.json", r"ends in \.eval"),
        ("run", "atif", "run/out", "stands in the folder that is exported"),
        ("run", "atif", "no/such/out", "there is no such folder"),
        ("data", "atif", "out", "neither a run nor a package"),
        ("nothing", "atif", "out", "there is no such run or package"),
        ("run/run.json", "atif", "out", "not an archive"),
    ],
)
def test_what_cannot_be_meant_is_refused(world, tmp_path, source, format, out, said):
    for name in ("run", "data"):
        shutil.copytree(world / name, tmp_path / name)
    with pytest.raises(UsageError, match=said):
        gaia.export_run(tmp_path / source, tmp_path / out, format=format, env={})


def spoil_line(run: Path) -> None:
    text = (run / "trajectories.jsonl").read_text()
    (run / "trajectories.jsonl").write_text(text.replace("I cannot find it.", "I have found it.", 1))


def spoil_result(run: Path) -> None:
    with (run / "results.jsonl").open("a") as file:
        file.write('{"task_id": "quay-3"')


def spoil_words(run: Path) -> None:
    for path in (run / "bodies").iterdir():
        path.unlink()


def spoil_prompt(run: Path) -> None:
    for path in (run / "prompts").iterdir():
        path.write_bytes(b"something else")


def spoil_log(run: Path) -> None:
    (run / "log.jsonl").write_text("[" * 100_000)


def repeat_task(run: Path) -> None:
    lines = (run / "trajectories.jsonl").read_bytes().splitlines(keepends=True)
    (run / "trajectories.jsonl").write_bytes(lines[0] * 2)


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (spoil_line, r"trajectories\.jsonl:1: step 11"),
        (spoil_result, r"results\.jsonl:3: the line is cut short"),
        (spoil_words, r"^bodies/[0-9a-f]{64}\.zst: cannot be read"),
        (spoil_prompt, r"^prompts/[0-9a-f]{64}: its content does not have the hash"),
        (spoil_log, r"log\.jsonl:1: the line is cut short"),
        (repeat_task, r"trajectories\.jsonl: the task 'quay-1' has two trajectories"),
    ],
)
@pytest.mark.parametrize("format", ["atif", "openinference"])
def test_a_broken_run_is_one_clear_line_and_leaves_nothing(world, tmp_path, spoil, said, format):
    run = shutil.copytree(world / "run", tmp_path / "run")
    spoil(run)
    with pytest.raises(EvidenceError, match=said):
        gaia.export_run(run, tmp_path / "out", format=format, env={})
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_a_package_with_a_link_in_it_is_refused(world, tmp_path):
    package = shutil.copytree(world / "package", tmp_path / "package")
    (package / "log.jsonl").unlink()
    (package / "log.jsonl").symlink_to(world / "run" / "log.jsonl")
    with pytest.raises(EvidenceError, match=r"log\.jsonl: is a link"):
        gaia.export_run(package, tmp_path / "out", format="leaderboard", env={})


def test_texts_that_unpack_to_more_than_they_should_are_refused(world, tmp_path, monkeypatch):
    monkeypatch.setattr(export_source, "most_unpacked", lambda packed: 100_000)
    with pytest.raises(EvidenceError, match="more than an honest run's texts do"):
        gaia.export_run(world / "run", tmp_path / "out", format="leaderboard", env={})


def test_a_full_disk_is_said_and_leaves_nothing(world, tmp_path):
    with mounted(tmp_path / "disk", "64k") as disk:
        with pytest.raises(RunError, match="cannot be written: No space left on device"):
            gaia.export_run(world / "run", disk / "out", format="atif", env={})
        assert list(disk.iterdir()) == []


def test_ids_that_are_no_names_of_files_stay_in_the_folder(tmp_path):
    data = exported_runs.data_set(tmp_path / "data", 1)
    rows = data / "2023/validation/metadata.jsonl"
    rows.write_text(rows.read_text().replace("quay-1", "../../quay"))
    exported_runs.write_run(tmp_path / "run", data, env={})
    out = exported(tmp_path / "run", "atif", tmp_path)
    [file] = out.iterdir()
    assert json.loads(file.read_text())["extra"]["gaia_harness"]["task_id"] == "../../quay"
    pytest.importorskip("inspect_ai", reason="needs inspect_ai: pip install 'gaia-harness[inspect]'")
    with pytest.raises(UsageError, match="cannot be the name of a sample's file"):
        gaia.export_run(tmp_path / "run", tmp_path / "out.eval", format="inspect", env={})


def test_sub_agents_deeper_than_readers_go_are_refused(tmp_path):
    tasks = gaia.load_tasks(str(exported_runs.data_set(tmp_path / "data", 1)), env={})

    def deeper(attempt: gaia.AttemptWriter, depth: int) -> None:
        call = attempt.tool_call("ask", {"depth": depth})
        if depth:
            with attempt.sub_agent(f"agent {depth}", call_id=call):
                deeper(attempt, depth - 1)

    for depth in (export_source.DEEPEST, export_source.DEEPEST + 1):
        writer = RunWriter(tmp_path / str(depth), dataset=tasks, model="m", origin=live("loop 1"), env={})
        with writer as run, run.attempt(next(iter(run.tasks))) as attempt:
            attempt.llm_call("I ask.")
            deeper(attempt, depth)
            attempt.answer("4")
    for format in ("atif", "openinference"):
        gaia.export_run(tmp_path / str(export_source.DEEPEST), tmp_path / f"out-{format}", format=format, env={})
    with pytest.raises(EvidenceError, match="'quay-1', step 22: sub-agents nested deeper than 20"):
        gaia.export_run(tmp_path / str(export_source.DEEPEST + 1), tmp_path / "out", format="atif", env={})


def test_an_unfinished_run_is_exported_with_what_it_has(world, tmp_path):
    run = shutil.copytree(world / "run", tmp_path / "run")
    first = (run / "results.jsonl").read_bytes().splitlines(keepends=True)[0]
    (run / "results.jsonl").write_bytes(first)
    done = gaia.export_run(run, tmp_path / "out", format="leaderboard", env={})
    assert done.tasks == 1
    assert done.notes == (
        "1 of 2 tasks have no result, and are not in the export",
        "trajectories without a result are left out: 1",
    )
    (run / "trajectories.jsonl").unlink()
    done = gaia.export_run(run, tmp_path / "steps", format="openinference", env={})
    assert done.notes[-1] == "tasks without recorded steps are left out: 1"
    assert (tmp_path / "steps").read_bytes() == b""


@pytest.mark.parametrize(
    ("format", "library", "hint"),
    [
        ("inspect", "inspect_ai", "pip install 'gaia-harness[inspect]'"),
        ("parquet", "pyarrow", "pip install 'gaia-harness[run]'"),
    ],
)
def test_a_library_that_is_missing_is_named_with_what_to_install(world, tmp_path, monkeypatch, format, library, hint):
    for name in [name for name in sys.modules if name.partition(".")[0] == library] or [library]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(UsageError, match=f"with {library}, which is not installed") as caught:
        gaia.export_run(world / "run", tmp_path / "out.eval", format=format, env={})
    assert caught.value.hint == hint
    assert list(tmp_path.iterdir()) == []


@pytest.fixture(scope="module")
def mutable(world, tmp_path_factory):
    return shutil.copytree(world / "votes", tmp_path_factory.mktemp("mutable") / "run")


@pytest.mark.parametrize("name", ["run.json", "results.jsonl", "trajectories.jsonl", "log.jsonl"])
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data(), format=st.sampled_from([format for format in FORMATS if format != "inspect"]))
def test_whatever_a_run_says_it_is_exported_or_refused_with_an_error_of_ours(
    mutable, tmp_path_factory, name, data, format
):
    before = (mutable / name).read_bytes()
    lines = before.splitlines(keepends=True) if name.endswith("l") else [before]
    at = data.draw(st.integers(0, len(lines) - 1))
    value = json.loads(lines[at])
    change(data, value)
    lines[at] = json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"
    (mutable / name).write_bytes(b"".join(lines))
    out = tmp_path_factory.mktemp("out")
    try:
        gaia.export_run(mutable, out / "out", format=format, env={})
    except GaiaError:
        assert list(out.iterdir()) == []
    finally:
        (mutable / name).write_bytes(before)


def test_what_a_killed_export_left_is_removed_by_the_next(world, tmp_path):
    left = tmp_path / ".out.0123abcd.tmp"
    left.mkdir()
    (left / "quay-1.json").write_text("half of")
    exported(world / "run", "atif", tmp_path)
    assert not left.exists()
