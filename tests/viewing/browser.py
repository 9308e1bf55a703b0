"""The system's chromium, driven by playwright: what a person sees who opens the page from disk."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed: apt install chromium")


class Opened:
    """A page that was opened, and everything that it did beside being shown."""

    def __init__(self, page: Any, path: Path) -> None:
        page.set_default_timeout(180_000)  # the machines are busy
        self.page = page
        self.path = path
        self.requests: list[str] = []
        self.complaints: list[str] = []
        page.on("request", lambda request: self.requests.append(request.url.partition("#")[0]))
        page.on("console", lambda message: self.complaints.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("dialog", self._dialog)
        page.on("popup", lambda popup: self.complaints.append(f"a window: {popup.url}"))

    def _dialog(self, dialog: Any) -> None:
        self.complaints.append(f"a dialog: {dialog.message}")
        dialog.dismiss()

    def go(self, behind: str = "") -> None:
        """Open the page at a place, as if by a link from elsewhere."""
        self.page.goto("about:blank")
        self.requests.clear()
        self.page.goto(self.path.as_uri() + behind)
        self.page.wait_for_selector("body[data-ready]", state="attached")

    def key(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def text(self, selector: str) -> str:
        return self.page.eval_on_selector(selector, "element => element.textContent")

    def texts(self, selector: str) -> list[str]:
        return self.page.eval_on_selector_all(selector, "all => all.map(element => element.textContent)")

    def shown(self, selector: str) -> bool:
        return self.page.is_visible(selector)

    def serious_faults(self) -> list[object]:
        """What axe says about who is shut out."""
        import axe_core_python

        self.page.evaluate(Path(axe_core_python.__file__).with_name("axe.min.js").read_text("utf-8"))
        found = self.page.evaluate("axe.run({resultTypes: ['violations']})")
        return [
            (one["id"], [node["html"][:200] for node in one["nodes"][:3]])
            for one in found["violations"]
            if one["impact"] in ("serious", "critical")
        ]

    def kept_to_itself(self) -> None:
        """Nothing was loaded but the file itself, and nobody was asked or told anything."""
        assert set(self.requests) == {self.path.as_uri()}
        assert self.complaints == []


@contextmanager
def chromium() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, env={**os.environ, "LC_ALL": "C.UTF-8"})
        yield browser
        browser.close()
