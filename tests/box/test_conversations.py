"""Which steps the model calls of an agent become: retries, forks, sub-agents, and words that no model said."""

import asyncio
import hashlib
import importlib.util
import json

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wire_samples import chat, message

from chat_server import chat_reply, chat_server, message_reply, messages_server
from counted_work import calls_of
from fakes import FakeTool
from gaia_harness.agent import run_agent
from gaia_harness.box.conversations import OBSERVATION, Conversations, ModelCall
from gaia_harness.box.wire_formats import read_reply, read_request
from gaia_harness.evidence import Recorder
from gaia_harness.models.registry import open_model
from gaia_harness.records.steps import LlmCall, Prompt, ToolCallStep, ToolResultStep
from gaia_harness.records.trajectories import Trajectory, check

SYSTEM = {"role": "system", "content": "Be brief."}
ASK = {"role": "user", "content": "How high is the Grimble Tower?"}
LOOK = ("look_up", {"name": "Grimble Tower"})


class Told:
    """An attempt whose model calls are told one after another."""

    def __init__(self, names=None):
        self.recorder = Recorder()
        self.talks = Conversations(self.recorder, names)

    def ask(self, *messages, reply="Well.", calls=(), api="chat", failed=False, finished=True, **fields):
        """Tell of a call; gives how it relates to those before."""
        body = json.dumps({"model": "grim-1", "messages": messages, **fields}).encode()
        answer = read_reply(api, json.dumps((chat if api == "chat" else message)(reply, calls)).encode())
        answer = msgspec.structs.replace(answer, finished=finished)
        return self.bytes(api, body, None if failed else answer)

    def bytes(self, api, body, reply):
        call = ModelCall(request=read_request(api, body), reply=reply, latency_ms=5)
        return self.talks.record(call).relation

    @property
    def steps(self):
        """What was recorded, which must hold up as evidence."""
        assert self.recorder.failures == []
        steps = self.recorder.steps
        trajectory = Trajectory(
            task_id="t",
            model="m",
            turns=1,
            final_answer=None,
            input_tokens=None,
            output_tokens=None,
            voting_attempts=1,
            selected_attempt=1,
            tools_used=(),
            steps=steps,
        )
        check(trajectory, where="here")
        return steps

    def lines(self, start=0):
        """Each step in a line: turn, agent, kind, words."""
        return [line(step) for step in self.steps[start:]]


def line(step):
    agent = "" if step.agent is msgspec.UNSET else step.agent
    match step:
        case Prompt():
            return f"{step.turn} {agent} {step.role}: {step.head}"
        case LlmCall():
            return f"{step.turn} {agent} said: {step.head}"
        case ToolCallStep():
            return f"{step.turn} {agent} {step.name}({step.args}) {step.call_id}"
        case ToolResultStep():
            return f"{step.turn} {agent} {step.name} gave: {step.head} {step.call_id}"


def said(text, *calls):
    """A reply as an agent gives it back."""
    return chat(text, calls)["choices"][0]["message"]


def result(text, at=0):
    return {"role": "tool", "tool_call_id": f"call_{at}", "content": text}


@pytest.fixture
def told():
    return Told()


def test_a_conversation_with_a_tool(told):
    assert told.ask(SYSTEM, ASK, reply="I look.", calls=[LOOK]) == "new"
    assert told.ask(SYSTEM, ASK, said("I look.", LOOK), result("341 m"), reply="341 m") == "grown"
    assert told.lines() == [
        "1  system: Be brief.",
        "1  user: How high is the Grimble Tower?",
        "1  said: I look.",
        "1  look_up({'name': 'Grimble Tower'}) call_0",
        "1  look_up gave: 341 m call_0",
        "2  context: ",
        "2  said: 341 m",
    ]
    first = told.steps[2]
    assert (first.tokens_in, first.tokens_out, first.tokens_cached, first.latency_ms) == (30, 8, 4, 5)
    assert (first.model, first.stop_reason, first.response_id) == ("grim-1", "tool_calls", "chatcmpl-7")
    sent = json.dumps({"model": "grim-1", "messages": [SYSTEM, ASK]}).encode()
    assert told.steps[0].context_sha256 == hashlib.sha256(sent).hexdigest()
    assert told.talks.tools_used == {"look_up"}


def test_the_same_again_after_a_failure_is_a_retry(told):
    assert told.ask(SYSTEM, ASK, failed=True) == "new"
    assert told.ask(SYSTEM, ASK, failed=True) == "retry"
    assert told.ask(SYSTEM, ASK, reply="341 m") == "retry"
    assert [text.split(":")[0] for text in told.lines()] == ["1  system", "1  user", "1  said"]


