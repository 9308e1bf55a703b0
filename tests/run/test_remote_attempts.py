"""Workers without a cluster: driver and worker talk as they do over Ray, within one process."""

import asyncio
import contextlib
import contextvars
import json
import logging
import os
import shutil

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat_server import chat_reply, chat_server
from gaia_command import lines
from gaia_harness.agent import AgentResult
from gaia_harness.attempts.budget import Budget
from gaia_harness.attempts.messages import Assignment, Ended, Frames, Hello, Opened, Said, Setup, framed, pieces
from gaia_harness.attempts.sealing import Seal, sealed_for
from gaia_harness.attempts.worker import Worker
from gaia_harness.attempts.workshop import Job
from gaia_harness.demo.server import DemoServer
from gaia_harness.disclosure import OWN_ADDRESSES
from gaia_harness.errors import RunError
from gaia_harness.evidence.bodies import TextStore
from gaia_harness.evidence.elsewhere import TakenElsewhere
from gaia_harness.evidence.recorder import Recorder, RecorderSettings
from gaia_harness.evidence.redaction import Redactor
from gaia_harness.models.retry import on_wait
from gaia_harness.offline import audit_run, create_key, submit_run, verify_package
from gaia_harness.protocol import FULL_BOX, WEAKER_BOX
from gaia_harness.records.config import RunConfig, Selection
from gaia_harness.records.results import TaskResult
from gaia_harness.run.boxed_run import agent_config
from gaia_harness.run.folder import RunFolder
from gaia_harness.run.remote import Gone, Refused, Remote, needed_environment
from gaia_harness.run.runner import Stop
from gaia_harness.run.session import Session
from gaia_harness.tasks.answers import Gold
from gaia_harness.tasks.loading import load_tasks
from loopback import Answer

PHRASES = (
    "two adults, three children and one goose",  # a file and python
    "how many hours in total did the fog horn sound",
    "Sowhithe",
)


class Quiet:
    def finished(self, result, tally):
        pass

    def waiting(self, running, longest):
        pass


class Direct:
    """An executor whose workers are objects of this process."""

    answered = False

    def __init__(self, session, setup, environment, dies_at=()):
        self.session, self.setup, self.environment = session, setup, environment
        self.model = session.model.name
        self.isolation = {}
        self.dies_at = list(dies_at)
        self.calls = []

    async def new(self):
        worker = Worker()
        gone = False

        async def call(method, *args):
            nonlocal gone
            self.calls.append((method, *args))
            if method == "reports" and self.dies_at:
                self.dies_at[0] -= 1
                gone = self.dies_at[0] == 0
                self.dies_at = self.dies_at[1:] if gone else self.dies_at
            if gone:
                raise Gone("a test has killed it")
            return await getattr(worker, method)(*args)

        isolation = self.isolation or None
        remote = await Remote.open(call, self.setup, self.environment, model=self.model, isolation=isolation)
        return worker, remote

    @contextlib.asynccontextmanager
    async def place(self):
        place = _DirectPlace(self)
        try:
            yield place
        finally:
            if place.worker is not None:
                await place.worker.close()


class _DirectPlace:
    worker = remote = None

    def __init__(self, executor):
        self.executor = executor

    async def ready(self):
        if self.remote is None:
            self.worker, self.remote = await self.executor.new()

    async def attempt(self, job, recorder, listener):
        try:
            return await self.remote.attempt(job, recorder, listener, self.executor.session.budget)
        except BaseException:
            await self.worker.close()
            self.worker = self.remote = None
            raise
        finally:
            self.executor.answered |= self.remote is not None and self.remote.answered


class RemoteSession(Session):
    dies_at = ()
    environment = {}  # noqa: RUF012

    @contextlib.asynccontextmanager
    async def _executor(self, folder):
        questions = {task.task_id: task.question for task in self.loaded.tasks}
        setup = Setup(
            config=self.config,
            questions=questions,
            hidden=(str(folder),),
            limited=self.config.max_cost is not msgspec.UNSET,
        )
        executor = self.made = Direct(self, setup, self.environment, self.dies_at)
        worker, remote = await executor.new()
        executor.isolation = remote.isolation
        await worker.close()
        executor.calls.clear()
        yield executor


def chosen():
    found = [t.task_id for t in load_tasks("demo", env={}).tasks if any(each in t.question for each in PHRASES)]
    assert len(found) >= 3
    return Selection(task_ids=tuple(found[:4]))


@pytest.fixture(scope="module")
def web():
    with DemoServer() as server:
        yield server


