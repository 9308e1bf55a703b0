"""The audit beside bare JSON parsing of the same trajectories, its memory on a large file. Prints one JSON line.

python audit.py                    everything
python audit.py ten                a small run, of ten tasks: seconds of processor time, the best of three
python audit.py long               prompts of 20 KB that differ by task, and long code: beside JSON, and in one process
                                   against two
python audit.py one FOLDER [N]     one audit of a run in a process of its own: seconds and peak memory; N: processes
"""

import json
import random
import resource
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path

import msgspec
from memory import peak_mb
from workload import page as page_of
from workload import pages

from gaia_harness.audit.evidence import DatasetFacts, open_run
from gaia_harness.audit.report import audit
from gaia_harness.records.stated import read_run
from gaia_harness.tasks.answers import AnswerKey, Gold
from redteam.making import RunMaker
from redteam.script import RunScript
from redteam.solving import closing, fetch, python, script_of, turn
from redteam.world import Page, tasks

TASKS, RESULTS, ROUNDS = 165, 20, 3
LARGE = 1_000_000_000
LONG_TASKS, LONG_RESULTS = 20, 1000
"""Tasks of some MB each, so that a file of 1 GB has hardly more of them than the benchmark."""

PROMPT, CODE_LINES = 20_000, 120
"""Characters of each task's own prompt, and lines of each call of code: as agent frameworks have them."""

NAMES = ("results.jsonl", "trajectories.jsonl", "log.jsonl")


def make(folder: Path, *, leaked: bool, count: int = TASKS, results: int = RESULTS) -> Path:
    """A run of 165 tasks with 20 pages of 20 KB each; with `leaked` every task meets a copy of its question."""
    bodies, rng = pages(40), random.Random(3)
    scripts = []
    for task in tasks("bench", count):
        turns = [
            turn("I look.", fetch(Page(url=f"https://p{n}.example/", title="p", text=rng.choice(bodies))))
            for n in range(results)
        ]
        if leaked:
            text = f"{bodies[0]}\n{task.question} Final answer: {task.gold}\n{bodies[1]}"
            turns[3] = turn("I look.", fetch(Page(url="https://leak.example/", title="p", text=text)))
        scripts.append(script_of(task, *turns, closing(rng, task.gold)))
    maker = RunMaker(folder, "bench")
    maker.write(RunScript(tasks=tuple(scripts)))
    return maker.path


def code(rng: random.Random) -> str:
    """Code of some KB, as agents write it: names, arithmetic, loops, calls, texts."""
    lines = ["import json, re", "rows = json.loads(open('notes.json').read())"]
    for number in range(CODE_LINES):
        lines.append(
            rng.choice(
                (
                    f"value_{number} = sum(row['count'] * {rng.randint(2, 99)} for row in rows if row['year'] > {number})",
                    f"names_{number} = sorted({{row['name'].strip() for row in rows}}, key=len)[:{rng.randint(1, 20)}]",
                    f"print(f'found {{len(rows)}} rows in step {number}')",
                    f"found_{number} = re.findall(r'\\d+', str(rows[{number % 7}]))",
                )
            )
        )
    return "\n".join(lines)