def test_the_same_again_after_a_reply_that_broke_off_has_a_turn_of_its_own(told):
    told.ask(ASK, reply="It is 3", finished=False)
    assert told.ask(ASK, reply="341 m") == "retry"
    assert told.lines()[1:] == ["1  said: It is 3", "2  context: ", "2  said: 341 m"]


def test_the_same_again_after_a_reply_is_a_fork_and_each_goes_on_by_itself(told):
    told.ask(SYSTEM, ASK, reply="One.")
    assert told.ask(SYSTEM, ASK, reply="Two.") == "fork"
    more = {"role": "user", "content": "Are you sure?"}
    assert told.ask(SYSTEM, ASK, said("One."), more, reply="Yes.") == "grown"
    assert told.ask(SYSTEM, ASK, said("Two."), more, reply="No.") == "grown"
    assert told.ask(SYSTEM, ASK, reply="Three.") == "fork"
    assert told.lines(3) == [
        "2 agent-2 context: ",
        "2 agent-2 said: Two.",
        "3  user: Are you sure?",
        "3  said: Yes.",
        "4 agent-2 user: Are you sure?",
        "4 agent-2 said: No.",
        "5 agent-3 context: ",
        "5 agent-3 said: Three.",
    ]


def test_a_history_with_less_in_it_is_rewritten_and_known_parts_are_not_told_again(told):
    long = "The tower is 341 m high, says the plaque. " * 5
    told.ask(SYSTEM, ASK, reply="", calls=[LOOK])
    told.ask(SYSTEM, ASK, said("", LOOK), result(long), reply="More.", calls=[])
    note = {"role": "user", "content": "(Some of this was left out.) Go on."}
    before = len(told.steps)
    assert told.ask(SYSTEM, note, said("", LOOK), result(long), reply="341 m") == "rewritten"
    assert told.lines(before) == ["3  user: (Some of this was left out.) Go on.", "3  said: 341 m"]
    assert told.talks.relations["rewritten"] == 1


def test_an_old_result_in_other_words_is_something_put_before_the_model(told):
    told.ask(ASK, reply="", calls=[LOOK])
    told.ask(ASK, said("", LOOK), result("A long page"), reply="Hm.")
    before = len(told.steps)
    assert told.ask(ASK, said("", LOOK), result("(cleared)"), said("Hm."), reply="341 m") == "rewritten"
    assert told.lines(before) == ["3  tool: (cleared)", "3  said: 341 m"]


def test_another_agent_with_the_same_question_is_another_conversation(told):
    told.ask({"role": "system", "content": "You plan."}, ASK, reply="First look.")
    assert told.ask({"role": "system", "content": "You carry out."}, ASK, reply="341 m") == "new"
    assert told.lines(3)[0] == "2 agent-2 system: You carry out."


def test_a_sub_agent_is_known_by_the_call_that_has_its_task(told):
    task = "Find the height of the Grimble Tower"
    told.ask(SYSTEM, ASK, reply="", calls=[("delegate", {"task": task})])
    helper = ({"role": "system", "content": "You help."}, {"role": "user", "content": f"Your task: {task}."})
    assert told.ask(*helper, reply="341 m") == "new"
    assert told.ask(SYSTEM, ASK, said("", ("delegate", {"task": task})), result("341 m"), reply="341") == "grown"
    call = next(step for step in told.steps if isinstance(step, ToolCallStep))
    inner = [step for step in told.steps if step.agent == "agent-2"]
    assert [step.parent for step in inner] == [call.seq] * 3
    assert told.lines(7) == ["2  delegate gave: 341 m call_0", "3  context: ", "3  said: 341"]


def test_words_in_the_models_role_that_no_model_said_are_prompts(told):
    told.ask(SYSTEM, ASK, {"role": "assistant", "content": "I know: 999 m."}, reply="Go on?")
    made_up = said("", ("look_up", {"name": "Other Tower"}))
    told.ask(
        SYSTEM,
        ASK,
        {"role": "assistant", "content": "I know: 999 m."},
        {"role": "assistant", "content": "Go on?\nCalling tools: []"},
        made_up,
        result("999 m"),
        reply="999 m",
    )
    assert told.lines(2) == [
        "1  assistant: I know: 999 m.",
        "1  said: Go on?",
        "1  look_up({'name': 'Other Tower'}) call_0",
        "1  look_up gave: 999 m call_0",
        "2  assistant: Calling tools: []",
        '2  assistant: {"id":"call_0","name":"look_up","arguments":"{\\"name\\": \\"Other Tower\\"}"}',
        "2  said: 999 m",
    ]


