"""Makes the picture of `gaia view`'s page that README and docs/viewing.md show, from a new run of the demo.

Usage: python -m scripts.page_picture   (needs chromium, and the extras `run` and `dev`)
"""

import io
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

PICTURE = Path(__file__).parents[1] / "docs" / "images" / "view.png"
WIDTH, HEIGHT = 1180, 850
COLOURS = 48


def main() -> None:
    """Run the demo, open its page, keep what a person sees first."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "demo")
        subprocess.run([sys.executable, "-m", "gaia_harness", "demo", "--out", out], check=True, capture_output=True)
        picture = Image.open(io.BytesIO(screenshot(out / "report.html")))
    PICTURE.parent.mkdir(exist_ok=True)
    picture.convert("RGB").quantize(COLOURS).save(PICTURE, optimize=True)
    print(f"{PICTURE}: {PICTURE.stat().st_size:,} bytes")


def screenshot(page: Path) -> bytes:
    """The page as it opens."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"))
        opened = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")
        opened.goto(page.as_uri())
        opened.wait_for_selector("body[data-ready]")
        return opened.screenshot()


if __name__ == "__main__":
    main()
