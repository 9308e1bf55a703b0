"""Office files of the old binary kind: a workbook and a document as LibreOffice saves them, and broken ones."""

import re
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import thoroughness
from gaia_harness.errors import ToolError
from gaia_harness.tools import programs
from gaia_harness.tools.base import Attachment
from gaia_harness.tools.files import FileRead
from gaia_harness.tools.kit import ToolConfig, ToolKit
from gaia_harness.tools.programs import PLACES, Programs
from gaia_harness.tools.python import Unsandboxed
from gaia_harness.tools.reader_pool import ReaderPool
from gaia_harness.tools.reader_worker import ReadRequest, answer
from gaia_harness.tools.reading import AttemptReader
from gaia_harness.tools.sandbox import find_sandbox

FILES = Path(__file__).with_name("files")
HARVEST, FERRY = FILES / "harvest.xls", FILES / "ferry.doc"


def needs(program: str):
    missing = shutil.which(program, path=PLACES) is None
    return pytest.mark.skipif(missing, reason=f"{program} is not installed (apt install {program})")


async def read_as_a_task_s_file(path: Path, **more) -> str:
    kit = await ToolKit.open(ToolConfig(), {})
    try:
        tool = next(tool for tool in kit.for_task(path) if tool.name == "file_read")
        return (await tool.call({"path": f"attachment{path.suffix}", **more})).text
    finally:
        await kit.aclose()


async def test_old_workbook_shows_cells_values_of_formulas_colours_dates_and_notes():
    assert await read_as_a_task_s_file(HARVEST) == (
        "=== sheet 'Harvest' (A1:D7) ===\nmerged cells: A6:B7\nA1: Orchard | B1: Pears | C1: Picked\n"
        "A2: North\\nfield | B2: 41.5 | C2: 1931-09-04 00:00:00\n"
        "A3: South (note: count again) | B3: 12 | C3: True | D3: (fill #00B050)\n"
        "B4: 53.5\nB5: #DIV/0!\nA6: Café\n\n"
        "=== sheet 'Store' (A1:A1, hidden) ===\nA1: jars"
    )


def test_old_workbook_has_as_many_cells_read_as_a_new_one(monkeypatch):
    monkeypatch.setattr("gaia_harness.tools.old_office.CELLS", 5)
    text = answer(ReadRequest(data=HARVEST.read_bytes(), name="a.xls", seconds=5)).text
    assert "A2: North" in text and "C2" not in text and "more cells are left out" in text


def test_kind_of_an_old_file_is_told_by_its_streams_and_not_by_its_name():
    assert "A1: Orchard" in answer(ReadRequest(data=HARVEST.read_bytes(), name="a.doc", seconds=5)).text
    reply = answer(ReadRequest(data=FERRY.read_bytes(), name="a.xls", hand_back=True, seconds=5))
    assert reply.handed_back is not None and reply.handed_back.kind == "doc"


