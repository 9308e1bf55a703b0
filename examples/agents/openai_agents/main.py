"""An agent of the OpenAI Agents SDK, by the responses API. pip install openai-agents"""

import os
import sys
import urllib.request

from agents import Agent, Runner, function_tool


@function_tool
def read_page(url: str) -> str:
    """The text of a web page."""
    with urllib.request.urlopen(url, timeout=60) as page:
        return page.read().decode(errors="replace")[:20_000]


agent = Agent(
    name="reader",
    model=os.environ["GAIA_MODEL"],
    instructions="Answer the question. End with one line: FINAL ANSWER: your answer",
    tools=[read_page],
)
print(Runner.run_sync(agent, sys.stdin.read(), max_turns=20).final_output)
