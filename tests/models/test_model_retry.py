"""What happens when a model's server misbehaves: what is tried again, for how long, and what the user is told."""

import asyncio
import hashlib
import json
import random
import socket
import struct
from contextlib import asynccontextmanager
from email.utils import formatdate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat_server import chat_reply, chat_server, message_reply, messages_server, trickling_server
from gaia_harness.errors import ContextOverflowError, ModelError
from gaia_harness.models.messages import Request, User
from gaia_harness.models.overflow import is_overflow
from gaia_harness.models.registry import open_model
from gaia_harness.models.retry import (
    LONGEST_PAUSE,
    Failure,
    RetryPolicy,
    on_wait,
    pause_before,
    retry_after,
    with_retries,
)
from loopback import Answer

ASK = Request(messages=(User("How tall is the Grimble Tower?"),))


@asynccontextmanager
async def model_at(base_url, provider="openai", **options):
    """A model that notes its pauses instead of making them."""
    pauses = []

    async def sleep(seconds):
        pauses.append(seconds)

    options = {"env": {}, "sleep": sleep, "call_timeout": 60, "rng": random.Random(1), **options}
    model = open_model(f"{provider}/test-model", base_url=base_url, **options)
    try:
        yield model, pauses
    finally:
        await model.aclose()


async def ask(*answers, **options):
    """Ask a server that gives these answers in turn, the last one for ever: the reply, the pauses, the server."""
    queue = list(answers)
    with chat_server(lambda _: queue.pop(0) if len(queue) > 1 else queue[0]) as server:
        async with model_at(server.base_url, **options) as (model, pauses):
            return await model.reply(ASK), pauses, server


async def failure(*answers, **options):
    """Ask a server that never gives a good answer: the error, and how many requests it saw."""
    queue = list(answers)
    with chat_server(lambda _: queue.pop(0) if len(queue) > 1 else queue[0]) as server:
        async with model_at(server.base_url, **options) as (model, _):
            with pytest.raises(ModelError) as caught:
                await model.reply(ASK)
    for text in (caught.value.message, caught.value.hint):
        assert text and "Traceback" not in text and "\n" not in text
    return caught.value, server


def error(status, message="no", code=None, **headers):
    return Answer.json({"error": {"message": message, "code": code}}, status=status, **headers)


async def test_429_waits_as_long_as_the_server_asks():
    reply, pauses, server = await ask(error(429, retry_after="7"), chat_reply("ok"))
    assert (reply.text, reply.retries, pauses) == ("ok", 1, [7.0])
    assert reply.request_sha256 == hashlib.sha256(server.seen[1].body).hexdigest()


async def test_milliseconds_go_before_seconds_and_nothing_is_waited_for_longer_than_a_minute():
    _, pauses, _ = await ask(
        error(429, retry_after="7", retry_after_ms="250"), error(429, retry_after="86400"), chat_reply("ok")
    )
    assert pauses == [0.25, LONGEST_PAUSE]


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 529])
async def test_what_goes_away_by_itself_is_tried_again_after_growing_pauses(status):
    reply, pauses, _ = await ask(error(status), error(status), error(status), chat_reply("ok"))
    assert (reply.text, reply.retries) == ("ok", 3)
    assert len(pauses) == 3
    for number, pause in enumerate(pauses):
        assert 0.25 * 2**number <= pause <= 0.5 * 2**number


@pytest.mark.parametrize(
    ("status", "hint"),
    [
        (400, "its message above says why"),
        (401, "OPENAI_API_KEY"),
        (403, "OPENAI_API_KEY"),
        (404, "model's name"),
        (422, "its message above says why"),
    ],
)
async def test_what_will_not_change_is_not_tried_again(status, hint):
    caught, server = await failure(error(status, "that will not do"))
    assert len(server.seen) == 1
    assert f"HTTP {status}: that will not do (tried once)" in caught.message
    assert caught.message.startswith(f"openai/test-model at {server.base_url}: ")
    assert hint in caught.hint
    assert caught.request_sha256 == hashlib.sha256(server.seen[0].body).hexdigest()


