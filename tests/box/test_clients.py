"""Clients of all kinds in a box, as they are: by TLS, without a proxy, to a host that is the gateway's own."""

import asyncio
import shutil
import subprocess
import sys
from importlib.util import find_spec

import pytest
from agent_runs import OTHERS, needs_packages
from boxed import ASK, ask, boxed_agent, folder_of, resolver

from loopback import Answer, loopback
from provider_server import Says, provider_server

MODELS = "https://api.openai.com/v1/models"

FETCH = {
    "urllib": "import urllib.request; print(urllib.request.urlopen(URL).read().decode())",
    "requests": "import requests; print(requests.get(URL).text)",
    "httpx": "import httpx; print(httpx.get(URL).text)",
    "aiohttp": """
import aiohttp, asyncio
async def main():
    async with aiohttp.ClientSession() as session, session.get(URL) as answer:
        print(await answer.text())
asyncio.run(main())
""",
    "curl": "curl -sS",
    "wget": "wget -qO-",
    "node": "fetch(where).then(answer => answer.text()).then(console.log)",
}

SCRIPT = """
import json, subprocess, sys
started = {}
for name, words in COMMANDS.items():
    words = [sys.executable, *words[1:]] if words[0] == "python" else words
    started[name] = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
print(json.dumps({name: process.communicate()[0] for name, process in started.items()}))
"""


def commands():
    """How each client that is installed here is called."""
    for name, how in FETCH.items():
        if name in ("curl", "wget", "node"):
            if shutil.which(name):
                words = ["node", "-e", f"const where = {MODELS!r}; {how}"] if name == "node" else [*how.split(), MODELS]
                yield name, words
        elif find_spec(name):
            yield name, ["python", "-c", f"URL = {MODELS!r}\n{how}"]


async def run(path, script, **how):
    boxed = boxed_agent(folder_of(path / "agent", script), **{"given": f"{sys.executable} main.py", **how})
    try:
        return await ask(boxed)
    finally:
        await boxed.aclose()


async def test_clients_for_pages(tmp_path):
    asked = dict(commands())
    got = await run(tmp_path, f"COMMANDS = {asked!r}\n{SCRIPT}")
    assert {"urllib", "httpx"} <= set(asked)
    assert [name for name, text in got.said.items() if '"id":"gpt-4o"' not in text] == [], got.said
    assert got.refused == [] and got.failures == ()


OPENAI = """
import asyncio, json
from openai import AsyncOpenAI, OpenAI
there = {"base_url": "https://api.openai.com/v1"}
client, hello = OpenAI(**there), [{"role": "user", "content": "Hello"}]
said = [client.chat.completions.create(model="gpt-4o", messages=hello).choices[0].message.content]
chunks = client.chat.completions.create(model="gpt-4o", messages=hello, stream=True)
said.append("".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices))
said.append(client.responses.create(model="gpt-4o", input="Hello").output_text)
async def later():
    answer = await AsyncOpenAI(**there).chat.completions.create(model="gpt-4o", messages=hello)
    return answer.choices[0].message.content
said.append(asyncio.run(later()))
print(json.dumps(said))
"""
ANTHROPIC = """
import json
from anthropic import Anthropic
client, hello = Anthropic(base_url="https://api.anthropic.com"), [{"role": "user", "content": "Hello"}]
said = [client.messages.create(model="gpt-4o", max_tokens=9, messages=hello).content[0].text]
with client.messages.stream(model="gpt-4o", max_tokens=9, messages=hello) as stream:
    said.append(stream.get_final_text())
print(json.dumps(said))
"""
LITELLM = """
import asyncio, json, os
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # or it fetches prices when it is imported
import litellm
asked = {"messages": [{"role": "user", "content": "Hello"}], "model": "openai/gpt-4o"}
there = {"api_base": "https://api.openai.com/v1"}
said = [litellm.completion(**asked, **there).choices[0].message.content]
said.append("".join(part.choices[0].delta.content or "" for part in litellm.completion(**asked, stream=True)))
said.append(asyncio.run(litellm.acompletion(**asked)).choices[0].message.content)
print(json.dumps(said))
"""


@pytest.mark.cases
@pytest.mark.parametrize(
    ("provider", "package", "script", "calls"),
    [("openai", "openai", OPENAI, 4), ("anthropic", "anthropic", ANTHROPIC, 2), ("openai", "litellm", LITELLM, 3)],
    ids=["openai", "anthropic", "litellm"],
)
async def test_packages_for_models(tmp_path, provider, package, script, calls):
    how = {}
    if not find_spec(package):
        needs_packages(package)
        how = {"given": f"{OTHERS}/bin/python main.py"}
    with provider_server(lambda body: Says("Well then.")) as server:
        base = f"{server.url}/v1" if provider == "openai" else server.url
        got = await run(tmp_path, script, provider=provider, base_url=base, **how)
    assert got.said == ["Well then."] * calls
    assert len(got.result.usages) == calls and got.refused == []


