"""The agent loop, and the evidence that it returns beside its result."""

import asyncio
import hashlib

import pytest

from fakes import FakeModel, FakeTool, request_hash
from gaia_harness import protocol
from gaia_harness.agent import Limits, run_agent
from gaia_harness.agent.loop import MOST_CALLS, MOST_FINISHES
from gaia_harness.errors import ModelError, ToolError
from gaia_harness.evidence import LlmCall, Prompt, Source, ToolCallStep, ToolResultStep
from gaia_harness.models.messages import Assistant, Image, Reply, ToolCall, ToolResult, Usage, User
from gaia_harness.tools.base import ToolOutput


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


ECHO = FakeTool("echo", lambda args: f"heard {args['text']}")


async def test_answer_without_tools():
    run = await run_agent("How many?", FakeModel("Counting.\nFINAL ANSWER: 3"), [])
    assert run.result.answer == "3"
    assert run.result.turns == 1
    assert run.result.error is None
    assert run.result.usages == (Usage(input_tokens=10, output_tokens=3),)


async def test_what_the_model_was_sent_and_what_tools_returned_survive_into_the_steps():
    page = "the keeper was Ione Marsh" + " and the light was green" * 400
    source = Source(url="http://a.example/", title="A", offset=0, bytes=len(page))
    tools = [FakeTool("look", lambda args: ToolOutput(text=page, sources=(source,))), ECHO]
    model = FakeModel([("look", {"text": "keeper"}), ("echo", {"text": "x"})], "FINAL ANSWER: Ione Marsh")
    run = await run_agent("Who kept the light?", model, tools, attachment_name="attachment.csv")

    steps = run.steps
    assert [step.seq for step in steps] == list(range(len(steps)))
    kinds = [type(step) for step in steps]
    assert kinds == [
        *[Prompt] * 3,
        LlmCall,
        *[ToolCallStep] * 2,
        *[ToolResultStep] * 2,
        Prompt,
        LlmCall,
    ]
    system, catalogue, user = steps[:3]
    assert [step.role for step in steps[:3]] == ["system", "tools", "user"]
    assert system.content_sha256 == sha(protocol.SYSTEM)
    assert '"look"' in catalogue.head
    sent = model.requests[0].messages[1]
    assert isinstance(sent, User)
    assert user.content_sha256 == sha(sent.text)
    assert "Who kept the light?" in user.head
    assert "attachment.csv" in user.head
    assert {step.context_sha256 for step in steps[:3]} == {request_hash(model.requests[0])}
    assert steps[8].context_sha256 == request_hash(model.requests[1])
    assert (steps[8].role, steps[8].bytes) == ("context", 0)

    call, result = steps[4], steps[6]
    assert (call.name, call.args, call.call_id) == ("look", {"text": "keeper"}, result.call_id)
    assert result.output_sha256 == sha(page)
    assert result.bytes == len(page)
    assert result.truncated
    assert result.head == page[:4096]
    assert result.sources == (source,)
    seen = model.requests[1].messages[3]
    assert isinstance(seen, ToolResult)
    assert seen.text == page
    assert run.result.tools_used == ("echo", "look")


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (("nothere", {"text": "x"}), "There is no tool called 'nothere'. The tools are: echo, sick, broken."),
        (("echo", "{not json"), "The arguments of echo were not a JSON object"),
        (("sick", {"text": "x"}), "the page is gone"),
        (("broken", {"text": "x"}), "broken failed: ZeroDivisionError"),
    ],
)
async def test_a_failing_tool_is_told_to_the_model(call, told):
    def sick(args):
        raise ToolError("the page is gone")

    tools = [ECHO, FakeTool("sick", sick), FakeTool("broken", lambda args: str(1 // 0))]
    model = FakeModel([call], "FINAL ANSWER: unknown")
    run = await run_agent("?", model, tools)
    result = model.requests[1].messages[-1]
    assert isinstance(result, ToolResult)
    assert result.is_error
    assert told in result.text
    assert run.result.answer == "unknown"
    step = next(step for step in run.steps if isinstance(step, ToolResultStep))
    assert step.is_error
    assert step.output_sha256 == sha(result.text)


async def test_malformed_arguments_are_recorded_as_the_model_wrote_them():
    run = await run_agent("?", FakeModel([("echo", "{not json")], "FINAL ANSWER: 1"), [ECHO])
    assert next(step for step in run.steps if isinstance(step, ToolCallStep)).args == "{not json"


async def test_last_turn_asks_for_an_answer_and_offers_no_calls():
    model = FakeModel([("echo", {"text": "1"})], [("echo", {"text": "2"})], "I think\nFINAL ANSWER: half a guess")
    run = await run_agent("?", model, [ECHO], limits=Limits(max_turns=3))
    assert [request.may_call for request in model.requests] == [True, True, False]
    assert model.requests[2].messages[-1] == User(protocol.LAST_TURN)
    assert run.result.answer == "half a guess"
    assert run.result.turns == 3
    assert [step.head for step in run.steps if isinstance(step, Prompt) and step.turn == 3] == [protocol.LAST_TURN]


async def test_a_model_that_calls_tools_to_the_end_has_no_answer():
    model = FakeModel([("echo", {"text": "again"})])
    run = await run_agent("?", model, [ECHO], limits=Limits(max_turns=4))
    assert run.result.answer is None
    assert run.result.error == "no answer within 4 turns"
    assert len(model.requests) == 4
    assert sum(isinstance(step, ToolResultStep) for step in run.steps) == 3


async def test_an_empty_reply_is_asked_again():
    model = FakeModel("", "FINAL ANSWER: late")
    run = await run_agent("?", model, [ECHO])
    assert model.requests[1].messages[-1] == User(protocol.NO_ANSWER_YET)
    assert run.result.answer == "late"


async def test_a_failing_model_ends_the_attempt_but_keeps_its_steps():
    model = FakeModel([("echo", {"text": "1"})], ModelError("the server is gone"))
    run = await run_agent("?", model, [ECHO])
    assert run.result.answer is None
    assert run.result.error == "the server is gone"
    assert run.result.turns == 2
    last = run.steps[-1]
    assert isinstance(last, Prompt)
    assert last.context_sha256 == request_hash(model.requests[1])


async def test_what_was_sent_when_the_time_was_over_is_recorded():
    class Hanging(FakeModel):
        async def reply(self, request):
            if len(self.requests) == 1:
                await asyncio.sleep(60)
            return await super().reply(request)

    run = await run_agent("How many?", Hanging([("echo", {"text": "a"})]), [ECHO], seconds=0.2)
    assert run.result.error == "no answer within 0 s, the time for a task (--task-timeout)"
    assert [(type(step), step.turn) for step in run.steps[-2:]] == [(ToolResultStep, 1), (Prompt, 2)]
    assert run.result.turns == 2 == len({step.turn for step in run.steps})


async def test_calls_beyond_the_most_of_a_turn_are_told_so_and_not_made():
    made = []
    tool = FakeTool("echo", lambda args: made.append(args) or "ok")
    model = FakeModel([("echo", {"text": str(n)}) for n in range(MOST_CALLS + 3)], "FINAL ANSWER: 1")
    run = await run_agent("?", model, [tool])
    assert len(made) == MOST_CALLS
    told = [message for message in model.requests[1].messages if isinstance(message, ToolResult)]
    assert len(told) == MOST_CALLS + 3
    assert [message.is_error for message in told[-4:]] == [False, True, True, True]
    assert f"at most {MOST_CALLS} calls" in told[-1].text
    assert sum(isinstance(step, ToolResultStep) for step in run.steps) == MOST_CALLS + 3


async def test_thoughts_are_recorded_and_go_back_to_the_model():
    thinking = Reply(
        text="",
        tool_calls=(ToolCall("call-1", "echo", '{"text": "x"}', {"text": "x"}),),
        thoughts='[{"type": "thinking", "thinking": "the keeper lies"}]',
        request_sha256="0" * 64,
    )
    model = FakeModel(thinking, "FINAL ANSWER: 1")
    run = await run_agent("?", model, [ECHO])
    said = next(step for step in run.steps if isinstance(step, LlmCall))
    assert said.thoughts is not None
    assert said.thoughts.sha256 == sha(thinking.thoughts)
    assert "the keeper lies" in said.thoughts.head
    assert next(m for m in model.requests[1].messages if isinstance(m, Assistant)).thoughts == thinking.thoughts


async def test_images_reach_the_model():
    picture = Image("image/png", b"png bytes")
    tool = FakeTool("look", lambda args: ToolOutput(text="a picture", images=(picture,)))
    model = FakeModel([("look", {"text": "x"})], "FINAL ANSWER: blue")
    await run_agent("?", model, [tool])
    result = model.requests[1].messages[-1]
    assert isinstance(result, ToolResult)
    assert result.images == (picture,)


async def test_lone_surrogates_are_made_sendable_and_recorded_as_sent():
    tool = FakeTool("echo", lambda args: "bad \ud800 text")
    model = FakeModel([("echo", {"text": "x"})], "FINAL ANSWER: 1")
    run = await run_agent("?", model, [tool])
    result = model.requests[1].messages[-1]
    assert isinstance(result, ToolResult)
    assert result.text == "bad ? text"
    assert next(s for s in run.steps if isinstance(s, ToolResultStep)).output_sha256 == sha(result.text)


def reply(text, stop_reason):
    usage = Usage(input_tokens=10, output_tokens=3)
    return Reply(text=text, stop_reason=stop_reason, usage=usage, model="m", request_sha256="0" * 64)


@pytest.mark.parametrize("reason", ["length", "max_tokens", "model_context_window_exceeded"])
async def test_a_reply_that_was_cut_short_is_asked_to_finish(reason):
    model = FakeModel(reply("It is 1\nFINAL ANSWER: 19", reason), "FINAL ANSWER: 1911")
    run = await run_agent("?", model, [ECHO])
    assert model.requests[1].messages[-1] == User(protocol.CUT_SHORT)
    assert model.requests[1].messages[-2] == Assistant("It is 1\nFINAL ANSWER: 19")
    assert run.result.answer == "1911"
    assert run.result.turns == 2
    assert [step.head for step in run.steps if isinstance(step, Prompt) and step.turn == 2] == [protocol.CUT_SHORT]


async def test_a_model_that_never_finishes_is_asked_a_bounded_number_of_times():
    model = FakeModel(reply("FINAL ANSWER: 7\nFINAL ANSWER: 7\nFINAL", "length"))
    run = await run_agent("?", model, [ECHO])
    assert len(model.requests) == MOST_FINISHES + 1
    assert run.result.answer == "7"


async def test_calls_of_a_reply_that_was_cut_short_are_made():
    call = ToolCall("call-1", "echo", '{"text": "x"}', {"text": "x"})
    cut = Reply(text="", tool_calls=(call,), stop_reason="length", request_sha256="0" * 64)
    run = await run_agent("?", FakeModel(cut, "FINAL ANSWER: 1"), [ECHO])
    assert run.result.answer == "1"
    assert any(isinstance(step, ToolResultStep) for step in run.steps)


async def test_words_of_the_template_are_asked_for_once_more():
    model = FakeModel("So:\nFINAL ANSWER: [YOUR FINAL ANSWER]", "FINAL ANSWER: 3")
    run = await run_agent("?", model, [ECHO])
    assert model.requests[1].messages[-1] == User(protocol.ONLY_TEMPLATE)
    assert run.result.answer == "3"


async def test_words_of_the_template_twice_are_no_answer():
    model = FakeModel("FINAL ANSWER: your answer")
    run = await run_agent("?", model, [ECHO])
    assert len(model.requests) == 2
    assert run.result.answer is None
    assert "template" in run.result.error


async def test_a_marker_within_a_line_is_no_answer():
    model = FakeModel("I have to end with FINAL ANSWER: something.", "FINAL ANSWER: blue")
    run = await run_agent("?", model, [ECHO])
    assert model.requests[1].messages[-1] == User(protocol.NO_ANSWER_YET)
    assert run.result.answer == "blue"