async def test_429_for_ever_ends_after_the_last_retry():
    caught, server = await failure(error(429, "slow down"), max_retries=3)
    assert len(server.seen) == 4
    assert "HTTP 429: slow down (tried 4 times)" in caught.message
    assert "--concurrency" in caught.hint


async def test_an_account_without_credit_is_not_asked_again():
    caught, server = await failure(error(429, "You exceeded your quota", code="insufficient_quota"))
    assert len(server.seen) == 1
    assert "credit" in caught.hint


async def test_a_conversation_that_is_too_long_is_called_that():
    caught, server = await failure(error(500, "This model's maximum context length is 8192 tokens."))
    assert isinstance(caught, ContextOverflowError)
    assert "too long" in caught.hint
    assert len(server.seen) == 1  # the same request would be refused again


async def test_a_rate_that_is_too_high_is_not_a_conversation_that_is_too_long():
    caught, _ = await failure(error(429, "reduce the length of the messages"), max_retries=1)
    assert not isinstance(caught, ContextOverflowError)


@pytest.mark.parametrize(
    "body",
    [
        None, 7, "", [], {}, {"error": None}, {"error": []}, {"error": {"code": ["x"], "type": 3, "message": {}}},
        {"error": {"metadata": "maximum context length"}}, {"detail": [{"input": "maximum context length"}]},
    ],
)  # fmt: skip
def test_an_error_of_any_shape_is_looked_at(body):
    assert not is_overflow(400, body)


async def test_a_hung_connection_is_given_up_and_tried_again():
    reply, _, server = await ask(Answer(delay=300), chat_reply("ok"), call_timeout=0.3, max_retries=50)
    assert reply.text == "ok" and reply.retries >= 1 and len(server.seen) >= 2  # more of both on a busy machine


async def test_a_server_that_only_hangs_gives_an_error_in_words():
    caught, _ = await failure(Answer(delay=300), call_timeout=0.2, max_retries=1)
    assert "no answer within 0.2 s (tried 2 times)" in caught.message
    answered, _, _ = await ask(chat_reply("ok"))
    assert caught.request_sha256 == answered.request_sha256


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
async def test_a_trickling_body_does_not_hold_us(provider):
    async with trickling_server() as url, model_at(url, provider, call_timeout=0.3, max_retries=1) as (model, _):
        async with asyncio.timeout(60):
            with pytest.raises(ModelError, match=r"no answer within 0\.3 s \(tried 2 times\)"):
                await model.reply(ASK)


async def test_a_dropped_connection_is_tried_again():
    reply, _, _ = await ask(Answer(drop=True), chat_reply("ok"))
    assert (reply.text, reply.retries) == ("ok", 1)
    caught, _ = await failure(Answer(drop=True), max_retries=1)
    assert "the connection failed" in caught.message and "server running" in caught.hint


