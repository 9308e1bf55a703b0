"""The cases: what each changes in a package that is whole, and what a verifier must say to it.

The keys are no secret: they come from the texts below, which everybody can read, so that whoever likes can sign a case
of their own. Nobody may ever trust them for anything else.
"""

import hashlib
import json
import shutil
from collections.abc import Callable
from typing import Any

import msgspec
from forging import Package, compact

from gaia_harness.signing import sshsig
from gaia_harness.signing.allowed_signers import NAMESPACE
from gaia_harness.signing.signers import LocalSigner, sign_dsse, sign_ssh
from gaia_harness.submission.archive import write_archive
from gaia_harness.submission.attestation import PAYLOAD_TYPE

KEY_TEXT = b"gaia-harness conformance: a throw-away key that everybody knows"
STRANGER_TEXT = b"gaia-harness conformance: the throw-away key of a stranger"
SIGNER = LocalSigner(hashlib.sha256(KEY_TEXT).digest())
STRANGER = LocalSigner(hashlib.sha256(STRANGER_TEXT).digest())
IDENTITY = "conformance@example.org"
TRUST = ["--allowed-signers", "allowed_signers", "--identity", IDENTITY]


class Expected(msgspec.Struct, frozen=True, kw_only=True):
    """expected.json. `package` is relative to the case, paths in `options` to the folder of all cases.

    A line of the output must have `says` in it; `check` is the first check that fails.
    """

    what: str
    package: str
    options: list[str]
    exit_code: int
    check: int | None
    says: str
    validly_signed: bool


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """A package as it is made from one that is whole."""

    name: str
    make: Callable[[Package], None]
    expected: Expected
    base: str


CASES: list[Case] = []


def case(
    what: str,
    says: str,
    *,
    check: int | None,
    exit_code: int = 1,
    base: str = "plain",
    signed: bool = True,
    options: list[str] | None = None,
    package: str = "package",
) -> Callable[[Callable[[Package], None]], Callable[[Package], None]]:
    """A case; its name is that of the function, with `_pass` behind it where the verdict is 0, else `_fail`."""

    def note(make: Callable[[Package], None]) -> Callable[[Package], None]:
        name = f"{make.__name__}_{'fail' if exit_code else 'pass'}"
        expected = Expected(
            what=what, package=package, options=TRUST if options is None else options, exit_code=exit_code,
            check=check, says=says, validly_signed=signed,
        )  # fmt: skip
        CASES.append(Case(name=name, make=make, expected=expected, base=base))
        return make

    return note


# good ones


@case("A clean run of three tasks.", "verdict    verified", check=None, exit_code=0)
def plain(package: Package) -> None:
    pass


@case("Two attempts a task, every output kept in full, the second run in its ledger.", "verdict    verified",
      check=None, exit_code=0, base="voted")  # fmt: skip
def voted(package: Package) -> None:
    pass


@case("The same as one file.", "verdict    verified", check=None, exit_code=0, package="package.tar.gz")
def archive(package: Package) -> None:
    write_archive(package.folder, package.intent()["run_id"], package.folder.with_name("package.tar.gz"))
    shutil.rmtree(package.folder)


@case("Python ran without a sandbox; the package says so, and that is accepted.", "not clean  accepted",
      check=None, exit_code=0, base="dirty", options=[*TRUST, "--accept-dirty"])  # fmt: skip
def dirty_accepted(package: Package) -> None:
    pass


# other verdicts than 1


@case("The same package, not accepted.", "python ran without a sandbox", check=None, exit_code=4, base="dirty",
      package="../dirty_accepted_pass/package")  # fmt: skip
def dirty(package: Package) -> None:
    pass


@case("Whole, but no allowed signers are given.", "no allowed signers were given", check=None, exit_code=3, options=[],
      package="../plain_pass/package")  # fmt: skip
def signer_unknown(package: Package) -> None:
    pass


@case("Whole, but somebody else should have signed.", "is not eve@example.org's", check=None, exit_code=3,
      package="../plain_pass/package",
      options=["--allowed-signers", "allowed_signers", "--identity", "eve@example.org"])  # fmt: skip
def signer_other(package: Package) -> None:
    pass


@case("The package calls its signer by another name than the list of signers.", "the package calls its signer",
      check=None, exit_code=3, options=["--allowed-signers", "allowed_signers"])  # fmt: skip
def signer_by_another_name(package: Package) -> None:
    value = package.json("metadata.json")
    value["submitter"]["identity"] = "board@example.org"
    package.set_json("metadata.json", value)
    package.make_metadata()
    package.sign_files()


