"""GAIA from the Hugging Face hub, by the hub's own client, at a fixed revision."""

import functools
import os
import re
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from gaia_harness.errors import DatasetError, NotInstalledError
from gaia_harness.tasks.folder import refuse_other_level
from gaia_harness.tasks.hub_errors import NoSuchFile, Unreachable, explain
from gaia_harness.tasks.rows import Row, read_rows

REPO = "gaia-benchmark/GAIA"
PINNED_REVISION = "682dd723ee1e1697e00360edccf2366dc8418dd9"
SPLITS = ("validation", "test")

_DEFAULT_ENDPOINT = "https://huggingface.co"
_COMMIT = re.compile(r"[0-9a-f]{40}")
_REVISION = re.compile(r"[A-Za-z0-9][A-Za-z0-9_./-]{0,199}")
_HUB_FOLDER = re.compile(r"(?:HF|HUGGINGFACE)_(?:\w+_)?(?:HOME|CACHE|PATH)")
_TRUE = ("1", "ON", "YES", "TRUE")  # as the client reads its own variables
_DOWNLOADS_AT_ONCE = 8


class HubSource:
    """The rows of one split at one commit; attachments are fetched when asked for, into the hub's cache."""

    def __init__(self, *, split: str, level: int | None, revision: str | None, env: Mapping[str, str]) -> None:
        if split not in SPLITS:
            raise DatasetError(f"{REPO} has no split {split!a}", hint=f"it has: {', '.join(SPLITS)}")
        self._client = HubClient(env)
        asked = revision or PINNED_REVISION
        if not _REVISION.fullmatch(asked) or ".." in asked:
            raise DatasetError(f"{asked!a} is not a revision", hint="--revision takes a commit hash, a branch or a tag")
        path, name, self._commit = self._find_metadata(split, level, asked)
        self.revision: str | None = self._commit
        only_level = level if f"level{level}" in name else None
        self.rows = read_rows(path, name=name, split=split)
        for row in self.rows:
            refuse_other_level(row, only_level)

    def attachments(self, rows: Sequence[Row]) -> list[Path | None]:
        """The file of each row, in order; None for a row without one."""
        with ThreadPoolExecutor(_DOWNLOADS_AT_ONCE) as pool:
            return list(pool.map(self._attachment, rows))

    def _find_metadata(self, split: str, level: int | None, asked: str) -> tuple[Path, str, str]:
        names = [f"2023/{split}/metadata.parquet", f"2023/{split}/metadata.jsonl"]
        if level is not None:
            names.insert(0, f"2023/{split}/metadata.level{level}.parquet")
        failure: DatasetError | None = None
        for name in names:
            try:
                path = self._client.fetch(name, asked) if failure is None else self._client.cached(name, asked)
            except NoSuchFile:
                continue
            except Unreachable as error:
                failure = error
                path = self._client.cached(name, asked)  # a branch as it was when it was last seen
            if path is not None:
                return path, name, path.parents[name.count("/")].name
        raise failure or DatasetError(
            f"{REPO} at revision {asked} has no {', no '.join(names)}",
            hint=f"leave --revision out to use {PINNED_REVISION}",
        )

    def _attachment(self, row: Row) -> Path | None:
        if row.file_path is None:
            return None
        try:
            return self._client.fetch(row.file_path, self._commit)
        except NoSuchFile:
            raise DatasetError(f"{row.place} (task {row.task_id}): the attachment {row.file_path} is missing") from None