async def test_a_truncated_body_is_tried_again():
    body = json.dumps(chat_reply("the whole answer")).encode()
    cut = Answer(200, body, {"content-type": "application/json"}, cut=len(body) // 2)
    reply, _, _ = await ask(cut, chat_reply("ok"))
    assert (reply.text, reply.retries) == ("ok", 1)
    caught, _ = await failure(cut, max_retries=0)
    assert "the connection failed" in caught.message


@pytest.mark.parametrize("body", [b"", b'{"choices": [', b"<html>Welcome</html>", b"\xff\xfe", b"[" * 200_000])
async def test_a_body_that_is_not_json_is_tried_again(body):
    bad = Answer(200, body, {"content-type": "application/json"})
    reply, _, _ = await ask(bad, chat_reply("ok"))
    assert (reply.text, reply.retries) == ("ok", 1)
    caught, _ = await failure(bad, max_retries=0)
    assert "not JSON" in caught.message and "--base-url" in caught.hint


async def test_nobody_listening_is_said_plainly():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound but not listening: refused for sure
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        async with model_at(url, max_retries=2) as (model, pauses):
            with pytest.raises(ModelError, match=r"the connection failed: .+ \(tried 3 times\)") as caught:
                await model.reply(ASK)
    assert len(pauses) == 2
    assert "Is the server running?" in caught.value.hint


async def test_a_wrong_path_points_to_the_base_url():
    with chat_server(lambda _: chat_reply("ok")) as server:
        async with model_at(server.base_url.removesuffix("/v1")) as (model, _):
            with pytest.raises(ModelError, match="HTTP 404: there is nothing at /chat/completions") as caught:
                await model.reply(ASK)
    assert "/v1" in caught.value.hint


async def test_keys_never_appear_even_if_the_server_repeats_them():
    key = "sk-proj-abcdef0123456789"
    text = f"Incorrect API key provided: {key}. Or sk-proj-other1234567? Bearer hidden-token"
    caught, _ = await failure(error(401, text), env={"OPENAI_API_KEY": key})
    shown = caught.message + caught.hint
    assert key not in shown and "other1234567" not in shown and "hidden-token" not in shown
    assert "Incorrect API key provided: [key]" in shown


async def test_a_token_in_the_address_is_not_shown():
    with chat_server(lambda _: error(400)) as server:
        async with model_at(server.base_url + "?token=hunter3") as (model, _):
            with pytest.raises(ModelError) as caught:
                await model.reply(ASK)
    assert "hunter" not in caught.value.message and server.base_url in caught.value.message


async def test_a_long_message_of_a_server_is_cut_and_kept_on_one_line():
    caught, _ = await failure(error(400, "a\n\x1b[31mb " + "x" * 5000))
    assert "HTTP 400: a [31mb xxx" in caught.message and len(caught.message) < 500


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"<h1>Bad gateway</h1>", "<h1>Bad gateway</h1>"),
        (b"", "no message"),
        (b'{"detail": [{"msg": "field required"}]}', "field required"),
        (b'{"object": "error", "message": "from vLLM"}', "from vLLM"),
        (b'{"error": "from Ollama"}', "from Ollama"),
        (b"\xff\xfe\x00", "HTTP 400"),
    ],
)
async def test_a_servers_own_words_are_found_wherever_it_puts_them(body, said):
    caught, _ = await failure(Answer(400, body))
    assert said in caught.message


async def test_calling_off_the_task_calls_off_the_call():
    arrived, loop = asyncio.Event(), asyncio.get_running_loop()

    def answer(_):
        loop.call_soon_threadsafe(arrived.set)
        return Answer(delay=300)

    with messages_server(answer) as server:
        async with model_at(server.base_url, "anthropic") as (model, _):
            task = asyncio.create_task(model.reply(ASK))
            await arrived.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task


async def test_latency_is_of_the_answer_not_of_the_waiting():
    clock = iter([100.0, 200.0, 200.25])

    async def sleep(_):
        pass

    attempts = iter([Failure("connection", "x", retry=True), None])

    async def attempt():
        problem = next(attempts)
        if problem:
            raise problem
        return "ok"

    answered = await with_retries(attempt, RetryPolicy(sleep=sleep, clock=lambda: next(clock)))
    assert (answered.value, answered.tries, answered.latency_ms) == ("ok", 2, 250)


def test_retry_after_may_be_a_date():
    now = 1_800_000_000.0
    assert retry_after({"retry-after": formatdate(now + 30, usegmt=True)}, now) == 30.0
    assert retry_after({"retry-after": formatdate(now - 30, usegmt=True)}, now) == 0.0
    assert retry_after({}, now) is None


@given(st.text() | st.floats().map(str), st.text() | st.floats().map(str))
def test_no_retry_after_can_hold_us_longer_than_a_minute_or_crash(seconds, milliseconds):
    asked = retry_after({"retry-after": seconds, "retry-after-ms": milliseconds}, 0.0)
    assert asked is None or asked >= 0.0
    pause = pause_before(1, Failure("status", "", retry=True, pause=asked), random.Random(1))
    assert 0.0 <= pause <= LONGEST_PAUSE