# the set of files


@case("One bit of one step was changed.", "trajectories.jsonl: its content is not what SHA256SUMS lists", check=1,
      signed=False)  # fmt: skip
def bit_flipped(package: Package) -> None:
    data = bytearray(package.path("trajectories.jsonl").read_bytes())
    data[data.index(b'"type":"llm_call"') + 1] ^= 1
    package.path("trajectories.jsonl").write_bytes(data)


@case("A file that nobody listed.", "notes.txt: a file that does not belong here", check=1, signed=False)
def extra_file(package: Package) -> None:
    package.path("notes.txt").write_text("Read me too.\n")


@case("A file is a link to another of the same content.", "ledger.jsonl: is a link", check=1, signed=False)
def link(package: Package) -> None:
    package.path("ledger.jsonl").unlink()
    package.path("ledger.jsonl").symlink_to("log.jsonl")


@case("A second metadata.json, in letters that look alike.", "a double of metadata.json", check=1, signed=False)
def unicode_double(package: Package) -> None:
    shutil.copyfile(package.path("metadata.json"), package.path("metadata.jſon"))


@case("The list of files names one outside the package.", "../outside: a name that leads out of the package", check=1)
def path_outside(package: Package) -> None:
    listed = package.path("SHA256SUMS").read_bytes() + b"0" * 64 + b"  ../outside\n"
    package.path("SHA256SUMS").write_bytes(listed)
    package.path("SHA256SUMS.sig").write_text(sign_ssh(SIGNER, NAMESPACE, listed))


@case("An archive with something behind its end.", "has something behind its end", check=1, package="package.tar.gz",
      signed=False)  # fmt: skip
def archive_with_more(package: Package) -> None:
    archive(package)
    path = package.folder.with_name("package.tar.gz")
    path.write_bytes(path.read_bytes() + b"more")


# signatures


@case("The list is signed with the right key, for another purpose.", "is for 'git', not 'gaia-submission-v1'", check=2)
def purpose(package: Package) -> None:
    listed = package.path("SHA256SUMS").read_bytes()
    package.path("SHA256SUMS.sig").write_text(sign_ssh(SIGNER, "git", listed))


@case("The attestation is signed as if it were an intent.", "the envelope holds 'application/vnd.gaia-harness.intent",
      check=2)  # fmt: skip
def payload_type(package: Package) -> None:
    envelope = package.json("attestation.dsse.json")
    payload = msgspec.json.decode(f'"{envelope["payload"]}"', type=bytes)
    kind = package.json("intent.dsse.json")["payloadType"]
    package.path("attestation.dsse.json").write_bytes(sign_dsse(SIGNER, kind, payload))


@case("A blank within the attestation's envelope, which no signature covers.",
      "the envelope is not written as it must be", check=2, signed=False)  # fmt: skip
def envelope_spaced(package: Package) -> None:
    path = package.path("attestation.dsse.json")
    path.write_bytes(path.read_bytes().replace(b"{", b"{ ", 1))


@case("The attestation leaves a file out.", "is about other files than SHA256SUMS", check=2)
def attestation_of_fewer(package: Package) -> None:
    value = msgspec.json.decode(
        msgspec.json.decode(f'"{package.json("attestation.dsse.json")["payload"]}"', type=bytes)
    )
    value["subject"].pop()
    package.path("attestation.dsse.json").write_bytes(sign_dsse(SIGNER, PAYLOAD_TYPE, compact(value)))


@case("A key of small order, for which one signature fits many messages.", "has a point of small order", check=2,
      signed=False)  # fmt: skip
def small_order(package: Package) -> None:
    found = sshsig.read_armored(package.path("SHA256SUMS.sig").read_text())
    weak = found.key[:-32] + bytes([1]) + bytes(31)
    text = sshsig.write_armored(sshsig.SshSignature(weak, found.namespace, found.signature))
    package.path("SHA256SUMS.sig").write_text(text)


@case("All files signed again with a key that the package itself brings along.",
      "the envelope is signed by an unknown key", check=3)  # fmt: skip
def stranger(package: Package) -> None:
    package.sign_files(STRANGER)


# wrong inside, and validly signed: first where only the outermost signatures were made anew


@case("A step was edited and the files were signed again.", "trajectories.jsonl:2: not the line that the log binds",
      check=4)  # fmt: skip
def step_edited(package: Package) -> None:
    _edit(package, 1, lambda value: value["steps"][-1].update(head="Another word.", bytes=13))
    package.forge("files")


