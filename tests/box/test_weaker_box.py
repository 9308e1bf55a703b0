"""The box where only bubblewrap may make networks: the gateway is a proxy in it, and the record says so.

The refusal is a real one: under a filter of the kernel's, nobody makes a network by unshare(2), as under some security
profiles; bubblewrap makes its own by clone(2).
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from boxed import ASK, RAW, folder_of, needs_box, resolver, tried

from gaia_command import environment, gaia, lines
from gaia_harness.box.refused_sockets import NO_SUCH_SOCKETS
from gaia_harness.protocol import WEAKER_BOX
from loopback import Answer, loopback
from provider_server import Says, provider_server

FORBIDDEN = """
import ctypes, os, struct, sys
number = {"x86_64": 272, "aarch64": 97}[os.uname().machine]
lines = [(0x20, 0, 0, 0), (0x15, 0, 3, number), (0x20, 0, 0, 16), (0x45, 0, 1, 0x40000000)]  # with CLONE_NEWNET
lines += [(0x06, 0, 0, 0x00050001), (0x06, 0, 0, 0x7FFF0000)]
held = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in lines))
program = ctypes.create_string_buffer(struct.pack("HP", len(lines), ctypes.addressof(held)))
libc = ctypes.CDLL(None)
assert libc.prctl(38, 1, 0, 0, 0) == 0  # no new privileges
assert libc.prctl(22, 2, program) == 0  # a filter
os.execv(sys.argv[1], sys.argv[1:])
"""


def under_a_profile(*words: object, **env: str) -> subprocess.CompletedProcess[str]:
    """`gaia` where nobody but bubblewrap may make networks."""
    needs_box()
    argv = [sys.executable, "-c", FORBIDDEN, sys.executable, "-m", "gaia_harness", *map(str, words)]
    return subprocess.run(argv, env=environment(**env), capture_output=True, text=True, timeout=120, check=False)


AGENT = f"""
{ASK}{RAW}
import os, urllib.error, urllib.request
found = {{}}
def page(url):
    try:
        return urllib.request.urlopen(url, timeout=20).read().decode()
    except urllib.error.HTTPError as error:
        return f"{{error.code}} {{error.read().decode()}}"
    except OSError as error:
        return str(error)
urls = os.environ["URLS"].split()
print(json.dumps([ask("Hello"), [page(url) for url in urls]]))
print("FINAL ANSWER: 42")
"""


def test_a_run_under_such_a_profile_says_that_its_box_is_weaker(tmp_path):
    folder = folder_of(tmp_path / "agent", AGENT)
    (folder / "agent.toml").write_text('command = "python3 main.py"\nenvironment = ["URLS"]\n')
    with provider_server(lambda body: Says("Well.")) as provider:
        asked = ("--agent", folder, "--model", "openai/gpt-4o", "--base-url", f"{provider.url}/v1", "--dataset", "demo")
        where = ("--limit", "1", "--submit-intent", "--out", tmp_path / "run")
        urls = "http://192.168.7.7/tower https://tower.invalid/ http://1.2.3.4:22/ https://1.2.3.4:25/"
        env = {"URLS": urls, "OPENAI_API_KEY": "sk-test-0123456789abcdef"}
        ran = under_a_profile("run", *asked, *where, **env)
    assert ran.returncode == 0, ran.stderr
    assert "a weaker one, with the gateway as a proxy" in ran.stderr
    assert json.loads((tmp_path / "run" / "run.json").read_text())["isolation"]["agent"] == WEAKER_BOX
    steps = lines(tmp_path / "run" / "trajectories.jsonl")[0]["steps"]
    asked_for = [step["args"] for step in steps if step["type"] == "tool_call"]
    pages = [args["url"] for args in asked_for if "url" in args]
    assert pages == ["http://192.168.7.7/tower", "https://tower.invalid/"]
    assert [args["where"] for args in asked_for if "where" in args] == ["1.2.3.4:22", "1.2.3.4:25"]
    assert sum(step["type"] == "llm_call" for step in steps) == 1
    submitted = gaia("submit", tmp_path / "run", "--out", tmp_path / "package")
    assert submitted.code == 0, submitted.said
    verified = gaia("verify", tmp_path / "package", "--dataset", "demo").said
    assert "the agent ran in a weaker box" in verified and "1.2.3.4:22, refused (1 request)" in verified, verified


def test_validate_says_so_too(tmp_path):
    said = under_a_profile("validate").stdout
    assert "programs run in a WEAKER box" in said and "Operation not permitted" in said, said


PAST = """
found = {}
def seen(name, act):
    try:
        found[name] = act().decode("latin-1")
    except OSError as error:
        found[name] = errno.errorcode.get(error.errno) or type(error).__name__
get = "GET %s HTTP/1.1\\r\\nHost: %s\\r\\nConnection: close\\r\\n\\r\\n"
proxy = dict(host="127.0.0.1", port=8318)
for name, host, port in (("address", "93.184.215.14", 80), ("dns", "web.test", 80), ("model", "127.0.0.1", 443)):
    seen(name, lambda: raw(host, b"x", port=port))
