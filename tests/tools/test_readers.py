"""Files of all kinds, honest and hostile, through the real worker processes."""

import asyncio
import hashlib
import io
import os
import random
import signal
import struct
import subprocess
import sys
import zipfile
import zlib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import thoroughness
from counted_work import no_stall
from gaia_harness.errors import ToolError
from gaia_harness.tools.base import Attachment
from gaia_harness.tools.files import FileRead, neutral_name
from gaia_harness.tools.reader_pool import WINDOW, ReaderPool
from gaia_harness.tools.reader_worker import ReadRequest, answer
from gaia_harness.tools.readers import read


@pytest.fixture
async def pool():
    async with ReaderPool() as pool:
        yield pool


def zipped(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return out.getvalue()


def workbook() -> bytes:
    from openpyxl import Workbook
    from openpyxl.comments import Comment
    from openpyxl.styles import Color, PatternFill

    book = Workbook()
    sheet = book.active
    sheet.title = "Harvest"
    sheet["A1"], sheet["B1"] = "Orchard", "Pears"
    sheet["A2"], sheet["B2"] = "North\nfield", 41.5
    sheet["B3"] = "=SUM(B2:B2)"
    sheet["C3"].fill = PatternFill("solid", fgColor="FF00B050")
    sheet["D3"].fill = PatternFill("solid", fgColor=Color(theme=4, tint=-0.25))
    sheet["E3"].fill = PatternFill("solid", fgColor=Color(indexed=10))
    sheet["A4"].comment = Comment("count again", "me")
    sheet.merge_cells("A6:B7")
    book.create_sheet("Secret").sheet_state = "hidden"
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def picture(width: int, height: int, kind: str = "PNG") -> bytes:
    from PIL import Image

    out = io.BytesIO()
    Image.new("RGB", (width, height), "teal").save(out, kind)
    return out.getvalue()


def pdf(*pages: str) -> bytes:
    """A small PDF by hand, one line of text per page."""
    objects = ["<< /Type /Catalog /Pages 2 0 R >>"]
    kids = " ".join(f"{4 + 2 * n} 0 R" for n in range(len(pages)))
    objects.append(f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>")
    objects.append("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
    for n, text in enumerate(pages):
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] /Contents {5 + 2 * n} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>"
        )
        stream = f"BT /F1 12 Tf 20 200 Td ({text}) Tj ET"
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
    out = b"%PDF-1.4\n"
    places = []
    for n, body in enumerate(objects, start=1):
        places.append(len(out))
        out += f"{n} 0 obj\n{body}\nendobj\n".encode()
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    size = len(objects) + 1
    return (
        out
        + (
            f"xref\n0 {size}\n0000000000 65535 f \n{table}trailer\n<< /Size {size} /Root 1 0 R >>\n"
            f"startxref\n{len(out)}\n%%EOF"
        ).encode()
    )


def test_spreadsheet_shows_cells_colours_formulas_and_sheets():
    text = read(workbook(), "a.xlsx").text
    assert "=== sheet 'Harvest' (A1:E7) ===" in text and "=== sheet 'Secret' (A1:A1, hidden) ===" in text
    assert "A1: Orchard | B1: Pears" in text and "A2: North\\nfield | B2: 41.5" in text
    assert "B3: (formula =SUM(B2:B2), no value stored in the file)" in text
    assert "C3: (fill #00B050)" in text and "E3: (fill #FF0000)" in text
    assert "D3: (fill #376092)" in text  # Office's blue accent, a quarter darker
    assert "A4: (note: count again)" in text and "merged cells: A6:B7" in text


def test_spreadsheet_shows_the_stored_value_of_a_formula():
    import xlsxwriter

    out = io.BytesIO()
    book = xlsxwriter.Workbook(out)
    book.add_worksheet("Sums").write_formula("B2", "=20+3", None, 23)
    book.close()
    assert "B2: 23 (formula =20+3)" in read(out.getvalue(), "a.xlsx").text


def test_spreadsheet_with_far_cells_does_not_make_all_between():
    from openpyxl import Workbook

    book = Workbook()
    book.active["A1"], book.active["XFD1048576"] = "near", "far"
    out = io.BytesIO()
    book.save(out)
    with no_stall():
        assert "XFD1048576: far" in read(out.getvalue(), "a.xlsx").text


def test_document_keeps_paragraphs_and_tables_in_order():
    from docx import Document

    document = Document()
    document.add_heading("The ferry", 2)
    document.add_paragraph("before")
    table = document.add_table(1, 2)
    table.cell(0, 0).text, table.cell(0, 1).text = "bell", "three"
    document.add_paragraph("after", style="List Bullet")
    out = io.BytesIO()
    document.save(out)
    assert read(out.getvalue(), "a.docx").text == "## The ferry\nbefore\n| bell | three |\n- after"


def test_slides_show_text_tables_groups_and_notes():
    from pptx import Presentation
    from pptx.util import Inches

    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = "Lanterns"
    slide.shapes.add_table(1, 2, 0, 0, Inches(2), Inches(1)).table.cell(0, 0).text = "red"
    group = slide.shapes.add_group_shape()
    group.shapes.add_textbox(0, 0, Inches(1), Inches(1)).text_frame.text = "in a group"
    slide.notes_slide.notes_text_frame.text = "say hello"
    deck.slides.add_slide(deck.slide_layouts[6])
    out = io.BytesIO()
    deck.save(out)
    text = read(out.getvalue(), "a.pptx").text
    assert text == ("--- slide 1 of 2 ---\nLanterns\n| red |  |\nin a group\nnotes: say hello\n\n--- slide 2 of 2 ---")


def test_pdf_has_page_markers():
    text = read(pdf("The owl", "left at nine"), "a.pdf").text
    assert text == "--- page 1 of 2 ---\nThe owl\n\n--- page 2 of 2 ---\nleft at nine"


def test_html_has_its_title_first_and_no_scripts():
    page = b"""<html><head><title>Mill Lane</title><script>alert(1)</script></head><body><p>The mill was built in 1802
    by a baker who liked wind, and it stood for a long time on the hill.</p><table><tr><th>Year</th><th>Sails</th></tr>
    <tr><td>1802</td><td>four</td></tr></table></body></html>"""
    document = read(page, "page.html")
    assert document.title == "Mill Lane" and document.text.startswith("Mill Lane\n")
    assert "1802" in document.text and "four" in document.text and "alert" not in document.text


def test_html_in_which_nothing_is_found_is_dumped():
    page = "<html><body><script>no()</script><div>caf\xe9 <b>and</b> tea<br>here<!-- not --></div></body></html>"
    assert read(page.encode("latin-1"), "x.html", charset="iso-8859-1").text == "café and tea\nhere"


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("a.csv", b"x,y\n1,2\n", "x,y\n1,2\n"),
        ("a.csv", "café".encode("cp1252"), "café"),
        ("a.txt", "\ufeffhello".encode(), "hello"),
        ("a.txt", "hello".encode("utf-16"), "hello"),
        ("a.py", b"print(1)", "print(1)"),
        ("a.json", b'{"a": 1}', '{"a": 1}'),
        ("a.xml", b"<a/>", "<a/>"),
        ("a.unknown", "šest".encode(), "šest"),
        ("attachment", b"plain", "plain"),
    ],
)
def test_text_comes_as_it_is(name, data, said):
    assert read(data, name).text == said


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("a.mp3", b"ID3\x04rest", "MP3 audio"),
        ("a.wav", b"RIFF\0\0\0\0WAVEfmt ", "WAV audio"),
        ("a.mov", b"\0\0\0\x14ftypqt  ", "MP4 audio or video"),
        ("a.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1rest", "broken or not a real xls"),
        ("a.msi", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1rest", "old binary kind"),
        ("a.bin", b"\x80\x81\x82\x83", "a .bin file of a kind that cannot be read"),
        ("a.txt", b"", "empty"),
        ("a.pdf", b"%PDF-1.4 and nothing more", "broken or not a real pdf"),
        ("a.png", b"\x89PNG\r\n\x1a\n and nothing more", "broken or not a real image"),
        ("a.zip", b"PK\x03\x04 and nothing more", "broken zip"),
        ("a.xlsx", zipped({"[Content_Types].xml": b"<", "xl/workbook.xml": b"<"}), "broken or not a real xlsx"),
        ("a.docx", zipped({"[Content_Types].xml": b"<", "word/document.xml": b"<"}), "broken or not a real docx"),
        ("a.pptx", zipped({"[Content_Types].xml": b"<", "ppt/presentation.xml": b"<"}), "broken or not a real pptx"),
    ],
)
def test_what_cannot_be_read_is_named(name, data, words):
    with pytest.raises(ToolError, match=words):
        read(data, name)


