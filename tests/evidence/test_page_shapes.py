"""Addresses that carry copies of benchmarks, on any host and in any wrapping."""

import base64
from urllib.parse import quote

import pytest

from gaia_harness.evidence.page_shapes import shapes

DATASET = "https://hub.example/datasets/some-lab/quiz/viewer?row=7"


@pytest.mark.parametrize(
    ("url", "shape"),
    [
        (DATASET, "dataset-page"),
        (DATASET.replace("hub.example", "hub-mirror.test:8080"), "dataset-page"),
        ("https://api.hub.example/rows?dataset=some-lab%2Fquiz&split=validation", "dataset-page"),
        ("https://hub.example/spaces/lab/leaderboard", "space"),
        ("https://cdn.example/x/resolve/main/2023/validation/metadata.jsonl", "dataset-file"),
        ("https://cdn.example/metadata.level1.parquet?download=true", "dataset-file"),
        ("https://hub.example/agent_gaia_benchmark/readme", "benchmark-name"),
        ("https://search.example/?q=GAIA%20benchmark%20answers", "benchmark-name"),
        ("https://code.example/lab/run.ipynb#cell", "notebook"),
        ("https://code.example/raw/all_results_v2.json", "result-file"),
        ("https://code.example/raw/ground_truth.csv", "result-file"),
        ("https://viewer.example/traces/gaia-17", "trace-viewer"),
    ],
)
def test_known_shapes_are_named(url, shape):
    assert shape in shapes([url])


@pytest.mark.parametrize(
    "wrapped",
    [
        f"https://proxy.example/fetch?url={quote(DATASET, safe='')}",
        f"https://proxy.example/fetch?url={quote(quote(DATASET, safe=''), safe='')}",
        f"https://archive.example/web/2024/{DATASET}",
        f"https://archive.example/web/2024/{DATASET.replace('https://', 'https:/')}",
        f"https://proxy.example/{base64.urlsafe_b64encode(DATASET.encode()).decode()}",
        f"{DATASET}&next=https://honest.example/",
    ],
)
def test_addresses_are_unwrapped(wrapped):
    assert "dataset-page" in shapes([wrapped])


@pytest.mark.parametrize(
    "url",
    [
        "https://encyclopedia.example/wiki/Gaia",
        "https://space-agency.example/missions/gaia/overview",
        "https://council.example/datasets/",
        "https://ferries.example/results/1911",
        "https://shop.example/answer-key.html",
        "",
        "not an address",
        "%",
        "\ud800",
    ],
)
def test_ordinary_addresses_have_no_shape(url):
    assert shapes([url]) == ()
