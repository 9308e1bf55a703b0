"""Servers that mean harm or break off, and agents that do not wait for the end: all of it is on record."""

import asyncio
import contextlib
import gzip
import json
import threading

import pytest
from boxed import ASK, KEY, RAW, Unlimited, ask, boxed_agent, folder_of, raw_server, resolver, tried
from hypothesis import given
from hypothesis import strategies as st

from gaia_harness.box import model_gate
from gaia_harness.box.upstream import Scrubber
from gaia_harness.records.steps import LlmCall
from loopback import Answer, loopback
from provider_server import Says, provider_server

PAGE = b"The tower of Grimble is 341 m high. "


def reply(text, **more):
    message = {"role": "assistant", "content": text}
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    return {"id": "x", "model": "gpt-4o", "choices": [{"index": 0, "message": message}], "usage": usage, **more}


def chunk(data):
    return b"%x\r\n%b\r\n" % (len(data), data)


def event(delta, **more):
    choice = {"index": 0, "delta": delta, "finish_reason": more.pop("finish_reason", None)}
    return f"data: {json.dumps({'id': 'x', 'model': 'gpt-4o', 'choices': [choice], **more})}\n\n".encode()


async def tried_with(answer, tmp_path, script, **how):
    """Run a script whose provider and whose web.test are this server."""
    with raw_server(answer) as port:
        script = script.replace("PORT", str(port))
        how = {"resolve": resolver, "allow_hosts": ("web.test",), "ports": (port,), **how}
        return await tried(tmp_path, script, base_url=f"http://127.0.0.1:{port}/v1", **how), port


HALF = """
with socket.create_connection(("web.test", PORT), 20) as sock:
    sock.sendall(b"GET /page HTTP/1.1\\r\\nHost: web.test:PORT\\r\\n\\r\\n")
    said = b""
    while b"341 m" not in said:
        said += sock.recv(65536)
"""


@pytest.mark.parametrize("then", ["", "sock = socket.create_connection(('web.test', PORT)); time.sleep(0.2)"])
async def test_a_page_of_which_the_agent_reads_half_is_on_record(tmp_path, then):
    """It hangs up, or ends, before the server has come to the end."""
    gone = threading.Event()

    def endless(connection, _):
        connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ntransfer-encoding: chunked\r\n\r\n")
        connection.sendall(chunk(PAGE))
        while not gone.wait(0.02):
            connection.sendall(chunk(PAGE))

    script = "import time\n" + RAW + HALF + then + "\nprint('{}')"
    got, port = await tried_with(endless, tmp_path, script)
    gone.set()
    page = got.pages[f"http://web.test:{port}/page"]
    assert page.head.startswith("The agent did not wait for the end of the answer.")
    assert PAGE.decode() in page.head
    assert page.sources[0].url == f"http://web.test:{port}/page"
    assert got.failures == () and got.result.fault is None


async def test_a_websocket_that_is_open_when_the_agent_ends_is_on_record(tmp_path):
    def talk(connection, _):
        connection.sendall(b"HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n" + PAGE)
        connection.recv(100)
        threading.Event().wait(5)

    script = f"""
import os
{RAW}
sock = socket.create_connection(("web.test", PORT), 20)
upgrade = b"Host: web.test:PORT\\r\\nConnection: upgrade\\r\\nUpgrade: websocket\\r\\n\\r\\n"
sock.sendall(b"GET /talk HTTP/1.1\\r\\n" + upgrade)
said = b""
while b"341 m" not in said:
    said += sock.recv(65536)
sock.sendall(b"a secret question")
print("{{}}", flush=True)
os._exit(0)
"""
    got, port = await tried_with(talk, tmp_path, script)
    assert PAGE.decode() in got.pages[f"http://web.test:{port}/talk"].head
    assert got.calls("agent.http")[0].args["method"] == "GET"


async def test_a_server_that_breaks_off_fails_the_page_and_not_the_gateway(tmp_path):
    def broken(connection, request):
        if b"/long" in request:
            connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 5000\r\n\r\n" + PAGE)
        elif b"/odd" in request:
            connection.sendall(b"HTTP/1.1 200 OK\r\nx: a\x00b\r\n\r\n")
        elif b"/ws" in request:
            connection.sendall(b"220 mail.test ESMTP\r\n")

    script = f"""
import json
{RAW}
said = {{}}
upgrade = "Connection: upgrade\\r\\nUpgrade: websocket"
for path, more in (("/long", ""), ("/odd", ""), ("/none", ""), ("/ws", upgrade)):
    words = f"GET {{path}} HTTP/1.1\\r\\nHost: web.test:PORT\\r\\n{{more or 'Connection: close'}}\\r\\n\\r\\n"
    said[path] = raw("web.test", words.encode(), port=PORT, seconds=1).decode("latin-1")
print(json.dumps(said))
"""
    got, _ = await tried_with(broken, tmp_path, script)
    assert got.failures == () and got.result.fault is None
    pages = {url.rpartition("/")[2]: page.head for url, page in got.pages.items()}
    assert pages["long"].startswith("The answer broke off") and PAGE.decode() in pages["long"]
    assert "cannot be reached" in pages["odd"] and "cannot be reached" in pages["none"]
    assert "did not answer as HTTP/1.1" in pages["ws"]
    assert got.said["/none"].startswith("HTTP/1.1 502")