def test_extension_does_not_make_a_file_what_it_is_not():
    assert read(pdf("The owl"), "a.txt").text.startswith("--- page 1")


def test_picture_is_scaled_down_and_bound_by_its_hash():
    document = read(picture(4000, 1000), "a.png")
    (image,) = document.images
    digest = hashlib.sha256(image.data).hexdigest()
    assert document.text == (f"[image: image/png, 1568 × 392 pixels, scaled down from 4000 × 1000, sha256 {digest}]")
    for kind, media_type in (("JPEG", "image/jpeg"), ("GIF", "image/png"), ("WEBP", "image/png")):
        (image,) = read(picture(40, 30, kind), "a").images
        assert image.media_type == media_type


def test_picture_that_claims_to_be_vast_is_refused():
    header = struct.pack(">IIBBBBB", 60_000, 60_000, 8, 2, 0, 0, 0)
    chunk = b"IHDR" + header
    data = b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + chunk + struct.pack(">I", zlib.crc32(chunk))
    data += struct.pack(">I", 0) + b"IDAT" + struct.pack(">I", zlib.crc32(b"IDAT"))
    with pytest.raises(ToolError, match="60000 × 60000 pixels"):
        read(data, "a.png")


def test_zip_is_listed_and_its_members_are_read():
    inner = zipped({"deep.txt": b"deeper", "nested.zip": zipped({"x": b"y"})})
    data = zipped({"notes/a.txt": b"heron", "b.xlsx": workbook(), "inner.zip": inner, "dir/": b""})
    listing = read(data, "attachment.zip").text
    assert "3 files" in listing and "notes/a.txt  5 bytes" in listing and '"attachment.zip/notes/a.txt"' in listing
    assert read(data, "attachment.zip", member="notes/a.txt").text == "heron"
    assert "A1: Orchard" in read(data, "attachment.zip", member="b.xlsx").text
    assert "deep.txt" in read(data, "attachment.zip", member="inner.zip").text
    assert read(data, "attachment.zip", member="inner.zip/deep.txt").text == "deeper"
    with pytest.raises(ToolError, match="archive in an archive in an archive"):
        read(data, "attachment.zip", member="inner.zip/nested.zip")
    with pytest.raises(ToolError, match="archive in an archive in an archive"):
        read(data, "attachment.zip", member="inner.zip/nested.zip/x")
    with pytest.raises(ToolError, match="There is no 'nothing'"):
        read(data, "attachment.zip", member="nothing")
    with pytest.raises(ToolError, match="is not an archive"):
        read(data, "attachment.zip", member="notes/a.txt/x")


