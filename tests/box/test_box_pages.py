"""Pages that an agent asked for, as calls and results of `agent.http`."""

import gzip
import hashlib
import io
import zlib

import pytest
import zstandard
from boxed import ASK, resolver, tried
from hypothesis import given
from hypothesis import strategies as st

from gaia_harness.box.pages import LARGEST_DOCUMENT, LARGEST_TEXT, document_in, record_page
from gaia_harness.box.unpacking import UnpackingError, unpacked_whole
from gaia_harness.evidence import Recorder, RecorderSettings
from gaia_harness.evidence.bodies import TextStore
from gaia_harness.evidence.fingerprint import Fingerprint
from gaia_harness.protocol import ERROR_STATUS
from gaia_harness.records.steps import LlmCall
from loopback import Answer, loopback
from provider_server import Says, provider_server

URL = "https://towers.example/grimble?q=height"
PAGE = "<p>Der Grimble-Turm ist 341 m hoch – „sehr“ hoch.</p>"
HTML = (b"Content-Type", b"text/html; charset=utf-8")


def deflated(data):
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


PACKED = {
    "gzip": gzip.compress,
    "x-gzip": lambda data: gzip.compress(data[:10]) + gzip.compress(data[10:]),  # in two members
    "deflate": zlib.compress,
    "zstd": zstandard.ZstdCompressor().compress,
}


def recorded(body=b"", headers=(HTML,), status=200, recorder=None, **given):
    recorder = recorder or Recorder()
    given = {"method": "GET", "url": URL, "status": status, "body": io.BytesIO(body), **given}
    record_page(recorder, 3, headers=headers, **given)
    assert recorder.failures == []
    return recorder.steps[-2:]


def sha(data):
    return hashlib.sha256(data).hexdigest()


def test_a_page_is_a_call_and_a_result_with_its_address():
    sent = b'{"query": "Grimble"}'
    call, result = recorded(PAGE.encode(), method="POST", request_body=io.BytesIO(sent))
    assert (call.name, call.turn) == ("agent.http", 3)
    assert call.args == {
        "method": "POST",
        "url": URL,
        "body": sent.decode(),
        "bytes": len(sent),
        "sha256": sha(sent),
    }
    assert (result.head, result.is_error, result.call_id) == (PAGE, False, call.call_id)
    assert [(source.url, source.offset, source.bytes) for source in result.sources] == [(URL, 0, len(PAGE.encode()))]


@pytest.mark.parametrize("packing", [*PACKED, "br"])
def test_what_was_sent_packed_is_recorded_unpacked_with_the_hash_of_what_went(packing):
    sent = PACKED.get(packing, bytes)(b'{"query": "How high is the tower?"}')
    headers = [(b"Content-Encoding", packing.encode())]
    call, _ = recorded(PAGE.encode(), method="POST", request_body=io.BytesIO(sent), request_headers=headers)
    assert call.args["body"] == '{"query": "How high is the tower?"}'
    assert (call.args["bytes"], call.args["sha256"]) == (len(sent), sha(sent))


@pytest.mark.parametrize("packing", PACKED)
def test_packed_pages_are_unpacked(packing):
    _, result = recorded(PACKED[packing](PAGE.encode()), [HTML, (b"Content-Encoding", packing.encode())])
    assert result.head == PAGE


def test_deflate_without_its_header_and_other_charsets():
    _, result = recorded(deflated(PAGE.encode()), [HTML, (b"content-encoding", b"deflate")])
    assert result.head == PAGE
    _, result = recorded("Höhe: 341 m".encode("latin-1"), [(b"content-type", b"text/plain; charset=ISO-8859-1")])
    assert result.head == "Höhe: 341 m"


@pytest.mark.parametrize("packing", ["br", "gzip, br", "compress"])
def test_what_we_cannot_unpack_is_said_and_hashed(packing):
    _, result = recorded(b"\x0b\x02", [HTML, (b"content-encoding", packing.encode())])
    assert f"packed as {packing!r}, which is not read" in result.head
    assert sha(b"\x0b\x02") in result.head
    assert result.cut is True


