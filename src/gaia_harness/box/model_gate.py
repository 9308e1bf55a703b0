"""The model endpoints of a box: known paths only, the declared model only, the key put in outside of the box."""

import asyncio
import hashlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

import msgspec

from gaia_harness.box import wire_google
from gaia_harness.box.doors import PORT
from gaia_harness.box.requests import Headers, Incoming, Outgoing
from gaia_harness.box.unpacking import UnpackingError, unpacked_whole
from gaia_harness.box.upstream import HOP_BY_HOP, Answered, Scrubber, plain_client, relay
from gaia_harness.box.wire_formats import COUNTS, PATHS, Api, WireReply, WireRequest, read_reply, read_request
from gaia_harness.box.wire_json import LARGEST_CALL, WireError
from gaia_harness.models.endpoint import Endpoint
from gaia_harness.tools.proxies import Proxies

if TYPE_CHECKING:
    import httpx2

HOSTS: dict[str, str] = {
    "api.openai.com": "openai",
    "api.anthropic.com": "anthropic",
    "generativelanguage.googleapis.com": "google",
}
"""Hosts that are the gateway's own business: a box never reaches a provider itself."""

_APIS: dict[str, tuple[Api, ...]] = {
    "openai": ("chat", "responses", "embeddings"),
    "anthropic": ("messages",),
    "google": ("google",),
}
_QUERIES = ("", "beta=true")
_ELSEWHERE = ("/chat/completions", "/v1/messages", "/v1/responses", ":generateContent", ":streamGenerateContent")
"""So end the addresses at which other servers are asked for a model."""
_CREDENTIALS = (b"authorization", b"x-api-key", b"api-key", b"x-goog-api-key", b"cookie")
_LEFT_OUT = (*HOP_BY_HOP, *_CREDENTIALS, b"host", b"content-length", b"content-encoding", b"accept-encoding")
MOST_AT_ONCE = 16
"""Calls of one attempt under way. Others wait: what a call takes is known at its end, and budgets are kept by it."""
LARGEST_COUNT = 64 << 10
"""Bytes of an answer that says how many tokens a request has."""


class GatePolicy(msgspec.Struct, frozen=True, kw_only=True):
    """What an agent may ask for: the declared model and those named beside it, tools of the provider or not."""

    provider: str
    model: str
    also: tuple[str, ...] = ()
    hosted_tools: bool = False

    @property
    def models(self) -> tuple[str, ...]:
        """The names that a request may have."""
        return (self.model, *self.also)


class ModelCall(msgspec.Struct, frozen=True, kw_only=True):
    """A call that was let through, with its reply; without one it failed, and `error` says how.

    `cut`: we have ended it, for the agent had ended. The model may have answered all the same.
    """

    request: WireRequest
    reply: WireReply | None
    status: int | None
    error: str | None
    seconds: float
    cut: bool = False


class TokenCount(msgspec.Struct, frozen=True, kw_only=True):
    """A request whose tokens were counted by the provider, and what that said: no model was asked."""

    url: str
    sha256: str
    size: int
    status: int | None
    said: str


class Accountant(Protocol):
    """Whoever keeps the budgets of an attempt."""

    def refusal(self) -> str | None:
        """Why no model may be asked any more; None where one may, and that call is counted."""
        ...

    async def settled(self) -> None:
        """Come back when what earlier calls cost is counted, so that `refusal` is true."""
        ...

    def called(self, call: ModelCall) -> None:
        """A model was asked."""
        ...


