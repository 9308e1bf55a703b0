"""From a run to a verdict on somebody else's machine."""

import base64
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tarfile
from pathlib import Path

import msgspec
import pytest
from submitter import ADA, AT, examined

import gaia_harness
from chat_server import chat_reply, chat_server
from gaia_command import SIGNAL_AT, environment, gaia, killed_gaia, lines, python
from gaia_harness.audit.evidence import open_run
from gaia_harness.audit.report import audit
from gaia_harness.offline import submit_run
from gaia_harness.records.stated import read_run
from gaia_harness.records.steps import LlmCall
from gaia_harness.records.trajectories import decode
from gaia_harness.run.audit_input import load_dataset_facts
from gaia_harness.signing.signers import generate_signer
from gaia_harness.submission.archive import NOT_SIGNED
from gaia_harness.submission.package import SubmissionRefused, _not_strictly_clean
from gaia_harness.submission.results import LONGEST_TRACE, reasoning_trace
from gaia_layout import json_lines, row, write_layout
from loopback import Answer
from small_disk import mounted

NAMES = [
    "file set", "signatures", "intent", "run log", "trajectories", "ledger", "metadata", "data set",
]  # fmt: skip


def verify(package, *options, **env):
    return gaia("verify", package, *options, **{"GAIA_KEYS_DIR": "/nonexistent", **env})


def test_a_package_verifies_for_somebody_who_has_the_allowed_signers(whole, world):
    ran = verify(whole, "--allowed-signers", world.allowed, "--identity", ADA)
    assert ran.code == 0, ran.said
    said = ran.out.splitlines()
    for number, name in enumerate(NAMES, start=1):
        status = "skipped" if number == 8 else "ok"
        assert re.match(rf"{number} {name} +{status} ", said[number - 1]), said[number - 1]
    assert "13 of 13, run 1 of 1 on this task list" in ran.out
    assert "verdict    verified" in ran.out


def test_with_the_data_set_scores_and_audit_are_made_again(whole, world):
    ran = verify(whole, "--allowed-signers", world.allowed, "--dataset", "demo")
    assert ran.code == 0, ran.said
    assert "8 data set      ok       13 answers scored again, the audit repeated, byte for byte" in ran.out


def test_the_archive_has_the_same_verdict_as_the_folder(whole, world):
    folder = verify(whole, "--allowed-signers", world.allowed, "--dataset", "demo")
    archive = verify(f"{whole}.tar.gz", "--allowed-signers", world.allowed, "--dataset", "demo")
    assert (archive.code, archive.out.replace(f"  note       {NOT_SIGNED}\n", "")) == (folder.code, folder.out)


def test_any_tar_unpacks_the_archive_to_the_package(whole, tmp_path):
    with tarfile.open(f"{whole}.tar.gz") as archive:
        archive.extractall(tmp_path)  # our own archive; Python 3.11.2 knows no filter
    (folder,) = tmp_path.iterdir()
    assert {p.relative_to(folder): p.read_bytes() for p in folder.rglob("*") if p.is_file()} == {
        p.relative_to(whole): p.read_bytes() for p in whole.rglob("*") if p.is_file()
    }


def test_without_allowed_signers_the_signer_is_not_authenticated(whole):
    ran = verify(whole)
    assert ran.code == 3
    assert "signed     no allowed signers were given" in ran.out
    assert "verdict    intact, but the signer is not authenticated" in ran.out


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("mallory@example.org {key}", "is not ada@example.org's"),
        ('ada@example.org namespaces="git" {key}', "is not for submissions"),
        ('ada@example.org valid-before="20291231Z" {key}', "was not valid at the time of signing"),
        ('ada@example.org valid-after="20310101Z" {key}', "was not valid at the time of signing"),
        ("ada@example.org {stranger}", "is not among the allowed signers"),
        ("", "is not among the allowed signers"),
    ],
)
def test_a_key_that_may_not_sign_is_not_authenticated(whole, world, tmp_path, line, reason):
    allowed = tmp_path / "allowed"
    stranger = generate_signer().public.openssh()
    allowed.write_text(line.format(key=world.stored.public.openssh(), stranger=stranger) + "\n")
    verdict = examined(whole, allowed_signers=allowed, identity=ADA)
    assert verdict.exit_code == 3, verdict
    assert reason in verdict.authentication


