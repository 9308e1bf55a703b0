"""Pages from a real server, and ways to lead the tool where it must not go."""

import asyncio
import gzip
import hashlib
import io
import re
import shutil
import ssl
import subprocess
import threading
import zlib
from http.server import BaseHTTPRequestHandler, HTTPServer
from itertools import count

import pytest
import pytest_asyncio

from gaia_harness.errors import ToolError
from gaia_harness.tools import unpacking
from gaia_harness.tools.fetch import FetchLimits, WebFetch
from gaia_harness.tools.kept_pages import KeptPages
from gaia_harness.tools.proxies import Proxies
from gaia_harness.tools.reader_pool import ReaderPool
from loopback import Answer, loopback

pytestmark = pytest.mark.asyncio(loop_scope="module")  # one pool of readers for all
PAGE = b"<html><head><title>The Lamp House</title></head><body><p>It was lit by nine keepers.</p></body></html>"


def html(body: bytes = PAGE, status: int = 200, **headers: str) -> Answer:
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(status, body, {"content-type": "text/html; charset=utf-8", **names})


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def readers():
    async with ReaderPool() as pool:
        yield pool


@pytest_asyncio.fixture(loop_scope="module")
async def tool(readers):
    async def resolve(host, port):
        raise AssertionError(f"{host} must not be looked up")

    fetch = WebFetch(readers, allow_hosts=("localhost", "127.0.0.1"), resolve=resolve)
    yield fetch
    await fetch.aclose()


def guarded(readers, **addresses):
    """A tool that may read public addresses only, with a name service of its own."""
    asked = []

    async def resolve(host, port):
        asked.append(host)
        return addresses.get(host.replace(".", "_"), [])

    fetch = WebFetch(readers, resolve=resolve)
    fetch.asked = asked
    return fetch


async def test_page_comes_as_text_with_one_source(tool):
    with loopback(lambda seen: html()) as server:
        url = f"http://lamp.localhost:{server.port}/house?x=1"
        output = await tool.call({"url": url})
    assert output.text == "The Lamp House\n\nIt was lit by nine keepers."
    (source,) = output.sources
    assert (source.url, source.title, source.offset) == (url, "The Lamp House", 0)
    assert source.bytes == len(output.text.encode())
    assert server.seen[0].headers["host"] == f"lamp.localhost:{server.port}"


async def test_redirects_are_followed_and_the_end_is_told(tool):
    def answer(seen):
        return html() if seen.path == "/end" else html(b"", 302, location="/end")

    with loopback(answer) as server:
        output = await tool.call({"url": f"{server.url}/start"})
    assert output.sources[0].url == f"{server.url}/end"
    assert output.text.endswith(f"[read from {server.url}/end]")


async def test_redirects_without_end_are_given_up(tool):
    with loopback(lambda seen: html(b"", 302, location="/" + seen.path.strip("/") + "x")) as server:  # noqa: SIM117
        with pytest.raises(ToolError, match="redirects more than 10 times"):
            await tool.call({"url": server.url})
    assert len(server.seen) == 11


async def test_cookies_do_not_stay(tool):
    with loopback(lambda seen: html(set_cookie="id=7; Path=/")) as server:
        await tool.call({"url": server.url})
        await tool.call({"url": server.url})
    assert "cookie" not in server.seen[1].headers


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:{port}/",
        "http://2130706433:{port}/",
        "http://0x7f.1:{port}/",
        "http://0177.0.0.1:{port}/",
        "http://127.1:{port}/",
        "http://127.0.0.1.:{port}/",
        "http://１２７.0.0.1:{port}/",
        "http://127。0。0。1:{port}/",
        "http://localhost:{port}/",
        "http://localhost.:{port}/",
        "http://LOCALHOST:{port}/",
        "http://a.b.localhost:{port}/",
        "http://[::1]:{port}/",
        "http://[::ffff:127.0.0.1]:{port}/",
        "http://[::127.0.0.1]:{port}/",
        "http://[64:ff9b::7f00:1]:{port}/",
        "http://0.0.0.0:{port}/",
        "http://0:{port}/",
        "http://10.0.0.1/",
        "http://169.254.169.254/latest/meta-data",
        "http://[fe80::1%25lo]:{port}/",
    ],
)
async def test_local_addresses_are_refused_however_they_are_spelled(readers, url):
    with loopback(lambda seen: html()) as server:
        fetch = WebFetch(readers)
        with pytest.raises(ToolError, match=r"private or local network|cannot be found|is not a URL"):
            await fetch.call({"url": url.format(port=server.port)})
        await fetch.aclose()
    assert server.seen == []


