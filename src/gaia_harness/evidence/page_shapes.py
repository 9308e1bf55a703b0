"""URL patterns of pages that carry copies of benchmarks, on any host."""

import re
from collections.abc import Iterable
from urllib.parse import unquote

from gaia_harness.evidence.views import views

LONGEST_URL = 2_000

_SHAPES = (
    ("dataset-page", re.compile(r"(?:/datasets/|[?&]dataset=)[\w.-]+/[\w.-]+", re.IGNORECASE)),
    ("space", re.compile(r"/spaces/[\w.-]+/[\w.-]+", re.IGNORECASE)),
    ("dataset-file", re.compile(r"/metadata(?:\.level\d)?\.(?:jsonl|parquet|json|csv)\b", re.IGNORECASE)),
    (
        "benchmark-file",
        re.compile(
            r"/(?:2023/(?:validation|test)/metadata|metadata\.level\d)\.(?:jsonl|parquet|json|csv)\b", re.IGNORECASE
        ),
    ),
    (
        "benchmark-name",
        re.compile(
            r"(?<![a-z0-9])gaia[-_ +]?(?:benchmark|bench|leaderboard|validation|dataset|answers?)", re.IGNORECASE
        ),
    ),
    ("notebook", re.compile(r"\.ipynb\b", re.IGNORECASE)),
    ("trace-viewer", re.compile(r"/(?:traces?|trajectories|runs?|logs?)/[\w.-]*(?:gaia|benchmark)", re.IGNORECASE)),
)
_DATA_FILE = re.compile(r"/[\w.-]+\.(?:jsonl?|csv|parquet|tsv)\b", re.IGNORECASE)
_RESULTS = re.compile(r"result|submission|answer|ground_?truth|trajector(?:y|ies)|prediction", re.IGNORECASE)


def shapes(urls: Iterable[str]) -> tuple[str, ...]:
    """The names of the known shapes among these addresses, also inside a proxy's or an archive's, sorted."""
    return tuple(sorted({name for url in urls for reading in _readings(url) for name in _known(reading)}))


def _readings(url: str) -> Iterable[str]:
    """An address with nothing escaped, in which a wrapped one stands in full, and what is in base64 in it."""
    url = url[:LONGEST_URL]
    for _ in range(3):
        url = unquote(url, errors="replace")
    return [url, *(view.text for view in views(url))]


def _known(url: str) -> Iterable[str]:
    yield from (name for name, shape in _SHAPES if shape.search(url))
    if any(_RESULTS.search(file.group()) for file in _DATA_FILE.finditer(url)):
        yield "result-file"