def test_without_an_identity_the_key_must_have_one_name(whole, world, tmp_path):
    key = world.stored.public.openssh()
    allowed = tmp_path / "allowed"
    for text, code in {
        f"{ADA} {key}": 0,
        f"{ADA},eve@example.org {key}": 3,
        f"{ADA} {key}\neve@example.org {key}": 3,
        f"*@example.org {key}": 3,
    }.items():
        allowed.write_text(text + "\n")
        assert examined(whole, allowed_signers=allowed).exit_code == code, text
        assert examined(whole, allowed_signers=allowed, identity=ADA).exit_code == 0, text
    assert examined(whole, allowed_signers=allowed, identity="ada@example.com").exit_code == 3


def test_trusted_keys_count_as_allowed_signers(whole, world, tmp_path):
    keys = {"GAIA_KEYS_DIR": str(tmp_path / "keys")}
    assert gaia("keys", "trust", ADA, world.stored.public.openssh(), **keys).code == 0
    ran = gaia("verify", whole, **keys)
    assert ran.code == 0, ran.said
    assert f"signed     {ADA}" in ran.out


def test_usage_errors_exit_2(whole, world, tmp_path):
    bad = tmp_path / "bad"
    bad.write_text("this is no list of signers\n")
    for options in (
        [tmp_path / "nowhere"], [whole, "--allowed-signers", tmp_path / "nowhere"], [whole, "--allowed-signers", bad],
        [whole, "--identity", "a b"], [],
    ):  # fmt: skip
        assert gaia("verify", *options).code == 2, options
    assert gaia("submit", whole, "--out", tmp_path / "x", **world.env).code == 2
    assert gaia("submit", tmp_path, "--out", tmp_path / "x", **world.env).code == 2


def test_the_verdict_as_json(whole, world):
    ran = verify(whole, "--allowed-signers", world.allowed, "--json")
    verdict = json.loads(ran.out)
    assert (ran.code, verdict["exit_code"], verdict["verdict"]) == (0, 0, "verified")
    assert [check["name"] for check in verdict["checks"]] == NAMES
    assert verdict["identity"] == ADA
    ran = verify(whole, "--json")
    assert (ran.code, json.loads(ran.out)["exit_code"]) == (3, 3)


def test_the_same_run_gives_the_same_bytes(world, run, whole, tmp_path):
    again = tmp_path / "again"
    ran = gaia("submit", run, "--out", again, "--submitted-at", AT, "--archive", **world.env)
    assert ran.code == 0, ran.said
    for path in sorted(again.rglob("*")):
        if path.is_file() and not path.name.startswith("ledger"):
            first = whole / path.relative_to(again)
            same = path.read_bytes() == first.read_bytes()
            # a later run has made the ledger longer, which every signed document then says
            assert same or (whole / "ledger.jsonl").read_bytes() != (again / "ledger.jsonl").read_bytes(), path
    third = tmp_path / "third"
    assert gaia("submit", run, "--out", third, "--submitted-at", AT, "--archive", **world.env).code == 0
    names = [p.relative_to(again) for p in again.rglob("*") if p.is_file()]
    assert all((again / name).read_bytes() == (third / name).read_bytes() for name in names)
    assert Path(f"{again}.tar.gz").read_bytes() == Path(f"{third}.tar.gz").read_bytes()