@pytest.mark.parametrize("member", ["../etc/passwd", "/etc/passwd", "a/../../etc/passwd", "..", "."])
def test_zip_members_cannot_lead_outside(member):
    data = zipped({"../etc/passwd": b"planted", "a.txt": b"a"})
    with pytest.raises(ToolError, match="There is no"):
        read(data, "attachment.zip", member=member)


def test_zip_bombs_are_refused():
    bomb = zipped({"bomb.txt": bytes(30 << 20), "ok.txt": b"fine"})
    assert read(bomb, "a.zip", member="ok.txt").text == "fine"
    with pytest.raises(ToolError, match="200 times its size"):
        read(bomb, "a.zip", member="bomb.txt")
    with pytest.raises(ToolError, match="10,001 members"):
        read(zipped({str(n): b"" for n in range(10_001)}), "a.zip")
    office = {"[Content_Types].xml": b"<x/>", "xl/workbook.xml": b"<x/>", "xl/sheet1.xml": bytes(30 << 20)}
    with pytest.raises(ToolError, match="200 times its size"):
        read(zipped(office), "a.xlsx")


def test_zip_that_lies_about_its_sizes_is_refused():
    data = bytearray(zipped({"a.txt": random.Random(1).randbytes(5000)}))
    at = data.index(b"PK\x01\x02")
    data[at + 24 : at + 28] = (10).to_bytes(4, "little")  # the uncompressed size, in the central directory
    with pytest.raises(ToolError):
        read(bytes(data), "a.zip", member="a.txt")


