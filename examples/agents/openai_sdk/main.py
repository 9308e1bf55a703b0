"""An agent in one file: the openai package, one tool, and a loop. pip install openai"""

import json
import os
import sys
import urllib.request

from openai import OpenAI

PARAMETERS = {"type": "object", "properties": {"url": {"type": "string"}}, "required": ["url"]}
TOOL = {"name": "read_page", "description": "The text of a web page.", "parameters": PARAMETERS}


def read_page(url: str) -> str:
    """What a page says; an error is a result too, so that the model can go on."""
    try:
        with urllib.request.urlopen(url, timeout=60) as page:
            return page.read().decode(errors="replace")[:20_000]
    except (OSError, ValueError) as error:
        return f"cannot be read: {error}"


client = OpenAI()  # the address is in the environment; the key there is a dummy, and the real one is put in outside
messages = [
    {"role": "system", "content": "Answer the question. End with one line: FINAL ANSWER: your answer"},
    {"role": "user", "content": sys.stdin.read()},
]
for _ in range(20):
    reply = client.chat.completions.create(
        model=os.environ["GAIA_MODEL"], messages=messages, tools=[{"type": "function", "function": TOOL}]
    )
    message = reply.choices[0].message
    messages.append(message.model_dump(exclude_none=True))
    if not message.tool_calls:
        print(message.content)
        break
    for call in message.tool_calls:
        result = read_page(**json.loads(call.function.arguments))
        messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
