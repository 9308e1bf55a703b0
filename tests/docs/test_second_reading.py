"""A package read by docs/formats.md alone: nothing here is read, hashed, summed up or packed by code of ours."""

import base64
import gzip
import hashlib
import json
import re
import struct
from pathlib import Path
from typing import Any

import pytest
import rfc8785
from ada import ADA
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

import gaia_harness
from gaia_harness.signing.intent import source_sha256

SPKI = bytes.fromhex("302a300506032b6570032100")


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def canonical(value: Any) -> str:
    return sha256(rfc8785.dumps(value))


def lines(path: Path) -> list[bytes]:
    return path.read_bytes().removesuffix(b"\n").split(b"\n")


def objects(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in lines(path)]


@pytest.fixture(params=["package", "full"])
def place(request, world) -> Path:
    return world.root / request.param


@pytest.fixture
def metadata(place) -> dict[str, Any]:
    return json.loads((place / "metadata.json").read_bytes())


@pytest.fixture
def raw_key(world) -> bytes:
    """From the list of signers, never from the package."""
    line = (world.root / "allowed_signers").read_text()
    blob = base64.b64decode(line.split()[-1])
    return blob[-32:]


def root_of(leaves: list[bytes]) -> bytes:
    """RFC 6962, section 2.1, as it is written there."""
    if len(leaves) == 1:
        return hashlib.sha256(b"\0" + leaves[0]).digest()
    split = 1
    while split * 2 < len(leaves):
        split *= 2
    return hashlib.sha256(b"\1" + root_of(leaves[:split]) + root_of(leaves[split:])).digest()


def opened(path: Path, kind: str, raw_key: bytes) -> Any:
    """The payload of an envelope, its signature checked."""
    envelope = json.loads(path.read_bytes())
    assert envelope.keys() == {"payloadType", "payload", "signatures"}
    assert envelope["payloadType"] == kind
    (signature,) = envelope["signatures"]
    assert signature["keyid"] == sha256(SPKI + raw_key)
    data = base64.b64decode(envelope["payload"])
    said = f"DSSEv1 {len(kind)} {kind} {len(data)} ".encode() + data
    Ed25519PublicKey.from_public_bytes(raw_key).verify(base64.b64decode(signature["sig"]), said)
    assert rfc8785.dumps(json.loads(data)) == data
    return json.loads(data)


def heads(path: Path, origin: str, raw_key: bytes) -> dict[int, bytes]:
    """The signed notes of a file: root by length."""
    found = {}
    for note in re.findall(r"(.+\n\d+\n.+\n)\n— (\S+) (\S+)\n\n", path.read_text("utf-8")):
        text, name, signature = note
        blob = base64.b64decode(signature)
        assert text.startswith(f"{origin}\n")
        assert name == origin
        assert blob[:4] == hashlib.sha256(f"{origin}\n".encode() + b"\x01" + raw_key).digest()[:4]
        Ed25519PublicKey.from_public_bytes(raw_key).verify(blob[4:], text.encode())
        found[int(text.split("\n")[1])] = base64.b64decode(text.split("\n")[2])
    return found