def test_arguments_that_were_changed_in_the_history_are_not_the_models(told):
    told.ask(ASK, reply="", calls=[LOOK])
    told.ask(ASK, said("", ("look_up", {"name": "Another"})), result("999 m"), reply="999 m")
    assert '2  assistant: {"id":"call_0","name":"look_up"' in told.lines()[4]


def test_thoughts_come_back_or_not_and_made_up_ones_are_told(told):
    told.ask(ASK, reply="One.", api="messages")
    answer = read_reply("messages", json.dumps(message("Two.", thinking="Let me think.")).encode())
    first = [ASK, {"role": "assistant", "content": "One."}, ASK]
    body = json.dumps({"model": "m", "messages": first}).encode()
    assert told.bytes("messages", body, answer) == "grown"
    thought = {"type": "thinking", "thinking": "Let me think.", "signature": "x"}
    other = {"type": "thinking", "thinking": "It is 999 m.", "signature": "x"}
    back = {"role": "assistant", "content": [thought, other, {"type": "text", "text": "Two."}]}
    assert told.ask(*first, back, ASK, reply="Three.", api="messages") == "grown"
    bare = {"role": "assistant", "content": [{"type": "text", "text": "Two."}]}
    before = len(told.steps)
    assert told.ask(*first, bare, ASK, said("Three."), ASK, reply="Four.", api="messages") == "grown"
    assert "3  assistant: It is 999 m." in told.lines()
    assert told.lines(before) == [f"4  user: {ASK['content']}", "4  said: Four."]


@pytest.mark.parametrize(
    ("words", "shown", "args"),
    [
        ("Thought: x\n<code>\nprint(1)\n</code>", "Observation:\nExecution logs:\n1", {"code": "print(1)"}),
        ("I try.\n```python\nprint(1)\n```", "Error:\nno such name", {"code": "print(1)"}),
        (
            "Action: search\nAction Input: tower",
            "Observation: 341 m",
            {"action": "Action: search\nAction Input: tower"},
        ),
    ],
)
def test_results_that_are_shown_only_as_text_are_inferred(told, words, shown, args):
    told.ask(SYSTEM, ASK, reply=words)
    told.ask(SYSTEM, ASK, said(words), {"role": "user", "content": shown}, reply="341 m")
    call, seen = told.steps[3:5]
    assert (call.name, call.args, call.turn) == (OBSERVATION, args, 1)
    assert (seen.name, seen.head, seen.call_id) == (OBSERVATION, shown, call.call_id)
    assert told.lines(5) == ["2  context: ", "2  said: 341 m"]
    assert told.talks.inferred == 1


def test_words_that_only_look_like_a_result_are_prompts(told):
    told.ask(ASK, reply="I only speak.")
    told.ask(ASK, said("I only speak."), {"role": "user", "content": "Observation: you did nothing."})
    assert told.lines()[2] == "2  user: Observation: you did nothing."


def test_calls_of_the_model_whose_results_are_shown_as_text(told):
    told.ask(ASK, reply="", calls=[LOOK])
    again = {"role": "assistant", "content": "Calling tools: look_up"}
    told.ask(ASK, again, {"role": "user", "content": "Observation:\n341 m"}, reply="341 m")
    assert told.lines()[3] == "1  look_up gave: Observation:\n341 m call_0"
    assert told.talks.inferred == 1


def test_servers_that_number_their_calls_anew_or_not_at_all(told):
    told.ask(ASK, reply="", calls=[LOOK])
    told.ask(ASK, said("", LOOK), result("one"), reply="", calls=[LOOK])
    told.ask(ASK, said("", LOOK), result("one"), said("", LOOK), result("two"), reply="Done.")
    assert [text for text in told.lines() if "gave" in text] == [
        "1  look_up gave: one call_0",
        "2  look_up gave: two call_0-1",
    ]
    nameless = Told()
    reply = chat("", [LOOK])
    del reply["choices"][0]["message"]["tool_calls"][0]["id"]
    body = json.dumps({"model": "m", "messages": [ASK]}).encode()
    nameless.bytes("chat", body, read_reply("chat", json.dumps(reply).encode()))
    nameless.ask(ASK, said("", LOOK), result("one"), reply="Done.")
    assert nameless.lines(2)[:3] == [
        "1  look_up({'name': 'Grimble Tower'}) call-1",
        "1  look_up gave: one call-1",
        "2  context: ",
    ]