class HubClient:
    """The hub's own client, with everything it would look up in the environment given to it."""

    def __init__(self, env: Mapping[str, str]) -> None:
        try:
            import huggingface_hub
            from huggingface_hub.utils.tqdm import tqdm
        except ImportError:
            raise NotInstalledError(
                "--dataset hub needs huggingface_hub, which is not installed",
                hint="pip install 'gaia-harness[run]'",
            ) from None
        self._hub: Any = huggingface_hub
        self._no_bar: Any = functools.partial(tqdm, disable=True)
        self._offline = env.get("HF_HUB_OFFLINE", "").upper() in _TRUE
        self._endpoint = (env.get("HF_ENDPOINT") or _DEFAULT_ENDPOINT).rstrip("/")
        if not self._endpoint.startswith(("https://", "http://")):
            raise DatasetError(f"HF_ENDPOINT is {self._endpoint!a}, which is no web address")
        self._cache = _cache_folder(env)
        self._token = _token(env, self._hub)

    def cached(self, name: str, revision: str) -> Path | None:
        """The file if it is on this machine. A branch or tag is the commit that it was when last seen."""
        path = self._hub.try_to_load_from_cache(
            REPO, name, cache_dir=self._cache, revision=revision, repo_type="dataset"
        )
        return Path(path) if isinstance(path, str) else None

    def fetch(self, name: str, revision: str) -> Path:
        """The file at this revision. A commit never changes, so a cached file of one needs no connection."""
        path = self.cached(name, revision) if self._offline or _COMMIT.fullmatch(revision) else None
        if path is not None:
            return path
        if self._offline:
            raise Unreachable(
                f"{REPO}: {name} at revision {revision} is not in the cache, and HF_HUB_OFFLINE is set",
                hint="unset HF_HUB_OFFLINE and run again with a connection, or give a folder: --dataset PATH",
            )
        try:
            self._ask_for(name, revision)
            return Path(self._download(name, revision))
        except DatasetError:
            raise
        except Exception as error:  # the client lets through what httpx, xet and the disk raise
            raise explain(
                error,
                repo=REPO,
                name=name,
                revision=revision,
                endpoint=self._endpoint,
                had_token=bool(self._token),
            ) from None

    def _ask_for(self, name: str, revision: str) -> None:
        """Ask once, without retries: a person who is offline hears it now and not after 23 seconds."""
        url = self._hub.hf_hub_url(REPO, name, repo_type="dataset", revision=revision, endpoint=self._endpoint)
        commit = self._hub.get_hf_file_metadata(url, token=self._token, endpoint=self._endpoint).commit_hash
        if commit is None or not _COMMIT.fullmatch(commit):
            raise DatasetError(f"{self._endpoint} does not answer like the Hugging Face hub", hint="check HF_ENDPOINT")
        if _COMMIT.fullmatch(revision) and commit != revision:
            raise DatasetError(f"{self._endpoint} sent commit {commit} when asked for {revision}")

    def _download(self, name: str, revision: str) -> str:
        path: str = self._hub.hf_hub_download(
            REPO,
            name,
            repo_type="dataset",
            revision=revision,
            cache_dir=self._cache,
            token=self._token,
            endpoint=self._endpoint,
            library_name="gaia-harness",
            tqdm_class=self._no_bar,
        )
        return path


def hub_folders(env: Mapping[str, str]) -> tuple[Path, ...]:
    """Where the hub's programs keep what they have loaded, and the login: all of it may hold answers."""
    homes = [env["XDG_CACHE_HOME"]] if env.get("XDG_CACHE_HOME") else []
    folders = [Path(home, "huggingface") for home in (*homes, "~/.cache")]
    folders += [Path(value) for name, value in env.items() if value and _HUB_FOLDER.fullmatch(name)]
    return tuple(_expanded(folder) for folder in folders)


def _expanded(path: Path) -> Path:
    """As the hub's client reads its variables."""
    return Path(os.path.expandvars(os.path.expanduser(path)))  # noqa: PTH111


def _cache_folder(env: Mapping[str, str]) -> Path | None:
    """None: where the client keeps it by default."""
    if env.get("HF_HUB_CACHE"):
        return Path(env["HF_HUB_CACHE"]).expanduser()
    if env.get("HF_HOME"):
        return Path(env["HF_HOME"]).expanduser() / "hub"
    return None


def _token(env: Mapping[str, str], hub: Any) -> str | bool:
    """HF_TOKEN, or else the hub's own login; False means: send none."""
    token = env.get("HF_TOKEN", "").strip()
    if not token and env.get("HF_HUB_DISABLE_IMPLICIT_TOKEN", "").upper() not in _TRUE:
        try:
            token = hub.get_token() or ""
        except Exception as error:  # a login that cannot be refreshed, by any of its ways
            raise DatasetError(
                f"the login of the Hugging Face hub cannot be used: {type(error).__name__}",
                hint="run `hf auth login` again, or set HF_TOKEN",
            ) from None
    if not token.isascii() or not token.isprintable() or " " in token:
        raise DatasetError(
            "HF_TOKEN is not a token: it has spaces, line breaks or non-ASCII characters in it",
            hint="copy it again from https://huggingface.co/settings/tokens",
        )
    return token or False
