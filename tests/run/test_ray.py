"""`gaia run --executor ray`: the same runs as in one process, whatever becomes of workers, nodes and the driver."""

import fcntl
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.serialization import load_ssh_private_key
from ray_nodes import Nodes, Running, children, needs_ray, small_environment, until

import gaia_harness
from chat_server import chat_reply, chat_server
from gaia_command import gaia, lines, own_folders, python, summary
from gaia_harness.demo.server import DemoServer
from gaia_harness.errors import RunError, UsageError
from gaia_harness.run.ray_cluster import check_address
from gaia_layout import json_lines, row, write_layout

KEY = "sk-of-the-model-0123456789abcdefghij"

cases = pytest.mark.cases


@needs_ray
def test_cluster_of_its_own_is_started_and_stopped_quietly(tmp_path):
    out = tmp_path / "run"
    args = ["--model", "scripted/demo", "--dataset", "demo", "--limit", "1", "--concurrency", "1"]
    ran = Running(tmp_path, "run", *args, "--executor", "ray", "--out", out).wait()
    assert ran.code == 0, ran.said
    assert summary(out)["finished"] == 1
    assert [
        line
        for line in ran.err.splitlines()
        if not re.match(r"1 task |ray: starting|(?:WARNING: )?waiting for |\[1/1\] correct", line)
    ] == []


@cases
@needs_ray
def test_more_memory_than_this_machine_has_is_refused_and_not_waited_for(tmp_path):
    args = ["--model", "scripted/demo", "--dataset", "demo", "--limit", "1", "--memory-per-attempt", "900T"]
    ran = Running(tmp_path, "run", *args, "--executor", "ray", "--out", tmp_path / "run").wait()
    assert ran.code == 1 and "this machine does not have 1 CPU and 921600.0 GiB for an attempt" in ran.err, ran.said
    assert "next:  give less as --memory-per-attempt" in ran.err


HIDES_RAY = """
import sys, importlib.util as u
found = u.find_spec
u.find_spec = lambda name, *rest: None if name == "ray" else found(name, *rest)
sys.modules["ray"] = None
"""


@pytest.mark.parametrize(
    ("program", "args", "code"),
    [
        ("gaia", ["run", "--model", "scripted/demo", "--dataset", "demo"], 1),
        ("gaia", ["run", "--model", "scripted/demo", "--dataset", "demo", "--dry-run"], 1),
        ("gaia", ["audit", "."], 2),  # 1 is for what an audit finds
        ("redteam", ["--no-live"], 1),
    ],
)
def test_without_ray_a_line_says_what_to_install(tmp_path, program, args, code):
    command = "main()" if program == "gaia" else "from redteam.__main__ import command; main(command)"
    text = f"{HIDES_RAY}\nfrom gaia_harness.cli import main; {command}"
    ran = python("-c", text, *args, "--executor", "ray", cwd=tmp_path, PYTHONPATH=str(Path(__file__).parents[2]))
    assert ran.code == code and not any(tmp_path.iterdir())
    assert ran.said.splitlines()[-2:] == [
        "error: --executor ray needs Ray, which is not installed",
        "next:  pip install 'gaia-harness[ray]'",
    ]


def test_options_of_ray_go_with_ray():
    ran = gaia("run", "--model", "scripted/demo", "--dataset", "demo", "--ray-address", "auto")
    assert ran.code == 2 and "--ray-address goes with --executor ray" in ran.err
    ran = gaia("run", "--model", "scripted/demo", "--executor", "ray", "--memory-per-attempt", "much")
    assert ran.code == 2 and "not a number of bytes" in ran.err
    ran = gaia("run", "--model", "scripted/demo", "--dataset", "demo", "--executor", "ray", "--ray-env", "OWL_ADDRESS")
    assert ran.code == 2 and "--ray-env OWL_ADDRESS: it is not set here" in ran.err and "next:  set it" in ran.err


