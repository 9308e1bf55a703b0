"""`gaia import`: runs of others become run folders, or one line says why not and nothing is left behind."""

import io
import json
import os
import signal
import subprocess
import sys
import tarfile
import time
import zipfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import gaia_harness as gaia
import small_disk
from gaia_command import environment
from gaia_command import gaia as command
from gaia_harness.exchange.importing import import_runs
from gaia_harness.exchange.inputs import ImportRefused
from gaia_harness.exchange.matching import TaskIndex
from gaia_harness.exchange.neutral import NeutralRun
from gaia_harness.tasks.task import Task

TASKS = gaia.load_tasks("demo", env={})
FIRST, SECOND, THIRD = TASKS.tasks[:3]
GOLD = {task.task_id: TASKS.key.get(task.task_id).answer for task in TASKS.tasks}


def row(task=FIRST, answer=None, **changes):
    answer = GOLD[task.task_id] if answer is None else answer
    steps = [
        {"type": "prompt", "role": "user", "text": task.question},
        {"type": "llm_call", "text": "I search.", "tokens_in": 3, "tokens_out": 2},
        {"type": "tool_call", "name": "search", "args": {"q": "tide"}, "call_id": "a"},
        {"type": "tool_result", "call_id": "a", "name": "search", "text": "a hit", "url": "https://x.example/"},
        {"type": "llm_call", "text": f"FINAL ANSWER: {answer}", "tokens_in": 9, "tokens_out": 4},
    ]
    whole = {"task_id": task.task_id, "run": "theirs", "model": "acme/x", "answer": answer, "steps": steps}
    return {**whole, "tools": {"search": "search"}, **changes}


def write(path: Path, *rows) -> Path:
    path.write_text("".join(json.dumps(each) + "\n" for each in rows), "utf-8")
    return path


def imported(path, out, **options):
    return import_runs([path], out, dataset="demo", env={}, **options)


def results(folder):
    return {line["task_id"]: line for line in map(json.loads, (folder / "results.jsonl").open())}


def test_the_command_imports_scores_again_and_says_what_is_missing(tmp_path):
    write(tmp_path / "runs.jsonl", row(), row(SECOND, "surely not", correct=True), row(THIRD, correct=True))
    done = command("import", tmp_path / "runs.jsonl", "--dataset", "demo", "--out", tmp_path / "run")
    assert done.code == 0, done.said
    assert f"{tmp_path / 'run'}: 3 tasks of acme/x, 2 right by the official rules" in done.out
    assert f"score differs from the file's: 1 task: {SECOND.task_id}" in done.out
    assert "gap: the hashes of the requests are not known" in done.out
    assert f"next:  gaia audit {tmp_path / 'run'}" in done.out
    record = json.loads((tmp_path / "run/run.json").read_text())
    assert record["origin"]["kind"] == "imported"
    assert record["origin"]["format"] == "jsonl"
    (file,) = record["origin"]["files"]
    assert (file["name"], file["bytes"]) == ("runs.jsonl", (tmp_path / "runs.jsonl").stat().st_size)
    report = gaia.audit_run(tmp_path / "run", env={})
    assert report.attestation.clean
    assert not report.attestation.strict_clean
    assert any("not known" in gap for gap in report.attestation.harness_gaps)
    refused = command("submit", tmp_path / "run", "--out", tmp_path / "package")
    assert refused.code == 1
    assert "only runs that were recorded live are submitted" in refused.said


def test_runs_go_into_folders_of_their_own_and_attempts_together(tmp_path):
    write(
        tmp_path / "runs.jsonl",
        row(run="../a b"), row(run="c", attempt=1), row(run="c", answer="0", attempt=2), row(run="c", attempt=3),
    )  # fmt: skip
    result = imported(tmp_path / "runs.jsonl", tmp_path / "out")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["a-b", "c"]
    assert {run.name: run.tasks for run in result.runs} == {"../a b": 1, "c": 1}
    assert results(tmp_path / "out/c")[FIRST.task_id]["attempts"] == 3


def test_the_same_task_twice_is_another_run_and_uneven_attempts_are_runs(tmp_path):
    write(tmp_path / "twice.jsonl", row(), row(answer="0"))
    assert [run.name for run in imported(tmp_path / "twice.jsonl", tmp_path / "twice").runs] == ["theirs", "theirs-2"]
    write(tmp_path / "uneven.jsonl", row(attempt=1), row(attempt=2), row(SECOND, attempt=1))
    result = imported(tmp_path / "uneven.jsonl", tmp_path / "uneven")
    assert {run.name: run.tasks for run in result.runs} == {"theirs-attempt-1": 2, "theirs-attempt-2": 1}
    assert "different numbers of attempts" in result.notes[0]