def test_what_a_package_holds(whole, run):
    names = {path.relative_to(whole).as_posix() for path in whole.rglob("*") if path.is_file()}
    prompts = {name for name in names if name.startswith("prompts/")}
    assert names - prompts == {
        "README.md", "SHA256SUMS", "SHA256SUMS.sig", "attestation.dsse.json", "audit-report.json", "checkpoints",
        "intent.dsse.json", "ledger.checkpoints", "ledger.jsonl", "log.jsonl", "metadata.json", "results.jsonl",
        "trajectories.jsonl",
    }  # fmt: skip
    assert prompts
    for name in ("trajectories.jsonl", "log.jsonl", "checkpoints", "intent.dsse.json"):
        assert (whole / name).read_bytes() == (run / name).read_bytes()
    results = lines(whole / "results.jsonl")
    assert {frozenset(line) for line in results} == {
        frozenset(("task_id", "model_answer", "reasoning_trace", "tools_used", "turns", "wall_seconds"))
    }
    assert len({line["task_id"] for line in results}) == len(results) == 13
    assert all("FINAL ANSWER" in line["reasoning_trace"] for line in results)
    metadata = json.loads((whole / "metadata.json").read_bytes())
    assert (metadata["gaia_split"], metadata["voting_attempts"], metadata["dirty"]) == ("validation", 1, None)
    assert metadata["tools"]["names"] == ["file_read", "python", "web_fetch", "web_search"]
    assert metadata["submitted_at"] == AT


def test_bodies_are_packed_only_where_every_output_was_kept(whole, other):
    assert not (whole / "bodies").exists()
    assert list((other / "bodies").iterdir())
    assert "every tool output in full" in (other / "README.md").read_text()


def test_a_package_with_votes_and_full_outputs_verifies(other, world):
    ran = verify(other, "--allowed-signers", world.allowed, "--dataset", "demo")
    assert ran.code == 0, ran.said
    assert "full outputs" in ran.out
    assert "the audit repeated, byte for byte" in ran.out


def test_judged_answers_are_in_the_facts_without_the_judge_s_words(other, world):
    judged = [task["judge"] for task in json.loads((other / "metadata.json").read_bytes())["facts"]["tasks"]]
    assert any(judge is not None for judge in judged)
    assert {name for judge in judged if judge for name in judge} == {"model", "verdict", "cached", "cache"}
    reasons = [line["judge"]["reason"] for line in lines(world.root / "other-run" / "results.jsonl") if line["judge"]]
    assert reasons
    for reason in reasons:
        assert reason not in (other / "metadata.json").read_text()


def test_a_run_that_was_killed_and_resumed_verifies_with_its_lost_attempt(world, tmp_path):
    data = write_layout(tmp_path / "data", {"2023/validation/metadata.jsonl": json_lines([row(n) for n in range(2)])})
    out = tmp_path / "run"
    calls = 0

    def slow_at_first(request):
        nonlocal calls
        calls += 1
        return Answer(delay=300) if calls == 1 else chat_reply("FINAL ANSWER: 3 lanterns")

    with chat_server(slow_at_first) as server:
        killed_gaia(
            "run", "--dataset", data, "--model", "openai/m", "--base-url", server.base_url, "--out", out,
            "--submit-intent", "--concurrency", "1", when=lambda: server.seen, **world.env,
        )  # fmt: skip
        assert gaia("run", "--resume", out, **world.env).code == 0
    assert lines(out / "results.jsonl")[0]["attempts"] == 2
    ran = gaia("submit", out, "--out", tmp_path / "p", "--allow-dirty", **world.env)
    assert ran.code == 0, ran.said
    ran = verify(tmp_path / "p", "--allowed-signers", world.allowed, "--dataset", data, "--accept-dirty")
    assert ran.code == 0, ran.said
    assert json.loads((tmp_path / "p" / "metadata.json").read_bytes())["totals"]["attempts"] == 3


def test_a_data_set_that_cannot_be_loaded_is_the_verifier_s_trouble(whole, world, tmp_path):
    ran = verify(whole, "--allowed-signers", world.allowed, "--dataset", tmp_path / "nowhere")
    assert ran.code == 2
    assert "the data set cannot be loaded" in ran.err


def test_submit_says_what_it_did_and_what_to_do_next(world, run, tmp_path):
    ran = gaia("submit", run, "--out", tmp_path / "p q", **world.env)
    assert ran.code == 0
    assert "score      13 of 13" in ran.out
    assert re.search(r"package    \d+ files, [\d,]+ bytes", ran.out)
    assert f"next:  gaia verify '{tmp_path / 'p q'}' --allowed-signers FILE --identity {ADA}" in ran.out


