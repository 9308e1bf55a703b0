"""Searches against real servers that speak the engines' protocols, and misbehave."""

import gzip
import json
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import thoroughness
from gaia_harness.errors import ToolError
from gaia_harness.models.retry import on_wait
from gaia_harness.tools.proxies import Proxies
from gaia_harness.tools.search import HITS, Hit, WebSearch, one_line, render
from gaia_harness.tools.search_engines import Brave, Keyless, SearXNG, Tavily
from loopback import Answer, loopback

anything = st.text(max_size=60)
hits = st.lists(
    st.builds(
        Hit,
        url=st.one_of(anything, anything.map(lambda tail: "https://a.example/" + tail)),
        title=anything,
        snippet=anything,
    ),
    max_size=14,
)


@given(hits=hits)
@settings(max_examples=thoroughness.of(200), deadline=None, derandomize=True)
def test_sources_cut_the_text_into_the_blocks_of_its_hits(hits):
    output = render(hits)
    data = output.text.encode()
    assert len(output.sources) <= HITS
    end = 0
    for number, source in enumerate(output.sources, start=1):
        assert source.offset >= end
        block = data[source.offset : source.offset + source.bytes].decode()
        end = source.offset + source.bytes
        lines = block.split("\n")
        assert lines[0] == f"{number}. {source.title or '(no title)'}" and lines[1] == source.url
        hit = next(hit for hit in hits if one_line(hit.url, 2_000) == source.url)
        assert lines[2:] == ([one_line(hit.snippet, 1_000)] if one_line(hit.snippet, 1_000) else [])
    assert b"\n\n".join(data[s.offset : s.offset + s.bytes] for s in output.sources) == data or not output.sources


@given(text=st.text(max_size=300), at_most=st.integers(1, 50))
@settings(max_examples=thoroughness.of(100), deadline=None, derandomize=True)
def test_foreign_text_becomes_one_bounded_line(text, at_most):
    line = one_line(text, at_most)
    assert len(line) <= at_most and len(line.splitlines()) <= 1
    assert line.isprintable()


def test_control_characters_and_half_surrogates_do_not_pass():
    assert one_line("a\x07b\u202ec\ud800d", 50) == "a b c d"


def test_hit_cannot_pass_itself_off_as_two():
    output = render([Hit(url="https://a.example", title="x\n\n2. Fake", snippet="y\n\nhttps://b.example\u2028z")])
    assert output.text == "1. x 2. Fake\nhttps://a.example\ny https://b.example z" and len(output.sources) == 1


RESULTS = [
    {"url": "https://a.example/1", "title": "One", "content": "first words", "engine": "x"},
    {"url": "javascript:alert(1)", "title": "Bad", "content": ""},
    {"url": "https://a.example/2", "title": None, "content": 7},
    {"title": "no url"},
    "nonsense",
]


async def test_searxng_is_asked_for_json_and_its_hits_keep_their_structure():
    with loopback(lambda seen: Answer.json({"results": RESULTS})) as server:
        engine = SearXNG(server.url + "/")
        output = await WebSearch(engine).call({"query": " lamp \n house "})
        await engine.aclose()
    (seen,) = server.seen
    assert (seen.path, seen.query) == ("/search", {"q": ["lamp house"], "format": ["json"]})
    assert output.text == "1. One\nhttps://a.example/1\nfirst words\n\n2. (no title)\nhttps://a.example/2"
    assert [source.url for source in output.sources] == ["https://a.example/1", "https://a.example/2"]


async def test_brave_and_tavily_are_asked_with_their_keys():
    found = {"title": "<strong>Owl</strong> &amp; co", "url": "https://a.example", "description": "d<b>e</b>"}
    with loopback(lambda seen: Answer.json({"web": {"results": [found]}})) as server:
        engine = Brave("brave-key", base_url=server.url)
        output = await WebSearch(engine).call({"query": "owl"})
        await engine.aclose()
    assert output.text == "1. Owl & co\nhttps://a.example\nde"
    assert server.seen[0].path == "/res/v1/web/search" and server.seen[0].query["q"] == ["owl"]
    assert server.seen[0].headers["x-subscription-token"] == "brave-key"
    with loopback(lambda seen: Answer.json({"results": RESULTS})) as server:
        engine = Tavily("tavily-key", base_url=server.url)
        output = await WebSearch(engine).call({"query": "owl"})
        await engine.aclose()
    assert "first words" in output.text
    assert server.seen[0].json() == {"query": "owl", "max_results": 10}
    assert server.seen[0].headers["authorization"] == "Bearer tavily-key"


def packed(body, *behind):
    return Answer(200, b"".join([gzip.compress(body), *behind]), {"content-encoding": "gzip"}).in_chunks()


async def test_every_member_of_a_packed_answer_is_read():
    body = json.dumps({"results": RESULTS}).encode()
    with loopback(lambda seen: packed(body[:20], gzip.compress(body[20:]))) as server:
        engine = SearXNG(server.url)
        assert (await WebSearch(engine).call({"query": "x"})).sources
        await engine.aclose()
    assert server.seen[0].headers["accept-encoding"] == "gzip"


