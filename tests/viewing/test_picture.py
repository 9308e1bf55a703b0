"""Draws the picture of the page that README and docs/viewing.md show, and sees to it that it shows the page as it is.

Drawn by somebody else's fonts, and of another run of the demo, it is alike and not the same. So it also says which
sources it was drawn from. `make picture` draws it anew (pytest --redraw).
"""

import hashlib
import io
from pathlib import Path

from browser import Opened, chromium, needs_chromium
from PIL import Image, ImageChops, ImageStat, PngImagePlugin

from gaia_command import gaia

ROOT = Path(__file__).parents[2]
PICTURE = ROOT / "docs" / "images" / "view.png"
SOURCES = ROOT / "src" / "gaia_harness" / "viewing"
SIZE = 1180, 850
COLOURS = 48
COARSE, ALIKE = (12, 8), 2.5
"""As so many grey dots, pictures of the page differ by at most so much of 255 on average. Measured: 0.02 drawn by the
same fonts, 1.8 by a single bold one; 2.8 to 4.7 from other pages of ours, 4.5 from an empty one."""


@needs_chromium
def test_the_picture_shows_the_page_of_the_demo(tmp_path, request):
    assert gaia("demo", "--out", tmp_path / "demo").code == 0
    with chromium() as browser:
        page = browser.new_page(viewport=dict(zip(("width", "height"), SIZE, strict=True)), color_scheme="light")
        opened = Opened(page, tmp_path / "demo" / "report.html")
        opened.go()
        assert (opened.text(".big strong"), opened.text("h1")) == ("89.7", "scripted/demo")
        drawn = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
        opened.kept_to_itself()
    if request.config.getoption("--redraw"):
        note = PngImagePlugin.PngInfo()
        note.add_text("sources", sources_sha256())
        drawn.quantize(COLOURS).save(PICTURE, optimize=True, pnginfo=note)
    with Image.open(PICTURE) as kept:
        assert drawn.size == kept.size == SIZE
        assert difference(drawn, kept) < ALIKE, "the page looks otherwise: make picture"
    assert difference(drawn, Image.new("RGB", SIZE, drawn.getpixel((0, 0)))) > ALIKE


def test_the_picture_was_drawn_from_these_sources():
    with Image.open(PICTURE) as picture:
        assert picture.text.get("sources") == sources_sha256(), "the page has changed since it was drawn: make picture"


def sources_sha256() -> str:
    """Of what decides how the page looks."""
    whole = hashlib.sha256()
    for path in (*sorted(SOURCES.glob("web/*")), SOURCES / "glance.py", SOURCES / "pictures.py"):
        whole.update(path.read_bytes())
    return whole.hexdigest()


def difference(one: Image.Image, other: Image.Image) -> float:
    """How far two pictures are from each other, seen from afar."""
    coarse = [picture.convert("RGB").convert("L").resize(COARSE, Image.Resampling.BOX) for picture in (one, other)]
    return ImageStat.Stat(ImageChops.difference(*coarse)).mean[0]
