"""Error messages with advice for when a model cannot be reached or refuses."""

import re

from gaia_harness.errors import ContextOverflowError, ModelError, ModelFault
from gaia_harness.models.endpoint import Endpoint
from gaia_harness.models.retry import Failure

_KEY_SHAPES = re.compile(r"\b(?:sk|rk|pk|gsk|xai|hf|AIza)[-_][A-Za-z0-9_*.-]{6,}|(?i:bearer)\s+\S+")


def model_error(
    name: str, endpoint: Endpoint, failure: Failure, request_sha256: str | None, *, answered: bool = False
) -> ModelError:
    """The failure in words: what happened, where, after how many tries, what to do. Never with a key.

    `answered`: the model has answered other requests before this one.
    """
    tries = "tried once" if failure.tries == 1 else f"tried {failure.tries} times"
    kind = ContextOverflowError if failure.too_long else ModelError
    return kind(
        f"{described(name, endpoint, failure)} ({tries})",
        hint=_hint(endpoint, failure),
        request_sha256=request_sha256,
        fault=_fault(failure, answered=answered),
    )


def described(name: str, endpoint: Endpoint, failure: Failure) -> str:
    """What happened and where."""
    return _without_keys(f"{name} at {endpoint.shown_url}: {_what(failure)}", endpoint)


def _fault(failure: Failure, *, answered: bool) -> ModelFault:
    match failure.kind, failure.status:
        case ("status", 401):
            return "access"
        case ("status", 403):  # some gateways refuse single requests with it
            return "request" if answered else "access"
        case ("status", 404 | 405):  # a local server may have unloaded the model
            return "outage" if answered else "access"
        case ("status", _) if failure.code == "insufficient_quota" or failure.retry or failure.status == 402:
            return "outage"
        case ("connection" | "timeout" | "malformed", _):
            return "outage"
        case _:
            return "request"


def _what(failure: Failure) -> str:
    match failure.kind:
        case "status" if failure.status is not None:
            return f"HTTP {failure.status}: {failure.text}"
        case "status":
            return f"the server reports an error: {failure.text}"
        case "connection":
            return f"the connection failed: {failure.text}"
        case "request":
            return f"the request could not be made: {failure.text}"
        case _:
            return failure.text


def _without_keys(text: str, endpoint: Endpoint) -> str:
    if endpoint.key is not None:
        text = text.replace(endpoint.key, "[key]")
    return _KEY_SHAPES.sub("[key]", text)


def _hint(endpoint: Endpoint, failure: Failure) -> str:
    match failure.kind:
        case "connection" if endpoint.own:
            return "Check the network of this machine, and its proxy settings."
        case "connection":
            return "Is the server running? Check --base-url."
        case "timeout":
            return "Is the server overloaded? Fewer tasks at once (--concurrency) may help."
        case "malformed":
            return f"Is this the address of an API for {endpoint.provider} models? Check --base-url."
        case "request":
            return "This looks like a bug in gaia-harness: please report it with this message."
        case _:
            return _hint_for_status(endpoint, failure)


def _hint_for_status(endpoint: Endpoint, failure: Failure) -> str:
    if failure.too_long:
        return "The conversation is too long for this model: serve it with a larger context, or take another."
    if failure.code == "insufficient_quota":
        return "The account has no credit left: check its plan and billing."
    match failure.status:
        case 402:
            return "The account has no credit left: check its plan and billing."
        case 401 | 403 if endpoint.key is None:
            return f"This server wants a key: set {endpoint.key_variable}."
        case 401:
            return f"The key was refused: check {endpoint.key_variable}."
        case 403:
            return f"The key in {endpoint.key_variable} may not use this model."
        case 404 | 405 if endpoint.own:
            return "Check the model's name: this account does not have a model of that name."
        case 404 | 405 if endpoint.provider == "anthropic":
            return "Check the model's name, and --base-url: it ends before /v1/messages."
        case 404 | 405:
            return "Check the model's name, and --base-url: for most servers it ends in /v1."
        case 429:
            return "The rate limit is used up: run fewer tasks at once (--concurrency), or wait."
        case status if status is not None and status >= 500:
            return "The server has a problem of its own: try again later."
        case _:
            return "The server refused the request: its message above says why. A new run can have other options."