def test_address_at_which_nobody_answers_is_said_at_once():
    with pytest.raises(RunError, match=r"^nobody answers at --ray-address 127\.0\.0\.1:1: "):
        check_address("127.0.0.1:1")
    for address in ("head", "local", "ray://head:10001", "head:port", ":6379", "head:99999"):
        with pytest.raises(UsageError, match=f"^--ray-address {address}: "):
            check_address(address)
    with socket.create_server(("127.0.0.1", 0)) as server:
        check_address(f"127.0.0.1:{server.getsockname()[1]}")
        check_address("auto")


@pytest.fixture(scope="module")
def nodes(tmp_path_factory):
    with (tmp_path_factory.getbasetemp().parent / "ray.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two clusters that begin at once would take the same port
        cluster = Nodes()
        yield cluster
        cluster.close()


@pytest.fixture
def cluster(nodes):
    yield nodes
    nodes.clear()


class Lanterns:
    """A model that knows how many lanterns a room has, and may be kept from saying so."""

    def __init__(self):
        self.go = threading.Event()
        self.go.set()
        self.asked = 0

    def __call__(self, request):
        room = re.search(r"in room (\d+)\?", json.dumps(request["messages"]))[1]
        if request["messages"][-1]["role"] == "tool":
            self.asked += 1
            self.go.wait(120)
            return chat_reply(f"FINAL ANSWER: {room} lanterns")
        return chat_reply("", [("python", {"code": f"print({room} * 1)"})])


@pytest.fixture
def model():
    return Lanterns()


@pytest.fixture
def place(tmp_path, model):
    rows = [row(n) for n in range(6)]
    write_layout(tmp_path / "data", {"2023/validation/metadata.jsonl": json_lines(rows)})
    with chat_server(model) as server:
        yield tmp_path, server
    model.go.set()


def options(place, *more):
    folder, server = place
    return [
        "run", "--model", "openai/lanterns", "--base-url", server.base_url, "--dataset", folder / "data",
        "--concurrency", "2", "--search-url", "http://127.0.0.1:9", "--out", folder / "run", *more,
    ]  # fmt: skip


def on(cluster, *more):
    return ["--executor", "ray", "--ray-address", cluster.address, *more]


def events(out, name):
    return [event for event in lines(out / "log.jsonl") if event["event"] == name]


def whole(out, *, attempts=None):
    """Nothing is lost, nothing is there twice, and every attempt that was begun is counted."""
    results = lines(out / "results.jsonl")
    assert len(results) == len({result["task_id"] for result in results}) == 6
    assert all(result["correct"] for result in results)
    begun = [event["task_id"] for event in events(out, "attempt_started")]
    assert {result["task_id"]: result["attempts"] for result in results} == {t: begun.count(t) for t in set(begun)}
    assert attempts is None or len(begun) == attempts
    assert len(lines(out / "trajectories.jsonl")) == 6 and summary(out)["finished"] == 6
    assert json.loads((out / "run.json").read_text())["state"] == "closed"
    ran = gaia("audit", out, "--dataset", out.parent / "data")
    assert "CRITICAL" not in ran.said.upper() and ran.code in (0, 1), ran.said


@cases
@needs_ray
def test_same_results_and_step_hashes_as_the_local_executor(tmp_path, cluster):
    cluster.add()
    cluster.add()
    shown = {}
    with DemoServer() as web:
        for name, more in (("local", []), ("ray", on(cluster))):
            args = ["run", "--model", "scripted/demo", "--dataset", "demo", "--limit", "16", "--out", tmp_path / name]
            args += ["--search-url", web.search_url, "--allow-host", web.allow_host, "--voting-attempts", "2", *more]
            ran = Running(tmp_path, *args).wait()
            assert ran.code == 0, ran.said
            out = tmp_path / name
            shown[name] = (
                {line["task_id"]: line for line in lines(out / "trajectories.jsonl")},
                {(e["task_id"], e["attempt"]): e["steps_sha256"] for e in events(out, "attempt_finished")},
                {r["task_id"]: (r["answer"], r["correct"], r["turns"]) for r in lines(out / "results.jsonl")},
                json.loads((out / "run.json").read_text())["isolation"]["python"],
                sorted(path.name for path in (out / "prompts").iterdir()),
                [event["event"] for event in lines(out / "log.jsonl")].count("attempt_started"),
            )  # fmt: skip
    assert shown["local"] == shown["ray"] and len(shown["ray"][0]) == 16


@cases
@needs_ray
def test_killed_worker_is_an_attempt_and_its_task_is_begun_again(place, cluster, model):
    cluster.add()
    model.go.clear()
    run = Running(place[0], *options(place, *on(cluster)), OPENAI_API_KEY=KEY)
    until(lambda: model.asked >= 2)
    os.kill(cluster.workers()[0], signal.SIGKILL)
    until(lambda: (place[0] / "run/log.jsonl").exists() and events(place[0] / "run", "attempt_interrupted"))
    model.go.set()
    ran = run.wait()
    assert ran.code == 0, ran.said
    whole(place[0] / "run", attempts=7)
    (lost,) = events(place[0] / "run", "attempt_interrupted")
    assert "was lost" in lost["reason"]
    assert "1 attempt begun and not finished" in ran.out


@cases
@needs_ray
def test_killed_node_takes_its_attempts_along_and_the_others_make_them_again(place, cluster, model):
    doomed = cluster.add(cpus=2)
    model.go.clear()
    run = Running(place[0], *options(place, *on(cluster)), OPENAI_API_KEY=KEY)
    until(lambda: model.asked >= 2)
    cluster.add(cpus=2)
    cluster.kill(doomed)
    until(lambda: len(events(place[0] / "run", "attempt_interrupted")) == 2)
    model.go.set()
    ran = run.wait()
    assert ran.code == 0, ran.said
    assert "(raylet)" not in ran.said  # what Ray itself says of a node, on standard output
    whole(place[0] / "run", attempts=8)


@cases
@needs_ray
@pytest.mark.parametrize("resumed_by", ["ray", "local"])
def test_killed_driver_leaves_no_worker_and_is_resumed_by_either_executor(place, cluster, model, resumed_by):
    cluster.add()
    run = Running(place[0], *options(place, *on(cluster)), OPENAI_API_KEY=KEY)
    until(lambda: (place[0] / "run/results.jsonl").exists() and len(lines(place[0] / "run/results.jsonl")) >= 2)
    model.go.clear()
    before = model.asked
    until(lambda: model.asked > before)
    run.process.kill()
    assert run.wait().code == -signal.SIGKILL
    until(lambda: not cluster.workers())
    model.go.set()
    more = on(cluster) if resumed_by == "ray" else []
    ran = Running(place[0], "run", "--resume", place[0] / "run", *more, OPENAI_API_KEY=KEY).wait()
    assert ran.code == 0, ran.said
    whole(place[0] / "run")
    assert len(events(place[0] / "run", "run_resumed")) == 1


@cases
@needs_ray
def test_interrupts_end_a_run_as_they_do_in_one_process(place, cluster, model):
    cluster.add()
    model.go.clear()
    run = Running(place[0], *options(place, *on(cluster)), OPENAI_API_KEY=KEY)
    until(lambda: model.asked >= 2)
    run.signal(signal.SIGINT)
    until(lambda: b"finishing the tasks that are running" in (place[0] / "said.err").read_bytes())
    model.go.set()
    ran = run.wait()
    assert ran.code == 130 and "--resume" in ran.err, ran.said
    assert len(lines(place[0] / "run/results.jsonl")) == 2

    model.go.clear()
    asked = model.asked
    run = Running(place[0], "run", "--resume", place[0] / "run", *on(cluster), OPENAI_API_KEY=KEY)
    until(lambda: model.asked > asked)
    run.signal(signal.SIGINT)
    until(lambda: b"Ctrl-C again stops at once" in (place[0] / "said.err").read_bytes())
    run.signal(signal.SIGINT)
    ran = run.wait()
    assert ran.code == 130 and "stopped at once" in ran.err, ran.said
    until(lambda: not cluster.workers())

    asked = model.asked
    run = Running(place[0], "run", "--resume", place[0] / "run", *on(cluster), OPENAI_API_KEY=KEY)
    until(lambda: model.asked > asked)
    run.process.terminate()
    ran = run.wait()
    assert ran.code == 130 and "asked to end" in ran.err and "SIGTERM" not in ran.err, ran.said
    model.go.set()
    ran = Running(place[0], "run", "--resume", place[0] / "run", OPENAI_API_KEY=KEY).wait()
    assert ran.code == 0, ran.said
    whole(place[0] / "run")


@cases
@needs_ray
def test_interrupt_at_the_terminal_leaves_a_cluster_of_its_own_at_work_until_tasks_are_done(place, model):
    model.go.clear()
    run = Running(place[0], *options(place, "--executor", "ray"), OPENAI_API_KEY=KEY)
    until(lambda: model.asked >= 2)
    run.signal(signal.SIGINT)  # all processes of the group get it
    until(lambda: b"finishing the tasks that are running" in (place[0] / "said.err").read_bytes())
    model.go.set()
    ran = run.wait()
    assert ran.code == 130, ran.said
    assert len(lines(place[0] / "run/results.jsonl")) == 2 and not events(place[0] / "run", "attempt_interrupted")


AGENT = """
import json, os, sys, urllib.request
found = [f"{name}={value}" for name, value in sorted(os.environ.items()) if name.startswith("SET_")]
body = {"model": os.environ["GAIA_MODEL"], "messages": [{"role": "user", "content": f"{sys.stdin.read()} {found}"}]}
url = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
asked = urllib.request.Request(url, json.dumps(body).encode(), {"content-type": "application/json"})
print(json.load(urllib.request.urlopen(asked))["choices"][0]["message"]["content"])
"""
AGENT_FILE = """
command = "python3 main.py"
environment = ["SET_HERE", "SET_THERE", "SET_TWICE"]
"""


@cases
@needs_ray
def test_declared_run_of_an_agent_in_a_box_is_the_same_on_a_worker(tmp_path, cluster):
    cluster.add(environment={"SET_THERE": "worker", "SET_TWICE": "worker"})
    (tmp_path / "agent").mkdir()
    (tmp_path / "agent/main.py").write_text(AGENT)
    (tmp_path / "agent/agent.toml").write_text(AGENT_FILE)
    write_layout(tmp_path / "data", {"2023/validation/metadata.jsonl": json_lines([row(n) for n in range(2)])})

    def answer(request):
        asked = json.dumps(request["messages"])
        assert "['SET_HERE=driver', 'SET_TWICE=driver']" in asked  # and nothing of the worker's machine
        room = re.search(r"in room (\d+)\?", asked)[1]
        return chat_reply(f"FINAL ANSWER: {room} lanterns")

    told = {}
    with chat_server(answer) as server:
        args = ["run", "--agent", tmp_path / "agent", "--model", "openai/lanterns", "--base-url", server.base_url]
        args += ["--dataset", tmp_path / "data", "--submit-intent", "--max-calls", "3"]
        env = {"OPENAI_API_KEY": KEY, "SET_HERE": "driver", "SET_TWICE": "driver"}
        for name, more in (("local", []), ("ray", on(cluster))):
            out = tmp_path / name
            ran = Running(tmp_path, *args, "--out", out, *more, **env).wait()
            assert ran.code == 0, ran.said
            told[name] = {
                line["task_id"]: [(s["type"], re.sub(r"[\d.]+ (s|MB)\b", "", s.get("head", ""))) for s in line["steps"]]
                for line in lines(out / "trajectories.jsonl")
            }
            assert [result["correct"] for result in lines(out / "results.jsonl")] == [True, True]
            assert (out / "intent.dsse.json").exists()
            ran = gaia("submit", out, "--dataset", tmp_path / "data", "--out", tmp_path / f"{name}-package")
            assert ran.code == 0, ran.said
        assert {seen.headers["authorization"] for seen in server.seen} == {f"Bearer {KEY}"}
    assert told["local"] == told["ray"] and len(told["ray"]) == 2


def other_version(folder):
    """A copy of the package that says it is another version."""
    source = Path(gaia_harness.__file__).parent
    shutil.copytree(source, folder / "gaia_harness", ignore=shutil.ignore_patterns("__pycache__"))
    file = folder / "gaia_harness/version.py"
    file.write_text(re.sub(r'__version__ = ".*"', '__version__ = "0.0.7"', file.read_text()))
    return folder


def path_without_bubblewrap(folder):
    """A PATH with all that this one has but bwrap."""
    folder.mkdir()
    for directory in reversed(os.environ["PATH"].split(":")):
        if Path(directory).is_dir():
            for program in Path(directory).iterdir():
                if program.name != "bwrap":
                    (folder / program.name).unlink(missing_ok=True)
                    (folder / program.name).symlink_to(program)
    return folder


@cases
@needs_ray
@pytest.mark.parametrize("fault", ["version", "sandbox"])
def test_machine_that_is_not_as_it_must_be_is_refused_and_named(place, cluster, fault):
    if fault == "version":
        environment = {"PYTHONPATH": str(other_version(place[0] / "old"))}
        said = r"has gaia-harness 0\.0\.7, this machine "
    else:
        environment = {"PATH": str(path_without_bubblewrap(place[0] / "bin"))}
        said = "has no sandbox for the python tool"
    cluster.add(environment=environment)
    ran = Running(place[0], *options(place, *on(cluster)), OPENAI_API_KEY=KEY).wait()
    assert ran.code == 1 and re.search(said, ran.err), ran.said
    assert re.search("^next: ", ran.err, re.MULTILINE) and not (place[0] / "run/log.jsonl").exists()

    cluster.add()  # one that is as it must be does all the work
    shutil.rmtree(place[0] / "run", ignore_errors=True)
    ran = Running(place[0], *options(place, *on(cluster)), OPENAI_API_KEY=KEY).wait()
    assert ran.code == 0, ran.said
    whole(place[0] / "run", attempts=6)


FILLING = """
import sys, time, ray
ray.init(address=sys.argv[1], log_to_driver=False)
@ray.remote(num_cpus=0, resources={"here": 1})
class Filler:
    def fill(self):
        self.kept, made = [], 0
        try:
            while True:
                self.kept.append(ray.put(bytes(4 << 20))); made += 1
                assert made < 200
        except Exception as full:
            return type(full).__name__
filler = Filler.remote()
print(ray.get(filler.fill.remote()), flush=True)
time.sleep(600)
"""


@cases
@needs_ray
def test_full_object_store_is_nothing_to_a_run_which_keeps_nothing_there(place, cluster):
    cluster.add(object_store_memory=80 << 20, resources={"here": 1})
    filler = subprocess.Popen(
        [sys.executable, "-c", FILLING, cluster.address], env=small_environment(), stdout=subprocess.PIPE, text=True
    )
    try:
        assert filler.stdout.readline().strip() in ("ObjectStoreFullError", "OutOfDiskError")
        ran = Running(place[0], *options(place, *on(cluster), "--evidence-full-bodies"), OPENAI_API_KEY=KEY).wait()
    finally:
        filler.kill()
        filler.wait()
    assert ran.code == 0, ran.said
    whole(place[0] / "run", attempts=6)


def memory_of(pid):
    """All that a process can read and write."""
    with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb", 0) as memory:  # noqa: PTH123
        for line in maps:
            start, end = (int(each, 16) for each in line.split(" ", 1)[0].split("-"))
            if "r" in line.split(" ")[1] and "[v" not in line:
                try:
                    memory.seek(start)
                    yield memory.read(end - start)
                except (OSError, OverflowError, ValueError):
                    continue


def holders(needles, pids):
    found = set()
    for pid in pids:
        try:
            for block in memory_of(pid):
                found |= {(pid, name) for name, needle in needles.items() if needle in block}
        except (FileNotFoundError, ProcessLookupError):
            continue
    return found


@cases
@needs_ray
def test_answers_and_keys_of_the_submitter_are_in_no_worker_and_the_model_s_key_in_no_log(place, cluster, model):
    folder = place[0]
    rows = [row(n) | {"Final answer": f"gold-{n}-wq7x9z-{n}"} for n in range(6)]
    write_layout(folder / "gold", {"2023/validation/metadata.jsonl": json_lines(rows)})
    node = cluster.add()
    model.go.clear()
    args = options(place, *on(cluster), "--submit-intent")
    args[args.index("--dataset") + 1] = folder / "gold"
    passphrase = "passphrase-of-the-submitter-3f8"
    environment = {"OPENAI_API_KEY": KEY, "GAIA_KEY_PASSPHRASE": passphrase, "HF_TOKEN": "hf_token_of_the_driver_77"}
    run = Running(folder, *args, **environment)
    until(lambda: model.asked >= 2)
    private = Path(own_folders()["GAIA_KEYS_DIR"], "submit_ed25519").read_bytes()
    needles = {f"gold {n}": f"gold-{n}-wq7x9z".encode() for n in range(6)}
    needles |= {"key": load_ssh_private_key(private, None).private_bytes_raw(), "its file": private[100:140]}
    needles |= {"passphrase": passphrase.encode(), "token": b"hf_token_of_the_driver_77"}
    raylet = node.all_processes["raylet"][0].process.pid
    workers = cluster.workers()
    others = [*children(raylet), raylet, *cluster.head()]
    assert len(workers) == 2
    assert holders(needles, {*workers, *others}) == set()
    at_home = {name for _, name in holders(needles, [run.process.pid])}
    assert at_home >= {"key", "passphrase", "token", *(f"gold {n}" for n in range(6))}  # found where they are
    key = {"model's key": KEY.encode()}
    assert {pid for pid, _ in holders(key, workers)} == set(workers)
    assert holders(key, {*others} - {*workers} - {c for w in workers for c in children(w)}) == set()
    everything = {**needles, **key}
    stored = [path for path in Path("/dev/shm").rglob("*") if path.is_file()]
    logs = [path for path in Path(node.get_session_dir_path()).rglob("*") if path.is_file()]
    assert logs
    for path in (*stored, *logs):
        try:
            text = path.read_bytes()
        except OSError:
            continue
        assert not [name for name, needle in everything.items() if needle in text], path
    for pid in (*workers, *others):
        assert KEY.encode() not in Path(f"/proc/{pid}/environ").read_bytes()
    model.go.set()
    ran = run.wait()
    assert ran.code in (0, 3), ran.said


@cases
@needs_ray
def test_many_runs_are_audited_by_workers_as_they_are_here(tmp_path, cluster):
    cluster.add()
    for number in (1, 2):
        args = [
            "--model",
            "scripted/demo",
            "--dataset",
            "demo",
            "--limit",
            f"{number}-{number}",
            "--out",
            tmp_path / f"run{number}",
        ]
        assert gaia("run", *args).code == 0
    (tmp_path / "none").mkdir()
    folders = [tmp_path / "run1", tmp_path / "none", tmp_path / "run2"]
    asked = [*folders, "--audited-at", "2030-01-02T03:04:05Z", "--json"]
    here = gaia("audit", *asked)
    there = Running(tmp_path, "audit", *asked, *on(cluster)).wait()
    assert (here.code, here.out) == (there.code, there.out)
    assert here.code == 2 and [json.loads(line)["folder"] for line in here.out.splitlines()] == [*map(str, folders)]
    assert [("report" in json.loads(line)) for line in here.out.splitlines()] == [True, False, True]


SMALL_LAB = """
from gaia_harness.cli import main
from redteam import figures
from redteam.__main__ import command

every = figures.variants
figures.variants = lambda part: every(part)[:4]
main(command)
"""


@cases
@needs_ray
def test_attack_lab_counts_the_same_on_a_cluster(tmp_path, cluster):
    cluster.add()
    root = Path(__file__).parents[2]
    figures = {}
    for name, more in (("local", ["--workers", "2"]), ("ray", on(cluster))):
        args = ["--part", "development", "--seeds", "1", "--no-live", "--out", tmp_path / f"{name}.json", *more]
        ran = Running(tmp_path, *args, program=("-c", SMALL_LAB), PYTHONPATH=str(root)).wait()
        assert ran.code in (0, 1) and "4 of 4 runs made and audited" in ran.err, ran.said
        figures[name] = (tmp_path / f"{name}.json").read_bytes(), ran.out, ran.code
    assert figures["local"] == figures["ray"]
