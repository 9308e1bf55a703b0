"""The Hugging Face hub on loopback: as much of its protocol as the real client needs, refusals included."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

from loopback import Answer, Loopback, Seen, loopback

REPO = "gaia-benchmark/GAIA"
COMMIT = "682dd723ee1e1697e00360edccf2366dc8418dd9"
TOKEN = "hf_" + "a" * 34


@dataclass
class FakeHub:
    """One gated data set. Change the fields to change what the next request gets."""

    files: dict[str, bytes]
    commit: str = COMMIT
    branches: dict[str, str] = field(default_factory=lambda: {"main": COMMIT})
    terms_accepted: bool = True
    storage_url: str | None = None  # large files are redirected there, as the hub does with its CDN
    faults: dict[str, Answer] = field(default_factory=dict)  # by path, for GET
    head_faults: dict[str, Answer] = field(default_factory=dict)  # by path, for HEAD
    good_heads: int = 0  # so many HEAD requests are answered well before the faults begin
    cut_once: dict[str, int] = field(default_factory=dict)  # by path: the first GET ends after so many bytes
    server: Loopback | None = None

    @property
    def url(self) -> str:
        assert self.server is not None
        return self.server.url

    def env(self, home: Path, token: str | None = TOKEN) -> dict[str, str]:
        """An environment that points the client here and nowhere else, with a cache of its own."""
        env = {
            "HF_ENDPOINT": self.url,
            "HF_HOME": str(home),
            "HF_HUB_DISABLE_IMPLICIT_TOKEN": "1",
            "HF_HUB_DISABLE_TELEMETRY": "1",
        }
        return env if token is None else {**env, "HF_TOKEN": token}

    def requests(self, method: str) -> list[str]:
        """The paths inside the data set that were asked for by this method."""
        assert self.server is not None
        return [s.path.split("/", 6)[-1] for s in self.server.seen if s.method == method and "/resolve/" in s.path]

    def answer(self, seen: Seen) -> Answer:
        prefix = f"/datasets/{REPO}/resolve/"
        if not seen.path.startswith(prefix):
            return _refusal(404, "RepoNotFound", "Repository not found")
        revision, _, path = seen.path.removeprefix(prefix).partition("/")
        revision, path = unquote(revision), unquote(path)
        token = seen.headers.get("authorization")
        if token is None:
            return _refusal(
                401,
                "GatedRepo",
                f"Access to dataset {REPO} is restricted. You must have access to it and be authenticated to access"
                " it. Please log in.",
            )
        if token != f"Bearer {TOKEN}":
            return _refusal(401, None, "Invalid credentials in Authorization header")
        if not self.terms_accepted:
            return _refusal(
                403,
                "GatedRepo",
                f"Access to dataset {REPO} is restricted and you are not in the authorized list. Visit"
                f" https://huggingface.co/datasets/{REPO} to ask for access.",
            )
        commit = self.branches.get(revision, revision)
        if commit != self.commit:
            return _refusal(404, "RevisionNotFound", f"Invalid rev id: {revision}")
        if path not in self.files:
            return _refusal(404, "EntryNotFound", "Entry not found", commit)
        faults = self.faults
        if seen.method == "HEAD":
            self.good_heads -= 1
            faults = self.head_faults if self.good_heads < 0 else {}
        if path in faults:
            return faults[path]
        return self._file(seen, path, self.files[path])

    def _file(self, seen: Seen, path: str, body: bytes) -> Answer:
        sha256 = hashlib.sha256(body).hexdigest()
        headers = {"X-Repo-Commit": self.commit, "Accept-Ranges": "bytes"}
        if self.storage_url is not None:
            linked = {"X-Linked-Etag": f'"{sha256}"', "X-Linked-Size": str(len(body))}
            return Answer(302, b"", {**headers, **linked, "Location": f"{self.storage_url}/{sha256}"})
        git_blob = hashlib.sha1(b"blob %d\0" % len(body) + body).hexdigest()
        headers["ETag"] = f'"{git_blob}"'
        if seen.method == "GET" and path in self.cut_once:
            return Answer(200, body, headers, cut=self.cut_once.pop(path))
        start = seen.headers.get("range", "").removeprefix("bytes=").removesuffix("-")
        if seen.method == "GET" and start:
            span = f"bytes {start}-{len(body) - 1}/{len(body)}"
            return Answer(206, body[int(start) :], {**headers, "Content-Range": span})
        return Answer(200, body, headers)


@contextmanager
def fake_hub(files: dict[str, bytes]) -> Iterator[FakeHub]:
    """Serve these files, by their path in the data set, until the block ends."""
    hub = FakeHub(files)
    with loopback(hub.answer) as server:
        hub.server = server
        yield hub


def _refusal(status: int, code: str | None, message: str, commit: str | None = None) -> Answer:
    headers = {"X-Error-Message": message}
    if code is not None:
        headers["X-Error-Code"] = code
    if commit is not None:
        headers["X-Repo-Commit"] = commit
    return Answer(status, b"", headers)
