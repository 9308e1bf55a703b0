"""Verification beside bare sha256 of the same files, its memory on a large package, sizes. Prints one JSON line.

python verify.py                       everything
python verify.py one PKG               one verification in a process of its own: seconds and peak memory
"""

import hashlib
import json
import os
import random
import subprocess
import sys
import tempfile
import time
import uuid
from datetime import datetime, timedelta
from pathlib import Path

import msgspec
from memory import Workers, peak_mb
from workload import pages

from gaia_harness.audit.evidence import DatasetFacts, open_run
from gaia_harness.records.config import RunConfig
from gaia_harness.records.intent import FILE_NAME, Intent, task_list_sha256
from gaia_harness.records.ledger import CloseEntry, IntentEntry
from gaia_harness.records.outcome import TaskFacts
from gaia_harness.records.stated import read_run
from gaia_harness.records.trajectories import decode_unchecked
from gaia_harness.signing.checkpoints import Checkpoint
from gaia_harness.signing.intent import open_intent, sign_intent
from gaia_harness.signing.ledger import Ledger
from gaia_harness.signing.merkle import Tree
from gaia_harness.signing.signers import sign_note
from gaia_harness.submission.archive import write_archive
from gaia_harness.submission.package import Submission, build
from gaia_harness.submission.verdict import verify
from gaia_harness.tasks.answers import AnswerKey, Gold
from redteam.logbook import clock
from redteam.making import RunMaker
from redteam.script import JUDGE, MODEL, RunScript
from redteam.solving import closing, fetch, script_of, turn
from redteam.world import Page, tasks

TASKS, RESULTS, ROUNDS = 165, 20, 5
NAMES = ("results.jsonl", "trajectories.jsonl", "log.jsonl")
LONG_TASKS, LONG_RESULTS = 20, 1000
"""Tasks of some MB each, so that a package of 1 GB has hardly more of them than the benchmark."""

HEAD_PAGE, LONG_PAGE = 4_200, 100_000
"""A page as long as what a step keeps of one makes a large file in little time; and one of the size of real ones."""

MB = 1_000_000


def make(folder: Path, *, page: int, full_bodies: bool = False, count: int = TASKS, results: int = RESULTS) -> RunMaker:
    """A run of 165 tasks with 20 pages each."""
    bodies, rng = pages(40 if page < LONG_PAGE else 8, page), random.Random(3)
    scripts = []
    for task in tasks("bench", count):
        turns = []
        for n in range(results):
            text = rng.choice(bodies)
            if full_bodies:  # no two outputs alike: each is kept once
                start = rng.randrange(len(text))
                text = f"{task.task_id} {n}\n{text[start:]}{text[:start]}"
            turns.append(turn("I look.", fetch(Page(url=f"https://p{n}.example/", title="p", text=text))))
        scripts.append(script_of(task, *turns, closing(rng, task.gold)))
    maker = RunMaker(folder, "bench")
    config = RunConfig(model=MODEL, judge_model=JUDGE, submit_intent=True, evidence_full_bodies=full_bodies)
    maker.write(RunScript(tasks=tuple(scripts), config=config))
    return maker


