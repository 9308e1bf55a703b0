"""What a terminal shows of an agent in a box: as much as its traffic tells."""

import threading

from boxed import ASK, folder_of, needs_box

from loopback import Answer
from provider_server import Says, provider_server
from terminal import at_a_terminal

AGENT = f"""
{ASK}
import sys, urllib.error
question = sys.stdin.read()
try:
    ask(question)
except urllib.error.HTTPError:
    print(ask(question))
"""


def test_a_terminal_shows_turns_and_failed_calls_of_a_boxed_agent(tmp_path):
    needs_box()
    seen = threading.Event()
    tries = iter((Answer.json({"error": {"message": "not so \x1b[2J fast"}}, 429),))

    def model(_):
        if (refused := next(tries, None)) is not None:
            return refused
        seen.wait(300)
        return Says("FINAL ANSWER: 42")

    folder_of(tmp_path / "agent", AGENT)
    with provider_server(model) as provider, at_a_terminal(
        "run", "--agent", "python3 main.py", "--agent-dir", tmp_path / "agent", "--model", "openai/gpt-4o",
        "--base-url", f"{provider.url}/v1", "--dataset", "demo", "--limit", "1", "--out", tmp_path / "out",
        OPENAI_API_KEY="sk-test-0123456789abcdef",
    ) as terminal:  # fmt: skip
        terminal.until("turn 1 · model · 0.0k tokens · ")
        terminal.until("· the model's server: status 429: ")
        seen.set()
        assert terminal.ended() == 0
    assert "a call of the agent to the model failed: status 429" in terminal.text
    assert "not so" in terminal.text and "\x1b[2J" not in terminal.raw