async def test_name_that_resolves_to_a_private_address_is_refused(readers):
    fetch = guarded(readers, inner_example=["10.1.2.3"], mixed_example=["93.184.216.34", "192.168.0.9"])
    for host in ("inner.example", "mixed.example"):
        with pytest.raises(ToolError, match="private or local network"):
            await fetch.call({"url": f"http://{host}/"})
    with pytest.raises(ToolError, match="cannot be found"):
        await fetch.call({"url": "http://nowhere.example/"})


async def test_redirect_to_a_private_address_is_refused(readers):
    with loopback(lambda seen: html()) as inner:
        target = f"http://other.example:{inner.port}/"
        with loopback(lambda seen: html(b"", 302, location=target)) as outer:

            async def resolve(host, port):
                return ["127.0.0.1"]

            fetch = WebFetch(readers, allow_hosts=("start.example",), resolve=resolve)
            with pytest.raises(ToolError, match=r"other\.example is on a private"):
                await fetch.call({"url": f"http://start.example:{outer.port}/"})
            await fetch.aclose()
    assert len(outer.seen) == 1 and inner.seen == []


async def test_name_is_looked_up_once_so_that_it_cannot_change_its_address(readers):
    """DNS rebinding: the first answer passes the check, a second one would lead elsewhere."""
    answers = iter([["127.0.0.1"], ["127.0.0.99"]])

    async def resolve(host, port):
        return next(answers)

    with loopback(lambda seen: html()) as server:
        fetch = WebFetch(readers, allow_hosts=("rebind.example",), resolve=resolve)
        await fetch.call({"url": f"http://rebind.example:{server.port}/"})
        await fetch.aclose()
    assert server.seen[0].headers["host"] == f"rebind.example:{server.port}"
    assert next(answers) == ["127.0.0.99"]


async def test_second_address_is_tried_when_the_first_does_not_answer(readers):
    async def resolve(host, port):
        return ["127.0.0.77", "127.0.0.1"]

    with loopback(lambda seen: html()) as server:
        fetch = WebFetch(readers, allow_hosts=("two.example",), resolve=resolve)
        assert "nine keepers" in (await fetch.call({"url": f"http://two.example:{server.port}/"})).text
        await fetch.aclose()


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("ftp://example.org/", "must begin with http"),
        ("file:///etc/passwd", "must begin with http"),
        ("example.org", "must begin with http"),
        ("http://", "must begin with http"),
        ("http://user:pw@example.org/", "user name or password"),
        ("http://[::1", "not a URL"),
        ("http://example.org:99999/", "not a URL"),
        ("http://\x00/", "not a URL"),
    ],
)
async def test_urls_that_are_not_for_us_are_refused_with_a_reason(readers, url, words):
    with pytest.raises(ToolError, match=words):
        await guarded(readers).call({"url": url})


async def test_page_that_is_too_large_is_refused(readers):
    fetch = WebFetch(readers, allow_hosts=("127.0.0.1",), limits=FetchLimits(bytes=1 << 20))
    bomb = gzip.compress(bytes(50 << 20))
    assert len(bomb) < 100_000
    answers = {
        "/announced": html(b"x", content_length=str(2 << 20)),
        "/long": html(b"x" * ((1 << 20) + 1)),
        "/bomb": html(bomb, content_encoding="gzip"),
        "/odd": html(b"x", content_encoding="br"),
        "/broken": html(b"not gzip", content_encoding="gzip"),
    }
    with loopback(lambda seen: answers[seen.path]) as server:
        for path in ("/announced", "/long", "/bomb"):
            with pytest.raises(ToolError, match="larger than 1 MB"):
                await fetch.call({"url": server.url + path})
        with pytest.raises(ToolError, match="packed as 'br'"):
            await fetch.call({"url": server.url + "/odd"})
        with pytest.raises(ToolError, match="cannot be unpacked"):
            await fetch.call({"url": server.url + "/broken"})
    await fetch.aclose()