def run(session_class, out, web, *, dies_at=(), env=None, **options):
    config = RunConfig(
        model="scripted/demo",
        dataset="demo",
        selection=chosen(),
        search_url=web.search_url,
        allow_hosts=(web.allow_host,),
        concurrency=2,
        **options,
    )
    session = session_class(config, env or {})
    session.dies_at = dies_at
    summary = asyncio.run(session.start(out, Quiet(), Stop()))
    return session, summary


def by_task(path):
    return {line["task_id"]: line for line in lines(path)}


def events(out, name):
    return [event for event in lines(out / "log.jsonl") if event["event"] == name]


def test_remote_attempts_are_recorded_and_scored_as_local_ones(tmp_path, web):
    _, local = run(Session, tmp_path / "local", web, voting_attempts=2, evidence_full_bodies=True)
    _, remote = run(RemoteSession, tmp_path / "remote", web, voting_attempts=2, evidence_full_bodies=True)
    assert by_task(tmp_path / "remote/trajectories.jsonl") == by_task(tmp_path / "local/trajectories.jsonl")
    assert (remote.passed, remote.finished, remote.input_tokens) == (local.passed, local.total, local.input_tokens)
    hashes = [{(e["task_id"], e["attempt"]): e["steps_sha256"] for e in events(tmp_path / side, "attempt_finished")}
              for side in ("local", "remote")]  # fmt: skip
    assert hashes[0] == hashes[1] and len(hashes[0]) == 2 * local.total
    for kind in ("prompts", "bodies"):
        kept = [{path.name for path in (tmp_path / side / kind).iterdir()} for side in ("local", "remote")]
        assert kept[0] == kept[1] and kept[0]


def test_lost_worker_is_an_attempt_that_counts_and_its_task_is_begun_again(tmp_path, web):
    out = tmp_path / "run"
    env = {"GAIA_KEYS_DIR": f"{tmp_path}/keys", "GAIA_CACHE_DIR": f"{tmp_path}/cache"}
    signers = tmp_path / "allowed_signers"
    signers.write_text(create_key("ada@example.org", env=env) + "\n")
    _, summary = run(RemoteSession, out, web, dies_at=(2, 9), env=env, submit_intent=True)
    results = by_task(out / "results.jsonl")
    lost = events(out, "attempt_interrupted")
    assert len(lost) == 2 and all("was lost: a test has killed it" in event["reason"] for event in lost)
    assert summary.finished == summary.total == len(results)
    begun = [event["task_id"] for event in events(out, "attempt_started")]
    assert {task_id: result["attempts"] for task_id, result in results.items()} == {
        task_id: begun.count(task_id) for task_id in results
    }
    assert sum(result["attempts"] for result in results.values()) == summary.total + 2
    assert len(events(out, "run_resumed")) in (1, 2)  # the same task may have lost two
    report = audit_run(out, dataset="demo", env={})
    assert not [f for check in report.checks for f in check.findings if f.severity in ("critical", "high")]
    assert summary.submittable
    submit_run(out, tmp_path / "package", dataset="demo", env=env)
    verdict = verify_package(
        tmp_path / "package", allowed_signers=signers, identity="ada@example.org", dataset="demo", env=env
    )
    assert verdict.verdict == "verified", verdict


def test_task_whose_worker_always_dies_is_left_for_a_resume(tmp_path, web):
    out = tmp_path / "run"
    session, summary = run(RemoteSession, out, web, dies_at=(1,) * 100)
    assert summary.finished == 0 and "attempts in a row were lost" in session.pausing.reason
    session = Session(RunConfig(**_config(out)), {})
    with RunFolder.reopen(out) as folder:
        summary = asyncio.run(session.resume(folder, folder.read_record(), Quiet(), Stop()))
    results = by_task(out / "results.jsonl")
    assert summary.finished == summary.total and all(result["attempts"] > 1 for result in results.values())


def _config(out):
    return msgspec.structs.asdict(msgspec.convert(json.loads((out / "run.json").read_text())["config"], RunConfig))


@pytest.mark.parametrize("session_class", [Session, RemoteSession])
def test_limit_of_cost_holds_call_by_call(tmp_path, session_class, web, monkeypatch):
    def cost(config, env):
        return lambda usage: 1.0

    for module in ("gaia_harness.attempts.opening", "gaia_harness.run.opening", "gaia_harness.run.session"):
        monkeypatch.setattr(f"{module}.run_pricing", cost)
    config = RunConfig(
        model="scripted/demo",
        dataset="demo",
        selection=chosen(),
        search_url=web.search_url,
        allow_hosts=(web.allow_host,),
        concurrency=1,
        max_cost=2.0,
    )
    session = session_class(config, {})
    asyncio.run(session.start(tmp_path / "run", Quiet(), Stop()))
    assert session.budget.spent == 2.0 and "--max-cost 2.00 is spent" in session.pausing.reason
    (lost,) = events(tmp_path / "run", "attempt_interrupted")
    assert lost["cause"] == "max_cost" and lost["cost_usd"] == 2.0


