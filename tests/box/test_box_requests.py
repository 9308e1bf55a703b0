"""Requests that try to get past the gateway: refused, and on record."""

import json

import pytest
from boxed import ASK, KEY, RAW, resolver, tried

from loopback import Answer, loopback
from provider_server import Says, provider_server

HOST = "Host: home.test\r\n"
SHOW = """
import json, sys
said = {name: raw(**{**how, "data": how["data"].encode("latin-1")}).decode("latin-1") for name, how in TRIES.items()}
print(json.dumps(said))
"""


def tries(table):
    return f"{RAW}\nTRIES = {table!r}\n{SHOW}"


def plain(data, host="home.test", **how):
    return {"host": host, "data": data, **how}


UNSOUND = {
    "a body of two lengths": plain(f"POST / HTTP/1.1\r\n{HOST}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!"),
    "a length and chunks": plain(
        f"POST / HTTP/1.1\r\n{HOST}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /in HTTP/1.1\r\n"
    ),
    "a length twice": plain(f"POST / HTTP/1.1\r\n{HOST}Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello"),
    "a length that is a list": plain(f"POST / HTTP/1.1\r\n{HOST}Content-Length: 5, 5\r\n\r\nhello"),
    "bare line ends": plain("GET / HTTP/1.1\nHost: home.test\n\n"),
    "one bare line end": plain(f"GET / HTTP/1.1\r\nX: 1\n{HOST}\r\n"),
    "a folded header": plain(f"GET / HTTP/1.1\r\n{HOST}X-A: 1\r\n Evil: 2\r\n\r\n"),
    "a head without an end": plain(f"GET / HTTP/1.1\r\n{HOST}X: {'x' * 70_000}"),
    "another coding": plain(f"POST / HTTP/1.1\r\n{HOST}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n"),
    "no chunk": plain(f"POST / HTTP/1.1\r\n{HOST}Transfer-Encoding: chunked\r\n\r\nZZ\r\n\r\n"),
    "a length below zero": plain(f"POST / HTTP/1.1\r\n{HOST}Content-Length: -1\r\n\r\n"),
    "another host": plain("GET / HTTP/1.1\r\nHost: other.test\r\n\r\n"),
    "two hosts": plain(f"GET / HTTP/1.1\r\n{HOST}{HOST}\r\n"),
    "no host": plain("GET / HTTP/1.1\r\n\r\n"),
    "another port": plain("GET / HTTP/1.1\r\nHost: home.test:22\r\n\r\n"),
    "a port of many digits": plain(f"GET / HTTP/1.1\r\nHost: home.test:{'9' * 5000}\r\n\r\n"),
    "a whole address": plain(f"GET http://other.test/ HTTP/1.1\r\n{HOST}\r\n"),
    "a tunnel": plain(f"CONNECT other.test:443 HTTP/1.1\r\n{HOST}\r\n"),
    "no path": plain(f"GET * HTTP/1.1\r\n{HOST}\r\n"),
    "another protocol": plain("SSH-2.0-agent\r\n\r\n"),
    "HTTP/2": plain("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    "no HTTP in TLS": plain("\x00\x01\x02 hello\r\n\r\n", port=443, tls=True),
    "TLS for another name": plain(f"GET / HTTP/1.1\r\n{HOST}\r\n", port=443, tls=True, name="other.test"),
    "TLS for another name and host": plain(
        "GET / HTTP/1.1\r\nHost: other.test\r\n\r\n", port=443, tls=True, name="other.test"
    ),
}


async def test_unsound_requests_are_refused_and_on_record(tmp_path):
    got = await tried(tmp_path, tries(UNSOUND), resolve=resolver)
    assert {name: said.split(" ")[1] for name, said in got.said.items()} == {
        name: OTHER_ANSWERS.get(name, "421" if name in MISMATCHED else "400") for name in UNSOUND
    }
    assert len(got.refused) == len(UNSOUND)
    assert got.pages == {} and got.failures == ()
    assert got.result.fault is None  # it is the agent that did this: the run goes on


OTHER_ANSWERS = {"another coding": "501", "a head without an end": "431"}
MISMATCHED = {
    *("another host", "another port", "a port of many digits", "a whole address", "a tunnel"),
    *("no path", "HTTP/2", "TLS for another name", "TLS for another name and host"),
}


async def test_what_is_no_tls_is_refused_and_on_record(tmp_path):
    script = RAW + "raw('home.test', b'GET / HTTP/1.1\\r\\n\\r\\n', port=443); print('{}')"
    got = await tried(tmp_path, script)
    assert [(where, why.split(":")[0]) for where, why in got.refused] == [("home.test:443", "no TLS came about")]
    assert "home.test" in got.ended  # names that were looked up


PRIVATE = (
    *("169.254.169.254", "10.0.0.1", "192.168.1.1", "127.0.0.1", "100.64.0.1", "metadata.test", "inside.test"),
    *("home.test", "six.test", "mixed.test"),
)


async def test_private_addresses_and_names_that_lead_to_them_are_refused_and_on_record(tmp_path):
    table = {host: plain(f"GET /x HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n", host) for host in PRIVATE}
    got = await tried(tmp_path, tries(table), resolve=resolver)
    for host in PRIVATE:
        assert "is on a private or local network" in got.said[host]
        page = got.pages[f"http://{host}/x"]
        assert page.is_error and "is on a private or local network" in page.head


async def test_the_address_that_was_checked_is_the_one_that_is_used(tmp_path):
    """A name that turns to another address at its second look-up (DNS rebinding)."""
    asked = []

    async def turning(host, port):
        asked.append(host)
        return ["127.0.0.1"] if len(asked) == 1 else ["169.254.169.254"]

    with loopback(lambda seen: Answer(200, b"a page")) as server:
        port = server.port
        table = {
            "page": plain(
                f"GET / HTTP/1.1\r\nHost: turn.test:{port}\r\nConnection: close\r\n\r\n", "turn.test", port=port
            )
        }
        got = await tried(tmp_path, tries(table), resolve=turning, allow_hosts=("turn.test",), ports=(port,))
    assert got.said["page"].endswith("a page")
    assert asked == ["turn.test"]


async def test_what_is_sent_on_is_what_is_on_record(tmp_path):
    """A path is passed on by the very words of the record, and two requests at once are two."""
    with loopback(lambda seen: Answer(200, b"a page")) as server:
        host = f"Host: web.test:{server.port}"
        paths = ("/a/../%2e%2e/b;c?d=e//f", "/second")
        text = (
            f"GET {paths[0]} HTTP/1.1\r\n{host}\r\n\r\nGET {paths[1]} HTTP/1.1\r\n{host}\r\nConnection: close\r\n\r\n"
        )
        table = {"both": plain(text, "web.test", port=server.port)}

        async def here(name, port):
            return ["127.0.0.1"]

        got = await tried(tmp_path, tries(table), resolve=here, allow_hosts=("web.test",), ports=(server.port,))
        assert got.said["both"].count("a page") == 2
        assert sorted(got.pages) == [f"http://web.test:{server.port}{path}" for path in paths]
        first, second = server.seen
    assert (first.path, first.query, second.path) == ("/a/../%2e%2e/b;c", {"d": ["e//f"]}, "/second")


PATHS = (
    *("/v1/../v1/chat/completions", "//v1/chat/completions", "/v1/chat/completions/", "/v1/chat/completions;x"),
    *("/v1/chat/completions?x=1", "/v1/%63hat/completions", "/v1/chat%2fcompletions", "/v1/./chat/completions"),
    *("/v1/models/../chat/completions", "/v1/%2e%2e/v1/files", "/v1/files", "/v1/messages", "/V1/chat/completions"),
)


async def test_tricks_with_paths_and_methods_do_not_reach_the_provider(tmp_path):
    body = json.dumps({"model": "gpt-4o", "messages": [{"role": "user", "content": "Hello"}]})
    tail = f"Content-Type: application/json\r\nConnection: close\r\nContent-Length: {len(body)}\r\n\r\n{body}"
    here = {"host": "127.0.0.1", "port": 8317}
    table = {path: plain(f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{tail}", **here) for path in PATHS}
    for method in ("GET", "PUT", "DELETE", "PATCH", "TRACE"):
        words = f"{method} /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\n{tail}"
        table[method] = plain(words, **here)
    table["host"] = plain(f"POST /v1/files HTTP/1.1\r\nHost: api.openai.com\r\n{tail}", "api.openai.com")
    upgrade = "Host: api.openai.com\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n"
    table["realtime"] = plain(f"GET /v1/realtime?model=x HTTP/1.1\r\n{upgrade}", "api.openai.com", seconds=2)
    with provider_server(lambda body: Says("FINAL ANSWER: 42")) as provider:
        got = await tried(tmp_path, tries(table), base_url=f"{provider.url}/v1")
        assert provider.loopback.seen == []
    assert {said.split(" ")[1] for said in got.said.values()} == {"404"}
    assert len(got.refused) == len(table)


async def test_other_models_hosted_tools_and_stored_history_are_refused(tmp_path):
    script = f"""
{ASK}
import urllib.error
said = []
for more in ({{"model": "gpt-5"}}, {{"tools": [{{"type": "web_search"}}]}}, {{"web_search_options": {{}}}}):
    try:
        ask("Hello", **more)
    except urllib.error.HTTPError as error:
        said.append((error.code, json.load(error)["error"]["message"]))
print(json.dumps(said))
"""
    with provider_server(lambda body: Says("FINAL ANSWER: 42")) as provider:
        got = await tried(tmp_path, script, base_url=f"{provider.url}/v1")
        assert provider.loopback.seen == []
    assert [code for code, _ in got.said] == [403, 403, 403]
    assert "'gpt-5' is not one of this run" in got.said[0][1]
    assert len(got.refused) == 3


async def test_the_key_is_put_in_outside_and_what_the_agent_sent_is_not_passed_on(tmp_path):
    script = f"""
{ASK}
import gzip, urllib.request
body = gzip.compress(json.dumps({{"model": "gpt-4o", "messages": [{{"role": "user", "content": "Hello"}}]}}).encode())
headers = {{"authorization": "Bearer mine", "x-api-key": "mine", "cookie": "mine", "content-encoding": "gzip"}}
request = urllib.request.Request("http://api.openai.com/v1/chat/completions", body, headers)
print(json.dumps(json.load(urllib.request.urlopen(request))["choices"][0]["message"]["content"]))
"""
    with provider_server(lambda body: Says("Well.")) as provider:
        got = await tried(tmp_path, script, base_url=f"{provider.url}/v1")
    assert got.said == "Well."
    (seen,) = provider.seen  # unpacked, so that the provider reads what we have read
    assert seen.headers["authorization"] == f"Bearer {KEY}"
    assert "mine" not in str(seen.headers) and "content-encoding" not in seen.headers


@pytest.mark.parametrize("name", ["a b.test", "x/../y.test"])
async def test_a_made_up_name_in_tls_is_refused(tmp_path, name):
    """Written into the bytes of the first message: no library would send such a name."""
    script = f"""
import json, socket, ssl
stand_in = "q" * {len(name)}
incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
talk = ssl._create_unverified_context().wrap_bio(incoming, outgoing, server_hostname=stand_in)
try:
    talk.do_handshake()
except ssl.SSLWantReadError:
    pass
hello = outgoing.read().replace(stand_in.encode(), {name.encode("latin-1")!r})
with socket.create_connection(("93.184.215.14", 443), 20) as sock:
    sock.sendall(hello)
    print(json.dumps(sock.recv(100).hex()))
"""
    got = await tried(tmp_path, script)
    assert got.said == "" or got.said.startswith("15")  # nothing, or an alert
    assert [where for where, _ in got.refused] == ["93.184.215.14:443"]