@pytest.mark.parametrize(("encoding", "packed"), [("gzip", gzip.compress(PAGE)), ("deflate", zlib.compress(PAGE))])
async def test_packed_page_is_unpacked(tool, encoding, packed):
    with loopback(lambda seen: html(packed, content_encoding=encoding)) as server:
        assert "nine keepers" in (await tool.call({"url": server.url})).text


HALVES = [PAGE[:40], PAGE[40:]]


async def test_every_member_of_a_packed_page_is_read(tool):
    """gunzip reads one member behind the other: a page that goes on in the second must not end with the first."""
    packed = b"".join(map(gzip.compress, HALVES))
    with loopback(lambda seen: html(packed, content_encoding="gzip")) as server:
        assert "nine keepers" in (await tool.call({"url": server.url})).text


async def test_members_that_come_byte_by_byte_are_read():
    body = unpacking._Body("gzip", 1 << 20, "The page")
    for byte in b"".join(map(gzip.compress, HALVES)):
        body.feed(bytes([byte]))
    assert body.whole() == PAGE


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
@pytest.mark.parametrize("behind", [b"nine keepers, unseen", b"\0" * 8, b"\x1f", gzip.compress(b"x", mtime=0)[:-1]])
async def test_what_cannot_be_unpacked_behind_a_page_is_refused(tool, encoding, behind):
    packed = (gzip.compress if encoding == "gzip" else zlib.compress)(PAGE) + behind
    with loopback(lambda seen: html(packed, content_encoding=encoding)) as server:  # noqa: SIM117
        with pytest.raises(ToolError, match=r"cannot be unpacked|cut short"):
            await tool.call({"url": server.url})


async def test_members_count_together_and_packed_bytes_too(readers):
    fetch = WebFetch(readers, allow_hosts=("127.0.0.1",), limits=FetchLimits(bytes=1 << 20))
    answers = {
        "/bombs": gzip.compress(bytes(600 << 10)) * 2,
        "/behind": gzip.compress(b"x") + bytes(2 << 20),
        "/nothing": gzip.compress(b"x") + b"\x1f\x8b\x08\x08" + bytes(6) + b"n" * (2 << 20),  # a name without end
        "/pieces": gzip.compress(b"") * (unpacking.MOST_MEMBERS + 1),
    }
    with loopback(lambda seen: html(answers[seen.path], content_encoding="gzip").in_chunks()) as server:
        for path, words in {
            "/bombs": "larger than 1 MB", "/behind": "cannot be unpacked", "/nothing": "larger than 1 MB",
            "/pieces": "more than 1000 pieces",
        }.items():  # fmt: skip
            with pytest.raises(ToolError, match=words):
                await fetch.call({"url": server.url + path})
    await fetch.aclose()


async def test_slow_server_is_given_up(readers):
    fetch = WebFetch(readers, allow_hosts=("127.0.0.1",), limits=FetchLimits(seconds=0.4))
    with loopback(lambda seen: Answer(delay=20)) as server, pytest.raises(ToolError, match=r"within 0\.4 seconds"):
        await fetch.call({"url": server.url})
    await fetch.aclose()


async def test_broken_connections_are_told_in_plain_words(tool):
    with loopback(lambda seen: Answer(drop=True)) as server, pytest.raises(ToolError, match="could not be fetched"):
        await tool.call({"url": server.url})
    with pytest.raises(ToolError, match="cannot be reached"):
        await tool.call({"url": server.url})
    with loopback(lambda seen: Answer(body=b"x" * 100, cut=10)) as server:  # noqa: SIM117
        with pytest.raises(ToolError, match="could not be fetched"):
            await tool.call({"url": server.url})