EIGHT_CALLS = """
import json, os, urllib.request
body = json.dumps({"model": os.environ["GAIA_MODEL"], "messages": [{"role": "user", "content": "well?"}]}).encode()
for _ in range(8):
    address = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
    urllib.request.urlopen(urllib.request.Request(address, body, {"content-type": "application/json"})).read()
"""


@pytest.mark.cases
@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")
def test_limit_of_cost_holds_call_by_call_for_an_agent_in_a_box(tmp_path, monkeypatch):
    reports = Worker.reports

    async def slow_reports(worker, spent):
        await asyncio.sleep(0.2)  # of the driver: the agent's next call comes long before
        return await reports(worker, spent)

    monkeypatch.setattr(Worker, "reports", slow_reports)
    (tmp_path / "agent").mkdir()
    (tmp_path / "agent/main.py").write_text(EIGHT_CALLS)
    env = {"PATH": os.environ["PATH"]}
    with chat_server(lambda request: chat_reply("Well.")) as server:
        config = RunConfig(
            model="openai/tiny",
            base_url=server.base_url,
            dataset="demo",
            selection=Selection(first=1, last=1),
            agent=agent_config("python3 main.py", tmp_path / "agent", "openai/tiny", env),
            price_in=1e6,
            price_out=1e6,
            max_cost=0.01,
        )
        session = RemoteSession(config, env)
        asyncio.run(session.start(tmp_path / "run", Quiet(), Stop()))
        assert len(server.seen) == 1
    assert "--max-cost 0.01 is spent" in session.pausing.reason


@pytest.mark.parametrize(
    ("versions", "said"),
    [
        ({"gaia_harness": "0.0.1"}, "has gaia-harness 0.0.1, this machine "),
        ({"msgspec": "0.1"}, "has msgspec 0.1, this machine "),
        ({}, "has another build of gaia-harness "),
    ],
)
async def test_worker_with_another_version_is_refused_and_named(versions, said):
    hello = msgspec.json.decode(await Worker().hello(), type=Hello)
    other = msgspec.structs.replace(hello, machine="heron-7", versions={**hello.versions, **versions})
    if not versions:
        other = msgspec.structs.replace(other, source_sha256="0" * 64)

    async def call(method, *args):
        assert method == "hello"  # and nothing else is sent to it
        return msgspec.json.encode(other)

    with pytest.raises(Refused, match=f"^heron-7: {said}") as refused:
        await Remote.open(call, Setup(config=RunConfig(model="scripted/demo")), {}, model="m", isolation=None)
    assert "pip install" in refused.value.hint