@pytest.mark.parametrize("packing", ["gzip", "deflate", "zstd"])
@given(end=st.integers(1, 60), flips=st.integers(0, 255))
def test_damaged_bodies_are_told_of(packing, end, flips):
    body = bytearray(PACKED[packing](PAGE.encode() * 3)[:end])
    body[len(body) // 2] ^= flips
    recorded(bytes(body), [HTML, (b"content-encoding", packing.encode())])


@pytest.mark.parametrize("packing", PACKED)
def test_a_body_that_is_cut_short_is_told_as_far_as_it_came(packing):
    _, result = recorded(PACKED[packing](PAGE.encode())[:-3], [HTML, (b"content-encoding", packing.encode())])
    assert "cannot be unpacked to its end" in result.head
    assert result.cut is True


@pytest.mark.parametrize("packing", ["", "gzip", "zstd"])
def test_a_long_page_is_kept_to_its_limit_and_hashed_whole(packing):
    whole = b"word " * (LARGEST_TEXT // 5 + 100)
    body = PACKED[packing](whole) if packing else whole
    _, result = recorded(body, [HTML, (b"content-encoding", packing.encode())])
    note = f"\n(Only the first {LARGEST_TEXT} bytes are kept. As it came: {len(body)} bytes, sha256 {sha(body)})"
    assert (result.bytes, result.cut) == (LARGEST_TEXT + len(note), True)
    assert result.output_sha256 == sha(whole[:LARGEST_TEXT] + note.encode())


@pytest.mark.parametrize(
    ("kind", "body", "shown"),
    [
        (b"image/png", b"\x89PNG\0", "image/png"),
        (b"application/pdf", b"%PDF-1.7", "application/pdf"),
        (b"", b"\0\1\2", "binary data"),
    ],
)
def test_what_is_no_text_is_a_line(kind, body, shown):
    _, result = recorded(body, [(b"content-type", kind)])
    assert result.head == f"({shown}, {len(body)} bytes, sha256 {sha(body)})"


def test_packed_model_calls_are_unpacked_up_to_a_limit():
    packed = PACKED["zstd"](b"x" * 100_000)
    assert unpacked_whole(packed, "zstd", 100_000) == b"x" * 100_000
    with pytest.raises(UnpackingError, match="more than 99999 bytes"):
        unpacked_whole(packed, "zstd", 99_999)


def test_errors_redirects_and_no_answer_at_all():
    _, result = recorded(b"Not here.", status=404)
    assert (result.head, result.is_error) == (ERROR_STATUS.format(status=404) + "\nNot here.", True)
    _, result = recorded(b"", [(b"Location", b"/elsewhere")], status=302)
    assert (result.head, result.is_error) == ("The page has moved to /elsewhere", False)
    _, result = recorded(status=None, body=None, error="refused: a private address")
    assert (result.head, result.is_error) == ("refused: a private address", True)


def test_a_page_is_scanned_in_full(tmp_path):
    question = "Which keeper of the Orrel light counted seven hundred and four moths in the winter of the long fog?"
    settings = RecorderSettings(
        fingerprint=Fingerprint({"t1": question}), bodies=TextStore(tmp_path / "bodies", compressed=True)
    )
    recorder = Recorder(task_id="t1", settings=settings)
    _, result = recorded(
        gzip.compress(f"{'far away ' * 9000}{question}".encode()),
        [HTML, (b"content-encoding", b"gzip")],
        recorder=recorder,
    )
    assert result.scan.copy == 1.0
    assert result.windows


def small_pdf(text):
    """A PDF with one page, as simple as they come."""
    drawn = b"BT /F1 12 Tf 72 720 Td (%b) Tj ET" % text
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
        b"/Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>",
        b"<< /Length %d >> stream\n%b\nendstream" % (len(drawn), drawn),
    ]
    body, places = b"%PDF-1.4\n", []
    for number, each in enumerate(objects, 1):
        places.append(len(body))
        body += b"%d 0 obj %b endobj\n" % (number, each)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    return body + b"xref\n0 5\n0000000000 65535 f \n%btrailer << /Size 5 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % (
        table,
        len(body),
    )


async def test_what_a_pdf_says_is_recorded_before_the_model_is_asked_about_it(tmp_path):
    pages = {
        "/tower.pdf": Answer(
            200, small_pdf(b"The tower of Grimble is 341 m high"), {"content-type": "application/pdf"}
        ),
        "/packed": Answer(200, gzip.compress(small_pdf(b"Packed")), {"content-encoding": "gzip"}),
        "/broken.pdf": Answer(200, b"%PDF-1.4 and no more", {"content-type": "application/pdf"}),
    }
    with loopback(lambda seen: pages[seen.path]) as web, provider_server(lambda body: Says("341")) as provider:
        script = f"""
{ASK}
sizes = [len(urllib.request.urlopen("http://web.test:{web.port}" + path).read()) for path in {list(pages)!r}]
print(json.dumps(sizes), ask("How high?"))
print("FINAL ANSWER: 341")
"""
        reach = {"resolve": resolver, "allow_hosts": ("web.test",), "ports": (web.port,)}
        got = await tried(tmp_path, script, base_url=f"{provider.url}/v1", **reach)
    assert (got.result.answer, got.failures) == ("341", ())
    first, packed, broken = (got.pages[f"http://web.test:{web.port}{path}"].head for path in pages)
    assert first.startswith("(application/pdf, ") and "The tower of Grimble is 341 m high" in first
    assert "Packed" in packed and "broken or not a real pdf file" in broken
    kinds = ["model" if isinstance(step, LlmCall) else getattr(step, "name", "") for step in got.steps]
    assert kinds.index("model") > max(at for at, kind in enumerate(kinds) if kind == "agent.http")


def test_only_documents_are_given_to_a_reader():
    headers = [(b"content-type", b"text/html")]
    assert document_in(headers, io.BytesIO(PAGE.encode())) is None
    assert document_in(headers, io.BytesIO(b"%PD")) is None
    assert document_in(headers, io.BytesIO(b"%PDF-1.4")) == b"%PDF-1.4"
    assert document_in(headers, io.BytesIO(b"%PDF-" + bytes(LARGEST_DOCUMENT))) is None
    assert document_in([(b"content-encoding", b"gzip")], io.BytesIO(b"%PDF-1.4")) is None