async def test_error_status_is_an_error_with_the_start_of_the_page(tool):
    page = b"<html><head><title>Gone</title></head><body><p>" + b"Nothing is here. " * 400 + b"</p></body></html>"
    with loopback(lambda seen: html(page, 404)) as server:
        output = await tool.call({"url": server.url + "/lost"})
    assert output.is_error and output.text.startswith("The server answered with status 404.\nGone")
    assert len(output.text) < 2_100 and output.sources[0].url == server.url + "/lost"
    with loopback(lambda seen: Answer(503)) as server:
        output = await tool.call({"url": server.url})
    assert output.is_error and output.text == "The server answered with status 503."


async def test_long_page_is_read_in_parts(tool):
    lines = "".join(f"line {n}\n" for n in range(8_000))
    with loopback(lambda seen: Answer(body=lines.encode(), headers={"content-type": "text/plain"})) as server:
        first = await tool.call({"url": server.url})
        assert first.text.endswith(
            f"\n[characters 0 to 40,000 of {len(lines):,}; call web_fetch again with "
            '"offset": 40000 to read on, or with "find" to search in it]'
        )
        second = await tool.call({"url": server.url, "offset": 40000})
    frame = f"\n[characters 40,000 to {len(lines):,} of {len(lines):,}: the end]\n[from the page as it was fetched "
    assert first.text.rpartition("\n[")[0] + second.text.rpartition(frame)[0] == lines
    assert first.sources[0].bytes == len(first.text.encode())
    assert len(server.seen) == 1 and second.sources[0].url == first.sources[0].url


def changing(text: str):
    """A server whose page is another one at every visit: `visit 1`, `visit 2` …, then `text`."""
    visits = count(1)

    def answer(seen):
        return Answer(body=f"visit {next(visits)}\n{text}".encode(), headers={"content-type": "text/plain"})

    return loopback(answer)


async def test_next_part_is_of_the_page_that_was_fetched_and_not_of_a_later_one(tool):
    with changing("kettle " * 12_000) as server:
        await tool.call({"url": server.url})
        found = await tool.call({"url": server.url + "#part", "find": "visit"})
        assert "visit 1\n" in found.text and "not fetched again]" in found.text and len(server.seen) == 1
        again = await tool.call({"url": server.url})  # without a part: a new look
        assert again.text.startswith("visit 2\n") and "not fetched again" not in again.text
        assert "visit 2\n" in (await tool.call({"url": server.url, "find": "visit"})).text


async def test_attempts_do_not_see_each_other_s_pages(tool):
    with changing("kettle " * 12_000) as server:
        one, two = tool.for_attempt(), tool.for_attempt()
        await one.call({"url": server.url})
        assert "visit 2\n" in (await two.call({"url": server.url, "find": "visit"})).text
        assert "visit 1\n" in (await one.call({"url": server.url, "find": "visit"})).text


async def test_kept_pages_are_bounded_and_a_page_that_went_is_fetched_again(tool):
    tool._kept = KeptPages(200_000)
    with changing("kettle " * 12_000) as server:  # 84,008 bytes: two have room
        for path in ("/a", "/b", "/a", "/c"):
            await tool.call({"url": server.url + path, "find": "kettle"})
        assert [seen.path for seen in server.seen] == ["/a", "/b", "/c"] and tool._kept._bytes < 200_000
        text = (await tool.call({"url": server.url + "/b", "find": "visit"})).text
        assert "visit 4\n" in text and "not fetched again" not in text
        assert "visit 3\n" in (await tool.call({"url": server.url + "/c", "find": "visit"})).text
    assert len(server.seen) == 4