@given(st.integers(1, 10_000), st.integers())
def test_pauses_grow_but_never_beyond_a_minute(retry, seed):
    pause = pause_before(retry, Failure("timeout", "", retry=True), random.Random(seed))
    assert 0.25 <= pause <= LONGEST_PAUSE


async def test_whoever_asks_is_told_why_a_call_waits_and_when_it_goes_on():
    told = []
    tries = iter((Failure("status", "status 503: busy", retry=True, pause=7.0), None))

    async def attempt():
        if (failure := next(tries)) is not None:
            raise failure
        return 1

    async def sleep(seconds):
        assert told == [f"retry 1 of 5 in {seconds:.1f} s: status 503: busy"]

    on_wait.set(told.append)
    await with_retries(attempt, RetryPolicy(sleep=sleep))
    assert told == ["retry 1 of 5 in 7.0 s: status 503: busy", None]


async def test_every_retry_is_said_with_its_reason_and_its_length(caplog):
    await ask(error(503), Answer(status=429, headers={"retry-after": "3600"}), chat_reply("ok"))
    first, second = (record.getMessage() for record in caplog.records)
    assert "HTTP 503" in first and "retry 1 of 5 in 0." in first
    assert "HTTP 429" in second and "retry 2 of 5 in 60.0 s (it asks for 3600 s; we wait 60 s at most)" in second


@pytest.mark.parametrize(
    ("status", "fault"),
    [
        (401, "access"),
        (403, "access"),
        (404, "access"),
        (402, "outage"),
        (429, "outage"),
        (500, "outage"),
        (400, "request"),
    ],
)
async def test_an_error_says_whose_fault_it_is(status, fault):
    caught, _ = await failure(error(status), max_retries=0)
    assert caught.fault == fault


async def test_no_credit_no_server_and_no_answer_are_outages():
    quota = {"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}}
    caught, _ = await failure(Answer.json(quota, 429))
    assert caught.fault == "outage"
    caught, _ = await failure(Answer.json(quota))  # a gateway reports it with status 200
    assert caught.fault == "outage" and "exceeded your current quota" in caught.message
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    async with model_at(f"http://127.0.0.1:{port}/v1", max_retries=0) as (model, _):
        with pytest.raises(ModelError) as refused:
            await model.reply(ASK)
    assert refused.value.fault == "outage"


async def test_a_model_that_answered_before_is_not_said_to_be_unknown():
    answers = iter([chat_reply("ok"), error(404), error(403)])
    with chat_server(lambda _: next(answers)) as server:
        async with model_at(server.base_url) as (model, _):
            await model.reply(ASK)
            faults = []
            for _ in range(2):
                with pytest.raises(ModelError) as caught:
                    await model.reply(ASK)
                faults.append(caught.value.fault)
    assert faults == ["outage", "request"]


@pytest.mark.parametrize(
    "body",
    [{"error": "the cap is spent"}, {"object": "error", "message": "the cap is spent"}, {"detail": "the cap is spent"}],
)
async def test_a_reply_of_200_with_an_error_shows_its_message(body):
    caught, _ = await failure(Answer.json(body), max_retries=0)
    assert "the cap is spent" in caught.message


async def test_both_providers_share_the_loop():
    answers = iter([error(500), Answer(drop=True), message_reply("ok")])
    with messages_server(lambda _: next(answers)) as server:
        async with model_at(server.base_url, "anthropic") as (model, pauses):
            reply = await model.reply(ASK)
    assert (reply.text, reply.retries, len(pauses)) == ("ok", 2, 2)


async def test_a_connection_that_is_reset_within_a_reply_is_said_in_words():
    async def reset(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 5000\r\n\r\n{"id":')
        await writer.drain()
        await asyncio.sleep(0.1)  # so that the head is read first
        writer.transport.get_extra_info("socket").setsockopt(
            socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)
        )
        writer.transport.abort()

    server = await asyncio.start_server(reset, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    async with server, model_at(url, max_retries=0) as (model, _):
        with pytest.raises(ModelError, match=r"the connection failed: it broke off without a reason \(\w+\)") as failed:
            await model.reply(ASK)
    assert failed.value.fault == "outage"
