"""Errors of the hub, with advice."""

from typing import Any

from gaia_harness.errors import DatasetError
from gaia_harness.shortening import shorten

_TOKENS = "https://huggingface.co/settings/tokens"


class NoSuchFile(DatasetError):
    """The revision exists and the file does not."""


class Unreachable(DatasetError):
    """The hub could not be asked: what is in the cache may still do."""


def explain(
    error: BaseException, *, repo: str, name: str, revision: str, endpoint: str, had_token: bool
) -> DatasetError:
    """Our words for an exception of the hub's client."""
    import httpx2
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError, OfflineModeIsEnabled

    if isinstance(error, LocalEntryNotFoundError) and error.__cause__ is not None:
        # The client says only that the file is not in the cache; the cause says why it could not be fetched.
        error = error.__cause__
    if isinstance(error, HfHubHTTPError):
        return _refusal(error.response, repo=repo, name=name, revision=revision, had_token=had_token)
    if isinstance(error, OfflineModeIsEnabled):
        return Unreachable(
            f"{repo}: {name} is not in the cache, and the hub's client is set to offline",
            hint="unset HF_HUB_OFFLINE and run again with a connection, or give a folder: --dataset PATH",
        )
    if isinstance(error, httpx2.TimeoutException | httpx2.NetworkError | httpx2.ProxyError):
        reason = _one_line(str(error)) or type(error).__name__
        return Unreachable(
            f"{endpoint} cannot be reached: {reason}",
            hint="check the connection (and HF_ENDPOINT, if set), or give a folder: --dataset PATH",
        )
    if isinstance(error, httpx2.RemoteProtocolError) or "Consistency check failed" in str(error):
        return DatasetError(
            f"{repo}: the download of {name} was cut short",
            hint="run the same command again: what is there is kept",
        )
    if isinstance(error, OSError) and error.strerror:
        return DatasetError(f"{repo}: {name} cannot be saved: {error.strerror}", hint="check HF_HOME and the disk")
    return DatasetError(f"{repo}: {name} cannot be fetched: {type(error).__name__}: {_one_line(str(error))}")


def _refusal(response: Any, *, repo: str, name: str, revision: str, had_token: bool) -> DatasetError:
    status, code = response.status_code, response.headers.get("X-Error-Code", "")
    page = f"https://huggingface.co/datasets/{repo}"
    if code == "EntryNotFound":
        return NoSuchFile(f"{repo} at revision {revision} has no {name}")
    if code == "RevisionNotFound":
        return DatasetError(
            f"{repo} has no revision {revision}",
            hint="--revision takes a commit hash, a branch or a tag, such as main",
        )
    if status == 401 and not had_token:
        return DatasetError(
            f"{repo} is gated, and there is no token to ask for it with",
            hint=f"accept the terms at {page}, make a token at {_TOKENS}, and set HF_TOKEN to it",
        )
    if status == 401:
        return DatasetError(
            "the hub does not accept the token: it is mistyped, expired or revoked",
            hint=f"make a new one at {_TOKENS}, and set HF_TOKEN to it",
        )
    if status == 403:
        said = _one_line(response.headers.get("X-Error-Message", ""))
        return DatasetError(
            f"the account of the token may not read {repo}" + (f": {said}" if said else ""),
            hint=f"accept the terms at {page}; a fine-grained token must also be allowed to read gated repos",
        )
    if status == 404:
        return DatasetError(f"the hub knows no data set {repo}", hint="check HF_ENDPOINT, if set")
    if status == 429:
        return DatasetError("the hub says that there were too many requests", hint="wait some minutes and run again")
    what = "has a problem of its own" if status >= 500 else "refused the request"
    return DatasetError(f"the hub {what}: HTTP {status} for {name}", hint="run the same command again later")


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    printable = "".join(c for c in line if c.isprintable())
    return shorten(printable, 300)
