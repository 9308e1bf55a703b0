"""A written waiver lowers a high finding, is printed and goes into the report; a critical one stays."""

import json
import random

import pytest

from gaia_command import gaia
from redteam.making import RunMaker
from redteam.script import RunScript
from redteam.solving import closing, fetch, honest_script, script_of, turn
from redteam.world import Page, tasks


def made(folder, words):
    maker = RunMaker(folder, "waived")
    first, *others = tasks("waived", 5)
    page = Page(url="https://a.example/p", title="p", text=f"{first.question} Final answer: {first.gold}")
    said = words.format(gold=first.gold)
    leaked = script_of(first, turn(said, fetch(page)), closing(random.Random(1), first.gold))
    maker.write(RunScript(tasks=(leaked, *(honest_script(task, random.Random(2)) for task in others))))
    return maker, first.task_id


def waivers(path, *entries):
    path.write_text(json.dumps(list(entries)))
    return path


def entry(task_id, rule="copy-with-answer"):
    return {"task_id": task_id, "rule": rule, "reason": "The page was opened to check.", "who": "M. Lanternkeeper"}


def test_a_high_finding_is_lowered_and_its_task_counts_again(tmp_path):
    maker, task_id = made(tmp_path, "FINAL ANSWER: {gold}\nI check once more.")
    assert gaia("audit", maker.path).code == 1
    file = waivers(tmp_path / "w.json", entry(task_id))
    ran = gaia("audit", maker.path, "--waivers", file)
    assert ran.code == 0, ran.out
    assert "lowered: copy-with-answer" in ran.out
    assert "The page was opened to check. (M. Lanternkeeper)" in " ".join(ran.out.split())
    report = json.loads(gaia("audit", maker.path, "--waivers", file, "--json").out)
    (finding,) = [f for f in report["checks"][0]["findings"] if f["severity"] == "medium"]
    assert finding["waived"] == {"reason": "The page was opened to check.", "who": "M. Lanternkeeper"}
    assert report["waivers"][0]["outcome"] == "lowered"
    assert report["totals"]["raw"] == report["totals"]["audited"]
    assert report["attestation"]["strict_clean"] is False
    assert report["inputs"]["waivers_sha256"]


def test_a_critical_finding_cannot_be_waived(tmp_path):
    maker, task_id = made(tmp_path, "I look.")
    ran = gaia("audit", maker.path, "--waivers", waivers(tmp_path / "w.json", entry(task_id)))
    assert ran.code == 1
    assert "refused: copy-with-answer" in ran.out


def test_a_waiver_for_another_task_or_rule_is_unused(tmp_path):
    maker, task_id = made(tmp_path, "FINAL ANSWER: {gold}\nI check once more.")
    file = waivers(tmp_path / "w.json", entry(task_id, "many-copies"), entry("someone-else"))
    ran = gaia("audit", maker.path, "--waivers", file)
    assert ran.code == 1
    assert ran.out.count("unused:") == 2


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "[1]",
        '[{"task_id": "a", "rule": "b", "reason": "c"}]',
        '[{"task_id": "a", "rule": "b", "reason": " ", "who": "d"}]',
        '[{"task_id": "a", "rule": "b", "reason": "c", "who": ""}]',
        '[{"task_id": "a", "rule": "b", "reason": "\\u200b", "who": "d"}]',
        '[{"task_id": "a", "rule": "b", "reason": "c", "who": "d", "severity": "critical"}]',
        "[" * 100_000,
    ],
)
def test_a_file_that_is_no_list_of_waivers_is_wrong_use(tmp_path, text):
    (tmp_path / "w.json").write_text(text)
    ran = gaia("audit", tmp_path, "--waivers", tmp_path / "w.json")
    assert ran.code == 2
    assert "w.json: " in ran.err
    assert "next:" in ran.err
