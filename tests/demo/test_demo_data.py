"""Is the demo's data whole, and does no page give a question away?"""

import io
import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from gaia_harness.demo.pages import DATA, PORT, read_web
from gaia_harness.tasks.loading import load_tasks

FOLDER = DATA / "2023" / "validation"
MAKER = Path(__file__).parents[2] / "scripts" / "make_demo_files.py"
OFFICE = (".xlsx", ".docx", ".pptx", ".zip")


@pytest.fixture(scope="module")
def rows():
    return [json.loads(line) for line in (FOLDER / "metadata.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def web():
    return read_web()


def words(text):
    return re.findall(r"\w+", text.lower())


def test_the_loader_takes_the_demo_with_all_its_tasks_and_answers(rows):
    loaded = load_tasks("demo", env={})
    assert [task.task_id for task in loaded.tasks] == [row["task_id"] for row in rows]
    for task, row in zip(loaded.tasks, rows, strict=True):
        assert loaded.key.get(task.task_id).answer == row["Final answer"]
        assert (task.attachment is not None) == bool(row["file_name"])


def test_there_is_enough_of_everything(rows, web):
    assert len(rows) >= 24 and len({row["task_id"] for row in rows}) == len(rows)
    levels = [row["Level"] for row in rows]
    assert min(levels.count(level) for level in ("1", "2", "3")) >= 5
    assert len({Path(row["file_name"]).suffix for row in rows if row["file_name"]}) >= 7
    assert len(web.pages) >= 64 and len(web.sites) >= 8
    assert {Path(page.path).suffix for page in web.pages} >= {".html", ".pdf", ".csv", ".json", ".txt"}
    assert sum(file.stat().st_size for file in DATA.rglob("*") if file.is_file()) < 1_000_000


def test_rows_are_in_the_layout_of_gaia(rows):
    for row in rows:
        assert re.fullmatch(r"[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}", row["task_id"])
        if row["file_name"]:
            assert row["file_name"].startswith(row["task_id"] + ".")
            assert row["file_path"] == f"2023/validation/{row['file_name']}"
        else:
            assert row["file_path"] == ""
        notes = row["Annotator Metadata"]
        assert set(notes) == {"Steps", "Number of steps", "How long did this take?", "Tools", "Number of tools"}
        assert len(notes["Steps"].splitlines()) == int(notes["Number of steps"])
        assert len(notes["Tools"].splitlines()) == int(notes["Number of tools"])


def test_every_file_belongs_to_a_task(rows):
    named = {row["file_name"] for row in rows if row["file_name"]} | {"metadata.jsonl"}
    assert {file.name for file in FOLDER.iterdir()} == named


def test_answers_are_short(rows):
    for row in rows:
        assert 0 < len(row["Final answer"]) <= 40 and row["Final answer"] == row["Final answer"].strip()


def test_no_run_of_eight_words_of_a_question_stands_on_a_page(rows, web):
    runs = {
        tuple(asked[start : start + 8]): row["Question"]
        for row in rows
        for asked in [words(row["Question"])]
        for start in range(len(asked) - 7)
    }
    for page in web.pages:
        said = words(page.title + " " + page.text)
        for start in range(len(said) - 7):
            run = tuple(said[start : start + 8])
            assert run not in runs, f"{page.site}/{page.path} has words of: {runs[run]}"


def test_no_task_id_stands_on_a_page_or_in_an_attachment(rows, web):
    ids = [row["task_id"].encode() for row in rows]
    attached = [file.read_bytes() for file in FOLDER.iterdir() if file.name != "metadata.jsonl"]
    for body in [*(page.body for page in web.pages), *attached]:
        assert not any(task_id in body for task_id in ids)


def test_pages_have_substance(web):
    for page in web.pages:
        if page.path.endswith(".html"):
            assert 100 <= len(words(page.text)) <= 500, f"{page.site}/{page.path}"
        assert page.title and page.text


def test_every_link_leads_to_a_page(web):
    there = {f"{page.site}/{page.path}" for page in web.pages} | {f"{site}/" for site in web.sites}
    for page in web.pages:
        for link in re.findall(r'href="([^"]*)"', page.body.decode() if page.path.endswith(".html") else ""):
            if link.startswith("http://"):
                host, _, path = link.removeprefix("http://").partition("/")
                assert host.endswith(f".localhost{PORT}"), link
                target = f"{host.removesuffix(f'.localhost{PORT}')}/{path}"
            else:
                target = f"{page.site}/{link.removeprefix('/')}"
            assert target in there, f"{page.site}/{page.path}: {link}"
    for source, location in web.redirects.items():
        site = source.split("/")[0]
        assert source not in there and site + location in there


def test_the_binary_files_are_what_the_script_makes(tmp_path):
    def contents(file):
        data = file.read_bytes()
        if file.suffix not in OFFICE:
            return data
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return {name: archive.read(name) for name in archive.namelist()}

    runs = tmp_path / "once", tmp_path / "twice"
    for run in runs:
        subprocess.run([sys.executable, MAKER, run], check=True, capture_output=True)
    made = sorted(file.relative_to(runs[0]) for file in runs[0].rglob("*") if file.is_file())
    assert len(made) >= 10
    for name in made:
        assert (runs[0] / name).read_bytes() == (runs[1] / name).read_bytes()
        if name.suffix != ".png":  # how well it is packed depends on the zlib that is installed
            assert contents(runs[0] / name) == contents(DATA / name), f"{name} is not up to date"