def test_one_name_puts_everything_into_one_run(tmp_path):
    write(tmp_path / "runs.jsonl", row(run="a"), row(SECOND, run="b"))
    assert [run.tasks for run in imported(tmp_path / "runs.jsonl", tmp_path / "out", run_name="all").runs] == [2]


def test_what_fits_no_task_is_said(tmp_path):
    stranger = row(task_id="nobody", question="Who keeps the light at a place that is in no data set at all?")
    write(tmp_path / "runs.jsonl", row(), stranger)
    result = imported(tmp_path / "runs.jsonl", tmp_path / "out")
    assert (result.unmatched_count, result.runs[0].tasks) == (1, 1)
    write(tmp_path / "none.jsonl", stranger)
    with pytest.raises(gaia.GaiaError, match="none of 1 task-runs is about a task of demo"):
        imported(tmp_path / "none.jsonl", tmp_path / "nothing")
    assert not (tmp_path / "nothing").exists()


def test_a_broken_line_is_named_and_leaves_nothing_or_is_skipped_and_counted(tmp_path):
    path = write(tmp_path / "runs.jsonl", row())
    path.write_text(path.read_text() + '{"steps": [}\n' + json.dumps(row(SECOND)) + "\n")
    done = command("import", path, "--dataset", "demo", "--out", tmp_path / "new" / "run")
    assert (done.code, (tmp_path / "new").exists()) == (1, False)
    assert "runs.jsonl:2: not JSON" in done.err
    done = command("import", path, "--dataset", "demo", "--out", tmp_path / "run", "--keep-going", "--json")
    said = json.loads(done.out)
    assert (said["skipped_count"], said["runs"][0]["tasks"]) == (1, 2)


@pytest.mark.parametrize("kind", ["zip", "tar.gz"])
def test_an_archive_is_imported_and_one_that_leads_out_is_refused(tmp_path, kind):
    data = (json.dumps(row()) + "\n").encode()

    def pack(name: str, inside: str) -> Path:
        path = tmp_path / f"{name}.{kind}"
        if kind == "zip":
            with zipfile.ZipFile(path, "w") as archive:
                archive.writestr(inside, data)
        else:
            with tarfile.open(path, "w:gz") as archive:
                info = tarfile.TarInfo(inside)
                info.size = len(data)
                archive.addfile(info, io.BytesIO(data))
        return path

    assert imported(pack("good", "deep/er/runs.jsonl"), tmp_path / "good").runs[0].tasks == 1
    with pytest.raises(ImportRefused, match="leads out"):
        imported(pack("bad", "../runs.jsonl"), tmp_path / "bad")
    assert not (tmp_path / "runs.jsonl").exists()
    assert not (tmp_path / "bad").exists()


def test_wrong_use_is_said(tmp_path):
    path = write(tmp_path / "runs.jsonl", row())
    (tmp_path / "full").mkdir()
    (tmp_path / "full/file").touch()
    for arguments, said in (
        ([tmp_path / "gone"], "there is no such file or folder"),
        ([path, "--format", "csv"], "there is no format 'csv'"),
        ([tmp_path / "full"], "of no format that is known"),
        ([path, "--out", tmp_path / "full"], "the output folder must be new or empty"),
    ):
        out = [] if "--out" in arguments else ["--out", tmp_path / "out"]
        done = command("import", *arguments, *out, "--dataset", "demo")
        assert (done.code, (tmp_path / "out").exists()) == (2, False), done.said
        assert said in done.err


