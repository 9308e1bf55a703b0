import os
import subprocess
import sys
from types import SimpleNamespace

import huggingface_hub
import pytest

from gaia_harness.errors import DatasetError
from gaia_harness.records.config import Selection
from gaia_harness.tasks.loading import load_tasks
from gaia_layout import json_lines, parquet, row
from hub_server import COMMIT, TOKEN, fake_hub
from loopback import Answer, loopback

ALL = "2023/validation/metadata.parquet"
LEVEL_1 = "2023/validation/metadata.level1.parquet"
LINES = "2023/validation/metadata.jsonl"
CSV = "2023/validation/ledger.csv"
PNG = "2023/validation/chart.png"
ROWS = [
    row(1, level=1, file_name="ledger.csv"),
    row(2, level=2, file_name="chart.png"),
    row(3, level=1),
]
FILES = {
    ALL: parquet(ROWS),
    LEVEL_1: parquet([ROWS[0], ROWS[2]]),
    CSV: b"room,lanterns\n" * 2000,
    PNG: b"\x89PNG not really",
    "2023/test/metadata.parquet": parquet([row(9, split="test")]),
}


@pytest.fixture(autouse=True)
def _quiet_client(monkeypatch):
    """The client must not call home, and must not sleep between its retries."""
    from huggingface_hub import file_download
    from huggingface_hub.utils import _http

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_DISABLE_TELEMETRY", True)
    for module in (file_download, _http):
        monkeypatch.setattr(module, "time", SimpleNamespace(sleep=lambda seconds: None))


@pytest.fixture
def hub():
    with fake_hub(dict(FILES)) as hub:
        yield hub


def refused(env, **options) -> DatasetError:
    with pytest.raises(DatasetError) as caught:
        load_tasks("hub", env=env, **options)
    assert TOKEN not in f"{caught.value.message} {caught.value.hint}"
    return caught.value


def test_tasks_come_from_the_pinned_revision(hub, tmp_path):
    loaded = load_tasks("hub", env=hub.env(tmp_path))
    assert [task.task_id for task in loaded.tasks] == ["task-1", "task-2", "task-3"]
    assert (loaded.dataset, loaded.split, loaded.revision) == ("hub", "validation", COMMIT)
    assert loaded.tasks[0].attachment.read_bytes() == FILES[CSV]
    assert loaded.tasks[0].attachment.suffix == ".csv"
    assert loaded.tasks[1].attachment.read_bytes() == FILES[PNG]
    assert loaded.key.get("task-2").answer == "2 lanterns"
    assert all(f"/resolve/{COMMIT}/" in seen.path for seen in hub.server.seen)
    assert {seen.headers["authorization"] for seen in hub.server.seen} == {f"Bearer {TOKEN}"}


def test_only_what_the_selection_needs_is_downloaded(hub, tmp_path):
    loaded = load_tasks("hub", env=hub.env(tmp_path), selection=Selection(level=1, last=1))
    assert [task.task_id for task in loaded.tasks] == ["task-1"]
    assert hub.requests("GET") == [LEVEL_1, CSV]


def test_the_digest_is_that_of_the_same_tasks_in_a_folder(hub, tmp_path):
    for name, data in FILES.items():
        path = tmp_path / "folder" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    from_hub = load_tasks("hub", env=hub.env(tmp_path / "home"))
    assert from_hub.digest == load_tasks(str(tmp_path / "folder")).digest


@pytest.mark.parametrize("name", [ALL, LINES])
def test_without_a_file_of_the_level_the_next_best_is_read(hub, tmp_path, name):
    del hub.files[LEVEL_1], hub.files[ALL]
    hub.files[name] = (parquet if name == ALL else json_lines)(ROWS)
    loaded = load_tasks("hub", env=hub.env(tmp_path), selection=Selection(level=1))
    assert [task.task_id for task in loaded.tasks] == ["task-1", "task-3"]


def test_a_branch_is_recorded_as_its_commit_and_works_offline_later(hub, tmp_path):
    env = hub.env(tmp_path)
    loaded = load_tasks("hub", env=env, revision="main")
    assert loaded.revision == COMMIT
    again = load_tasks("hub", env={**env, "HF_HUB_OFFLINE": "1"}, revision="main")
    assert again == loaded


def test_a_branch_that_moved_is_followed(hub, tmp_path):
    env = hub.env(tmp_path)
    load_tasks("hub", env=env, revision="main")
    hub.commit = hub.branches["main"] = "c" * 40
    hub.files[ALL] = parquet(ROWS[:1])
    moved = load_tasks("hub", env=env, revision="main")
    assert (moved.revision, len(moved.tasks)) == ("c" * 40, 1)


def test_a_branch_with_a_slash_is_asked_for_as_such(hub, tmp_path):
    hub.branches["refs/pr/7"] = COMMIT
    assert load_tasks("hub", env=hub.env(tmp_path), revision="refs/pr/7").revision == COMMIT


