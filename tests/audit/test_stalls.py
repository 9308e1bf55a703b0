"""What costs an attacker a few bytes costs an audit little: twice the input is about twice the work, never four times.

Where the work is Python's, its calls are counted. Where it is a pattern's, another process does it with few seconds of
processor time, which the square of the input would exceed many times over.
"""

import hashlib

import pytest
import zstandard
from audit_samples import SampleRun

from counted_work import STALL
from gaia_command import python
from gaia_harness.audit.report import audit
from gaia_harness.evidence import bodies as stored

AT = "2030-01-02T03:04:05Z"


@pytest.mark.parametrize("sized", [True, False], ids=["its size is said", "its size is not said"])
def test_an_output_that_many_steps_name_is_unpacked_once(tmp_path, monkeypatch, sized):
    text = b"\0" * (1 << 20)
    sha256 = hashlib.sha256(text).hexdigest()
    sample = SampleRun(tmp_path).add(0)
    steps = sample.lines[0]["steps"]
    call, result = (next(step for step in steps if step["type"] == kind) for kind in ("tool_call", "tool_result"))
    masked = "[masked key]" + "\0" * (4096 - 12)
    for number in range(40):
        steps.append(dict(call, seq=len(steps), turn=steps[-1]["turn"], call_id=f"again-{number}"))
        more = dict(result, seq=len(steps), turn=steps[-1]["turn"], call_id=f"again-{number}")
        more.update(head=masked, bytes=len(text), truncated=True, output_sha256=sha256, body=True, redactions=1)
        steps.append(more | {"windows": [], "sources": []})
    run = sample.open()
    folder = run.folder / "bodies"
    folder.mkdir(exist_ok=True)
    frame = zstandard.ZstdCompressor(write_content_size=sized).compress(text)
    (folder / f"{sha256}.zst").write_bytes(frame)
    unpacked = []

    def counted(blocks, **limits):
        for piece in unpack(blocks, **limits):
            unpacked.append(len(piece))
            yield piece

    unpack = stored.unpack
    monkeypatch.setattr(stored, "unpack", counted)
    report = audit(run, audited_at=AT)
    assert report.coverage.bodies_kept >= 40
    assert sum(unpacked) <= 2 * len(text)


def test_texts_beyond_what_a_line_has_room_for_are_not_read_and_that_is_said(tmp_path, monkeypatch):
    text = b"a long prompt " * 1000
    sample = SampleRun(tmp_path).add(0)
    prompt = next(step for step in sample.lines[0]["steps"] if step["type"] == "prompt" and step["role"] == "user")
    prompt.update(head=text[:2048].decode(), bytes=len(text), truncated=True, whole=True)
    prompt.update(content_sha256=hashlib.sha256(text).hexdigest())
    run = sample.open()
    run.texts.prompts.put(prompt["content_sha256"], text)

    def texts():
        return [moment.text for moment in next(iter(run.tasks())).timeline if moment.index == prompt["seq"]]

    assert texts() == [text.decode()]
    assert "not read" not in str(audit(run, audited_at=AT).attestation.harness_gaps)
    monkeypatch.setattr("gaia_harness.audit.texts.MOST_RATIO", 1)
    monkeypatch.setattr("gaia_harness.audit.texts.SPARE_BYTES", 10)
    assert texts() == [prompt["head"]]
    assert "1 text was not read" in str(audit(run, audited_at=AT).attestation.harness_gaps)


STALLS = {
    "spaces in an answer": "from gaia_harness.audit.judge_injection.pleas import said_to_judge\n"
    "for n in range(40): said_to_judge('x' + chr(9) * 9000 + f'x{n}')",
    "signs in an answer": "from gaia_harness.audit.judge_injection.pleas import said_to_judge\n"
    "for n in range(40): said_to_judge('correct' + '>' * (9990 - n)); said_to_judge('#' * (9990 - n))",
    "variables of a command in each other": "from gaia_harness.audit.reaching.reading import read_shell\n"
    "read_shell('a=b;' + 'a=$a$a;' * 500 + 'cat $a', '/task')",
}


@pytest.mark.parametrize("program", STALLS.values(), ids=STALLS.keys())
def test_a_few_bytes_do_not_stall_an_audit(program):
    ran = python("-c", program, limits={"RLIMIT_CPU": STALL}, timeout=600)
    assert ran.code == 0, ran.err[-500:] or f"more than {STALL} s of processor time"