def repository(folder):
    """A small repository as a server of files has it."""
    work, bare = folder / "work", folder / "lamp.git"
    work.mkdir()
    (work / "lamp.txt").write_text("The lamp is lit at dusk.\n")
    me = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    for words in (["init", "-q"], ["add", "."], [*me, "commit", "-qm", "The lamp"]):
        subprocess.run(["git", *words], cwd=work, check=True)
    subprocess.run(["git", "clone", "-q", "--bare", work, bare], check=True)
    subprocess.run(["git", "update-server-info"], cwd=bare, check=True)
    return bare


@pytest.mark.cases
@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
async def test_git(tmp_path):
    """By the plain protocol, which a server of files can speak."""
    bare = await asyncio.to_thread(repository, tmp_path)

    def file(seen):
        path = bare / seen.path.removeprefix("/lamp.git/")
        return Answer(200, path.read_bytes()) if path.is_file() else Answer(404)

    with loopback(file) as web:
        script = f"""
import json, subprocess
subprocess.run(["git", "clone", "-q", "http://web.test:{web.port}/lamp.git", "/tmp/lamp"], check=True)
print(json.dumps(open("/tmp/lamp/lamp.txt").read()))
"""
        got = await run(tmp_path, script, resolve=resolver, allow_hosts=("web.test",), ports=(web.port,))
    assert got.said == "The lamp is lit at dusk.\n"
    assert any(url.endswith("/lamp.git/info/refs?service=git-upload-pack") for url in got.pages)


PLAYWRIGHT = """
import json
from playwright.sync_api import sync_playwright
with sync_playwright() as play:
    browser = play.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
    page = browser.new_page()
    page.goto("https://api.openai.com/v1/models")
    print(json.dumps(page.inner_text("body")))
    browser.close()
"""


@pytest.mark.cases
@pytest.mark.skipif(shutil.which("chromium") is None or not find_spec("playwright"), reason="no browser is installed")
async def test_a_browser(tmp_path):
    got = await run(tmp_path, PLAYWRIGHT)
    assert '"id":"gpt-4o"' in got.said
    assert [where for where, _ in got.refused if "api.openai.com:" in where] == []


@pytest.mark.cases
async def test_node_s_websocket_and_python_s_sockets_are_recorded(tmp_path):
    """A WebSocket to a server that opens none: the wish itself is on record."""
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    with loopback(lambda seen: Answer(404)) as web:
        script = f"""
import json, subprocess
words = 'const s = new WebSocket("ws://web.test:{web.port}/talk"); s.onerror = () => console.log("refused")'
print(json.dumps(subprocess.run(["node", "-e", words], capture_output=True, text=True).stdout.strip()))
"""
        got = await run(tmp_path, ASK + script, resolve=resolver, allow_hosts=("web.test",), ports=(web.port,))
    if got.said:  # a node that knows WebSockets
        assert got.said == "refused" and list(got.pages) == [f"http://web.test:{web.port}/talk"]


ECHO = """
import asyncio, sys, websockets
async def talk(connection):
    async for words in connection:
        await connection.send(words[::-1])
async def main():
    async with websockets.serve(talk, "127.0.0.1", 0) as server:
        print(server.sockets[0].getsockname()[1], flush=True)
        await asyncio.to_thread(sys.stdin.read)
asyncio.run(main())
"""
TALK = """
import asyncio, json, websockets
async def main():
    async with websockets.connect("ws://web.test:%d/talk") as connection:
        said = []
        for words in ("lamp", "t" * 70_000):
            await connection.send(words)
            said.append(await connection.recv())
        return said
print(json.dumps(asyncio.run(main())))
"""


@pytest.mark.cases
async def test_the_websockets_package(tmp_path):
    """With a server of the same package: messages come through whole, and are on record."""
    needs_packages("websockets")
    python = OTHERS / "bin" / "python"
    server = await asyncio.create_subprocess_exec(
        python, "-c", ECHO, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    try:
        port = int(await server.stdout.readline())
        reached = {"resolve": resolver, "allow_hosts": ("web.test",), "ports": (port,)}
        got = await run(tmp_path, TALK % port, given=f"{python} main.py", **reached)
    finally:
        server.terminate()
        await server.wait()
    assert got.said == ["pmal", "t" * 70_000]
    ((url, page),) = got.pages.items()
    assert url == f"http://web.test:{port}/talk" and "pmal" in page.head
    assert got.refused == []
