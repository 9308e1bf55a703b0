"""What all models behind HTTP share: retries, refused images, error messages."""

import logging
import re
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from gaia_harness.models.advice import described, model_error
from gaia_harness.models.content import has_images, has_thoughts
from gaia_harness.models.endpoint import Endpoint
from gaia_harness.models.messages import Reply, Request
from gaia_harness.models.retry import Failure, RetryPolicy, with_retries
from gaia_harness.models.wire import failure_from, forget_request, read_reply, sent_sha256

_log = logging.getLogger("gaia_harness")

_ABOUT_IMAGES = re.compile(r"image|vision|multi-?modal|content[ _-]?type|content part", re.I)
# Complaints about one picture (too large, broken), which say nothing about the next one.
_ABOUT_ONE_IMAGE = re.compile(
    r"exceed|too (large|big|many|small)|could not (be )?process|invalid image|corrupt|decode"
    r"|dimension|at most [1-9]",
    re.I,
)
_NO_IMAGES = re.compile(r"(not|n't|no) (\w+ )?support|missing data required for image", re.I)
_ABOUT_THOUGHTS = re.compile(r"thinking|signature|reasoning", re.I)


class Shape(msgspec.Struct, frozen=True):
    """How a conversation is written: with or without its images and the model's earlier thoughts."""

    images: bool
    thoughts: bool


class RemoteModel(ABC):
    """A model that answers over HTTP. The subclasses know how their provider writes requests and replies."""

    def __init__(self, name: str, endpoint: Endpoint, retry_policy: RetryPolicy, sdk: Any) -> None:
        self._name = name
        self._endpoint = endpoint
        self._retry_policy = retry_policy
        self._sdk = sdk
        self._blind = False
        self._answered = False

    @property
    def name(self) -> str:
        """`PROVIDER/NAME`, as given on the command line."""
        return self._name

    @property
    def address(self) -> str:
        """Where it is asked, without a user name, password or query."""
        return self._endpoint.plain_url

    @property
    def takes_images(self) -> bool:
        """Whether the server takes images, as far as its replies have shown."""
        return not self._blind

    @property
    def _model_name(self) -> str:
        return self._name.partition("/")[2]

    @abstractmethod
    async def aclose(self) -> None:
        """Give back connections."""

    @abstractmethod
    def _write(self, request: Request, shape: Shape) -> dict[str, Any]:
        """The request as the provider wants it."""

    @abstractmethod
    async def _post(self, body: dict[str, Any]) -> bytes:
        """Send it, and return the body of the reply."""

    @abstractmethod
    def _read(self, reply: dict[str, Any], request: Request) -> Reply:
        """The reply in our terms. A ValueError, TypeError or KeyError means that it is malformed."""

    async def reply(self, request: Request) -> Reply:
        """Answer the conversation, retrying what is worth retrying. Raises `ModelError` if there is no answer."""
        forget_request()
        shape = Shape(has_images(request) and not self._blind, has_thoughts(request))
        before = 0
        while True:
            try:
                answered = await with_retries(self._attempt(request, shape), self._retry_policy, self._say)
            except Failure as failure:
                simpler = self._simpler(failure, shape)
                if simpler is None:
                    failure.tries += before
                    raise model_error(
                        self._name, self._endpoint, failure, sent_sha256(), answered=self._answered
                    ) from failure
                shape, before = simpler, before + failure.tries
                continue
            self._answered = True
            return msgspec.structs.replace(
                answered.value,
                latency_ms=answered.latency_ms,
                retries=before + answered.tries - 1,
                request_sha256=sent_sha256() or "",
            )

    def _say(self, failure: Failure, plan: str) -> None:
        _log.warning("%s; %s", described(self._name, self._endpoint, failure), plan)

    def _attempt(self, request: Request, shape: Shape) -> Callable[[], Awaitable[Reply]]:
        body = self._write(request, shape)

        async def attempt() -> Reply:
            try:
                data = await self._post(body)
            except Exception as error:
                failure = failure_from(error, self._sdk, self._retry_policy.now())
                if shape.images and _refuses_images(failure):
                    failure.retry = False  # whatever its status, the same images would be refused again
                raise failure from error
            reply = read_reply(data)
            try:
                return self._read(reply, request)
            except (ValueError, TypeError, KeyError, RecursionError) as error:
                raise Failure("malformed", f"the reply has not the promised form: {error}", retry=True) from error

        return attempt

    def _simpler(self, failure: Failure, shape: Shape) -> Shape | None:
        """The shape in which a request refused for its images or thoughts is worth sending once more."""
        if failure.too_long:  # which says nothing about images, even where the message speaks of them
            return None
        if shape.images and _refuses_images(failure):
            if _ABOUT_ONE_IMAGE.search(failure.text):
                _log.warning("%s refused an image, which is now left out: %s", self._name, failure.text)
            else:
                self._blind = True
                _log.warning("%s does not take images; it gets a note instead: %s", self._name, failure.text)
            return Shape(False, shape.thoughts)
        if shape.thoughts and failure.status in (400, 422) and _ABOUT_THOUGHTS.search(failure.text):
            _log.warning("%s refused its own earlier thoughts, which are now left out", self._name)
            return Shape(shape.images, False)
        return None


def _refuses_images(failure: Failure) -> bool:
    if failure.status is None or not _ABOUT_IMAGES.search(failure.text):
        return False
    if failure.status in (400, 404, 415, 422):
        return True
    return failure.status >= 500 and bool(_NO_IMAGES.search(failure.text))  # llama.cpp says it with a 500
