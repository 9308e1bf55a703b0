"""The figures in docs/performance.md are those that the benchmarks wrote."""

import importlib.util
import json
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_page_shows_what_was_measured():
    spec = importlib.util.spec_from_file_location("bench_run", ROOT / "benchmarks" / "run.py")
    bench = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(bench)
    results = json.loads((ROOT / "benchmarks" / "results.json").read_text())
    page = (ROOT / "docs" / "performance.md").read_text("utf-8")
    assert page.split(bench.BEGIN)[1].split(bench.END)[0].strip() == bench.render(results)
