"""What `gaia run` shows on a real terminal while tasks run; the servers wait until it is to be seen there."""

import io
import threading

import pytest

from chat_server import chat_reply, chat_server
from gaia_command import own_folders, until
from gaia_harness.cli.progress import LiveLines, glance_line
from gaia_harness.evidence.recorder import Recorder
from gaia_harness.evidence.redaction import Redactor
from gaia_harness.offline import open_story
from gaia_harness.run.at_work import FILE_NAME, AtWork, Glance, read_moment, remove_moment, write_moment
from gaia_layout import json_lines, row, write_layout
from loopback import Answer, loopback
from terminal import at_a_terminal

ODD = "a\x00\x1b[2J\x9b31m\u202e\u2066z"


def test_a_terminal_shows_each_running_task_its_retries_and_the_finished_ones(tmp_path):
    seen = {name: threading.Event() for name in ("tool", "turn 2")}
    tries = iter((Answer.json({"error": {"message": "not so fast"}}, 429, **{"retry-after-ms": "5"}),))

    def page(_):
        seen["tool"].wait(300)
        return Answer(200, b"<p>Seven lamps.</p>", headers={"content-type": "text/html"})

    def model(request):
        if (refused := next(tries, None)) is not None:
            return refused
        if not any(message["role"] == "tool" for message in request["messages"]):
            return chat_reply("I look.", calls=[("web_fetch", {"url": f"{pages.url}/lamps"})], prompt_tokens=1500)
        seen["turn 2"].wait(300)
        return chat_reply("FINAL ANSWER: \x1b[31m0 lanterns", prompt_tokens=2500)

    data = write_layout(tmp_path / "data", {"2023/validation/metadata.jsonl": json_lines([row(0)])})
    with loopback(page) as pages, chat_server(model) as server, at_a_terminal(
        "run", "--dataset", data, "--model", "openai/test-model", "--base-url", server.base_url,
        "--allow-host", "127.0.0.1", "--out", tmp_path / "out",
    ) as terminal:  # fmt: skip
        terminal.until("task-0  turn 1 · web_fetch · 1.5k tokens · ")
        until(lambda: doing(tmp_path / "out").startswith("turn 1 · web_fetch · 1.5k tokens · "))
        seen["tool"].set()
        terminal.until("task-0  turn 2 · model · 1.5k tokens · ")
        seen["turn 2"].set()
        assert terminal.ended() == 0
    assert not (tmp_path / "out" / FILE_NAME).exists() and doing(tmp_path / "out") == ""
    assert "not so fast" in terminal.text and "retry 1 of 5 in 0.0 s" in terminal.text
    assert " level 1  task-0  2 turns, " in terminal.text and "1/1" in terminal.text
    assert "\x1b[31m0" not in terminal.raw
    last = terminal.text[terminal.text.rindex("1/1") :]
    assert "turn 2" not in last


def doing(folder):
    """What the page of a run says that its one task is doing."""
    if not (folder / FILE_NAME).exists():
        return ""
    with open_story(folder, env=own_folders()) as story:
        return next(story.tasks()).line.now


def test_what_tasks_are_doing_is_written_without_secrets_or_not_at_all(tmp_path):
    work = AtWork("task-0")
    work.waits("429: sk-very-secret-1 is asked too often")
    write_moment(tmp_path, [work], Redactor(["sk-very-secret-1"]))
    (told,) = read_moment(tmp_path).tasks
    assert told.task_id == "task-0" and told.wait.endswith("is asked too often") and "secret" not in told.wait
    work.waits("half a \ud83d")
    write_moment(tmp_path, [AtWork("task-1"), work], Redactor([]))  # a text that JSON cannot hold takes no other away
    assert [told.wait for told in read_moment(tmp_path).tasks] == [None, "half a \\ud83d"]
    for broken in (b"{", b"[]", b'{"at": 3}', b'{"at": "", "tasks": [{}]}'):
        (tmp_path / FILE_NAME).write_bytes(broken)
        assert read_moment(tmp_path) is None
    remove_moment(tmp_path)
    assert list(tmp_path.iterdir()) == [] and read_moment(tmp_path) is None
    write_moment(tmp_path / "gone", [work], Redactor([]))
    (tmp_path / FILE_NAME).mkdir()
    write_moment(tmp_path, [work], Redactor([]))  # cannot take its place
    remove_moment(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [FILE_NAME]


def glance(**more):
    shown = {"task_id": "t", "attempt": 1, "turn": 3, "doing": "model", "tokens": 1234, "seconds": 4.4, "wait": None}
    return Glance(**{**shown, **more})


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({}, "  t  turn 3 · model · 1.2k tokens · 4 s"),
        ({"tokens": None, "attempt": 2}, "  t  attempt 2 · turn 3 · model · 4 s"),
        (
            {"wait": "retry 1 of 5 in 2.0 s: 429"},
            "  t  turn 3 · model · 1.2k tokens · 4 s · retry 1 of 5 in 2.0 s: 429",
        ),
    ],
)
def test_a_line_says_turn_tool_tokens_seconds_and_why_it_waits(more, said):
    assert glance_line(glance(**more)) == said


def test_strangers_words_do_not_steer_the_terminal():
    said = glance_line(glance(task_id=ODD, doing=ODD, wait=ODD * 100))
    assert said.isprintable() and len(said) < 1000


def test_more_tasks_than_the_terminal_has_lines_are_counted():
    from rich.console import Console

    console = Console(height=10, width=80, file=io.StringIO())
    work = {str(number): AtWork(f"task-{number}") for number in range(50)}
    lines = LiveLines(console, 50, work)
    with console.capture() as captured:
        console.print(lines.now())
    shown = captured.get().splitlines()
    assert len(shown) == 7 and "task-4 " in shown[-2] and "… and 45 more tasks" in shown[-1]


def test_what_a_task_does_is_read_off_its_record():
    recorder, work = Recorder(), AtWork("t")
    assert (work.glance().turn, work.glance().doing, work.glance().tokens) == (1, "model", 0)
    work.attempt(2, recorder)
    recorder.prompt(1, "user", "How many lamps?")
    assert (work.glance().attempt, work.glance().turn, work.glance().doing) == (2, 1, "model")
    recorder.llm_call(1, "I look.", model="m", tokens_in=5, tokens_out=2)
    for call_id, name in (("a", "look"), ("b", "count"), ("c", "look")):
        recorder.tool_call(1, call_id, name, {})
    assert (work.glance().turn, work.glance().doing, work.glance().tokens) == (1, "look, count", 7)
    recorder.tool_result(1, "a", "look", "x")
    recorder.tool_result(1, "c", "look", "x")
    assert work.glance().doing == "count"
    recorder.tool_result(1, "b", "count", "x")
    assert (work.glance().turn, work.glance().doing) == (2, "model")
    recorder.llm_call(2, "Seven.", model="m", tokens_in=None, tokens_out=2)
    work.judged = True
    work.waits("retry")
    now = work.glance()
    assert (now.doing, now.tokens, now.wait) == ("judge", None, "retry")
