"""The HTTP side of a call: the request hash, the JSON of a reply, the reason of a failure."""

import hashlib
import json
import re
from collections.abc import Mapping
from contextvars import ContextVar
from functools import cache
from typing import TYPE_CHECKING, Any

from gaia_harness.models.content import clean
from gaia_harness.models.overflow import is_overflow
from gaia_harness.models.retry import Failure, retry_after, worth_retrying
from gaia_harness.shortening import shorten

if TYPE_CHECKING:
    import ssl

    import httpx2

LONGEST_MESSAGE = 300
_WORDS = ("error", "message", "detail")

# Calls share one client: the hook that sees a request's bytes reaches its own call only by its context.
_sent: ContextVar[str | None] = ContextVar("sha256 of the request sent last", default=None)


@cache
def tls_context() -> "ssl.SSLContext":
    """Whom to trust, for all clients: to read the certificates takes longer than most requests."""
    import httpx2

    return httpx2.create_ssl_context()


async def note_request(request: "httpx2.Request") -> None:
    """An httpx2 hook that runs just before a request is sent: keep the hash of its body."""
    if request.method == "POST":  # a redirect to a GET would otherwise hide what was said
        _sent.set(hashlib.sha256(request.content).hexdigest())


def forget_request() -> None:
    """Begin a call: nothing has been sent yet."""
    _sent.set(None)


def sent_sha256() -> str | None:
    """The hash of the request body that this call sent last, if it came so far."""
    return _sent.get()


def read_reply(body: bytes) -> dict[str, Any]:
    """The JSON object of a reply, or a `Failure` if it is none."""
    try:
        value = json.loads(body)  # lenient: it is only looked into here, arguments are read again, strictly
    except (ValueError, RecursionError):
        start = shorten(_one_line(body[:400].decode("utf-8", "replace")), 80)
        raise Failure("malformed", f"the reply is not JSON: {start!r}", retry=True) from None
    if not isinstance(value, dict):
        raise Failure("malformed", f"the reply is a JSON {type(value).__name__}, not an object", retry=True)
    return value


def reports_error(value: Mapping[str, Any]) -> bool:
    """Whether a reply without an answer reports an error, as gateways do with status 200."""
    return any(value.get(name) for name in _WORDS)


def reported_error(value: Mapping[str, Any]) -> Failure:
    """The failure that a reply with status 200 reports in its body."""
    error = value.get("error")
    number = error.get("code") if isinstance(error, dict) else None
    status = number if isinstance(number, int) and 400 <= number <= 599 else None
    code = _code(value)
    too_long = is_overflow(status, value)
    return Failure(
        "status",
        _said(value),
        retry=not too_long and status is not None and worth_retrying(status, code),
        status=status,
        code=code,
        too_long=too_long,
    )


def failure_from(error: Exception, sdk: Any, now: float) -> Failure:
    """What an exception of the `openai` or `anthropic` SDK means (both have the same classes)."""
    if isinstance(error, sdk.APITimeoutError):
        return Failure("timeout", "the server did not answer in time", retry=True)
    if isinstance(error, sdk.APIConnectionError):
        cause = error.__cause__
        return Failure(
            "connection", _one_line(str(cause) or f"it broke off without a reason ({type(cause).__name__})"), retry=True
        )
    if isinstance(error, sdk.APIStatusError):
        response: httpx2.Response = error.response
        try:
            body = json.loads(response.content)
        except (ValueError, RecursionError):
            body = response.text
        code = _code(body)
        too_long = is_overflow(response.status_code, body)
        return Failure(
            "status",
            _said(body),
            retry=not too_long and worth_retrying(response.status_code, code),
            status=response.status_code,
            code=code,
            pause=retry_after(response.headers, now),
            too_long=too_long,
        )
    return Failure("request", _one_line(f"{type(error).__name__}: {error}"), retry=False)


def _code(body: Any) -> str | None:
    error = body.get("error") if isinstance(body, dict) else None
    if isinstance(error, dict):
        for value in (error.get("code"), error.get("type")):
            if value == "insufficient_quota":
                return "insufficient_quota"
    return None


def _said(body: Any) -> str:
    """The provider's own words, wherever it put them."""
    for name in _WORDS:
        if isinstance(body, dict) and body.get(name):
            body = body[name]
    if isinstance(body, dict):
        body = body.get("message") or body
    return _one_line(str(body)) or "no message"


def _one_line(text: str) -> str:
    line = " ".join(re.sub(r"[^\S ]|[\x00-\x1f\x7f-\x9f]", " ", clean(text[:4000])).split())
    return shorten(line, LONGEST_MESSAGE)