def test_cached_files_need_no_connection(hub, tmp_path):
    env = hub.env(tmp_path)
    first = load_tasks("hub", env=env)
    branch = load_tasks("hub", env=env, revision="main")
    hub.server.seen.clear()
    assert load_tasks("hub", env=env) == first
    assert hub.server.seen == []
    nobody = {**env, "HF_ENDPOINT": "http://127.0.0.1:9"}
    assert load_tasks("hub", env=nobody) == first
    assert load_tasks("hub", env={**env, "HF_HUB_OFFLINE": "1"}) == first
    assert load_tasks("hub", env=nobody, revision="main") == branch
    # Level 1 was never fetched as a file of its own: the whole file, which is there, will do.
    level_1 = load_tasks("hub", env=nobody, selection=Selection(level=1))
    assert [task.task_id for task in level_1.tasks] == ["task-1", "task-3"]


def test_large_files_come_from_the_storage_host_which_never_sees_the_token(hub, tmp_path):
    import hashlib

    by_hash = {f"/{hashlib.sha256(data).hexdigest()}": data for data in FILES.values()}
    with loopback(lambda seen: Answer(200, by_hash[seen.path])) as storage:
        hub.storage_url = storage.url
        loaded = load_tasks("hub", env=hub.env(tmp_path))
    assert loaded.tasks[0].attachment.read_bytes() == FILES[CSV]
    assert len(storage.seen) == 3
    assert not any("authorization" in seen.headers for seen in storage.seen)


def test_the_test_split_has_no_answers(hub, tmp_path):
    loaded = load_tasks("hub", env=hub.env(tmp_path), split="test")
    assert [task.task_id for task in loaded.tasks] == ["task-9"] and loaded.key.golds == {}


def test_without_a_token_the_error_says_how_to_get_one(hub, tmp_path):
    error = refused(hub.env(tmp_path, token=None))
    assert "gated, and there is no token" in error.message
    assert "accept the terms" in error.hint and "HF_TOKEN" in error.hint


def test_a_token_that_is_not_accepted_is_said_to_be_bad(hub, tmp_path):
    error = refused(hub.env(tmp_path, token="hf_wrong"))
    assert "does not accept the token" in error.message and "settings/tokens" in error.hint
    assert "hf_wrong" not in error.message


@pytest.mark.parametrize("token", ["hf_two words", "hf_a\nb", "hf_ü"])
def test_a_token_that_cannot_be_one_is_not_sent(hub, tmp_path, token):
    error = refused(hub.env(tmp_path, token=token))
    assert error.message.startswith("HF_TOKEN is not a token") and token not in error.message
    assert hub.server.seen == []


def test_terms_that_were_not_accepted_are_named(hub, tmp_path):
    hub.terms_accepted = False
    error = refused(hub.env(tmp_path))
    assert "may not read gaia-benchmark/GAIA" in error.message and "not in the authorized list" in error.message
    assert "accept the terms at https://huggingface.co/datasets/gaia-benchmark/GAIA" in error.hint


def test_offline_is_said_at_once(tmp_path, hub, monkeypatch):
    from huggingface_hub.utils import _http

    def slept(seconds):
        raise AssertionError("the person should not have to wait")

    monkeypatch.setattr(_http, "time", SimpleNamespace(sleep=slept))
    error = refused({**hub.env(tmp_path), "HF_ENDPOINT": "http://127.0.0.1:9"})
    assert "http://127.0.0.1:9 cannot be reached" in error.message and "--dataset PATH" in error.hint


@pytest.mark.parametrize("value", ["1", "true"])
def test_offline_mode_without_a_cached_copy_is_named(hub, tmp_path, value):
    error = refused({**hub.env(tmp_path), "HF_HUB_OFFLINE": value})
    assert "HF_HUB_OFFLINE is set" in error.message and "unset HF_HUB_OFFLINE" in error.hint
    assert hub.server.seen == []


def test_the_offline_mode_of_the_process_is_named_too(hub, tmp_path, monkeypatch):
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    assert "set to offline" in refused(hub.env(tmp_path)).message


def test_an_unknown_split_lists_those_that_exist(hub, tmp_path):
    error = refused(hub.env(tmp_path), split="train")
    assert "no split 'train'" in error.message and error.hint == "it has: validation, test"
    assert hub.server.seen == []


def test_a_revision_without_the_split_says_so(hub, tmp_path):
    hub.files.clear()
    error = refused(hub.env(tmp_path), split="test")
    assert f"at revision {COMMIT} has no 2023/test/metadata.parquet, no 2023/test/metadata.jsonl" in error.message


def test_an_unknown_revision_is_named(hub, tmp_path):
    error = refused(hub.env(tmp_path), revision="no-such-branch")
    assert "has no revision no-such-branch" in error.message and "commit hash" in error.hint