def test_a_file_of_gigabytes_takes_no_memory(tmp_path):
    line = tmp_path / "line.jsonl"
    with line.open("wb") as file:
        file.write(b'{"task_id": "')
        file.truncate(2 << 30)  # a hole: it takes no room on the disk
    many = tmp_path / "many.jsonl"
    write(many, *[row(task, run=f"r{n}", steps=[{"type": "llm_call", "text": "x" * 400_000}])
                  for n in range(4) for task in TASKS.tasks[:10]])  # fmt: skip
    program = (
        "import resource, sys\nfrom gaia_harness.errors import GaiaError\n"
        "from gaia_harness.exchange.importing import import_runs\n"
        "try:\n    import_runs([sys.argv[1]], sys.argv[2], dataset='demo', format='jsonl')\n"
        "except GaiaError as error:\n    print(error.message)\n"
    )
    code = f"import resource; resource.setrlimit(resource.RLIMIT_AS, ({400 << 20}, {400 << 20}))\n{program}"
    for path, said in ((line, "a line longer than 64 MiB"), (many, "")):
        done = subprocess.run(
            [sys.executable, "-c", code, path, tmp_path / f"out-{path.stem}"],
            capture_output=True, text=True, env=environment(), check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert said in done.stdout
    assert not (tmp_path / "out-line").exists()
    assert len(list((tmp_path / "out-many").iterdir())) == 4


STEPS = st.lists(
    st.fixed_dictionaries(
        {"type": st.sampled_from(["prompt", "llm_call", "tool_call", "tool_result", "answer"])},
        optional={
            "text": st.text(max_size=30),
            "name": st.sampled_from(["a", "b", "final_answer"]),
            "call_id": st.sampled_from(["1", "2", ""]),
            "args": st.dictionaries(st.text(max_size=3), st.integers() | st.text(max_size=5), max_size=2),
            "agent": st.sampled_from(["helper", ""]),
            "parent": st.sampled_from(["1", "2"]),
            "is_error": st.booleans(),
            "role": st.sampled_from(["system", "user", "tools", "odd"]),
            "url": st.sampled_from(["https://x.example/", ""]),
            "time": st.sampled_from(["2026-01-01T00:00:00Z", "soon"]),
            "tokens_in": st.none() | st.integers(0, 9),
        },
    ),
    max_size=8,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25)
@given(steps=STEPS, answer=st.none() | st.text(max_size=5))
def test_whatever_the_steps_are_the_run_is_sound_and_can_be_audited(tmp_path_factory, steps, answer):
    place = tmp_path_factory.mktemp("any")
    write(place / "runs.jsonl", row(steps=steps, answer=answer) | {"answer": answer})
    result = imported(place / "runs.jsonl", place / "run")
    assert [run.tasks for run in result.runs] == [1]
    assert json.loads((place / "run/summary.json").read_text())["non_submittable_reasons"] == [
        "the run was imported: nobody witnessed it"
    ]
    report = gaia.audit_run(place / "run", env={})
    assert report.coverage.trajectories == 1
    ours = {"unsound-record", "counts-do-not-add-up", "changed-after-the-run"}
    assert not ours & {finding.rule for check in report.checks for finding in check.findings}  # what we wrote ourselves


def test_what_a_log_does_not_have_is_a_gap_and_no_finding(tmp_path):
    asked, said, *rest = row()["steps"]
    late = row(steps=[said, asked, *rest])  # the question is in the log behind the first reply
    alone = {"type": "tool_result", "name": "lookup", "text": "what came back, and nobody knows why"}
    typed = {"type": "tool_call", "name": "terminal", "text": "ls", "call_id": "b"}
    typed_well = {"type": "tool_call", "name": "terminal", "args": {"command": "ls"}, "call_id": "c"}
    ran = [{"type": "tool_result", "call_id": number, "text": "x", "is_error": number == "c"} for number in "bc"]
    unasked = row(SECOND, steps=[*row(SECOND)["steps"][:-1], alone, typed, typed_well, *ran, row(SECOND)["steps"][-1]])
    silent = row(THIRD, steps=[*row(THIRD)["steps"][:1], {"type": "answer", "text": GOLD[THIRD.task_id]}])
    imported(write(tmp_path / "runs.jsonl", late, unasked, silent), tmp_path / "run")
    report = gaia.audit_run(tmp_path / "run", env={})
    assert report.attestation.clean, report.checks
    assert "AUD-3: 1 prompt was not kept whole" in " ".join(report.attestation.harness_gaps)
    assert "AUD-2: what the model said is not known of 1 task" in report.attestation.harness_gaps
    assert "what was put before the model is not known in full" in " ".join(report.attestation.harness_gaps)


def test_tasks_are_found_by_their_question_also_within_other_words():
    long = "Which of the two ferries that leave Needle Quay on a Sunday carries the mail to the outer islands?"
    short = "Which ferry?"
    index = TaskIndex(
        [Task(task_id=name, question=text, level=1) for name, text in (("a", long), ("b", short), ("c", short))]
    )

    def found(question, task_id=None):
        task = index.find(NeutralRun(steps=(), question=question, task_id=task_id))
        return None if task is None else task.task_id

    assert found(long.upper().replace(" ", "\n")) == "a"
    assert found(f"You are an agent. Here is the question: {long} Think hard.") == "a"
    assert found(short) is None  # of two tasks
    assert found(f"Say: {short}") is None
    assert found(long, "b") == "b"
    assert found(None, "x") is None


def test_what_strangers_say_of_a_run_is_bounded_and_masked(tmp_path):
    key = "sk-proj-" + "a1B2" * 12
    hostile = row(
        model=f"a\n\x1b[31m {key} " + "x" * 5000,
        isolation="\x1b[2J \n",
        workdir=f"/home/{key}",
        gaps=[f"gap {number} \x1b[1m" for number in range(3000)],
        tools={f"tool{number}": "search" for number in range(3000)},
        attachments=["x" * 5000],
    )
    write(tmp_path / "\x1b[31m.jsonl", hostile)
    done = command(
        "import", tmp_path / "\x1b[31m.jsonl", "--format", "jsonl", "--dataset", "demo", "--out", tmp_path / "run"
    )
    assert (done.code, "\x1b" in done.said, key in done.said, len(done.said) < 10_000) == (0, False, False, True)
    for path in (tmp_path / "run").rglob("*"):
        assert not path.is_file() or key.encode() not in path.read_bytes(), path
    record = json.loads((tmp_path / "run/run.json").read_text())
    assert len(json.dumps(record)) < 200_000
    assert "and 2900 more such gaps" in record["origin"]["gaps"]


def test_runs_are_kept_apart_whatever_their_names(tmp_path):
    uneven = [row(attempt=1), row(attempt=2), row(SECOND, attempt=1)]
    write(tmp_path / "a.jsonl", *uneven, row(run="theirs-attempt-1", answer="of another"), *(row() for _ in range(3)))
    write(tmp_path / "b.jsonl", row(THIRD))
    result = import_runs([tmp_path / "a.jsonl", tmp_path / "b.jsonl"], tmp_path / "out", dataset="demo", env={})
    assert sum(run.tasks for run in result.runs) == 8
    said = [line["answer"] for run in result.runs for line in results(run.path).values()]
    assert said.count("of another") == 1
    for run in result.runs:
        origin = json.loads((run.path / "run.json").read_text())["origin"]
        named = {file["name"] for file in origin["files"]}
        assert named == {"a.jsonl"} | ({"b.jsonl"} if THIRD.task_id in results(run.path) else set())


def test_pipes_are_refused_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.jsonl")
    with pytest.raises(gaia.GaiaError, match="neither a file nor a folder"):
        imported(tmp_path / "pipe.jsonl", tmp_path / "out")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "folder" / "pipe.jsonl")
    write(tmp_path / "folder" / "runs.jsonl", row())
    assert imported(tmp_path / "folder", tmp_path / "out").runs[0].tasks == 1


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["a", "a/b.jsonl"], "stands in it twice"),
        (["b.jsonl", "b.jsonl"], "stands in it twice"),
        (["d/" * 1500 + "b.jsonl"], "folders inside each other"),
        (["x" * 300 + ".jsonl"], "cannot be unpacked"),
    ],
    ids=["file and folder", "twice", "deep", "long"],
)
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_an_archive_that_cannot_be_a_folder_is_refused(tmp_path, names, said):
    with zipfile.ZipFile(tmp_path / "runs.zip", "w") as archive:
        for name in names:
            archive.writestr(name, json.dumps(row()))
    with pytest.raises(ImportRefused, match=said) as refused:
        imported(tmp_path / "runs.zip", tmp_path / "out")
    assert refused.value.message.startswith("runs.zip: ")
    assert not (tmp_path / "out").exists()