def test_a_dry_run_leaves_nothing(world, run, tmp_path):
    before = sorted(path for path in world.root.rglob("*") if ".tmp" not in path.name)
    ran = gaia("submit", run, "--out", tmp_path / "new" / "p", "--archive", "--dry-run", **world.env)
    assert ran.code == 0, ran.said
    assert "nothing was written" in ran.out
    assert list(tmp_path.iterdir()) == []
    assert sorted(path for path in world.root.rglob("*") if ".tmp" not in path.name) == before


def test_a_folder_that_is_not_empty_is_left_alone(world, run, tmp_path):
    (tmp_path / "mine").write_text("keep")
    ran = gaia("submit", run, "--out", tmp_path, **world.env)
    assert ran.code == 2
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]
    empty = tmp_path / "empty"
    empty.mkdir()
    assert gaia("submit", run, "--out", empty, **world.env).code == 0
    assert (empty / "SHA256SUMS").exists()


# the README's commands, as they stand


def shell_commands(readme: Path, nth: int) -> str:
    return re.findall(r"```sh\n(.*?)```", readme.read_text(), re.S)[nth]


def run_shell(script: str, folder: Path, world) -> subprocess.CompletedProcess[str]:
    binaries = Path(sys.executable).parent
    shutil.copy(world.allowed, folder.parent / "allowed_signers")
    return subprocess.run(
        ["bash", "-eu", "-o", "pipefail", "-c", script], cwd=folder, capture_output=True, text=True, check=False,
        env=environment(PATH=f"{binaries}:{os.environ['PATH']}", GAIA_KEYS_DIR="/nonexistent"),
    )  # fmt: skip


def test_the_commands_in_the_readme_work_as_they_stand(package, world):
    ours = run_shell(shell_commands(package.folder / "README.md", 0), package.folder, world)
    assert ours.returncode == 0, ours.stdout + ours.stderr
    stock = run_shell(shell_commands(package.folder / "README.md", 1), package.folder, world)
    assert stock.returncode == 0, stock.stdout + stock.stderr
    assert f'Good "gaia-submission-v1" signature for {ADA}' in stock.stdout
    sums = (package.folder / "SHA256SUMS").read_text()
    assert stock.stdout.split("\n")[-2].split(" ")[0] in sums


@pytest.mark.parametrize("name", ["metadata.json", "trajectories.jsonl", "SHA256SUMS", "SHA256SUMS.sig"])
def test_the_stock_tools_refuse_a_changed_package(package, world, name):
    path = package.path(name)
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    assert run_shell(shell_commands(package.folder / "README.md", 1), package.folder, world).returncode != 0
    assert examined(package.folder).exit_code == 1


def test_the_stock_tools_refuse_a_stranger_s_signature(package, world):
    package.sign_files(generate_signer())
    assert run_shell(shell_commands(package.folder / "README.md", 1), package.folder, world).returncode != 0


# refusals


@pytest.fixture(scope="module")
def cheat(world, tmp_path_factory):
    """A run whose model goes for the benchmark's own answer file: the audit must not like it."""
    place = tmp_path_factory.mktemp("cheat")
    rows = [
        row(n, **{"Final answer": f"zanzibar-gold-{n}-quux", "Annotator Metadata": {"Steps": f"secret-steps-{n}"}})
        for n in range(3)
    ]
    data = write_layout(place / "data", {"2023/validation/metadata.jsonl": json_lines(rows)})
    answers = data / "2023" / "validation" / "metadata.jsonl"

    def reply(request):
        if not any(message["role"] == "tool" for message in request["messages"]):
            return chat_reply("Look.", calls=[("python", {"code": f"print(open({str(answers)!r}).read())"})])
        return chat_reply("FINAL ANSWER: not that")

    out = place / "run"
    with chat_server(reply) as server:
        ran = gaia(
            "run", "--dataset", data, "--model", "openai/m", "--base-url", server.base_url, "--out", out,
            "--submit-intent", **world.env,
        )  # fmt: skip
    assert ran.code == 0, ran.said
    return out, data


