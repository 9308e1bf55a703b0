"""Audio transcription by OpenAI's endpoint, or a compatible server."""

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable, Mapping

from gaia_harness.errors import ModelError, UsageError
from gaia_harness.models.advice import described, model_error
from gaia_harness.models.content import clean
from gaia_harness.models.endpoint import PLACEHOLDER_KEY, Endpoint, find_endpoint
from gaia_harness.models.messages import Transcript
from gaia_harness.models.registry import split_name
from gaia_harness.models.retry import Failure, RetryPolicy, with_retries
from gaia_harness.models.wire import failure_from, read_reply, reported_error

_log = logging.getLogger(__name__)

MOST_BYTES = 25_000_000
"""What OpenAI takes in one file."""
LONGEST_AUDIO = 1_000_000  # seconds: no file that is sent is so long
LONGEST_TRANSCRIPT = 2_000_000  # characters: a week of talking


class Transcription:
    """A transcription model, by the `openai` SDK. Every call is retried as those of a chat model are."""

    def __init__(self, name: str, endpoint: Endpoint, retry_policy: RetryPolicy) -> None:
        try:
            import openai
        except ImportError:
            raise ModelError("the openai package is not installed", hint="pip install 'gaia-harness[run]'") from None
        self._model = name
        self._endpoint = endpoint
        self._retry_policy = retry_policy
        self._sdk = openai
        self._client = openai.AsyncOpenAI(
            api_key=endpoint.key or PLACEHOLDER_KEY,
            base_url=endpoint.url,
            max_retries=0,
            timeout=retry_policy.call_timeout,
        )

    @property
    def name(self) -> str:
        """`PROVIDER/NAME` and the address it is asked at, as the record has it."""
        return f"{self._model} at {self.address}"

    @property
    def model(self) -> str:
        """`PROVIDER/NAME`."""
        return self._model

    @property
    def address(self) -> str:
        """Where it is asked, without a user name, password or query."""
        return self._endpoint.plain_url

    async def transcribe(self, data: bytes, extension: str) -> Transcript:
        """What is said in the audio. `extension` tells the server which kind of file it is. Raises `ModelError`."""
        if len(data) > MOST_BYTES:
            raise ModelError(f"It has {len(data):,} bytes, and at most {MOST_BYTES:,} are sent for a transcript.")

        async def attempt() -> Transcript:
            try:
                response = await self._client.audio.transcriptions.with_raw_response.create(
                    model=self._model.partition("/")[2], file=(f"audio.{extension}", data), response_format="json"
                )
            except Exception as error:
                raise failure_from(error, self._sdk, self._retry_policy.now()) from error
            reply = read_reply(response.http_response.content)
            if reply.get("error"):
                raise reported_error(reply)
            text = reply.get("text")
            if not isinstance(text, str):
                raise Failure("malformed", "the reply has no text in it", retry=True)
            return Transcript(text=clean(text[:LONGEST_TRANSCRIPT]), seconds=_seconds(reply.get("usage")))

        try:
            return (await with_retries(attempt, self._retry_policy, self._say)).value
        except Failure as failure:
            raise model_error(self._model, self._endpoint, failure, None) from failure

    def _say(self, failure: Failure, plan: str) -> None:
        _log.warning("%s; %s", described(self._model, self._endpoint, failure), plan)

    async def aclose(self) -> None:
        """Give back connections."""
        await self._client.close()


def _seconds(usage: object) -> float | None:
    """How long the audio is, as the server charges for it."""
    seconds = usage.get("seconds") if isinstance(usage, dict) else None
    fine = isinstance(seconds, int | float) and not isinstance(seconds, bool) and 0 <= seconds <= LONGEST_AUDIO
    return float(seconds) if fine else None  # type: ignore[arg-type]


def open_transcription(
    name: str,
    *,
    base_url: str | None,
    env: Mapping[str, str],
    call_timeout: float = 300.0,
    max_retries: int = 5,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> Transcription:
    """The transcription model called `openai/NAME`, ready to listen. Nothing is sent yet."""
    provider, rest = split_name(name)
    if provider != "openai":
        raise UsageError(
            f"{name!r} cannot transcribe: only OpenAI and servers that speak its protocol have an endpoint for that",
            hint="Give --transcription-model as openai/NAME, for example openai/whisper-1; "
            "for another server, with --transcription-base-url.",
        )
    retry_policy = RetryPolicy(
        call_timeout=call_timeout,
        max_retries=max_retries,
        sleep=sleep,
        rng=random.Random(),  # noqa: S311 (jitter is no secret)
    )
    return Transcription(f"{provider}/{rest}", find_endpoint(provider, base_url, env), retry_policy)