async def test_a_stream_is_passed_on_as_it_comes(tmp_path):
    heard = threading.Event()
    waited = []

    def stream(connection, request):
        if b"/heard" in request:
            heard.set()
            connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok")
            return
        connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
        connection.sendall(chunk(event({"role": "assistant", "content": "FINAL "})))
        waited.append(heard.wait(30))
        connection.sendall(chunk(event({"content": "ANSWER: 42"}, finish_reason="stop")) + chunk(b"data: [DONE]\n\n"))
        connection.sendall(b"0\r\n\r\n")

    script = """
import json, urllib.request
body = {"model": "gpt-4o", "stream": True, "messages": [{"role": "user", "content": "Hello"}]}
request = urllib.request.Request("http://127.0.0.1:8317/v1/chat/completions", json.dumps(body).encode())
reply = urllib.request.urlopen(request, timeout=40)
first = reply.readline()
urllib.request.urlopen("http://web.test:PORT/heard").read()
print("".join(json.loads(line[6:])["choices"][0]["delta"]["content"]
    for line in (first, *reply) if line.startswith(b"data: {")))
"""
    got, _ = await tried_with(stream, tmp_path, script)
    assert waited == [True]
    assert got.result.answer == "42"


async def test_a_reply_that_the_agent_hangs_up_on_is_on_record_and_paid_for(tmp_path):
    """Its tokens are told at its end, so it is read to its end."""
    gone = threading.Event()

    def stream(connection, request):
        if b"/gone" in request:
            connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n")
            gone.set()
            return
        connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
        connection.sendall(chunk(event({"role": "assistant", "content": "It is 341 m, "})))
        gone.wait(30)
        for _ in range(20):
            connection.sendall(chunk(event({"content": "or so "})))
        usage = {"prompt_tokens": 10, "completion_tokens": 5}
        connection.sendall(chunk(event({}, finish_reason="stop", usage=usage)) + chunk(b"data: [DONE]\n\n"))
        connection.sendall(b"0\r\n\r\n")

    script = f"""
import json, urllib.request
{RAW}
body = json.dumps({{"model": "gpt-4o", "stream": True, "messages": [{{"role": "user", "content": "Hi"}}]}}).encode()
head = b"POST /v1/chat/completions HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\nContent-Length: %d\\r\\n\\r\\n" % len(body)
with socket.create_connection(("127.0.0.1", 8317), 20) as sock:
    sock.sendall(head + body)
    said = b""
    while b"341 m" not in said:
        said += sock.recv(65536)
urllib.request.urlopen("http://web.test:PORT/gone").read()
print("FINAL ANSWER: 341")
"""
    got, _ = await tried_with(stream, tmp_path, script)
    (call,) = [step for step in got.steps if isinstance(step, LlmCall)]
    assert call.head == "It is 341 m, " + "or so " * 20
    assert (call.tokens_in, call.tokens_out) == (10, 5)
    assert [usage.output_tokens for usage in got.result.usages] == [5]


async def test_a_call_that_waits_when_the_agent_ends_is_not_made(tmp_path):
    waits, ended = threading.Event(), asyncio.Event()

    class Late(Unlimited):
        async def settled(self):
            waits.set()
            await ended.wait()

    def page(seen):
        waits.wait(30)
        return Answer(200, b"")

    with provider_server(lambda body: Says("Well.")) as provider, loopback(page) as web:
        script = f"""{ASK}
import os, threading
threading.Thread(target=ask, args=["Hello"]).start()
urllib.request.urlopen("http://web.test:{web.port}/waits").read()
os._exit(0)
"""
        reached = {"resolve": resolver, "allow_hosts": ("web.test",), "ports": (web.port,)}
        boxed = boxed_agent(folder_of(tmp_path / "agent", script), base_url=f"{provider.url}/v1", **reached)
        serving = boxed._box._serve

        async def watched(channel, serve):
            @contextlib.asynccontextmanager
            async def until_it_ends(doors):
                async with serve(doors):
                    try:
                        yield
                    finally:
                        ended.set()

            await serving(channel, until_it_ends)

        boxed._box._serve = watched
        await ask(boxed, meter=Late())
        assert waits.is_set() and provider.seen == []