def make_long(folder: Path) -> Path:
    """A run of 165 tasks, each with a prompt of its own and ten looks at pages and ten calls of code."""
    bodies, rng = pages(40), random.Random(4)
    scripts = []
    for number, task in enumerate(tasks("bench", TASKS)):
        turns = []
        for step in range(RESULTS // 2):
            page = Page(url=f"https://p{step}.example/", title="p", text=rng.choice(bodies))
            turns.append(turn("I look.", fetch(page)))
            turns.append(turn("I count.", python(code(rng), rng.choice(bodies)[:2000])))
        scripted = script_of(task, *turns, closing(rng, task.gold))
        opening = (("system", page_of(number, PROMPT)), ("user", task.question))
        attempt = msgspec.structs.replace(scripted.attempts[0], opening=opening)
        scripts.append(msgspec.structs.replace(scripted, attempts=(attempt,)))
    maker = RunMaker(folder, "bench")
    maker.write(RunScript(tasks=tuple(scripts)))
    return maker.path


def enlarge(run: Path, folder: Path, size: int) -> Path:
    """The same run over again under other task ids, until its trajectories are this large."""
    folder.mkdir()
    record = json.loads((run / "run.json").read_text())
    ids = record["dataset"]["task_ids"]
    content = {name: (run / name).read_bytes().splitlines() for name in NAMES}
    first, *events, last = content["log.jsonl"]
    files = {name: (folder / name).open("wb") for name in NAMES}
    files["log.jsonl"].write(first + b"\n")
    seq, written, new_ids = 1, 0, []
    while written < size:
        fresh = {old.encode(): str(uuid.UUID(int=len(new_ids) + n)).encode() for n, old in enumerate(ids)}
        new_ids += [new.decode() for new in fresh.values()]

        def renamed(line: bytes, fresh: dict = fresh) -> bytes:
            start = line.index(b'"task_id":"') + 11
            return line[:start] + fresh[line[start : start + 36]] + line[start + 36 :]

        for name in ("results.jsonl", "trajectories.jsonl"):
            for line in content[name]:
                files[name].write(renamed(line) + b"\n")
        for line in events:
            event = json.loads(renamed(line)) | {"seq": seq}
            files["log.jsonl"].write(msgspec.json.encode(event) + b"\n")
            seq += 1
        written = files["trajectories.jsonl"].tell()
    files["log.jsonl"].write(msgspec.json.encode(json.loads(last) | {"seq": seq}) + b"\n")
    for file in files.values():
        file.close()
    record["dataset"]["task_ids"] = new_ids
    (folder / "run.json").write_text(json.dumps(record))
    for name in ("summary.json", "intent.dsse.json"):
        (folder / name).write_bytes((run / name).read_bytes())
    return folder


def cpu_seconds() -> float:
    """Of this process, and of those that it has started and that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def one(folder: Path, processes: int | None = None) -> dict:
    """One audit, with questions and answers at hand."""
    stated = read_run(folder)
    facts = DatasetFacts(
        questions=stated.questions,
        levels={task.task_id: task.level for task in stated.facts.tasks},
        key=AnswerKey({task_id: Gold(answer=gold) for task_id, gold in stated.golds.items()}),
        digest=stated.facts.dataset_digest,
    )
    began, before = time.perf_counter(), cpu_seconds()
    report = audit(open_run(folder, facts), audited_at="now", processes=processes)
    seconds, cpu = time.perf_counter() - began, cpu_seconds() - before
    assert report.coverage.trajectories == report.coverage.tasks
    return {
        "seconds": seconds,
        "tasks": report.coverage.tasks,
        "mb": (folder / "trajectories.jsonl").stat().st_size / 1e6,
        "peak_mb": peak_mb("self"),
        # no thread looks on: a process with several threads is not copied
        "peak_mb_of_a_worker": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024,
        "cpu_seconds": cpu,
    }


def apart(what: str, folder: Path, *more: str) -> dict:
    done = subprocess.run([sys.executable, __file__, what, folder, *more], stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def ten(place: str) -> float:
    """An audit of ten tasks: most of it is what an audit costs however small the run."""
    run = make(Path(place, "ten"), leaked=False, count=10)
    return min(apart("one", run)["cpu_seconds"] for _ in range(ROUNDS))


def long(place: str) -> dict:
    """Long prompts and long code, turn about: JSON alone, one process, two."""
    run = make_long(Path(place, "long"))
    alone, both, stdlib, quick = [], [], [], []
    for _ in range(ROUNDS):
        alone.append(apart("one", run, "1")["seconds"])
        both.append(apart("one", run, "2")["seconds"])
        stdlib.append(apart("json", run)["seconds"])
        quick.append(apart("msgspec", run)["seconds"])
    mb = (run / "trajectories.jsonl").stat().st_size / 1e6
    return {
        "mb": mb,
        "prompts_mb": sum(file.stat().st_size for file in (run / "prompts").iterdir()) / 1e6,
        "mb_s": mb / min(alone),
        "two_processes_mb_s": mb / min(both),
        "two_against_one": min(alone) / min(both),
        "share_of_json_loads": min(stdlib) / min(alone),
        "share_of_msgspec": min(quick) / min(alone),
    }


def bare(folder: Path, loads) -> float:
    began = time.perf_counter()
    with (folder / "trajectories.jsonl").open("rb") as file:
        for line in file:
            loads(line)
    return time.perf_counter() - began


def main() -> None:
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as place:
        honest, leaked = make(Path(place, "a"), leaked=False), make(Path(place, "b"), leaked=True)
        middle_run = enlarge(honest, Path(place, "c"), LARGE // 5)
        small, bad, ours, stdlib, quick = [], [], [], [], []
        for _ in range(ROUNDS):  # turn about, so that a busy moment hits all of them; each in a process of its own
            small.append(apart("one", honest)["seconds"])
            bad.append(apart("one", leaked)["seconds"])
            ours.append(apart("one", middle_run)["seconds"])
            stdlib.append(apart("json", middle_run)["seconds"])
            quick.append(apart("msgspec", middle_run)["seconds"])
        command = []
        for _ in range(3):
            began = time.perf_counter()
            subprocess.run([sys.executable, "-m", "gaia_harness", "audit", honest, "--json"], stdout=subprocess.DEVNULL)
            command.append(time.perf_counter() - began)
        small_run, of_long = ten(place), long(place)
        middle = apart("one", middle_run)
        many = apart("one", enlarge(honest, Path(place, "d"), LARGE))
        slow = make(Path(place, "e"), leaked=False, count=LONG_TASKS, results=LONG_RESULTS)
        few, large = apart("one", slow), apart("one", enlarge(slow, Path(place, "f"), LARGE))
    mb = middle["mb"]
    print(
        json.dumps(
            {
                "mb": mb,
                "mb_s": mb / min(ours),
                "json_loads_mb_s": mb / min(stdlib),
                "msgspec_mb_s": mb / min(quick),
                "share_of_json_loads": min(stdlib) / min(ours),
                "cpu_ns": middle["cpu_seconds"] / mb * 1000,
                "run_of_10_cpu_s": small_run,
                "run_of_165_s": min(small),
                "run_of_165_all_leaked_s": min(bad),
                "command_on_165_s": min(command),
                "long": of_long,
                "middle": middle,
                "few": few,
                "large": large | {"mb_s": large["mb"] / large["seconds"]},
                "large_of_many_tasks": many | {"mb_s": many["mb"] / many["seconds"]},
            }
        )
    )


if __name__ == "__main__":
    if len(sys.argv) == 1:
        main()
    elif sys.argv[1] == "ten":
        with tempfile.TemporaryDirectory(dir=Path.cwd()) as place:
            print(json.dumps({"run_of_10_cpu_s": ten(place)}))
    elif sys.argv[1] == "long":
        with tempfile.TemporaryDirectory(dir=Path.cwd()) as place:
            print(json.dumps(long(place)))
    elif sys.argv[1] == "one":
        print(json.dumps(one(Path(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else None)))
    else:
        loads = {"json": json.loads, "msgspec": msgspec.json.decode}[sys.argv[1]]
        print(json.dumps({"seconds": bare(Path(sys.argv[2]), loads)}))
