"""Every link in README and docs/ leads somewhere, and every file of ours that they name is there."""

import re
from pathlib import Path

import pytest
from handbook import DOCS, PAGES, ROOT, name_of, spans, text_of, without_fences

_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_PATH = re.compile(r"(?:src|tests|docs|benchmarks|conformance|fuzz|scripts)/[\w./-]*|pyproject\.toml|Makefile")
WEB = {
    "https://huggingface.co/datasets/gaia-benchmark/GAIA",
    "https://inspect.aisi.org.uk",
    "https://agentclientprotocol.com",
}
"""Addresses outside are looked at by people."""


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    titles = re.findall(r"^#+ (.*)$", without_fences(text_of(page)), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def dead(page: Path, text: str) -> list[str]:
    """Links of a page that lead nowhere."""
    wrong = []
    for link in _LINK.findall(without_fences(text)):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if link.startswith("http"):
            if link not in WEB:
                wrong.append(link)
        elif not target.exists() or (anchor and anchor not in anchors(target)):
            wrong.append(link)
    return wrong


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CHANGELOG.md"], ids=name_of)
def test_every_link_leads_somewhere(page):
    assert dead(page, text_of(page)) == []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_file_of_ours_that_is_named_is_there(page):
    named = [span for span in spans(text_of(page)) if _PATH.fullmatch(span)]
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_every_page_and_decision_can_be_found():
    linked = {
        (page.parent / link.partition("#")[0]).resolve()
        for page in PAGES
        for link in _LINK.findall(without_fences(text_of(page)))
        if not link.startswith("http")
    }
    assert {page for page in PAGES if page.is_relative_to(DOCS)} - linked == set()


def test_a_dead_link_would_be_noticed():
    page = DOCS / "verifying.md"
    text = "[a](formats.md#the-package) [b](formats.md#no-such) [c](nowhere.md) [d](#who-signed) [e](#who)"
    assert dead(page, text) == ["formats.md#no-such", "nowhere.md", "#who"]