def test_ids_of_pages_are_not_for_others(told):
    ids = ["agent.http-7", "agent.httpagent.http", "agent.http-7"]
    told.ask(ASK, *({"role": "tool", "tool_call_id": name, "content": name} for name in ids))
    told.ask(ASK, *({"role": "tool", "tool_call_id": name, "content": "x"} for name in ids))
    shown = [step.call_id for step in told.steps if isinstance(step, ToolCallStep)]
    assert shown == ["call-1", "call-2"]


def test_the_catalogue_is_told_when_it_changes(told):
    tool = {"type": "function", "function": {"name": "a", "parameters": {}}}
    told.ask(SYSTEM, ASK, tools=[tool], chat_template="x")
    told.ask(SYSTEM, ASK, said("Well."), ASK, tools=[tool], chat_template="x")
    told.ask(SYSTEM, ASK, said("Well."), ASK, said("Well."), ASK, tools=[tool, tool])
    assert [text.split(":")[0] for text in told.lines()] == [
        *("1  system", "1  tools", "1  request", "1  user", "1  said"),
        *("2  user", "2  said", "3  tools", "3  user", "3  said"),
    ]


def test_results_of_the_providers_own_tools_stand_in_the_reply(told):
    reply = message("341 m")
    hits = [{"type": "web_search_result", "url": "https://a.example", "title": "Tower"}]
    reply["content"][:0] = [
        {"type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": {"query": "tower"}},
        {"type": "web_search_tool_result", "tool_use_id": "srv_1", "content": hits},
    ]
    answer = read_reply("messages", json.dumps(reply).encode())
    assert answer.hosted == ("web_search",)
    told.bytes("messages", json.dumps({"model": "m", "messages": [ASK]}).encode(), answer)
    told.ask(ASK, {"role": "assistant", "content": reply["content"]}, ASK, api="messages")
    assert [text.split("{")[0] for text in told.lines()[1:]] == [
        "1  said: 341 m",
        "1  web_search(",
        "1  web_search gave: ",
        f"2  user: {ASK['content']}",
        "2  said: Well.",
    ]


def test_a_sub_agent_has_the_name_that_its_file_gives_by_what_it_is_told():
    talks = Told({"searcher": "You search", "writer": "You write"})
    talks.ask(SYSTEM, ASK)
    for words in ("You write it down.", "You do what you like.", "Now: You search the web."):
        talks.ask({"role": "system", "content": words}, {"role": "user", "content": "Begin."})
    names = [line.split(" ")[1] for line in talks.lines() if "system" in line]
    assert names == ["", "writer-2", "agent-3", "searcher-4"]


def test_embeddings_are_only_counted(told):
    body = json.dumps({"model": "m", "input": "x"}).encode()
    reply = read_reply("embeddings", json.dumps({"usage": {"prompt_tokens": 3}}).encode())
    assert told.talks.record(ModelCall(request=read_request("embeddings", body), reply=reply)) is None
    assert (told.talks.embeddings, told.steps, len(told.talks.usages)) == (1, (), 1)


def test_a_long_conversation_costs_what_its_requests_are_long():
    def work(turns):
        talk, history = Told(), [ASK]
        requests = []
        for turn in range(turns):
            requests.append(read_request("chat", json.dumps({"model": "m", "messages": history}).encode()))
            history += [said(f"Well {turn}."), {"role": "user", "content": f"And {turn}?"}]
        reply = read_reply("chat", json.dumps(chat("Well.")).encode())
        size = sum(len(request.items) for request in requests)
        return calls_of(lambda: [talk.talks.record(ModelCall(request=r, reply=reply)) for r in requests]) / size

    assert work(80) < 1.5 * work(20)


ARGUMENTS = st.dictionaries(st.sampled_from(["text", "more"]), st.text("abc \n", max_size=9), max_size=2)
SCRIPTS = st.lists(
    st.tuples(
        st.text(st.characters(codec="utf-8", exclude_categories=["C"]), max_size=20),
        st.lists(
            st.dictionaries(st.sampled_from(["text", "more"]), st.text("abc \n", max_size=9), max_size=2), max_size=3
        ),
    ),
    max_size=4,
)
ECHO = FakeTool("echo", lambda args: f"heard {sorted(args.items())}")