@pytest.fixture(scope="module")
def unsandboxed(world, tmp_path_factory):
    """A run that is not submittable: python ran without a sandbox. Its golds are distinctive, its answers wrong."""
    place = tmp_path_factory.mktemp("unsandboxed")
    rows = [row(n, **{"Final answer": f"zanzibar gold {n} quux"}) for n in range(3)]
    data = write_layout(place / "data", {"2023/validation/metadata.jsonl": json_lines(rows)})
    out = place / "run"

    def reply(request):
        if not any(message["role"] == "tool" for message in request["messages"]):
            return chat_reply("Count.", calls=[("python", {"code": "print(1 + 1)"})])
        return chat_reply("FINAL ANSWER: two")

    with chat_server(reply) as server:
        ran = gaia(
            "run", "--dataset", data, "--model", "openai/m", "--base-url", server.base_url, "--out", out,
            "--submit-intent", "--unsandboxed-python", **world.env,
        )  # fmt: skip
    assert ran.code == 3, ran.said
    return out, data


def test_a_run_that_is_not_submittable_is_refused_with_the_reason(world, unsandboxed, tmp_path):
    run, _ = unsandboxed
    ran = gaia("submit", run, "--out", tmp_path / "p", **world.env)
    assert ran.code == 1
    assert "python ran without a sandbox" in ran.err
    assert "--allow-dirty" in ran.err
    assert list(tmp_path.iterdir()) == []


def test_a_dirty_package_says_so_everywhere_and_exits_4(world, unsandboxed, tmp_path):
    run, data = unsandboxed
    ran = gaia("submit", run, "--out", tmp_path / "p", "--allow-dirty", **world.env)
    assert ran.code == 0, ran.said
    metadata = json.loads((tmp_path / "p" / "metadata.json").read_bytes())
    assert "python ran without a sandbox" in metadata["dirty"]
    assert "This run is not clean" in (tmp_path / "p" / "README.md").read_text()
    attested = base64.b64decode(json.loads((tmp_path / "p" / "attestation.dsse.json").read_bytes())["payload"])
    assert json.loads(attested)["predicate"]["dirty"] == metadata["dirty"]
    options = ("--allowed-signers", world.allowed, "--dataset", data)
    refused = verify(tmp_path / "p", *options)
    assert refused.code == 4, refused.said
    assert "python ran without a sandbox" in refused.out
    assert "verdict    intact and authenticated, but not clean" in refused.out
    accepted = verify(tmp_path / "p", *options, "--accept-dirty")
    assert accepted.code == 0, accepted.said
    assert verify(tmp_path / "p").code == 3  # who signed comes before whether it is clean


def test_no_gold_is_anywhere_in_a_package(world, unsandboxed, tmp_path):
    run, _ = unsandboxed
    assert b"zanzibar gold" in (run / "results.jsonl").read_bytes()
    assert gaia("submit", run, "--out", tmp_path / "p", "--allow-dirty", **world.env).code == 0
    for path in (tmp_path / "p").rglob("*"):
        if path.is_file():
            text = path.read_bytes()
            assert b"zanzibar" not in text, path
            assert b"quux" not in text, path
    attestation = json.loads((tmp_path / "p" / "attestation.dsse.json").read_bytes())
    assert b"zanzibar" not in base64.b64decode(attestation["payload"])


def test_a_critical_finding_is_a_refusal(world, cheat, tmp_path):
    run, data = cheat
    ran = gaia("submit", run, "--out", tmp_path / "p", **world.env)
    assert ran.code == 1, ran.said
    assert re.search(r"audit: AUD-\d+ .*critical or high", ran.err)
    assert gaia("submit", run, "--out", tmp_path / "p", "--allow-dirty", **world.env).code == 0
    assert verify(tmp_path / "p", "--allowed-signers", world.allowed, "--dataset", data).code == 4


def test_a_package_carries_its_waivers_and_the_audit_comes_out_the_same(world, unsandboxed, tmp_path):
    run, data = unsandboxed
    waivers = tmp_path / "waivers.json"
    waived = {"task_id": None, "rule": "unsandboxed", "reason": "A machine of its own.", "who": "ada"}
    unused = {"task_id": None, "rule": "a-rule-of-none", "reason": "In case.", "who": "ada"}
    waivers.write_text(json.dumps([waived, unused]))  # not in the order of the report
    options = ("--allow-dirty", "--waivers", waivers)
    ran = gaia("submit", run, "--out", tmp_path / "p", *options, **world.env)
    assert ran.code == 0, ran.said
    report = json.loads((tmp_path / "p" / "audit-report.json").read_bytes())
    assert [(use["rule"], use["outcome"]) for use in report["waivers"]] == [
        ("a-rule-of-none", "unused"), ("unsandboxed", "lowered"),
    ]  # fmt: skip
    ran = verify(tmp_path / "p", "--allowed-signers", world.allowed, "--dataset", data, "--accept-dirty")
    assert ran.code == 0, ran.said
    assert "the audit repeated, byte for byte" in ran.out