async def test_no_hits_are_no_error():
    with loopback(lambda seen: Answer.json({"results": []})) as server:
        engine = SearXNG(server.url)
        output = await WebSearch(engine).call({"query": "x"})
        await engine.aclose()
    assert output.text == "Nothing was found." and not output.is_error and output.sources == ()


@pytest.mark.parametrize(
    ("answer", "words", "requests"),
    [
        (Answer(401), "refuses its key", 1),
        (Answer(403), "settings.yml must list json", 1),
        (Answer(429), "asked too often", 2),
        (Answer(500), r"failed \(status 500\)", 2),
        (Answer(404), r"failed \(status 404\)", 1),
        (Answer(200, b"<html>"), "did not answer in JSON", 1),
        (Answer(200, b"[" * 100_000), "did not answer in JSON", 1),
        (Answer.json([1]), "not the form", 1),
        (Answer.json({"results": "x"}), "not the form", 1),
        (
            Answer.json({"results": [], "unresponsive_engines": [["duck", "CAPTCHA"], [], 7, ["goose"]]}),
            r"found nothing, and engines that it asks did not answer: duck \(CAPTCHA\), goose",
            1,
        ),
        (Answer(200, b" " * (6 << 20)), "larger than 5 MB", 1),
        (packed(b'{"results": []}', gzip.compress(bytes(6 << 20))), "larger than 5 MB", 1),
        (packed(b'{"results": []}', b"something else"), "cannot be unpacked", 1),
        (Answer(drop=True), "cannot be reached", 2),
        (Answer(200, b"{}" * 50, cut=20), "cannot be reached", 2),
    ],
)
async def test_engine_in_trouble_is_told_in_plain_words(answer, words, requests):
    with loopback(lambda seen: answer) as server:
        engine = SearXNG(server.url, pause=0.0)
        with pytest.raises(ToolError, match=words):
            await WebSearch(engine).call({"query": "x"})
        await engine.aclose()
    assert len(server.seen) == requests


async def test_engine_that_hangs_is_given_up():
    with loopback(lambda seen: Answer(delay=300)) as server:
        engine = SearXNG(server.url, seconds=0.3, pause=0.0)
        with pytest.raises(ToolError, match=r"within 0\.3 seconds"):
            await WebSearch(engine).call({"query": "x"})
        await engine.aclose()
    assert len(server.seen) <= 1  # none, if this machine is busy


async def test_engine_that_is_not_there_and_address_that_is_none():
    for url, words in (("http://127.0.0.1:9", "cannot be reached"), ("not a url", "cannot be")):
        engine = SearXNG(url, pause=0.0)
        with pytest.raises(ToolError, match=words):
            await WebSearch(engine).call({"query": "x"})
        await engine.aclose()


async def test_hiccup_is_tried_again_and_said_with_its_reason(caplog):
    answers = iter([Answer(503), Answer.json({"results": RESULTS})])
    told = []
    on_wait.set(told.append)
    with loopback(lambda seen: next(answers)) as server:
        engine = SearXNG(server.url, pause=0.01)
        assert (await WebSearch(engine).call({"query": "x"})).sources
        await engine.aclose()
    said = "searxng is asked once more in 0.0 s: The search engine failed (status 503)."
    assert told == [said, None]
    assert [record.getMessage() for record in caplog.records if record.levelname == "WARNING"] == [said]


async def test_key_is_not_in_any_message():
    with loopback(lambda seen: Answer(401, json.dumps({"error": "bad"}).encode())) as server:
        engine = Brave("very-secret-key", base_url=server.url)
        with pytest.raises(ToolError) as caught:
            await engine.search("x")
        await engine.aclose()
    assert "very-secret-key" not in str(caught.value)


async def test_keyless_search_without_a_network_says_so(caplog):
    engine = Keyless(Proxies(https="http://127.0.0.1:9"))
    with pytest.raises(ToolError, match="search engines cannot be reached"):
        await WebSearch(engine).call({"query": "heron"})
    assert "ddgs is asked once more: The search engines cannot be reached (" in caplog.text


async def test_keyless_search_keeps_its_hits_and_its_time():
    def found(query):
        return [{"href": "https://a.example", "title": query, "body": "b"}]

    assert (await WebSearch(Keyless(text=found)).call({"query": "q"})).text == "1. q\nhttps://a.example\nb"

    def nothing(query):
        raise RuntimeError("No results found.")

    assert (await WebSearch(Keyless(text=nothing)).call({"query": "q"})).text == "Nothing was found."
    over = threading.Event()
    with pytest.raises(ToolError, match=r"within 0\.1 seconds"):
        await Keyless(text=lambda query: over.wait(60) or [], seconds=0.1).search("q")
    over.set()


@pytest.mark.parametrize(
    ("args", "words"),
    [({}, '"query" is missing'), ({"query": "x" * 501}, "at most 500"), ({"q": "x"}, 'This tool takes "query"')],
)
async def test_search_tells_what_arguments_it_expects(args, words):
    with pytest.raises(ToolError, match=words):
        await WebSearch(Keyless(text=lambda query: [])).call(args)