@pytest.mark.parametrize("api", ["chat", "messages"])
@settings(max_examples=8)
@given(script=SCRIPTS)
def test_the_steps_are_those_of_our_own_loop(api, script):
    replies = [*script, ("FINAL ANSWER: 341 m", [])]
    sent = []

    def answer(_):
        text, calls = replies[len(sent)] if len(sent) < len(replies) else replies[-1]
        make = chat_reply if api == "chat" else message_reply
        sent.append(make(text, [("echo", args) for args in calls]))
        return sent[-1]

    async def own():
        serve, provider = (chat_server, "openai") if api == "chat" else (messages_server, "anthropic")
        with serve(answer) as server:
            model = open_model(f"{provider}/test-model", base_url=server.base_url, env={})
            try:
                return (await run_agent("How high?", model, [ECHO])).steps, [seen.body for seen in server.seen]
            finally:
                await model.aclose()

    steps, bodies = asyncio.run(own())
    told = Told()
    for body, reply in zip(bodies, sent, strict=True):
        told.bytes(api, body, read_reply(api, json.dumps(reply).encode()))
    assert told.talks.relations.keys() <= {"new", "grown"}
    assert [timeless(step) for step in told.steps] == [timeless(step) for step in steps]


def timeless(step):
    return msgspec.structs.replace(step, latency_ms=0) if isinstance(step, LlmCall) else step


NAMED = st.sampled_from(["call_0", "call_1", "call-1", "agent.http-0", "agent.httpagent.http", "observation", ""])
ANY_MESSAGE = st.one_of(
    st.sampled_from([SYSTEM, ASK, said("Well."), said("", LOOK), said("Well. And more.")]),
    st.builds(lambda call: {"role": "user", "content": f"Call id: {call}\nObservation: 341 m"}, NAMED),
    st.builds(
        lambda text, call: {"role": "tool", "tool_call_id": call, "content": text}, st.text("ab", max_size=1), NAMED
    ),
    st.builds(lambda name: {"role": "function", "name": name, "content": "x"}, st.sampled_from(["look_up", "other"])),
)
ANY_CALL = st.tuples(
    st.lists(ANY_MESSAGE, max_size=5),
    st.sampled_from(["Well.", "", "<code>\nprint(1)\n</code>"]),
    st.lists(st.sampled_from([LOOK, ("other", {})]), max_size=2),
    st.sampled_from([{"failed": True}, {"finished": False}, {}]),
    st.booleans(),
)


@given(st.lists(ANY_CALL, max_size=6))
def test_whatever_is_asked_the_steps_hold_up(calls):
    told, history = Told(), []
    for messages, reply, made, fate, goes_on in calls:
        history = [*history, *messages] if goes_on else messages
        told.ask(*history, reply=reply, calls=made, **fate)
        history = [*history, said(reply, *made)]
    assert sum(isinstance(step, LlmCall) for step in told.steps) == len(told.talks.usages)


@pytest.mark.cases
def test_a_code_agent_of_smolagents():
    if importlib.util.find_spec("smolagents") is None:
        pytest.skip("smolagents is not installed: pip install smolagents")
    import smolagents

    script = ["Thought: I count.\n<code>\nprint(300 + 41)\n</code>", "<code>\nfinal_answer('341 m')\n</code>"]
    sent = []

    def answer(_):
        sent.append(chat_reply(script[len(sent)]))
        return sent[-1]

    with chat_server(answer) as server:
        model = smolagents.OpenAIServerModel("grim-1", api_base=server.base_url, api_key="sk-none")
        agent = smolagents.CodeAgent(tools=[], model=model, verbosity_level=0)
        assert agent.run("How high is the Grimble Tower?") == "341 m"
        bodies = [seen.body for seen in server.seen]
    told = Told()
    for body, reply in zip(bodies, sent, strict=True):
        told.bytes("chat", body, read_reply("chat", json.dumps(reply).encode()))
    kinds = [(type(step).__name__, getattr(step, "role", getattr(step, "name", ""))) for step in told.steps]
    assert kinds == [
        ("Prompt", "system"),
        ("Prompt", "user"),
        ("LlmCall", ""),
        ("ToolCallStep", OBSERVATION),
        ("ToolResultStep", OBSERVATION),
        ("Prompt", "assistant"),  # its note of what it calls
        ("LlmCall", ""),
    ]
    assert told.steps[3].args == {"code": "print(300 + 41)"}
    assert "341" in told.steps[4].head