async def test_page_is_searched_and_the_places_lead_on(tool):
    lines = [f"line {n}" for n in range(30_000)]
    lines[20_000] = "The Brass\n   Kettle stood here."
    text = "\n".join(lines)
    at = text.index("Brass")
    with loopback(lambda seen: Answer(body=text.encode(), headers={"content-type": "text/plain"})) as server:
        found = (await tool.call({"url": server.url, "find": "brass  kettle"})).text
        assert found.startswith(
            f'[1 match for "brass kettle" in {len(text):,} characters]\n[characters {at - 300:,} to '
        )
        assert text[at - 300 : at + 315] in found and len(found) < 1_000
        place = int(found.split("[characters ")[1].split(" ")[0].replace(",", ""))
        assert (await tool.call({"url": server.url, "offset": place})).text.startswith(text[place : place + 700])
        none = await tool.call({"url": server.url, "find": "copper kettle"})
        assert none.text.startswith('[no match for "copper kettle" in ') and not none.is_error
        with pytest.raises(ToolError, match="nothing at offset"):
            await tool.call({"url": server.url, "find": "line", "offset": 10**9})
    assert len(server.seen) == 1


async def test_many_matches_are_shown_a_few_at_a_time_and_none_is_left_out(tool):
    text = "".join(f"{n:06} heron {'.' * 700}\n" for n in range(50))
    with loopback(lambda seen: Answer(body=text.encode(), headers={"content-type": "text/plain"})) as server:
        seen, offset, counts = set(), 0, []
        while offset is not None:
            said = (await tool.call({"url": server.url, "find": "HERON", "offset": offset})).text
            seen |= set(re.findall(r"(\d{6}) heron", said))
            counts.append(said.split(" match")[0])
            more = re.search('"offset": ([0-9]+) for the next', said)
            offset = int(more[1]) if more else None
    assert len(seen) == 50 and counts == ["[50", "[30", "[10"]


async def test_search_is_for_the_words_and_no_pattern(tool):
    text = "a.c (1) " * 3 + "abc " * 20_000 + "x" + " " * 200_000 + "x"
    with loopback(lambda seen: Answer(body=text.encode(), headers={"content-type": "text/plain"})) as server:
        assert (await tool.call({"url": server.url, "find": "a.c (1)"})).text.startswith("[3 matches")
        wide = (await tool.call({"url": server.url, "find": "x x"})).text
        assert wide.startswith("[1 match ") and len(wide) < 1_000
        assert (await tool.call({"url": server.url, "find": "(a+)+$ [", "offset": 0})).text.startswith("[no match")


async def test_documents_and_pictures_are_read_by_the_same_readers(tool):
    from openpyxl import Workbook
    from PIL import Image

    sheet = io.BytesIO()
    book = Workbook()
    book.active["B2"] = "quince"
    book.save(sheet)
    picture = io.BytesIO()
    Image.new("RGB", (20, 10)).save(picture, "PNG")
    bodies = {
        "/a.xlsx": Answer(body=sheet.getvalue(), headers={"content-type": "application/octet-stream"}),
        "/p": Answer(body=picture.getvalue(), headers={"content-type": "image/png"}),
        "/j": Answer.json({"a": [1]}),
        "/l": Answer(body="café".encode("latin-1"), headers={"content-type": 'text/plain; charset="iso-8859-1"'}),
        "/m": Answer(body=b"ID3rest", headers={"content-type": "audio/mpeg"}),
        "/e": Answer(headers={"content-type": "text/html"}),
    }
    with loopback(lambda seen: bodies[seen.path]) as server:
        assert "B2: quince" in (await tool.call({"url": server.url + "/a.xlsx"})).text
        output = await tool.call({"url": server.url + "/p"})
        assert hashlib.sha256(output.images[0].data).hexdigest() in output.text
        assert (await tool.call({"url": server.url + "/j"})).text == '{"a": [1]}'
        assert (await tool.call({"url": server.url + "/l"})).text == "café"
        assert (await tool.call({"url": server.url + "/e"})).text == "(The page is empty.)"
        with pytest.raises(ToolError, match="MP3 audio"):
            await tool.call({"url": server.url + "/m"})