async def test_worker_without_a_sandbox_is_refused(monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    worker = Worker()

    async def call(method, *args):
        return await getattr(worker, method)(*args)

    setup = Setup(config=RunConfig(model="scripted/demo", dataset="demo"))
    with pytest.raises(Refused, match="has no sandbox for the python tool") as refused:
        await Remote.open(call, setup, {}, model="scripted/demo", isolation=None)
    assert "bubblewrap" in refused.value.hint
    await worker.close()


HERE = {"python": "bubblewrap 0.8", "agent": FULL_BOX, "tool owl": "owls 1.0"}


@pytest.mark.parametrize(
    ("there", "said"),
    [
        ({"python": "bubblewrap 0.9"}, None),
        ({"python": "no sandbox"}, "its python is 'no', that of the other workers 'bubblewrap'"),
        ({"agent": WEAKER_BOX}, f"its agent is {WEAKER_BOX!r}, that of "),
        ({"tool owl": "owls 1.1"}, "its tool owl is 'owls 1.1', that of the other workers 'owls 1.0'"),
    ],
)
async def test_worker_that_isolates_in_another_way_than_the_others_is_refused(there, said):
    worker = Worker()

    async def call(method, *args):
        return msgspec.json.encode(Opened(isolation=HERE | there)) if method == "open" else await worker.hello()

    opening = Remote.open(call, Setup(config=RunConfig(model="scripted/demo")), {}, model="m", isolation=HERE)
    if said is None:
        await opening
        return
    with pytest.raises(Refused) as refused:
        await opening
    assert said in refused.value.message


async def test_worker_asks_whom_the_driver_asks_whatever_its_own_machine_has_set(monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://elsewhere.test/v1")
    monkeypatch.setenv("BRAVE_API_KEY", "brave-of-this-machine")
    worker = Worker()
    config = RunConfig(model="openai/tiny", dataset="hub", unsandboxed_python=True)
    monkeypatch.setenv("OPENAI_ORG_ID", "org-of-this-machine")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "project-of-this-machine")
    driver = {"OPENAI_API_KEY": "sk-openai-0123456789abcdef", "OPENAI_PROJECT_ID": "project-of-the-driver"}
    given = needed_environment(config, driver)
    sealed = sealed_for(msgspec.json.decode(await worker.hello(), type=Hello).seal, msgspec.json.encode(given))
    await worker.put(framed(Setup(config=config, environment=sealed)))
    opened = msgspec.json.decode(await worker.open(), type=Opened)
    assert opened.refusal is None and "brave" not in opened.isolation["web_search"].lower()
    assert worker._workshop.model.address == OWN_ADDRESSES["openai"]
    assert "OPENAI_ORG_ID" not in os.environ and os.environ["OPENAI_PROJECT_ID"] == "project-of-the-driver"
    await worker.close()


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")
async def test_boxed_agent_gets_the_driver_s_variables_and_none_of_the_worker_s_machine(tmp_path, monkeypatch):
    names = ("SET_HERE", "SET_THERE", "SET_TWICE")
    (tmp_path / "agent.toml").write_text(f'command = "python3 main.py"\nenvironment = {json.dumps(names)}\n')
    env = {"PATH": os.environ["PATH"], "SET_HERE": "driver", "SET_TWICE": "driver"}
    for name in ("SET_THERE", "SET_TWICE"):
        monkeypatch.setenv(name, "worker")
    config = RunConfig(
        model="openai/tiny",
        base_url="http://127.0.0.1:9/v1",
        dataset="demo",
        agent=agent_config(str(tmp_path), None, "openai/tiny", env),
    )
    worker = Worker()

    async def call(method, *args):
        return await getattr(worker, method)(*args)

    environment = needed_environment(config, env, agent=names)
    await Remote.open(call, Setup(config=config), environment, model="openai/tiny", isolation=None)
    boxed = worker._workshop._boxed
    assert boxed.agent.environment(boxed._env) == {"SET_HERE": "driver", "SET_TWICE": "driver"}
    await worker.close()


async def test_failed_call_of_a_boxed_agent_reaches_who_listens_at_the_driver():
    worker, told = Worker(), []

    class Listening:
        asked = staticmethod(told.append)

    async def call(method, *args):
        return await worker.reports(*args) if method == "reports" else None

    for error in ("status 503: overloaded", None):
        worker.asked(error)
    worker._send(Ended(AgentResult(answer="7", turns=1), ()))
    remote = Remote(call, msgspec.json.decode(await worker.hello(), type=Hello), {}, "m")
    await remote.attempt(Job(task_id="t", question="?"), Recorder(), Listening(), Budget())
    assert told == ["status 503: overloaded", None]


async def test_why_a_worker_waits_is_told_where_the_driver_looks(monkeypatch):
    monkeypatch.setattr("gaia_harness.models.retry.pause_before", lambda *_: 0.0)
    replies = iter([Answer.json({"error": {"message": "slow down"}}, status=429), chat_reply("FINAL ANSWER: 7")])
    told, worker = [], Worker()
    on_wait.set(told.append)

    async def call(method, *args):
        return await asyncio.create_task(getattr(worker, method)(*args), context=contextvars.Context())

    with chat_server(lambda request: next(replies)) as server:
        config = RunConfig(model="openai/tiny", base_url=server.base_url, dataset="demo", unsandboxed_python=True)
        remote = await Remote.open(call, Setup(config=config), {}, model="openai/tiny", isolation=None)
        result = await remote.attempt(Job(task_id="t", question="?"), Recorder(), None, Budget())
        await worker.close()
    assert result.answer == "7"
    assert len(told) == 2 and "slow down" in told[0] and told[1] is None


async def test_line_that_is_cut_behind_the_end_of_an_attempt_does_not_harm_the_next():
    ended, line = framed(Ended(AgentResult(answer="7", turns=1), ())), framed(Said(logging.WARNING, "a late word"))
    came = iter([ended + line[:5], line[5:] + ended])

    async def call(method, *args):
        return next(came) if method == "reports" else None

    remote = Remote(call, msgspec.json.decode(await Worker().hello(), type=Hello), {}, "m")
    for _ in range(2):
        result = await remote.attempt(Job(task_id="t", question="?"), Recorder(), None, Budget())
        assert result.answer == "7"


def test_keys_go_sealed_and_only_to_who_uses_them(tmp_path, web):
    secrets = {
        "OPENAI_API_KEY": "sk-openai-0123456789abcdef",
        "ANTHROPIC_API_KEY": "sk-anthropic-0123456789",
        "GAIA_KEY_PASSPHRASE": "of the submitter alone",
        "HF_TOKEN": "hf_of_the_driver_alone",
        "BRAVE_API_KEY": "brave-0123456789abcdef",
    }
    config = RunConfig(model="openai/tiny", judge_model="anthropic/judge", dataset="hub")
    given = {name: value for name, value in needed_environment(config, secrets).items() if value}
    assert given == {name: secrets[name] for name in ("OPENAI_API_KEY", "BRAVE_API_KEY")}
    assert not any(needed_environment(RunConfig(model="scripted/demo", dataset="demo"), secrets).values())

    RemoteSession.environment = {"OPENAI_API_KEY": secrets["OPENAI_API_KEY"]}
    try:
        session, _ = run(RemoteSession, tmp_path / "run", web, env=secrets)
    finally:
        RemoteSession.environment = {}
    sent = b"".join(piece for method, *args in session.made.calls for piece in args if method == "put")
    assert session.loaded.tasks[0].question.encode() in sent
    golds = [session.loaded.key.get(task.task_id).answer for task in session.loaded.tasks]
    answers = [gold.encode() for gold in golds if len(gold) > 5]
    assert not [secret for secret in (*map(str.encode, secrets.values()), *answers) if secret in sent]


def test_no_message_has_a_place_for_a_gold():
    fields = {field for message in (Setup, Assignment) for field in message.__struct_fields__}
    assert not fields & {*TaskResult.__struct_fields__, *Gold.__struct_fields__} - {"task_id", "question", "attempt"}
    whole = {"task_id": "t", "question": "q", "attempt": 1, "first_seq": 0}
    assert msgspec.convert(whole, Assignment).question == "q"
    with pytest.raises(msgspec.ValidationError, match="unknown field"):
        msgspec.convert({**whole, "expected_output": "g"}, Assignment)


def test_what_is_sealed_for_one_worker_no_other_can_open():
    one, other = Seal(), Seal()
    sealed = sealed_for(one.public, b"a key")
    assert one.open(sealed) == b"a key" and b"a key" not in sealed
    for wrong in (sealed[:-1], sealed[:40], b"", sealed[:-1] + bytes([sealed[-1] ^ 1])):
        with pytest.raises(RunError):
            one.open(wrong)
    with pytest.raises(RunError):
        other.open(sealed)


@given(st.lists(st.binary(max_size=50)), st.integers(1, 40))
def test_messages_are_put_together_whatever_pieces_they_come_in(bodies, size):
    message = Assignment(task_id="t", question="where?", attempt=1, first_seq=0)
    sent = b"".join(framed(message, body) for body in bodies)
    frames, came = Frames(), []
    for start in range(0, len(sent), size):
        came += frames.feed(sent[start : start + size])
    assert [body for _, body in came] == bodies
    assert all(msgspec.json.decode(header, type=Assignment) == message for header, _ in came)
    assert b"".join(pieces(sent)) == sent
    with pytest.raises(RunError, match="too long"):
        list(Frames().feed(b"\xff" * 12))


def test_driver_masks_its_own_secrets_in_what_a_worker_sends(tmp_path):
    bodies = TextStore(tmp_path / "bodies", compressed=True)
    made = []
    away = Recorder(settings=RecorderSettings(bodies=_Texts(made), every_body=True), on_step=made.append)
    away.tool_call(1, "c", "web_fetch", {"url": "http://x/"})
    away.tool_result(1, "c", "web_fetch", "swordfish/9 is on the door")
    home = Recorder(settings=RecorderSettings(bodies=bodies, redactor=Redactor(["swordfish/9"])))
    taken = TakenElsewhere(home)
    for each in made:
        taken.text("bodies", *each) if isinstance(each, tuple) else taken.step(each)
    assert not home.failures
    result = home.steps[-1]
    assert "swordfish" not in result.head
    assert result.output_sha256 == away.steps[-1].output_sha256 != result.kept_sha256
    assert b"swordfish" not in bodies.get(result.kept_sha256)
    taken.step(made[-1])
    taken.text("bodies", "0" * 64, b"other")
    assert ["out of its order" in home.failures[0], "another hash" in home.failures[1]] == [True, True]


class _Texts:
    def __init__(self, made):
        self.made = made

    def put(self, sha256, data):
        self.made.append((sha256, data))