def test_a_strict_audit_refuses_what_is_only_clean(world, unsandboxed, run, tmp_path):
    both = gaia("submit", run, "--out", tmp_path / "p", "--strict-audit", "--allow-dirty", **world.env)
    assert both.code == 2
    ran = gaia("submit", unsandboxed[0], "--out", tmp_path / "p", "--strict-audit", **world.env)
    assert ran.code == 1
    assert list(tmp_path.iterdir()) == []


def test_a_strict_audit_refuses_for_a_medium_finding(world, tmp_path):
    data = write_layout(tmp_path / "data", {"2023/validation/metadata.jsonl": json_lines([row(0)])})

    def looks_around(request):
        if not any(message["role"] == "tool" for message in request["messages"]):
            return chat_reply("Look.", calls=[("python", {"code": "import gc\nprint(len(gc.get_objects()))"})])
        return chat_reply("FINAL ANSWER: 3 lanterns")

    with chat_server(looks_around) as server:
        ran = gaia(
            "run", "--dataset", data, "--model", "openai/m", "--base-url", server.base_url, "--out", tmp_path / "run",
            "--submit-intent", **world.env,
        )  # fmt: skip
    assert ran.code == 0, ran.said
    strict = gaia("submit", tmp_path / "run", "--out", tmp_path / "p", "--strict-audit", **world.env)
    assert strict.code == 1
    assert "audit, strictly: AUD-4 has medium findings" in strict.err
    assert not (tmp_path / "p").exists()
    assert gaia("submit", tmp_path / "run", "--out", tmp_path / "p", "--dry-run", **world.env).code == 0


def test_a_strict_audit_refuses_for_a_check_that_was_skipped(run):
    facts = read_run(run).facts
    at_hand = load_dataset_facts("demo", facts.gaia_split, None, facts.task_ids, {})
    report = audit(open_run(run, at_hand), audited_at=AT)
    assert _not_strictly_clean(report) == ()
    without = audit(open_run(run, None), audited_at=AT)
    assert "audit, strictly: AUD-3 was skipped" in _not_strictly_clean(without)


def test_a_run_of_another_key_is_refused(world, run, tmp_path):
    keys = {"GAIA_KEYS_DIR": str(tmp_path / "keys")}
    assert gaia("keys", "new", "--identity", "eve@example.org", "--no-passphrase", **keys).code == 0
    ran = gaia("submit", run, "--out", tmp_path / "p", "--allow-dirty", **keys)
    assert ran.code == 1
    assert "intent.dsse.json: the envelope is signed by an unknown key" in ran.err
    assert not (tmp_path / "p").exists()


def test_a_package_cannot_be_older_than_its_run(world, run, tmp_path):
    ran = gaia("submit", run, "--out", tmp_path / "p", "--submitted-at", "2020-01-01T00:00:00Z", **world.env)
    assert ran.code == 1
    assert "submitted at 2020-01-01T00:00:00Z, before the run ended" in ran.err
    assert gaia("submit", run, "--out", tmp_path / "p", "--submitted-at", "today", **world.env).code == 2
    assert list(tmp_path.iterdir()) == []