async def test_proxy_is_used_for_others_and_never_for_allowed_hosts(readers):
    async def resolve(host, port):
        return [] if host == "offline.example" else ["93.184.216.34" if host.startswith("public") else "10.0.0.1"]

    with loopback(lambda seen: html(b"from the proxy")) as proxy, loopback(lambda seen: html()) as server:
        fetch = WebFetch(
            readers,
            allow_hosts=("127.0.0.1",),
            resolve=resolve,
            proxies=Proxies.from_env({"http_proxy": proxy.url, "NO_PROXY": "direct.example"}),
        )
        assert "nine keepers" in (await fetch.call({"url": server.url})).text and proxy.seen == []
        assert (await fetch.call({"url": "http://public.example/a"})).text == "from the proxy"
        assert proxy.seen[0].headers["host"] == "public.example"
        for url in ("http://private.example/", "http://10.0.0.1/", "http://localhost/", "http://999.1/"):
            with pytest.raises(ToolError, match=r"private|cannot be found"):
                await fetch.call({"url": url})
        await fetch.aclose()
    assert len(proxy.seen) == 1


async def test_a_name_that_only_the_proxy_knows_is_read_only_if_it_is_allowed(readers):
    """An internal machine, say: the proxy would find it, and here nobody can tell where it is."""

    async def resolve(host, port):
        return []

    with loopback(lambda seen: html(b"from the proxy")) as proxy:
        fetch = WebFetch(
            readers,
            allow_hosts=("allowed.example",),
            resolve=resolve,
            proxies=Proxies.from_env({"http_proxy": proxy.url}),
        )
        for url in ("http://intranet/", "http://wiki.corp.example/a", "http://offline.example/"):
            with pytest.raises(ToolError, match=r"only the proxy knows is not read unless .*--allow-host"):
                await fetch.call({"url": url})
        assert proxy.seen == []
        assert (await fetch.call({"url": "http://www.allowed.example/"})).text == "from the proxy"
        assert [seen.headers["host"] for seen in proxy.seen] == ["www.allowed.example"]
        await fetch.aclose()


async def test_a_redirect_to_a_name_that_only_the_proxy_knows_is_not_followed(readers):
    async def resolve(host, port):
        return ["93.184.216.34"] if host == "public.example" else []

    with loopback(lambda seen: Answer(302, headers={"location": "http://intranet/"})) as proxy:
        fetch = WebFetch(readers, resolve=resolve, proxies=Proxies.from_env({"http_proxy": proxy.url}))
        with pytest.raises(ToolError, match="only the proxy knows"):
            await fetch.call({"url": "http://public.example/"})
        await fetch.aclose()
    assert [seen.headers["host"] for seen in proxy.seen] == ["public.example"]


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is needed to make a certificate")
async def test_certificate_is_checked_against_the_name_although_the_address_is_dialled(readers, tmp_path):
    key, cert = tmp_path / "key.pem", tmp_path / "cert.pem"
    make = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=test"
    command = [*make.split(), "-addext", "subjectAltName=DNS:good.example", "-keyout", key, "-out", cert]
    subprocess.run(command, check=True, capture_output=True)  # noqa: ASYNC221
    names = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"sealed")

        def log_message(self, *args):
            pass

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    context.sni_callback = lambda sock, name, ctx: names.append(name)
    server = HTTPServer(("127.0.0.1", 0), Handler)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()

    async def resolve(host, port):
        return ["127.0.0.1"]

    trusted = ssl.create_default_context(cafile=str(cert))
    fetch = WebFetch(readers, allow_hosts=("example",), resolve=resolve, tls=trusted)
    try:
        port = server.server_port
        assert (await fetch.call({"url": f"https://good.example:{port}/"})).text == "sealed"
        with pytest.raises(ToolError, match="cannot be reached"):
            await fetch.call({"url": f"https://bad.example:{port}/"})
        assert names == ["good.example", "bad.example"]
    finally:
        await fetch.aclose()
        await asyncio.to_thread(server.shutdown)
        server.server_close()