class ModelGate:
    """The way from a box to the model of its run."""

    def __init__(
        self,
        endpoint: Endpoint,
        policy: GatePolicy,
        accountant: Accountant,
        *,
        clock: Callable[[], float],
        refused: Callable[[str, str], None] = lambda where, why: None,
        unread: Callable[[str], None] = lambda why: None,
        counted: Callable[[TokenCount], None] = lambda count: None,
        client: "httpx2.AsyncClient | None" = None,
        proxies: Proxies | None = None,
        seconds: float = 600.0,
    ) -> None:
        self._endpoint = endpoint
        self._policy = policy
        self._accountant = accountant
        self._clock = clock
        self._refused = refused
        self._unread = unread
        self._counted = counted
        self._client = client
        self._proxies = proxies or Proxies()
        self._seconds = seconds
        self._at_once = asyncio.Semaphore(MOST_AT_ONCE)
        self._ended = False

    @staticmethod
    def takes(request: Incoming) -> bool:
        """Whether a request is for a model: by its host, by the fixed port of the box, or by how its path ends."""
        if request.host in HOSTS or (request.port == PORT and request.host == "127.0.0.1"):
            return True
        return request.method == "POST" and request.target.partition("?")[0].endswith(_ELSEWHERE)

    async def handle(self, request: Incoming, answer: Outgoing) -> None:
        """Answer a request for a model."""
        path, _, query = request.target.partition("?")
        where = f"{request.host}{path}"[:200]
        if request.host not in HOSTS and request.port != PORT:
            why = "A model is asked for at another address than the run's: give that one by --base-url."
            await self._refuse(answer, where, 403, why)
            return
        if request.method == "GET" and (path == "/v1/models" or path.startswith("/v1/models/")) and not query:
            await _say(answer, 200, self._listed(path))
            return
        google = wire_google.PATH.fullmatch(path)
        counts = path in COUNTS if google is None else google[2] == wire_google.COUNT
        api: Api | None = (PATHS | COUNTS).get(path) if google is None else "google"
        if google is not None:
            query = "&".join(each for each in query.split("&") if not each.startswith("key="))  # the dummy
            known: tuple[str, ...] = ("alt=sse",) if google[2] == wire_google.STREAM else ("",)
        else:
            known = _QUERIES
        if request.method != "POST" or api is None or query not in known:
            await self._refuse(answer, where, 404, f"{request.method} {request.target[:100]} is not let through.")
            return
        provider = HOSTS.get(request.host, self._policy.provider)
        if provider != self._policy.provider or api not in _APIS.get(provider, ()):
            why = (
                f"This run's model is {self._policy.provider}/{self._policy.model}, "
                f"and {path} is not a path of {self._policy.provider}'s."
            )
            await self._refuse(answer, where, 404, why)
            return
        try:
            if request.body.size > LARGEST_CALL:
                raise WireError(f"it has more than {LARGEST_CALL >> 20} MB")
            body = request.body.read()
            plain = _plain(body, request.header(b"content-encoding"))
            read = read_request(api, plain, sha256=hashlib.sha256(body).hexdigest(), path=path)
        except WireError as error:
            await self._refuse(answer, where, 400, f"The request cannot be read: {error.message}")
            return
        against = self._against(read)
        if against is not None:
            await self._refuse(answer, where, 403, against)
            return
        async with self._at_once:
            if not counts:
                await self._accountant.settled()
            if self._ended:
                await _say(answer, 403, _error("ended", "The agent has ended."))
                return
            if counts:
                await self._count(request, plain, self._url(path, query), answer)
                return
            spent = self._accountant.refusal()
            if spent is not None:
                await _say(answer, 403, _error("budget", spent))  # after a 429 agents ask again, for minutes
                return
            await self._forward(request, plain, read, self._url(path, query), answer)

    def end(self) -> None:
        """The agent has ended: no call begins any more. What is under way comes to its end."""
        self._ended = True

    def _against(self, request: WireRequest) -> str | None:
        """Why a request is not let through; None where it is."""
        if request.model not in self._policy.models:
            allowed = ", ".join(self._policy.models)
            return f"The model {request.model!r} is not one of this run ({allowed}); name it with --also-model."
        if request.hosted and not self._policy.hosted_tools:
            return (
                f"{', '.join(request.hosted)}: what the provider fetches or runs itself is not seen here; "
                "it is refused unless the run has --allow-hosted-tools."
            )
        if request.unseen:
            return f"{', '.join(request.unseen)}: history that lies at the provider is not seen here; send it yourself."
        return None

    async def _forward(self, request: Incoming, body: bytes, read: WireRequest, url: str, answer: Outgoing) -> None:
        """Ask the model by the very bytes that were read, and pass its reply on. Whatever happens, the call is told."""
        began, cut = self._clock(), False
        seen = Answered(body=request.body.beside(LARGEST_CALL))
        try:
            await self._ask(request, body, url, answer, seen, LARGEST_CALL)
        except asyncio.CancelledError:
            cut = True
            raise
        finally:
            reply, status, error = self._heard(read, seen)
            seconds = self._clock() - began
            self._accountant.called(
                ModelCall(request=read, reply=reply, status=status, error=error, seconds=seconds, cut=cut)
            )
            seen.body.close()

    async def _count(self, request: Incoming, body: bytes, url: str, answer: Outgoing) -> None:
        """Let the provider count the tokens of a request. It is on record, and no call of a model."""
        seen = Answered(body=request.body.beside(LARGEST_COUNT))
        try:
            await self._ask(request, body, url, answer, seen, LARGEST_COUNT)
        finally:
            said = seen.body.read().decode("utf-8", "replace") or seen.fault or ""
            sha256 = hashlib.sha256(body).hexdigest()
            self._counted(TokenCount(url=url, sha256=sha256, size=len(body), status=seen.status, said=said))
            seen.body.close()

    async def _ask(self, request: Incoming, body: bytes, url: str, answer: Outgoing, seen: Answered, most: int) -> None:
        """Put these bytes to the provider, and pass on what it says; `seen` has it, or why there is nothing."""
        import httpx2

        key = self._endpoint.key or ""
        client = self._client or self._own_client()
        try:
            headers = [*self._headers(request.headers, key), (b"content-length", b"%d" % len(body))]
            response = await client.send(client.build_request("POST", url, headers=headers, content=body), stream=True)
        except (httpx2.HTTPError, OSError) as error:
            seen.fault = " ".join(str(error).split())[:200] or type(error).__name__
            await _say(answer, 502, _error("unreachable", f"The model's server cannot be reached: {seen.fault}"))
            return
        try:
            # also when nobody listens any more: what a call took is told at the end of its reply
            await relay(response, answer, seen, Scrubber([key.encode()]), most=most, to_the_end=True)
        finally:
            await response.aclose()

    def _heard(self, read: WireRequest, seen: Answered) -> tuple[WireReply | None, int | None, str | None]:
        """What the agent has heard of a reply, as far as it came."""
        status, body = seen.status, seen.body.read()
        if status is None or status >= 400 or not body:
            return None, status, body[:300].decode("utf-8", "replace") or seen.fault or "an empty reply"
        streamed = (seen.header(b"content-type") or "").startswith("text/event-stream")
        try:
            return read_reply(read.api, body, streamed=streamed), status, None
        except WireError as error:
            if seen.fault is None:
                # the agent has heard what we cannot read, so the record is not whole
                self._unread(f"a reply of the model cannot be read: {error.message}")
            return None, status, f"the reply cannot be read: {seen.fault or error.message}"

    def _own_client(self) -> "httpx2.AsyncClient":
        url = self._endpoint.url
        scheme, _, rest = url.partition("://")
        host = rest.split("/")[0].rpartition("@")[2].partition(":")[0]
        self._client = plain_client(self._proxies.proxy_for(scheme, host), None, self._seconds, keep=8)
        return self._client

    async def aclose(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.aclose()

    def _url(self, path: str, query: str) -> str:
        base = self._endpoint.url.rstrip("/")
        suffix = path.removeprefix("/v1") if self._policy.provider == "openai" else path
        return f"{base}{suffix}{f'?{query}' if query else ''}"

    def _headers(self, headers: Headers, key: str) -> list[tuple[bytes, bytes]]:
        kept = [(name, value) for name, value in headers if name.lower() not in _LEFT_OUT]
        kept.append((b"accept-encoding", b"identity"))  # what is streamed is read as it comes
        if key:
            name = {"anthropic": b"x-api-key", "google": b"x-goog-api-key"}.get(self._policy.provider)
            kept.append((b"authorization", b"Bearer " + key.encode()) if name is None else (name, key.encode()))
        return kept

    def _listed(self, path: str) -> bytes:
        entries = [{"id": name, "object": "model", "type": "model", "owned_by": "run"} for name in self._policy.models]
        wanted = path.removeprefix("/v1/models").strip("/")
        if wanted:
            return msgspec.json.encode(next((each for each in entries if each["id"] == wanted), entries[0]))
        return msgspec.json.encode({"object": "list", "data": entries, "has_more": False})

    async def _refuse(self, answer: Outgoing, where: str, status: int, why: str) -> None:
        self._refused(where, why)
        await _say(answer, status, _error("refused", f"gaia-harness: {why}"))


def _error(kind: str, why: str) -> bytes:
    """An error as both providers write them."""
    return msgspec.json.encode({"type": "error", "error": {"type": kind, "code": kind, "message": why}})


async def _say(answer: Outgoing, status: int, data: bytes) -> None:
    headers: Sequence[tuple[bytes, bytes]] = [
        (b"content-type", b"application/json"),
        (b"content-length", b"%d" % len(data)),
    ]
    await answer.start(status, headers)
    await answer.send(data)
    await answer.end()


def _plain(data: bytes, encoding: str | None) -> bytes:
    """A body, unpacked where it is packed. WireError if it cannot be."""
    try:
        return unpacked_whole(data, (encoding or "").strip().lower(), LARGEST_CALL)
    except UnpackingError as error:
        raise WireError(error.message) from error