@given(
    at=st.integers(0, 7_000), noise=st.binary(min_size=1, max_size=64), name=st.sampled_from(["a.xls", "a.doc", "a"])
)
@settings(max_examples=thoroughness.of(60), deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_damaged_workbook_gives_text_or_a_plain_error(at, noise, name):
    data = bytearray(HARVEST.read_bytes())
    data[at : at + len(noise)] = noise
    reply = answer(ReadRequest(data=bytes(data), name=name, seconds=5))
    assert reply.error or reply.part.total < 100_000
    (reply.text + (reply.error or "")).encode()


@needs("catdoc")
async def test_old_document_is_read_in_the_sandbox_and_the_result_says_by_what():
    if (await find_sandbox()).sandbox is None:
        pytest.skip("there is no sandbox here")
    text = await read_as_a_task_s_file(FERRY)
    assert text.startswith("[the document's text, as catdoc reads it]\nThe ferry\n")
    assert "rang three times at Café Móle." in text and "whistle\tone" in text
    assert "[1 match" in await read_as_a_task_s_file(FERRY, find="left at nine")


@needs("antiword")
async def test_antiword_reads_it_where_there_is_no_catdoc(monkeypatch):
    monkeypatch.setattr(programs, "DOCUMENT_READERS", programs.DOCUMENT_READERS[1:])
    text, program = await Programs(Unsandboxed()).document_text(FERRY.read_bytes())
    assert program == "antiword" and "rang three times at Café Móle." in text


@pytest.mark.parametrize(
    ("runner", "places", "words"),
    [
        (Unsandboxed(), "/nowhere", r"old kind \(\.doc\)\. Such files are read by catdoc .*apt install catdoc"),
        (None, None, r"runs only in the sandbox, and there is none here \(apt install bubblewrap\)"),
    ],
)
async def test_old_document_that_is_not_read_says_what_to_install(tmp_path, runner, places, words):
    if places is None:  # a program that would be run, if it might
        places = str(tmp_path)
        (tmp_path / "catdoc").write_text("#!/bin/sh\ntouch ran\n")
        (tmp_path / "catdoc").chmod(0o755)
    async with ReaderPool() as pool:
        reader = AttemptReader(pool, Programs(runner, places=places))
        with pytest.raises(ToolError, match=words):
            await FileRead(Attachment(path=FERRY, name="attachment.doc"), reader).call({"path": "attachment.doc"})


HOSTILE = """#!/bin/sh
{what}
"""


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ("exec sleep 60", "takes more than 1 seconds"),
        ("exec yes", "needs more than it may have to read it: output"),
        ("kill -SEGV $$", "could not read it"),
        ("exit 0", "No text was found in it"),
    ],
)
async def test_document_reader_that_is_led_astray_is_stopped(tmp_path, monkeypatch, what, words):
    (tmp_path / "catdoc").write_text(HOSTILE.format(what=what))
    (tmp_path / "catdoc").chmod(0o755)
    limits = programs.Limits(seconds=1.0, output_bytes=1 << 20)
    monkeypatch.setattr(programs, "_LIMITS", limits if "sleep" in what else programs.Limits(output_bytes=1 << 20))
    with pytest.raises(ToolError, match=words):
        await Programs(Unsandboxed(), places=str(tmp_path)).document_text(b"x")


async def test_document_reader_has_no_key_no_network_and_no_home_in_reach(monkeypatch):
    """What a reader that an attacker has taken over could see: run in its place, it prints it."""
    search = await find_sandbox()
    if search.sandbox is None:
        pytest.skip(f"there is no sandbox here: {search.reason}")
    monkeypatch.setenv("OPENAI_API_KEY", "planted-secret")
    probe = "env; ls -a /root /home 2>&1; ls /sys/class/net; cat /proc/net/dev; cat attachment.doc"
    monkeypatch.setattr(programs, "DOCUMENT_READERS", (("sh", "-c", probe),))
    text, _ = await Programs(search.sandbox).document_text(b"the document itself")
    interfaces = [line.split(":")[0].strip() for line in text.splitlines() if re.match(r"\s*\w+:\s+\d", line)]
    assert "planted" not in text and "the document itself" in text and set(interfaces) <= {"lo"}
    assert ".bashrc" not in text and "HOME=/task" in text


async def test_old_document_in_a_zip_is_read_as_well(tmp_path):
    import zipfile

    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.write(FERRY, "in/ferry.doc")
    (tmp_path / "catdoc").write_text("#!/bin/sh\nwc -c\n")
    (tmp_path / "catdoc").chmod(0o755)
    async with ReaderPool() as pool:
        reader = AttemptReader(pool, Programs(Unsandboxed(), places=str(tmp_path)))
        tool = FileRead(Attachment(path=tmp_path / "a.zip", name="attachment.zip"), reader)
        text = (await tool.call({"path": "attachment.zip/in/ferry.doc"})).text
    assert text == f"[the document's text, as catdoc reads it]\n{FERRY.stat().st_size}"
