"""Makes the picture of `gaia view`'s page that README and docs/viewing.md show, from a new run of the demo.

The picture says which sources it was made from: tests/viewing/test_picture.py fails when they have changed since.

Usage: python -m scripts.page_picture   (needs chromium, and the extras `run` and `dev`)
"""

import hashlib
import io
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image, PngImagePlugin
from playwright.sync_api import sync_playwright

PICTURE = Path(__file__).parents[1] / "docs" / "images" / "view.png"
SOURCES = Path(__file__).parents[1] / "src" / "gaia_harness" / "viewing"
WIDTH, HEIGHT = 1180, 850
COLOURS = 48


def main() -> None:
    """Run the demo, open its page, keep what a person sees first."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "demo")
        subprocess.run([sys.executable, "-m", "gaia_harness", "demo", "--out", out], check=True, capture_output=True)
        picture = Image.open(io.BytesIO(screenshot(out / "report.html")))
    PICTURE.parent.mkdir(exist_ok=True)
    note = PngImagePlugin.PngInfo()
    note.add_text("sources", sources_sha256())
    picture.convert("RGB").quantize(COLOURS).save(PICTURE, optimize=True, pnginfo=note)
    print(f"{PICTURE}: {PICTURE.stat().st_size:,} bytes")


def sources_sha256() -> str:
    """Of what decides how the page looks."""
    whole = hashlib.sha256()
    for path in (*sorted(SOURCES.glob("web/*")), SOURCES / "glance.py", SOURCES / "pictures.py"):
        whole.update(path.read_bytes())
    return whole.hexdigest()


def screenshot(page: Path) -> bytes:
    """The page as it opens."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), chromium_sandbox=False)
        opened = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")
        opened.goto(page.as_uri())
        opened.wait_for_selector("body[data-ready]")
        return opened.screenshot()


if __name__ == "__main__":
    main()
