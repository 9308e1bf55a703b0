"""Pictures for a model that takes no images: the text in them, by a real tesseract where there is one."""

import io
import shutil
from pathlib import Path

import pytest

from gaia_harness.errors import ToolError
from gaia_harness.tools.base import Attachment
from gaia_harness.tools.fetch import WebFetch
from gaia_harness.tools.files import FileRead
from gaia_harness.tools.programs import PLACES, Programs
from gaia_harness.tools.python import Unsandboxed
from gaia_harness.tools.reader_pool import ReaderPool
from gaia_harness.tools.reading import AttemptReader
from gaia_harness.tools.sandbox import find_sandbox
from loopback import Answer, loopback

needs_tesseract = pytest.mark.skipif(
    shutil.which("tesseract", path=PLACES) is None, reason="tesseract is not installed (apt install tesseract-ocr)"
)


def picture(text: str, *, wide: int = 900, size: int = 40) -> bytes:
    from PIL import Image, ImageDraw, ImageFont

    image = Image.new("RGB", (wide, 4 * size), "white")
    ImageDraw.Draw(image).text((size, size), text, fill="black", font=ImageFont.load_default(size))
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


def saved(tmp_path: Path, data: bytes) -> Attachment:
    (tmp_path / "0b7.png").write_bytes(data)
    return Attachment(path=tmp_path / "0b7.png", name="attachment.png")


@needs_tesseract
async def test_text_in_a_picture_is_read_for_a_model_that_takes_no_images(tmp_path):
    search = await find_sandbox()
    if search.sandbox is None:
        pytest.skip(f"there is no sandbox here: {search.reason}")
    async with ReaderPool() as pool:
        reader = AttemptReader(pool, Programs(search.sandbox), sees_images=lambda: False)
        output = await FileRead(saved(tmp_path, picture("Ferry leaves at 19:42")), reader).call(
            {"path": "attachment.png"}
        )
    line, _, text = output.text.partition("\n")
    assert "this model takes no images. Below is the text in it by OCR (tesseract), which makes mistakes]" in line
    assert text == "Ferry leaves at 19:42" and output.images == ()


@needs_tesseract
async def test_small_print_on_a_large_picture_is_not_scaled_away(tmp_path):
    """Scaled to what models look at, these letters would be five pixels high."""
    async with ReaderPool() as pool:
        reader = AttemptReader(pool, Programs(Unsandboxed()), sees_images=lambda: False)
        tool = FileRead(saved(tmp_path, picture("The heron stood on one leg", wide=4000, size=24)), reader)
        assert (await tool.call({"path": "attachment.png"})).text.endswith("\nThe heron stood on one leg")


async def test_model_that_takes_images_gets_them_as_before(tmp_path):
    async with ReaderPool() as pool:
        reader = AttemptReader(pool, Programs(None))
        output = await FileRead(saved(tmp_path, picture("Ferry")), reader).call({"path": "attachment.png"})
    assert output.text.startswith("[image: image/png, 900 × 160 pixels, sha256 ") and len(output.images) == 1


@pytest.mark.parametrize(
    ("programs", "words"),
    [
        (Programs(Unsandboxed(), places="/nowhere"), "install it (apt install tesseract-ocr)."),
        (Programs(None), "there is none here (apt install bubblewrap)."),
    ],
)
async def test_picture_that_is_not_read_says_what_to_install(tmp_path, programs, words):
    if "/nowhere" not in programs._places:
        programs = Programs(None, places=str(tmp_path))
        (tmp_path / "tesseract").write_text("#!/bin/sh\n")
        (tmp_path / "tesseract").chmod(0o755)
    async with ReaderPool() as pool:
        reader = AttemptReader(pool, programs, sees_images=lambda: False)
        with pytest.raises(ToolError) as caught:  # an error, or a picture that nobody saw would count as opened
            await FileRead(saved(tmp_path, picture("Ferry")), reader).call({"path": "attachment.png"})
    assert "this model takes no images. The text in it was not read either." in caught.value.message
    assert caught.value.message.endswith(words)


async def test_picture_on_the_web_is_read_once_and_can_be_searched(tmp_path):
    (tmp_path / "tesseract").write_text(f"#!/bin/sh\necho run >> {tmp_path}/runs\necho 'Ferry at nine, bell at ten'\n")
    (tmp_path / "tesseract").chmod(0o755)
    with loopback(lambda seen: Answer(body=picture("Ferry"), headers={"content-type": "image/png"})) as server:
        async with ReaderPool() as pool:
            programs = Programs(Unsandboxed(), places=str(tmp_path))
            fetch = WebFetch(
                AttemptReader(pool, programs, sees_images=lambda: False), allow_hosts=("127.0.0.1",)
            ).for_attempt()
            assert "Ferry at nine" in (await fetch.call({"url": server.url})).text
            assert (await fetch.call({"url": server.url, "find": "bell AT"})).text.startswith("[1 match")
            await fetch.aclose()
    assert (tmp_path / "runs").read_text() == "run\n" and len(server.seen) == 1