@pytest.mark.parametrize("revision", ["../../x", "a b", "-x", "x" * 300, "a\nb"])
def test_a_revision_that_cannot_be_one_is_not_asked_for(hub, tmp_path, revision):
    assert "is not a revision" in refused(hub.env(tmp_path), revision=revision).message
    assert hub.server.seen == []


def test_another_commit_than_the_one_asked_for_is_refused(hub, tmp_path):
    hub.head_faults[ALL] = Answer(200, FILES[ALL], {"X-Repo-Commit": "b" * 40, "ETag": '"x"'})
    assert f"sent commit {'b' * 40} when asked for {COMMIT}" in refused(hub.env(tmp_path)).message


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (Answer(500), "has a problem of its own: HTTP 500"),
        (Answer(503), "has a problem of its own: HTTP 503"),
        (Answer(429), "too many requests"),
        (Answer(418), "refused the request: HTTP 418"),
        (Answer(404), "knows no data set"),
        (Answer(drop=True), "cut short"),
        (Answer(200), "does not answer like the Hugging Face hub"),
        (Answer(403, b"", {"X-Error-Message": "x\x1b[31m" + "y" * 5000}), "may not read"),
    ],
)
def test_a_hub_in_trouble_is_told_from_ones_own_mistakes(hub, tmp_path, fault, words):
    hub.head_faults[ALL] = fault
    error = refused(hub.env(tmp_path))
    assert words in error.message and error.hint
    assert error.message.isprintable() and len(error.message) < 500


def test_trouble_that_begins_between_two_requests_is_still_named(hub, tmp_path):
    hub.head_faults[ALL] = Answer(500)
    hub.good_heads = 1
    assert "HTTP 500" in refused(hub.env(tmp_path)).message


def test_a_download_that_breaks_off_once_is_resumed(hub, tmp_path):
    hub.cut_once[CSV] = 1000
    loaded = load_tasks("hub", env=hub.env(tmp_path))
    assert loaded.tasks[0].attachment.read_bytes() == FILES[CSV]
    assert hub.requests("GET").count(CSV) == 2


@pytest.mark.parametrize(
    "fault",
    [
        Answer(200, FILES[CSV], cut=0),
        Answer(200, FILES[CSV][:-5]),
        Answer(drop=True),
    ],
)
def test_a_download_that_stays_cut_short_leaves_nothing_behind(hub, tmp_path, fault):
    hub.faults[CSV] = fault
    error = refused(hub.env(tmp_path))
    assert f"the download of {CSV} was cut short" in error.message and "again" in error.hint
    del hub.faults[CSV]
    assert load_tasks("hub", env=hub.env(tmp_path)).tasks[0].attachment.read_bytes() == FILES[CSV]


def test_a_server_error_in_the_middle_of_the_attachments_is_reported(hub, tmp_path):
    hub.faults[PNG] = Answer(500)
    assert f"HTTP 500 for {PNG}" in refused(hub.env(tmp_path)).message


def test_a_missing_attachment_is_named_with_its_row(hub, tmp_path):
    del hub.files[PNG]
    error = refused(hub.env(tmp_path))
    assert error.message == f"{ALL}, row 2 (task task-2): the attachment {PNG} is missing"


def test_a_broken_row_is_refused_as_in_a_folder(hub, tmp_path):
    hub.files[ALL] = parquet([row(1), row(2, level=7)])
    assert f"{ALL}, row 2 (task task-2): level '7'" in refused(hub.env(tmp_path)).message


def test_a_cache_that_cannot_be_written_is_named(hub, tmp_path):
    (tmp_path / "file").touch()
    error = refused(hub.env(tmp_path / "file"))
    assert "cannot be saved" in error.message and "HF_HOME" in error.hint


@pytest.mark.parametrize("endpoint", ["huggingface.co", "ftp://x", "http://", "http://[", "http://a b/"])
def test_an_endpoint_that_is_no_address_is_an_error_of_ours(tmp_path, hub, endpoint):
    assert refused({**hub.env(tmp_path), "HF_ENDPOINT": endpoint}).message


def test_without_the_client_the_error_says_what_to_install(hub, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    assert refused(hub.env(tmp_path)).hint == "pip install 'gaia-harness[run]'"


def test_the_login_of_the_hub_is_used_and_nothing_is_printed(hub, tmp_path):
    env = hub.env(tmp_path, token=None)
    del env["HF_HUB_DISABLE_IMPLICIT_TOKEN"]
    env["TQDM_POSITION"] = "-1"  # the client's own way to force progress bars on where there is no terminal
    (tmp_path / "token").write_text(f"{TOKEN}\n")
    code = "from gaia_harness.tasks.loading import load_tasks; print(len(load_tasks('hub').tasks))"
    inherited = {name: os.environ[name] for name in ("PATH", "PYTHONPATH", "HOME") if name in os.environ}
    done = subprocess.run(
        [sys.executable, "-c", code], env={**inherited, **env}, capture_output=True, text=True, timeout=60
    )
    assert (done.stdout, done.stderr) == ("3\n", "")
    assert (tmp_path / "hub").is_dir()