@case("Two trajectories have changed places.", "trajectories.jsonl:1: not the line that the log binds", check=4)
def trajectories_swapped(package: Package) -> None:
    first, second, *rest = package.lines("trajectories.jsonl")
    package.set_lines("trajectories.jsonl", [second, first, *rest])
    package.forge("files")


@case("A result has another answer than its trajectory.", "results.jsonl:2: not what facts and trajectory of", check=4)
def result_changed(package: Package) -> None:
    values = package.json_lines("results.jsonl")
    values[1]["model_answer"] = "another"
    package.set_json_lines("results.jsonl", values)
    package.forge("files")


@case("A line of the log was changed and not chained again.", "are not those of the signed checkpoint", check=4)
def log_changed(package: Package) -> None:
    events = package.json_lines("log.jsonl")
    events[2]["time"] = "2026-11-02T08:00:00.001Z"
    package.set_json_lines("log.jsonl", events)
    package.forge("files")


@case("A wrong answer is said to be right; the log says otherwise.", "are not those that log.jsonl:", check=4)
def score_changed(package: Package) -> None:
    package.edit_facts(0, correct=False)
    package.make_results()
    package.sign_files()


@case("The checkpoints are those of another run.", "checkpoints: checkpoint 1", check=4)
def checkpoints_of_another_run(package: Package) -> None:
    origin = "gaia-harness/run/" + "0" * 32
    size = len(package.lines("log.jsonl"))
    package.write_checkpoints("checkpoints", "log.jsonl", origin, [1, size])
    package.forge("files")


# then where the holder of the key made log, ledger and all signatures anew


@case("A head does not have the hash that its step names; the log binds it so.",
      "its text does not have the hash that it says", check=5)  # fmt: skip
def step_edited_deeply(package: Package) -> None:
    _edit(package, 1, lambda value: value["steps"][-1].update(head=value["steps"][-1]["head"].replace("A", "B")))
    package.forge("log")


@case("A tool result whose call is not there.", "is a tool result without its call", check=5)
def call_missing(package: Package) -> None:
    def change(value: dict[str, Any]) -> None:
        value["steps"] = [step for step in value["steps"] if step["type"] != "tool_call"]
        for number, step in enumerate(value["steps"]):
            step["seq"] = number

    _edit(package, 0, change)
    package.forge("log")


@case("A name stands twice in a step: two readers would read two things.", "stands twice in one object", check=5)
def name_twice(package: Package) -> None:
    lines = package.lines("trajectories.jsonl")
    lines[0] = lines[0].replace(b'"truncated":false', b'"truncated":true,"truncated":false', 1)
    package.set_lines("trajectories.jsonl", lines)
    package.forge("log")


@case("A task of the intent is nowhere.", "is in the intent and not in the log", check=4)
def task_dropped(package: Package) -> None:
    events = package.json_lines("log.jsonl")
    value = package.json("metadata.json")
    levels = [task["level"] for task in value["facts"]["tasks"]]
    gone = next(task["task_id"] for task in value["facts"]["tasks"] if levels.count(task["level"]) > 1)
    events = [event for event in events if event.get("task_id") != gone]
    events[-1].update(tasks=2, finished=2, attempts=2)
    package.set_json_lines("log.jsonl", events)
    for name in ("trajectories.jsonl", "results.jsonl"):
        package.set_lines(name, [line for line in package.lines(name) if gone.encode() not in line])
    value["facts"]["tasks"] = [task for task in value["facts"]["tasks"] if task["task_id"] != gone]
    package.set_json("metadata.json", value)
    report = package.json("audit-report.json")
    report["totals"]["finished"] = 2
    package.set_json("audit-report.json", report)
    package.forge("log")


@case("An attempt was made and not counted.", "ends and is not under way", check=4)
def attempt_uncounted(package: Package) -> None:
    events = package.json_lines("log.jsonl")
    del events[next(at for at, event in enumerate(events) if event["event"] == "attempt_started")]
    package.set_json_lines("log.jsonl", events)
    package.chain_log()
    package.sign_files()


@case("Fewer attempts stand in the facts, and in all that is made from them, than in the log.", "0 attempts at",
      check=4)  # fmt: skip
def attempts_denied(package: Package) -> None:
    package.edit_facts(1, attempts=0)
    package.forge("log")


@case("More work is claimed than the steps have.", "turns is not what the facts say", check=5)
def work_claimed(package: Package) -> None:
    package.edit_facts(1, turns=99)
    package.forge("log")