def test_a_broken_file_of_an_archive_is_named_as_it_is_there(tmp_path):
    with zipfile.ZipFile(tmp_path / "runs.zip", "w") as archive:
        archive.writestr("inner/runs.jsonl", json.dumps(row()) + "\n{\n")
    with pytest.raises(gaia.GaiaError, match=r"runs\.zip/inner/runs\.jsonl:2: not JSON"):
        imported(tmp_path / "runs.zip", tmp_path / "out")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stopped_import_leaves_nothing_behind(tmp_path, number):
    write(tmp_path / "runs.jsonl", *(row(run=f"run {count}") for count in range(2000)))
    started = subprocess.Popen(
        [sys.executable, "-m", "gaia_harness", "import", tmp_path / "runs.jsonl", "--dataset", "demo",
         "--out", tmp_path / "out"],
        env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    while not list(tmp_path.glob("out/.importing-*/run-2")) and started.poll() is None:
        time.sleep(0.01)
    with pytest.raises(gaia.GaiaError, match="new or empty") as refused:
        imported(tmp_path / "runs.jsonl", tmp_path / "out")
    assert "killed" in refused.value.hint
    started.send_signal(number)
    _, said = started.communicate(timeout=60)
    assert (started.returncode, "Traceback" in said) == (130 if number == signal.SIGINT else 143, False)
    assert not (tmp_path / "out").exists()


def test_a_full_disk_is_not_taken_for_a_broken_file(tmp_path):
    big = row()
    big["steps"][1]["text"] = "two words " * 50_000
    write(tmp_path / "runs.jsonl", big)
    with small_disk.mounted(tmp_path / "disk", "300k") as disk:
        with pytest.raises(gaia.GaiaError, match="disk/out: No space left") as full:
            imported(tmp_path / "runs.jsonl", disk / "out", format="jsonl", keep_going=True)
        assert not isinstance(full.value, ImportRefused)
        assert list(disk.iterdir()) == []


def test_a_short_question_is_not_looked_for_within_other_words():
    index = TaskIndex([Task(task_id="a", question="Which ferry?", level=1)])
    assert index.find(NeutralRun(steps=(), question="Say: which ferry? And why?")) is None
    assert index.find(NeutralRun(steps=(), question="which  ferry?")).task_id == "a"