def enlarge(maker: RunMaker, folder: Path, size: int) -> Path:
    """The same run over again under other task ids, declared and bound anew, until its trajectories are this large."""
    folder.mkdir()
    run = maker.path
    record = json.loads((run / "run.json").read_text())
    ids = record["dataset"]["task_ids"]
    content = {name: (run / name).read_bytes().splitlines() for name in NAMES}
    rounds = -(-size // sum(map(len, content["trajectories.jsonl"])))
    fresh = [str(uuid.UUID(int=n)) for n in range(rounds * len(ids))]
    intent, _ = open_intent((run / FILE_NAME).read_bytes(), [maker.signer.public], where=FILE_NAME)
    intent = msgspec.structs.replace(intent, tasks=len(fresh), task_list_sha256=task_list_sha256(fresh))
    (folder / FILE_NAME).write_bytes(sign_intent(maker.signer, intent))
    first, *events, last = map(json.loads, content["log.jsonl"])
    first |= {"tasks": len(fresh), "intent_sha256": hashlib.sha256((folder / FILE_NAME).read_bytes()).hexdigest()}
    attempts = 0
    with (
        (folder / "trajectories.jsonl").open("wb") as trajectories,
        (folder / "results.jsonl").open("wb") as results,
        _Log(folder, maker, intent) as log,
    ):
        log.add(first, 0)
        for number in range(rounds):
            new = dict(zip(ids, fresh[number * len(ids) :], strict=False))
            bound: dict[str, dict] = {task_id: {} for task_id in new.values()}
            for name, file in (("trajectories.jsonl", trajectories), ("results.jsonl", results)):
                for old in content[name]:
                    task_id, line = _renamed(old, new)
                    file.write(line + b"\n")
                    key = "trajectory_sha256" if file is trajectories else "result_sha256"
                    bound[task_id][key] = hashlib.sha256(line).hexdigest()
                    if file is results:
                        facts = {k: v for k, v in json.loads(line).items() if k in TaskFacts.__struct_fields__}
                        bound[task_id]["outcome_sha256"] = msgspec.convert(facts, TaskFacts).sha256()
            for event in events:
                event = event | {"task_id": new[event["task_id"]]}
                if event["event"] == "task_finished":
                    event |= bound[event["task_id"]]
                    attempts += event["attempts"]
                log.add(event, number)
        log.add(last | {"tasks": len(fresh), "finished": len(fresh), "attempts": attempts}, rounds - 1)
    record["dataset"]["task_ids"] = fresh
    (folder / "run.json").write_text(json.dumps(record))
    summary = json.loads((run / "summary.json").read_text()) | {"total": len(fresh)}
    (folder / "summary.json").write_text(json.dumps(summary))
    (folder / "prompts").symlink_to(run / "prompts")
    return folder


def _renamed(line: bytes, new: dict[str, str]) -> tuple[str, bytes]:
    start = line.index(b'"task_id":"') + 11
    task_id = new[line[start : start + 36].decode()]
    return task_id, line[:start] + task_id.encode() + line[start + 36 :]


class _Log:
    """A log with its signed head at the end; each round of the same events comes after the one before."""

    def __init__(self, folder: Path, maker: RunMaker, intent: Intent) -> None:
        self.folder, self.maker, self.origin = folder, maker, f"gaia-harness/run/{intent.run_id}"
        self.tree = Tree()

    def __enter__(self) -> "_Log":
        self.file = (self.folder / "log.jsonl").open("wb")
        return self

    def add(self, event: dict, number: int) -> None:
        moment = datetime.fromisoformat(event["time"]) + number * timedelta(days=1)
        event |= {"seq": self.tree.size, "time": moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")}
        line = msgspec.json.encode(event)
        self.tree.append(line)
        self.file.write(line + b"\n")

    def __exit__(self, *_: object) -> None:
        self.file.close()
        text = Checkpoint(self.origin, self.tree.size, self.tree.root()).text()
        note = sign_note(self.maker.signer, self.origin, text)
        (self.folder / "checkpoints").write_bytes(note.encode() + b"\n")


def packed(maker: RunMaker, run: Path, out: Path) -> Path:
    """The package of a run, by `gaia submit`'s own way."""
    intent, _ = open_intent((run / FILE_NAME).read_bytes(), [maker.signer.public], where=FILE_NAME)
    events = (run / "log.jsonl").read_bytes().splitlines()
    tree = Tree()
    for line in events:
        tree.append(line)
    ledger = Ledger(out.with_name(f"{out.name}-ledger"), maker.signer, lambda: clock(0))
    ledger.add(
        IntentEntry(
            run_id=intent.run_id,
            task_list_sha256=intent.task_list_sha256,
            dataset_digest=intent.dataset_digest,
            gaia_split=intent.gaia_split,
            model=intent.model,
            intent_sha256=hashlib.sha256((run / FILE_NAME).read_bytes()).hexdigest(),
            keeps_head=True,
        )
    )
    ledger.add(CloseEntry(run_id=intent.run_id, status="complete", log_size=tree.size, log_root=tree.root().hex()))
    stated = read_run(run)
    facts = DatasetFacts(
        questions=stated.questions,
        levels={task.task_id: task.level for task in stated.facts.tasks},
        key=AnswerKey({task_id: Gold(answer=gold) for task_id, gold in stated.golds.items()}),
        digest=stated.facts.dataset_digest,
    )
    by = Submission(
        signer=maker.signer,
        identity="bench@example.org",
        ledger=ledger.folder,
        submitted_at="2030-01-01T00:00:00Z",
        waivers=(),
    )
    build(open_run(run, facts), out, by, allow_dirty=True)
    return out


def files(package: Path) -> list[Path]:
    return [path for path in package.rglob("*") if path.is_file()]


def size(package: Path) -> int:
    return sum(path.stat().st_size for path in files(package))


def bare(package: Path) -> float:
    """sha256 of every file, one after the other, and nothing else."""
    buffer = memoryview(bytearray(1 << 20))
    began = time.perf_counter()
    for path in files(package):
        hasher = hashlib.sha256()
        with path.open("rb", buffering=0) as file:
            while count := file.readinto(buffer):
                hasher.update(buffer[:count])
    return time.perf_counter() - began


def floor(path: Path) -> dict:
    """What no reader of this format gets around, in ns per byte: three hashes, and each line parsed and typed once."""
    hashing = parsing = 1e9
    size = path.stat().st_size
    for _ in range(3):
        began = time.perf_counter()
        with path.open("rb") as file:
            for line in file:
                for _ in range(3):
                    hashlib.sha256(line)
        hashing = min(hashing, time.perf_counter() - began)
        began = time.perf_counter()
        with path.open("rb") as file:
            for line in file:
                decode_unchecked(line)
        parsing = min(parsing, time.perf_counter() - began)
    return {"three_hashes_ns": hashing / size * 1e9, "parsing_ns": parsing / size * 1e9}


def tasks_of(package: Path) -> int:
    with (package / "trajectories.jsonl").open("rb") as file:
        return sum(1 for _ in file)


def one(package: Path) -> dict:
    workers = Workers()
    workers.start()
    began, before = time.perf_counter(), sum(os.times()[:4])
    verdict = verify(package)
    seconds, cpu = time.perf_counter() - began, sum(os.times()[:4]) - before
    workers.done.set()
    assert verdict.exit_code == 3, verdict
    return {
        "seconds": seconds,
        "mb": size(package) / MB,
        "mb_s": size(package) / MB / seconds,
        "peak_mb": peak_mb("self"),
        "peak_mb_of_a_worker": workers.peak_mb,
        "cpu_seconds": cpu,
    }


def apart(package: Path) -> dict:
    done = subprocess.run([sys.executable, __file__, "one", package], stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def against_sha256(package: Path, rounds: int = ROUNDS) -> dict:
    """Both of the same files in turn, so that a busy moment hits both; the best of each."""
    ours, theirs = [], []
    for _ in range(rounds):
        ours.append(apart(package))
        theirs.append(bare(package))
    best = min(ours, key=lambda result: result["seconds"])
    return best | {"sha256_mb_s": best["mb"] / min(theirs), "share_of_sha256": min(theirs) / best["seconds"]}


def demo_command() -> dict:
    """`gaia verify` as a command on the package of `gaia demo`, cold start and all."""
    with tempfile.TemporaryDirectory() as place:
        command = [sys.executable, "-m", "gaia_harness"]
        out = Path(place, "demo")
        subprocess.run([*command, "demo", "--out", out], stdout=subprocess.DEVNULL, check=True)
        seconds = []
        for _ in range(ROUNDS):
            began = time.perf_counter()
            done = subprocess.run(
                [*command, "verify", out / "package", "--allowed-signers", out / "allowed_signers"],
                stdout=subprocess.DEVNULL,
                env={"PATH": os.environ["PATH"], "HOME": place},
            )
            seconds.append(time.perf_counter() - began)
            assert done.returncode == 0
        return {"seconds": min(seconds), "mb": size(out / "package") / MB}


def packages_of_165(place: Path) -> dict:
    """165 tasks × 20 results × 100 KB: without and with the outputs in full, as folder and as archive."""
    sizes = {}
    for name, full in (("plain", False), ("full_bodies", True)):
        maker = make(place / name, page=LONG_PAGE, full_bodies=full)
        package = packed(maker, maker.path, place / f"{name}-package")
        archive = place / f"{name}.tar.gz"
        write_archive(package, "0" * 12, archive)
        sizes[name] = {
            "mb": size(package) / MB,
            "archive_mb": archive.stat().st_size / MB,
            "files": len(files(package)),
        }
        sizes[name] |= {"verify": against_sha256(package, 3)}
    return sizes


def main() -> None:
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as name:
        place = Path(name)
        maker = make(place / "base", page=HEAD_PAGE)
        middle = packed(maker, enlarge(maker, place / "run-100", 100 * MB), place / "package-100")
        quarter = packed(maker, enlarge(maker, place / "run-250", 250 * MB), place / "package-250")
        many = packed(maker, enlarge(maker, place / "run-1000", 1000 * MB), place / "package-1000")
        long = make(place / "long", page=HEAD_PAGE, count=LONG_TASKS, results=LONG_RESULTS)
        few = packed(long, enlarge(long, place / "run-few", 100 * MB), place / "package-few")
        large = packed(long, enlarge(long, place / "run-long", 1000 * MB), place / "package-long")
        results = {
            "speed": against_sha256(quarter),
            "middle": apart(middle) | {"tasks": tasks_of(middle)},
            "few": apart(few) | {"tasks": tasks_of(few)},
            "large": apart(large) | {"tasks": tasks_of(large)},
            "large_of_many_tasks": apart(many) | {"tasks": tasks_of(many)},
            "floor": floor(quarter / "trajectories.jsonl"),
            "run_of_165": packages_of_165(place),
            "demo": demo_command(),
        }
    print(json.dumps(results))


if __name__ == "__main__":
    if len(sys.argv) > 2:
        print(json.dumps(one(Path(sys.argv[2]))))
    else:
        main()