@given(data=st.binary(max_size=300), name=st.sampled_from(["a.pdf", "a.png", "a.xlsx", "a.zip", "a.html", "a"]))
@settings(max_examples=thoroughness.of(80), deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_any_bytes_give_text_or_a_plain_error(data, name):
    starts = {"a.pdf": b"%PDF-1.7\n", "a.png": b"\x89PNG\r\n\x1a\n", "a.xlsx": b"PK\x03\x04", "a.zip": b"PK\x05\x06"}
    reply = answer(ReadRequest(data=starts.get(name, b"") + data, name=name, seconds=5))
    assert reply.error or reply.part.total <= 1_000
    (reply.text + reply.title + (reply.error or "")).encode()


async def test_worker_reads_and_is_used_again(pool):
    first = await pool.read(b"hello", "a.txt")
    (worker,) = pool._idle
    assert (first.text, first.part.total) == ("hello", 5)
    assert (await pool.read(b"again", "a.txt")).text == "again" and pool._idle == [worker]


async def test_worker_has_no_keys_in_its_environment(pool, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "planted-secret")
    await pool.read(b"hello", "a.txt")
    assert b"planted" not in Path(f"/proc/{pool._idle[0].pid}/environ").read_bytes()


HANGING = """
import sys, time
from gaia_harness.tools import reader_worker
read = reader_worker.answer
def answer(request):
    if request.data == b"hang": time.sleep(60)
    if request.data == b"eat":
        import gaia_harness.tools.readers as readers
        readers.read = lambda *a, **k: bytes(3 << 30)
    if request.data == b"crash": sys.exit(3)
    if request.data == b"print": print("noise", flush=True)
    return read(request)
reader_worker.answer = answer
reader_worker.main()
"""


async def test_worker_that_hangs_crashes_or_eats_memory_is_replaced():
    command = (sys.executable, "-I", "-c", HANGING)
    async with ReaderPool(workers=1, command=command) as pool:
        for data, words in ((b"eat", "more memory"), (b"crash", "reader crashed"), (b"hang", "more than 1 seconds")):
            pool._seconds = 1 if data == b"hang" else 60
            with pytest.raises(ToolError, match=words):
                await pool.read(data, "a.txt")
            pool._seconds = 60
            if data == b"eat":
                await pool.aclose()  # its reader was replaced for the test
                pool._closed = False
            assert (await pool.read(b"print", "a.txt")).text == "print"


async def test_cancelled_read_does_not_confuse_the_next():
    async with ReaderPool(workers=1, command=(sys.executable, "-I", "-c", HANGING)) as pool:
        reading = asyncio.create_task(pool.read(b"hang", "a.txt"))
        await asyncio.sleep(0.3)  # it is in the middle of it now
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
        assert (await pool.read(b"next", "a.txt")).text == "next"


async def test_pool_of_two_reads_many_at_once(pool):
    texts = await asyncio.gather(*(pool.read(f"file {n}".encode(), "a.txt") for n in range(20)))
    assert [reply.text for reply in texts] == [f"file {n}" for n in range(20)]
    assert len(pool._idle) == 2


def test_worker_ends_when_the_harness_is_killed(tmp_path):
    script = """
import asyncio, time
from gaia_harness.tools.reader_pool import ReaderPool
async def main():
    pool = ReaderPool()
    await pool.read(b"x", "a.txt")
    print(pool._idle[0].pid, flush=True)
    time.sleep(60)
asyncio.run(main())
"""
    harness = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE)
    pid = int(harness.stdout.readline())
    pidfd = os.pidfd_open(pid)
    harness.send_signal(signal.SIGKILL)
    harness.wait()
    harness.stdout.close()
    import select

    assert select.select([pidfd], [], [], 5)[0]
    os.close(pidfd)


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("7c1f-0042.xlsx", "attachment.xlsx"),
        ("x.PDF", "attachment.pdf"),
        ("x", "attachment"),
        ("x.tar.gz", "attachment.gz"),
        ("x.a b", "attachment"),
        ("x.../../etc", "attachment"),
        ("x.verylongextension", "attachment"),
    ],
)
def test_neutral_name_keeps_only_a_plain_extension(path, name):
    assert neutral_name(Path(path)) == name


