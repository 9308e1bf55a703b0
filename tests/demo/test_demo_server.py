"""Does the demo's web behave like one: a search engine, virtual hosts, redirects, and no way out of its folder?"""

import http.client
import json
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote

import pytest

from gaia_harness.demo.pages import read_web
from gaia_harness.demo.server import DemoServer
from gaia_harness.errors import RunError


@pytest.fixture(scope="module")
def server():
    with DemoServer() as server:
        yield server


def get(server, path, host="127.0.0.1", method="GET"):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
    try:
        connection.putrequest(method, path, skip_host=True)
        connection.putheader("Host", f"{host}:{server.port}")
        connection.endheaders()
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read()
    finally:
        connection.close()


def search(server, query):
    status, headers, body = get(server, f"/search?q={quote(query)}&format=json")
    assert status == 200 and headers["Content-Type"] == "application/json"
    return json.loads(body)


def test_search_answers_in_the_json_form_of_searxng(server):
    found = search(server, "apologetic teapot")
    assert found["query"] == "apologetic teapot"
    assert found["number_of_results"] == len(found["results"]) > 1
    assert found["answers"] == found["suggestions"] == found["unresponsive_engines"] == []
    best = found["results"][0]
    assert best["url"] == f"http://museum.localhost:{server.port}/teapot.html"
    assert best["title"].startswith("The Apologetic Teapot") and best["engine"] == "orrel"
    assert "teapot" in best["content"].lower() and len(best["content"].split()) < 45
    scores = [result["score"] for result in found["results"]]
    assert scores == sorted(scores, reverse=True) and scores[-1] > 0


def test_the_snippet_is_cut_around_the_words_that_were_asked_for(server):
    found = search(server, "relit it eleven times matches")
    assert "relit it eleven times" in found["results"][0]["content"]
    assert found["results"][0]["content"].startswith("… ")


def test_search_finds_text_in_a_pdf_and_in_tables(server):
    assert any(r["url"].endswith("/report-2016.pdf") for r in search(server, "felt sprouted in one corner")["results"])
    assert any(r["url"].endswith("/census.csv") for r in search(server, "population_2020")["results"])


def test_a_search_without_hits_is_an_empty_list(server):
    assert search(server, "xyzzyplugh")["results"] == []


def test_links_between_sites_hold_the_port(server):
    _, _, body = get(server, "/fleet.html", host="ferries.localhost")
    assert f'href="http://songs.localhost:{server.port}/"'.encode() in body
    assert b"{{port}}" not in body


def test_the_same_path_on_two_hosts_is_two_pages(server):
    museum = get(server, "/visiting.html", host="museum.localhost")
    observatory = get(server, "/visiting.html", host="OBSERVATORY.localhost")
    assert museum[0] == observatory[0] == 200 and museum[2] != observatory[2]
    assert get(server, "/visiting.html")[0] == 404


def test_the_front_page_of_a_site_lists_its_pages(server):
    status, _, body = get(server, "/", host="songs.localhost")
    assert status == 200
    for page in read_web().pages:
        assert (f'href="{page.path}"'.encode() in body) == (page.site == "songs")


def test_an_old_address_redirects(server):
    status, headers, _ = get(server, "/lights", host="lanternkeepers.localhost")
    assert (status, headers["Location"]) == (301, "/register.html")
    assert get(server, headers["Location"], host="lanternkeepers.localhost")[0] == 200


@pytest.mark.parametrize(
    "path",
    [
        "/../../2023/validation/metadata.jsonl",
        "/..%2f..%2f2023/validation/metadata.jsonl",
        "/%2e%2e/%2e%2e/2023/validation/metadata.jsonl",
        "//etc/passwd",
        "/..\\..\\2023\\validation\\metadata.jsonl",
        "/../sites.json",
        "/../museum/teapot.html",
        "/./register.html",
        "/register.html%00.txt",
        "/%ff",
        "http://[/",
    ],
)
def test_no_path_leads_out_of_a_site(server, path):
    for host in ("lanternkeepers.localhost", "127.0.0.1"):
        status, _, body = get(server, path, host=host)
        assert status in (400, 404)
        assert b"Final answer" not in body and b"root:" not in body


def test_an_unknown_host_or_page_is_a_page_that_says_so(server):
    for host, path in (("elsewhere.localhost", "/"), ("museum.localhost", "/nothing.html"), ("127.0.0.1", "/x")):
        status, headers, body = get(server, path, host=host)
        assert status == 404 and headers["Content-Type"].startswith("text/html") and b"<h1>" in body


def test_a_search_for_nothing_and_in_another_form_is_refused(server):
    assert get(server, "/search?q=%20&format=json")[0] == 400
    assert get(server, "/search?q=goat")[0] == 403


def test_head_has_the_length_and_no_body(server):
    status, headers, body = get(server, "/teapot.html", host="museum.localhost", method="HEAD")
    assert status == 200 and int(headers["Content-Length"]) > 500 and body == b""


def test_many_at_once_get_the_same_answer(server):
    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda _: search(server, "goat chess")["results"][0]["url"], range(64)))
    assert set(answers) == {answers[0]}


def test_the_server_is_gone_after_its_block():
    with DemoServer() as server:
        port = server.port
        assert server.search_url == f"http://127.0.0.1:{port}"
    with pytest.raises(ConnectionError):
        http.client.HTTPConnection("127.0.0.1", port, timeout=5).request("GET", "/")


def test_a_port_that_is_taken_is_an_error_with_its_number(server):
    with pytest.raises(RunError, match=str(server.port)), DemoServer(port=server.port):
        pass


def test_it_starts_at_once_and_ranks_its_pages_when_it_is_first_asked():
    with DemoServer() as server:
        assert "_ranking" not in vars(server)
        search(server, "goat chess")
        assert "_ranking" in vars(server)