@case("An event has a time that no calendar has.", "log.jsonl:3: '2026-02-30T00:00:00.000Z' is not a time", check=4)
def time_impossible(package: Package) -> None:
    events = package.json_lines("log.jsonl")
    events[2]["time"] = "2026-02-30T00:00:00.000Z"
    package.set_json_lines("log.jsonl", events)
    package.chain_log()
    package.sign_files()


@case("The run was never closed.", "the run was never closed", check=4)
def never_closed(package: Package) -> None:
    package.set_json_lines("log.jsonl", package.json_lines("log.jsonl")[:-1])
    package.chain_log()
    package.sign_files()


@case("The steps of an attempt are not those that the log noted at its end.",
      "the steps of attempt 1 are not those that the log binds", check=4, base="voted")  # fmt: skip
def attempt_exchanged(package: Package) -> None:
    events = package.json_lines("log.jsonl")
    next(event for event in events if event["event"] == "attempt_finished")["steps_sha256"] = "0" * 64
    package.set_json_lines("log.jsonl", events)
    package.chain_log(bind=False)
    package.sign_files()


@case("The intent is younger than the run.", "after the run began", check=3)
def intent_younger(package: Package) -> None:
    package.set_intent(package.intent() | {"created_at": "2026-11-02T20:00:00.000Z"})
    package.chain_log()
    package.sign_files()


@case("Another model was declared than the one that ran.", "intent.dsse.json: model is 'scripted/other'", check=3)
def intent_of_another_model(package: Package) -> None:
    package.set_intent(package.intent() | {"model": "scripted/other"})
    package.chain_log()
    package.sign_files()


@case("An earlier run was taken out of the ledger.", "ledger.jsonl: does not begin with the ledger of 2 entries",
      check=6, base="voted")  # fmt: skip
def ledger_without_a_run(package: Package) -> None:
    ours = package.intent()["run_id"]
    entries = [entry for entry in package.json_lines("ledger.jsonl") if entry["run_id"] == ours]
    package.set_json_lines("ledger.jsonl", entries)
    package.forge("ledger")


@case("The log has a restart that the ledger does not have.", "the run was resumed, and ledger.jsonl does not say so",
      check=6)  # fmt: skip
def ledger_without_a_restart(package: Package) -> None:
    events = package.json_lines("log.jsonl")
    events.insert(4, {"event": "run_resumed", "seq": 0, "time": events[3]["time"], "healed": [], "concurrency": 4})
    package.set_json_lines("log.jsonl", events)
    package.forge("log")


@case("The ledger does not have the end of the run.", "ledger.jsonl: the end of the run", check=6)
def ledger_without_the_end(package: Package) -> None:
    package.set_json_lines("ledger.jsonl", package.json_lines("ledger.jsonl")[:1])
    package.chain_ledger()
    package.sign_files()


@case("Fewer attempts are told than were made.", "metadata.json: totals is not what the files give", check=7)
def metadata_prettier(package: Package) -> None:
    value = package.json("metadata.json")
    value["totals"]["attempts"] = 1
    package.set_json("metadata.json", value)
    package.sign_files()


@case("The package keeps quiet about what is not clean.", "metadata.json: dirty is not what the files give", check=7,
      base="dirty")  # fmt: skip
def dirt_hidden(package: Package) -> None:
    value = package.json("metadata.json")
    value["dirty"] = None
    package.set_json("metadata.json", value)
    package.sign_files()


@case("The report counts a finding that it does not have.", "audit-report.json: totals is not what the files give",
      check=7)  # fmt: skip
def report_changed(package: Package) -> None:
    report = package.json("audit-report.json")
    report["totals"]["findings"]["info"] += 1
    package.set_json("audit-report.json", report)
    package.sign_files()


@case("A text in prompts/ is not the one in its name.", "its content does not have the hash in its name", check=5)
def prompt_exchanged(package: Package) -> None:
    first, second, *_ = sorted(package.path("prompts").iterdir())
    first.write_bytes(second.read_bytes())
    package.sign_files()


@case("A full output is not the one in its name.", "its content does not have the hash in its name", check=5,
      base="voted")  # fmt: skip
def body_exchanged(package: Package) -> None:
    first, second, *_ = sorted(package.path("bodies").iterdir())
    first.write_bytes(second.read_bytes())
    package.sign_files()


def _edit(package: Package, line: int, change: Callable[[dict[str, Any]], None]) -> None:
    lines = package.lines("trajectories.jsonl")
    value = json.loads(lines[line])
    change(value)
    lines[line] = compact(value) + b"\n"
    package.set_lines("trajectories.jsonl", lines)