def test_no_option_packs_what_would_mean_nothing(world, run, tmp_path):
    def refused(name: str, change) -> str:
        copy = Path(shutil.copytree(run, tmp_path / name))
        change(copy)
        with pytest.raises(SubmissionRefused) as refusal:
            submit_run(copy, tmp_path / "p", allow_dirty=True, env=world.env)
        assert not (tmp_path / "p").exists()
        return "\n".join(refusal.value.reasons)

    def cut_last(path: Path) -> None:
        path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))

    def swap(copy: Path) -> None:
        path = copy / "results.jsonl"
        path.write_text(path.read_text().replace('"correct":true', '"correct":false', 1))

    def option(copy: Path) -> None:
        path = copy / "run.json"
        path.write_text(path.read_text().replace('"seed": null', '"seed": 7'))

    assert "there are no trajectories" in refused("a", lambda copy: (copy / "trajectories.jsonl").unlink())
    assert "there is no intent" in refused("b", lambda copy: (copy / "intent.dsse.json").unlink())
    assert "log.jsonl:41: lines are missing" in refused("c", lambda copy: cut_last(copy / "log.jsonl"))
    assert "trajectories.jsonl:13: the line is missing" in refused(
        "d", lambda copy: cut_last(copy / "trajectories.jsonl")
    )
    assert "are not those that log.jsonl" in refused("e", swap)
    assert re.search(
        r"results.jsonl: the line of '.*' is missing", refused("h", lambda copy: cut_last(copy / "results.jsonl"))
    )
    assert "the configuration is not the one that the intent declared" in refused("f", option)
    assert "checkpoints: has no checkpoint" in refused("g", lambda copy: (copy / "checkpoints").write_bytes(b""))


def test_a_run_is_packed_with_its_own_data_set_only(world, run, tmp_path):
    data = Path(
        shutil.copytree(Path(gaia_harness.__file__).parent / "demo/data/2023", tmp_path / "data" / "2023")
    ).parent
    for path in data.rglob("metadata.jsonl"):
        path.write_text(path.read_text("utf-8").replace('"Question": "', '"Question": "Well. ', 1), "utf-8")
    ran = gaia("submit", run, "--out", tmp_path / "p", "--dataset", data, "--allow-dirty", **world.env)
    assert ran.code == 1, ran.said
    assert "the data set at hand is not the one that the run was made with" in ran.err
    assert not (tmp_path / "p").exists()


def test_a_long_trace_keeps_its_beginning_and_its_end(whole):
    line = decode((whole / "trajectories.jsonl").read_bytes().splitlines()[0], where="sample")
    call = next(step for step in line.steps if isinstance(step, LlmCall))
    steps = tuple(
        msgspec.structs.replace(call, seq=seq, head=f"{seq} {'word ' * 200}", attempt=line.selected_attempt)
        for seq in range(9)
    )
    trace = reasoning_trace(msgspec.structs.replace(line, steps=steps))
    assert trace.startswith("0 word") and trace.endswith("word")
    assert LONGEST_TRACE < len(trace) < LONGEST_TRACE + 40
    assert "characters …]" in trace
    other = tuple(msgspec.structs.replace(step, attempt=line.selected_attempt + 1) for step in steps)
    assert reasoning_trace(msgspec.structs.replace(line, steps=other)) == ""


# crashes and full disks


def test_a_full_disk_leaves_no_half_package(world, run, tmp_path):
    with mounted(tmp_path / "disk", "128k") as disk:
        ran = gaia("submit", run, "--out", disk / "p", **world.env)
        assert ran.code == 1
        assert "No space left on device" in ran.err
        assert list(disk.iterdir()) == []


PACKAGE = "gaia_harness.submission.package"
MOMENTS = (
    *((f"{PACKAGE}:_beside+", number) for number in (1, 300, 3000, 10_000)), (f"{PACKAGE}:_sign", 1),
    (f"{PACKAGE}:_put", 1), (f"{PACKAGE}:sync_folder", 2), (f"{PACKAGE}:sync_folder", 3),
)  # fmt: skip
"""Behind the last of them the package has its name."""


def test_killed_at_any_moment_there_is_a_whole_package_or_none(world, run, tmp_path):
    seen = []
    for number, place in enumerate(MOMENTS):
        out = tmp_path / f"p{number}"
        ran = python(SIGNAL_AT, "SIGKILL", *place, "-m", "gaia_harness", "submit", run, "--out", out, **world.env)
        assert ran.code == -signal.SIGKILL, (place, ran.said)
        seen.append(out.exists())
        if out.exists():
            assert verify(out, "--allowed-signers", world.allowed).code == 0
    assert seen == [False] * (len(MOMENTS) - 1) + [True]