def test_the_list_of_hashes_and_its_signature(place, raw_key):
    listed = (place / "SHA256SUMS").read_bytes()
    names = sorted(path.relative_to(place).as_posix() for path in place.rglob("*") if path.is_file())
    names = [name for name in names if name not in ("SHA256SUMS", "SHA256SUMS.sig", "attestation.dsse.json")]
    assert "".join(f"{sha256((place / name).read_bytes())}  {name}\n" for name in names).encode() == listed

    def text(data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + data

    armored = (place / "SHA256SUMS.sig").read_text().splitlines()
    blob = base64.b64decode("".join(armored[1:-1]))
    key = text(b"ssh-ed25519") + text(raw_key)
    parts = (b"gaia-submission-v1", b"", b"sha512")
    assert blob.startswith(b"SSHSIG" + struct.pack(">I", 1) + text(key) + b"".join(map(text, parts)))
    signed = b"SSHSIG" + b"".join(map(text, (*parts, hashlib.sha512(listed).digest())))
    Ed25519PublicKey.from_public_bytes(raw_key).verify(blob[-64:], signed)


def test_the_attestation(place, metadata, raw_key):
    said = opened(place / "attestation.dsse.json", "application/vnd.in-toto+json", raw_key)
    listed = dict(reversed(line.decode().split("  ")) for line in lines(place / "SHA256SUMS"))
    listed["SHA256SUMS"] = sha256((place / "SHA256SUMS").read_bytes())
    assert said["_type"] == "https://in-toto.io/Statement/v1"
    assert said["predicateType"] == "urn:gaia-harness:submission:v1"
    assert said["subject"] == [{"name": name, "digest": {"sha256": listed[name]}} for name in sorted(listed)]

    def share(rate: dict[str, Any]) -> dict[str, Any]:
        return {
            "passed": rate["passed"],
            "total": rate["total"],
            "share": f"{rate['pass_rate']:.4f}",
            "interval_95": [f"{rate['low']:.4f}", f"{rate['high']:.4f}"],
        }

    same = ("run_id", "submitted_at", "model", "gaia_split", "voting_attempts", "dirty", "log", "ledger", "harness")
    same += ("endpoint", "served_models", "judge_endpoint", "options")
    assert said["predicate"] == {
        **{name: metadata[name] for name in same},
        "identity": ADA,
        "totals": {name: metadata["totals"][name] for name in ("tasks", "finished", "attempts")},
        "pass_rate": share(metadata["pass_rate"]),
        "pass_rate_by_level": {level: share(rate) for level, rate in metadata["pass_rate_by_level"].items()},
        "audited_pass_rate": share(metadata["audited_pass_rate"]),
        "audit": {name: metadata["audit"][name] for name in ("clean", "strict_clean")},
        "standing": metadata["standing"]["said"],
        "interruptions": metadata["interruptions"],
    }


def test_the_log_its_checkpoints_and_what_it_binds(place, metadata, raw_key):
    log, run_id = lines(place / "log.jsonl"), metadata["run_id"]
    points = heads(place / "checkpoints", f"gaia-harness/run/{run_id}", raw_key)
    assert len(points) >= 2
    assert all(root_of(log[:size]) == root for size, root in points.items())
    assert max(points) == len(log) == metadata["log"]["size"]
    assert root_of(log).hex() == metadata["log"]["root"]
    done = [event for event in objects(place / "log.jsonl") if event["event"] == "task_finished"]
    trajectories = lines(place / "trajectories.jsonl")
    assert [event["trajectory_sha256"] for event in done] == list(map(sha256, trajectories))
    facts = {task["task_id"]: task for task in metadata["facts"]["tasks"]}
    assert list(facts) == sorted(facts)
    assert [event["outcome_sha256"] for event in done] == [canonical(facts[event["task_id"]]) for event in done]
    ends = {e["task_id"]: e for e in objects(place / "log.jsonl") if e["event"] == "attempt_finished"}
    for line in trajectories:
        steps = line[line.index(b',"steps":') + len(b',"steps":') : -1]
        assert ends[json.loads(line)["task_id"]]["steps_sha256"] == sha256(steps)


def test_the_intent(place, metadata, raw_key):
    said = opened(place / "intent.dsse.json", "application/vnd.gaia-harness.intent.v1+json", raw_key)
    facts = metadata["facts"]
    assert said["task_list_sha256"] == canonical(facts["task_ids"])
    assert said["tasks"] == len(facts["task_ids"]) == metadata["totals"]["tasks"]
    first = objects(place / "log.jsonl")[0]
    assert first["intent_sha256"] == sha256((place / "intent.dsse.json").read_bytes())
    assert said["created_at"] <= first["time"]
    assert said["source_sha256"] == metadata["harness"]["source_sha256"]


def test_the_hash_of_the_sources():
    root = Path(gaia_harness.__file__).parent
    files = (path.relative_to(root) for path in root.rglob("*") if path.suffix in (".py", ".toml"))
    sources = [path for path in files if "data" not in path.parts]
    listed = [[path.as_posix(), sha256((root / path).read_bytes())] for path in sorted(sources, key=lambda p: p.parts)]
    assert canonical(listed) == source_sha256()


def test_the_ledger_and_how_the_run_stands(place, metadata, raw_key):
    entries = objects(place / "ledger.jsonl")
    points = heads(place / "ledger.checkpoints", f"gaia-harness/ledger/{sha256(SPKI + raw_key)}", raw_key)
    raw = lines(place / "ledger.jsonl")
    assert sorted(points) == list(range(1, len(raw) + 1))
    assert all(root_of(raw[:size]) == root for size, root in points.items())
    assert metadata["ledger"] == {"size": len(raw), "root": root_of(raw).hex()}
    intents = [entry for entry in entries if entry["entry"] == "intent"]
    ours = next(entry for entry in intents if entry["run_id"] == metadata["run_id"])
    same = [entry["run_id"] for entry in intents if entry["task_list_sha256"] == ours["task_list_sha256"]]
    others = f"; {len(intents) - len(same)} on other task lists" if len(intents) > len(same) else ""
    number = same.index(metadata["run_id"]) + 1
    assert metadata["standing"]["said"] == f"run {number} of {len(same)} on this task list{others}"


def trace(task: dict[str, Any]) -> str:
    """The reasoning trace, by the words of the page."""

    def cut(text: str, longest: int) -> str:
        return text if len(text) <= longest else text[:longest] + "…"

    parts = []
    for step in task["steps"]:
        if step["attempt"] != task["selected_attempt"]:
            continue
        if step["type"] == "llm_call" and step["head"].strip():
            parts.append(cut(step["head"].strip(), 1200))
        elif step["type"] == "tool_call":
            args = json.dumps(step["args"], ensure_ascii=False, separators=(",", ":"))
            parts.append(f"[{step['name'][:100]} {cut(' '.join(args.split()), 200)}]")
    text = "\n".join(parts)
    if len(text) <= 4096:
        return text
    return f"{text[:3072]}\n[… {len(text) - 4096} characters …]\n{text[-1024:]}"


def test_the_results(place, metadata):
    tasks = {task["task_id"]: task for task in objects(place / "trajectories.jsonl")}
    facts = {task["task_id"]: task for task in metadata["facts"]["tasks"]}
    done = [event["task_id"] for event in objects(place / "log.jsonl") if event["event"] == "task_finished"]
    expected = [
        {
            "task_id": task_id,
            "model_answer": facts[task_id]["answer"],
            "reasoning_trace": trace(tasks[task_id]),
            "tools_used": facts[task_id]["tools_used"],
            "turns": facts[task_id]["turns"],
            "wall_seconds": facts[task_id]["wall_ms"] / 1000,
        }
        for task_id in done
    ]
    written = [json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() for line in expected]
    assert lines(place / "results.jsonl") == written


def test_the_figures(metadata):
    tasks = metadata["facts"]["tasks"]
    right = sum(task["correct"] for task in tasks)
    share, count, z = right / len(tasks), len(tasks), 1.959963984540054
    middle = share + z * z / (2 * count)
    spread = z * (share * (1 - share) / count + z * z / (4 * count * count)) ** 0.5
    rate = metadata["pass_rate"]
    assert (rate["passed"], rate["total"], rate["pass_rate"]) == (right, count, share)
    assert rate["low"] == pytest.approx((middle - spread) / (1 + z * z / count))
    assert rate["high"] == pytest.approx((middle + spread) / (1 + z * z / count))
    for name in ("attempts", "turns", "wall_ms", "input_tokens", "output_tokens"):
        assert metadata["totals"][name] == sum(task[name] for task in tasks)


def test_the_way_in_which_documents_are_written(place, metadata):
    for name in ("metadata.json", "audit-report.json"):
        value = json.loads((place / name).read_bytes())
        assert json.dumps(value, indent=2, ensure_ascii=False).encode() + b"\n" == (place / name).read_bytes()


def header(name: str, size: int) -> bytes:
    """A ustar header, field by field."""
    before = (f"{name:\0<100}", "0000644\0", "0000000\0", "0000000\0", f"{size:011o}\0", "00000000000\0")
    behind = ("0", "\0" * 100, "ustar\0", "00", "\0" * 64, "0000000\0", "0000000\0", "\0" * 167)
    total = sum("".join((*before, " " * 8, *behind)).encode())
    return "".join((*before, f"{total:06o}\0 ", *behind)).encode()


def test_the_archive(world):
    place, data = world.root / "package", (world.root / "package.tar.gz").read_bytes()
    assert data[:10] == b"\x1f\x8b\x08\0\0\0\0\0\0\xff"
    run_id = json.loads((place / "metadata.json").read_bytes())["run_id"]
    names = sorted(path.relative_to(place).as_posix() for path in place.rglob("*") if path.is_file())
    expected = b""
    for name in names:
        content = (place / name).read_bytes()
        expected += header(f"gaia-{run_id[:12]}/{name}", len(content)) + content + bytes(-len(content) % 512)
    expected += bytes(1024)
    assert gzip.decompress(data) == expected + bytes(-len(expected) % 10240)