async def test_file_read_pages_through_a_long_text(pool, tmp_path):
    whole = "".join(f"line {n} é\n" for n in range(9_000))
    path = tmp_path / "3b1-task.txt"
    path.write_text(whole)
    tool = FileRead(Attachment(path=path, name="attachment.txt"), pool)
    offset, got = 0, ""
    while True:
        text = (await tool.call({"path": "attachment.txt", "offset": offset})).text
        assert len(text) < WINDOW + 200
        part, _, last = text.rpartition("\n[characters ")
        got += part
        if last.endswith(f"of {len(whole):,}: the end]"):
            break
        offset = int(last.split('"offset": ')[1].split()[0])
    assert got == whole
    with pytest.raises(ToolError, match="nothing at offset"):
        await tool.call({"path": "attachment.txt", "offset": 10**9})


async def test_file_read_searches_in_a_file_and_in_a_member_of_a_zip(pool, tmp_path):
    path = tmp_path / "3b1-task.zip"
    path.write_bytes(zipped({"log.txt": b"tick\n" * 20_000 + b"a Heron came\n" + b"tock\n" * 20_000}))
    tool = FileRead(Attachment(path=path, name="attachment.zip"), pool)
    text = (await tool.call({"path": "attachment.zip/log.txt", "find": "heron came"})).text
    assert text.startswith('[1 match for "heron came" in 200,013 characters]\n[characters 99,702 to 100,312]\n')
    assert "tick\na Heron came\ntock" in text


@pytest.mark.parametrize("path", ["/etc/passwd", "3b1-task.txt", "../attachment.txt", "attachment", "attachment.txt2"])
async def test_file_read_refuses_other_paths_and_names_the_one(pool, tmp_path, path):
    (tmp_path / "3b1-task.txt").write_text("x")
    tool = FileRead(Attachment(path=tmp_path / "3b1-task.txt", name="attachment.txt"), pool)
    with pytest.raises(ToolError, match=r'The only one is "attachment\.txt"'):
        await tool.call({"path": path})


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ({}, '"path" is missing'),
        ({"path": "attachment.txt", "offset": "9"}, '"offset" must be an integer'),
        ({"path": "attachment.txt", "offset": -1}, "from 0 up"),
        ({"path": "attachment.txt", "offset": True}, "not a boolean"),
        ({"path": "attachment.txt", "page": 2}, 'takes "path", "offset", "find"'),
        ({"path": "attachment.txt", "find": 7}, '"find" must be a string, not a number'),
        ({"path": "attachment.txt", "find": " \n"}, '"find" is empty'),
        ({"path": "attachment.txt", "find": "x" * 201}, '"find" is 201 characters long; at most 200'),
        ({"path": {"a": 1}}, "must be a string, not an object"),
    ],
)
async def test_file_read_tells_what_arguments_it_expects(pool, tmp_path, args, words):
    tool = FileRead(Attachment(path=tmp_path / "x", name="attachment.txt"), pool)
    with pytest.raises(ToolError, match=words):
        await tool.call(args)


async def test_file_read_of_a_vanished_attachment_does_not_name_its_path(pool, tmp_path):
    tool = FileRead(Attachment(path=tmp_path / "3b1-task.txt", name="attachment.txt"), pool)
    with pytest.raises(ToolError, match=r"attachment\.txt cannot be opened: No such file") as caught:
        await tool.call({"path": "attachment.txt"})
    assert "3b1" not in caught.value.message
