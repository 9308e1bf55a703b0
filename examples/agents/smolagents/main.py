"""A code agent of smolagents. pip install 'smolagents[openai]'"""

import os
import sys
import urllib.request

from smolagents import CodeAgent, OpenAIModel, tool


@tool
def read_page(url: str) -> str:
    """The text of a web page.

    Args:
        url: the address of the page
    """
    with urllib.request.urlopen(url, timeout=60) as page:
        return page.read().decode(errors="replace")[:20_000]


model = OpenAIModel(os.environ["GAIA_MODEL"])  # address and dummy key are in the environment
agent = CodeAgent(tools=[read_page], model=model, max_steps=12)
print("FINAL ANSWER:", agent.run(sys.stdin.read()))