for name, text in {
    "page": get % ("http://web.test:%(port)d/page", "web.test:%(port)d"),
    "private": get % ("http://inside.test/", "inside.test"),
    "other host": get % ("http://web.test/", "other.test"),
    "no address": get % ("/", "web.test"),
    "tls by address": get % ("https://web.test/", "web.test"),
    "other port": get % ("http://web.test:22/", "web.test:22"),
    "tunnel": "CONNECT web.test:22 HTTP/1.1\\r\\nHost: web.test:22\\r\\n\\r\\n",
    "own port": "CONNECT web.test:8317 HTTP/1.1\\r\\nHost: web.test:8317\\r\\n\\r\\n",
    "early": "CONNECT web.test:80 HTTP/1.1\\r\\nHost: web.test\\r\\n\\r\\nGET / HTTP/1.1\\r\\n",
    "noise": "\\x16\\x03\\x01 hello",
    "bare": "CONNECT web.test:80 HTTP/1.1\\n\\n",
}.items():
    seen(name, lambda: raw(data=text.encode("latin-1"), **proxy))
seen("hypervisor", lambda: socket.socket(socket.AF_VSOCK))
print(json.dumps(found))
"""


async def test_nothing_gets_past_the_proxy(tmp_path):
    with loopback(lambda seen: Answer(200, b"a page")) as server:
        script = f"{RAW}\nimport errno, json\n" + PAST.replace("%(port)d", str(server.port))
        how = {"resolve": resolver, "allow_hosts": ("web.test",), "ports": (server.port,), "proxied": True}
        got = await tried(tmp_path, script, **how)
        assert [seen.path for seen in server.seen] == ["/page"]
    found = {name: said if said.isalpha() else said.split(" ")[1] for name, said in got.said.items()}
    assert found == {
        "address": "ENETUNREACH",
        "dns": "gaierror",
        "model": "ECONNREFUSED",
        "page": "200",
        "private": "502",
        "other host": "421",
        "no address": "421",
        "tls by address": "421",
        "other port": "403",
        "tunnel": "403",
        "own port": "403",
        "early": "400",
        "noise": "400",
        "bare": "400",
        "hypervisor": "EAFNOSUPPORT",
    }
    assert len(got.refused) == 10 and got.failures == ()
    assert got.refused[-1] == ("socket(AF_VSOCK, SOCK_STREAM, 0)", NO_SUCH_SOCKETS)


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
async def test_clients_that_use_the_proxy_are_recorded_as_ever(tmp_path):
    script = """
import json, subprocess
said = [subprocess.run(["curl", "-sS", url], capture_output=True, text=True).stdout for url in
        ("https://api.openai.com/v1/models", "http://api.openai.com/v1/models")]
print(json.dumps([[each["id"] for each in json.loads(text)["data"]] for text in said]))
"""
    got = await tried(tmp_path, script, proxied=True)
    assert got.said == [["gpt-4o"], ["gpt-4o"]]
    assert "api.openai.com" in got.ended  # a name that was looked up


def test_the_filter_of_this_test_forbids_what_the_launcher_needs(tmp_path):
    launcher = Path(sys.modules["gaia_harness"].__file__ or "").parent / "box" / "launcher.py"
    settings = json.dumps({"network": True, "user": False})
    argv = [sys.executable, "-c", FORBIDDEN, sys.executable, "-I", "-S", str(launcher), settings]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (70, "the network of the box could not be made: Operation not permitted\n")


TRIED = """
import asyncio, datetime, sys
sys.path[:0] = sys.argv[1:]
from gaia_harness.box.authority import Authority
from gaia_harness.box.boxing import Box, BoxLimits, Mounts
from gaia_harness.box.gateway import Gateway
from gaia_harness.box.names import Names
from gaia_harness.box.trial import try_box
trial = asyncio.run(try_box())
print("proxied" if trial.proxied else "full" if trial.bwrap else trial.reason)
authority = Authority(datetime.datetime.now(datetime.UTC))
box = Box(trial.bwrap, Mounts(), authority.pem, proxied=trial.proxied)
argv = [str(box.python), "-I", "-c", "import socket; socket.socket(socket.AF_VSOCK)"]
def serve(doors):
    return Gateway(doors, Names(), authority, None, refused=lambda refusal: print(refusal.where))
done = asyncio.run(box.run(argv, {}, None, BoxLimits(seconds=30), serve, cwd="/"))
print(done.errors.head.decode().splitlines()[-1])
"""


@pytest.mark.parametrize("expected", ["full", "proxied"])
def test_an_ordinary_user_has_a_box_of_either_kind(expected):
    """As root the network is made as it is; an ordinary user makes a user namespace for it."""
    python = f"/usr/bin/python3.{sys.version_info.minor}"
    if os.geteuid() != 0 or not Path(python).exists():
        pytest.skip(f"these tests run as an ordinary user, or there is no {python} for one")
    source = Path(sys.modules["gaia_harness"].__file__ or "").parents[1]
    argv = [python, "-I", "-B", "-c", TRIED, str(source), str(Path(msgspec.__file__).parents[1])]
    if expected == "proxied":
        argv = [python, "-I", "-c", FORBIDDEN, *argv]
    words = ["setpriv", "--reuid=54321", "--regid=54321", "--clear-groups", *argv]
    done = subprocess.run(words, cwd="/", env={}, capture_output=True, text=True, check=False)
    if "Permission denied" in done.stderr or "No module named" in done.stderr:
        pytest.skip("an ordinary user may not read the packages here")
    assert done.stdout.splitlines() == [
        expected,
        "socket(AF_VSOCK, SOCK_STREAM, 0)",
        "OSError: [Errno 97] Address family not supported by protocol",
    ], done.stderr