async def test_a_reply_under_way_when_the_agent_ends_is_on_record(tmp_path):
    def stream(connection, _):
        connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
        connection.sendall(chunk(event({"role": "assistant", "content": "It is 341 m, I think"})))
        threading.Event().wait(5)

    script = f"""
import json, os
{RAW}
body = json.dumps({{"model": "gpt-4o", "stream": True, "messages": [{{"role": "user", "content": "Hi"}}]}}).encode()
head = b"POST /v1/chat/completions HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\nContent-Length: %d\\r\\n\\r\\n" % len(body)
sock = socket.create_connection(("127.0.0.1", 8317), 20)
sock.sendall(head + body)
said = b""
while b"341 m" not in said:
    said += sock.recv(65536)
print("FINAL ANSWER: 341", flush=True)
os._exit(0)
"""
    got, _ = await tried_with(stream, tmp_path, script)
    assert [step.head for step in got.steps if isinstance(step, LlmCall)] == ["It is 341 m, I think"]
    assert got.result.answer == "341"


HEARD = f"""
{RAW}
import json
body = json.dumps({{"model": "gpt-4o", "messages": [{{"role": "user", "content": "Hi"}}]}}).encode()
head = b"POST /v1/chat/completions HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\nConnection: close\\r\\n"
head += b"Content-Length: %d\\r\\n\\r\\n"
print(json.dumps(raw("127.0.0.1", head % len(body) + body, port=8317).decode("latin-1")))
"""


@pytest.mark.parametrize("where", ["two chunks", "a header", "packed", "an error"])
async def test_a_key_that_the_provider_says_again_does_not_enter_the_box(tmp_path, where):
    text = json.dumps(reply(f"Your key is {KEY}.")).encode()

    def leak(connection, _):
        if where == "two chunks":
            at = text.index(KEY.encode()) + 9
            connection.sendall(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n" + chunk(text[:at]))
            threading.Event().wait(0.2)
            connection.sendall(chunk(text[at:]) + b"0\r\n\r\n")
            return
        status, headers, body = "200 OK", "", text
        if where == "a header":
            headers, body = f"x-echo: {KEY}\r\n", json.dumps(reply("Hello")).encode()
        elif where == "packed":
            headers, body = "content-encoding: gzip\r\n", gzip.compress(text)
        elif where == "an error":
            status, body = "401 No", json.dumps({"error": {"message": f"Incorrect API key: {KEY}"}}).encode()
        head = f"HTTP/1.1 {status}\r\n{headers}content-length: {len(body)}\r\n\r\n"
        connection.sendall(head.encode() + body)

    got, _ = await tried_with(leak, tmp_path, HEARD)
    assert got.said.startswith("HTTP/1.1 401" if where == "an error" else "HTTP/1.1 200")
    assert KEY not in got.said and KEY[:12] not in got.said
    assert "*" * len(KEY) in got.said


async def test_headers_of_a_reply_cannot_be_more_than_headers(tmp_path):
    body = json.dumps(reply("Hello")).encode()

    def inject(connection, _):
        head = b"HTTP/1.1 200 OK\r\nx-a: b\rset-cookie: c\r\ncontent-length: %d\r\n\r\n" % len(body)
        connection.sendall(head + body)

    got, _ = await tried_with(inject, tmp_path, HEARD)
    assert "set-cookie" not in got.said.lower().split("\r\n\r\n")[0].split("\r\n")
    assert got.failures == ()


async def test_an_endless_reply_is_cut_and_on_record(tmp_path, monkeypatch):
    monkeypatch.setattr(model_gate, "LARGEST_CALL", 1 << 20)

    def endless(connection, _):
        connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
        connection.sendall(chunk(event({"role": "assistant", "content": "It is 341 m"})))
        while True:
            connection.sendall(chunk(event({"content": " or so" * 1000})))

    got, _ = await tried_with(endless, tmp_path, HEARD.replace('.decode("latin-1")', ".hex()[:9]"))
    (call,) = [step for step in got.steps if isinstance(step, LlmCall)]
    assert call.head.startswith("It is 341 m or so")
    assert got.failures == ()


@given(st.lists(st.sampled_from([KEY[:9], KEY[9:], KEY[:1], "k", "sk-", KEY, " ", "a"]), max_size=12))
def test_a_key_is_hidden_however_the_stream_is_cut(pieces):
    scrubber = Scrubber([KEY.encode()])
    out = b"".join(scrubber.feed(piece.encode()) for piece in pieces) + scrubber.end()
    assert out == "".join(pieces).replace(KEY, "*" * len(KEY)).encode()
