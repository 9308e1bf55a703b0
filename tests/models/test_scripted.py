"""Can the scripted model answer only what tools have told it?"""

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaia_harness.errors import ModelError
from gaia_harness.models.messages import Assistant, Request, System, ToolResult, ToolSpec, User
from gaia_harness.models.script import fill
from gaia_harness.models.scripted import LONGEST_SEARCHED, open_scripted

TOOLS = (ToolSpec("look", "Looks.", {}), ToolSpec("python", "Runs.", {}))
SCRIPT = {
    "when": "colour of the boat",
    "turns": [
        {"say": "I look.", "calls": [{"tool": "look", "args": {"query": "boat"}}]},
        {
            "say": "I found {name}.",
            "take": {"name": {"from": "look", "pattern": "boat is (\\w+)"}},
            "calls": [
                {"tool": "look", "args": {"query": "{name} colour", "offset": 3}},
                {"tool": "python", "args": {"code": ["x = {name!r}", "print({x})"]}},
            ],
        },
        {
            "say": "So it is.",
            "take": {"colour": {"from": "look", "pattern": "{name}: (\\w+)"}, "sum": {"pattern": "sum (\\d+)"}},
            "answer": "{colour}, {sum}",
        },
    ],
}


@pytest.fixture
def scripted(tmp_path):
    def make(*scripts):
        for number, script in enumerate(scripts):
            (tmp_path / f"{number}.json").write_text(json.dumps(script))
        return open_scripted(str(tmp_path))

    return make


def conversation(*messages, tools=TOOLS, may_call=True):
    start = System("Be careful."), User("What is the colour of the boat?\n\nA file comes with it.")
    return Request(messages=(*start, *messages), tools=tools, may_call=may_call)


def changed(**last):
    return {**SCRIPT, "turns": [*SCRIPT["turns"][:-1], {**SCRIPT["turns"][-1], **last}]}


FOUND = ToolResult("call_1_1", "look", "The boat is Thrift.")
COLOUR = ToolResult("call_2_1", "look", "Gull: white; Thrift: green; Thrift: red")
SUM = ToolResult("call_2_2", "python", "sum 17")


async def test_it_works_through_its_turns_with_what_tools_gave_back(scripted):
    model = scripted(SCRIPT)
    first = await model.reply(conversation())
    assert (first.text, first.stop_reason) == ("I look.", "tool_calls")
    assert [(call.name, call.args) for call in first.tool_calls] == [("look", {"query": "boat"})]

    second = await model.reply(conversation(Assistant("", first.tool_calls), FOUND))
    assert second.text == "I found Thrift."
    assert [call.args for call in second.tool_calls] == [
        {"query": "Thrift colour", "offset": 3},
        {"code": "x = 'Thrift'\nprint({x})"},
    ]
    assert [json.loads(call.raw) for call in second.tool_calls] == [call.args for call in second.tool_calls]
    assert len({call.call_id for call in (*first.tool_calls, *second.tool_calls)}) == 3

    third = await model.reply(conversation(Assistant(""), FOUND, Assistant(""), COLOUR, SUM))
    assert third.text == "So it is.\n\nFINAL ANSWER: green, 17"
    assert (third.tool_calls, third.stop_reason) == ((), "stop")


async def test_the_answer_follows_the_tools_result(scripted):
    blue = ToolResult("call_2_1", "look", "Thrift: blue")
    reply = await scripted(SCRIPT).reply(conversation(Assistant(""), FOUND, Assistant(""), blue, SUM))
    assert reply.text.endswith("FINAL ANSWER: blue, 17")


@pytest.mark.parametrize(
    ("result", "said"),
    [
        (ToolResult("call_1_1", "look", "There is nothing here."), "I could not find the name in what look gave back."),
        (ToolResult("call_1_1", "look", "boat is Thrift", is_error=True), "look failed with 'boat is Thrift'"),
        (ToolResult("call_1_1", "python", "boat is Thrift"), "there is nothing in what look gave back"),
    ],
)
async def test_what_cannot_be_found_is_said_and_the_answer_is_unknown(scripted, result, said):
    reply = await scripted(SCRIPT).reply(conversation(Assistant(""), result))
    assert said in reply.text and reply.text.endswith("FINAL ANSWER: unknown")
    assert reply.tool_calls == ()


async def test_a_value_beyond_the_part_that_is_searched_is_not_found(scripted):
    far = ToolResult("call_1_1", "look", "." * LONGEST_SEARCHED + "boat is Thrift")
    reply = await scripted(SCRIPT).reply(conversation(Assistant(""), far))
    assert reply.text.endswith("FINAL ANSWER: unknown")


@pytest.mark.parametrize("last", [{"may_call": False}, {"tools": ()}])
async def test_the_last_call_answers_with_what_is_there(scripted, last):
    model = scripted(SCRIPT)
    early = await model.reply(conversation(Assistant(""), FOUND, **last))
    assert early.text.endswith("FINAL ANSWER: unknown") and early.tool_calls == ()
    whole = await model.reply(conversation(Assistant(""), FOUND, Assistant(""), COLOUR, SUM, **last))
    assert whole.text.endswith("FINAL ANSWER: green, 17")


async def test_all_matches_are_joined(scripted):
    take = {"colour": {"from": "look", "index": -1, "pattern": "(\\w+)(?:;|$)", "all": True, "join": " and "}}
    reply = await scripted(changed(take=take, answer="{colour}")).reply(
        conversation(Assistant(""), FOUND, Assistant(""), COLOUR, SUM)
    )
    assert reply.text.endswith("FINAL ANSWER: white and green and red")


async def test_an_index_picks_one_of_several_results(scripted):
    take = {"colour": {"from": "look", "index": 0, "pattern": "is (\\w+)"}}
    reply = await scripted(changed(take=take, answer="{colour}!")).reply(
        conversation(Assistant(""), FOUND, Assistant(""), COLOUR, SUM)
    )
    assert reply.text.endswith("FINAL ANSWER: Thrift!")


async def test_a_value_stands_in_a_pattern_for_itself_only(scripted):
    dots = ToolResult("call_1_1", "look", "boat is a.c")
    script = json.loads(json.dumps(SCRIPT).replace("boat is (\\\\w+)", "boat is (.+)"))
    colours = ToolResult("call_2_1", "look", "abc: white a.c: black")
    reply = await scripted(script).reply(conversation(Assistant(""), dots, Assistant(""), colours, SUM))
    assert reply.text.endswith("FINAL ANSWER: black, 17")


async def test_equal_requests_have_equal_replies_and_usage_is_counted(scripted):
    model = scripted(SCRIPT)
    once, twice = await model.reply(conversation()), await model.reply(conversation())
    assert once == twice
    other = await model.reply(conversation(Assistant(""), FOUND))
    assert other.response_id != once.response_id and other.request_sha256 != once.request_sha256
    size = len(msgspec.json.encode(conversation()))
    assert 0 <= 4 * once.usage.input_tokens - size < 4
    assert once.usage.output_tokens == 6  # "I look." and {"query": "boat"}: 7 + 17 bytes
    assert (once.latency_ms, once.retries, once.model) == (0, 0, model.name)


async def test_a_question_without_a_script_is_an_error_that_says_so(scripted):
    request = Request(messages=(System("colour of the boat"), User("Who is there?")), tools=TOOLS)
    with pytest.raises(ModelError, match="has no script for this question: 'Who is there") as failure:
        await scripted(SCRIPT).reply(request)
    assert "--dataset demo" in failure.value.hint and failure.value.request_sha256


async def test_a_question_with_two_scripts_is_an_error(scripted):
    with pytest.raises(ModelError, match="has 2 scripts"):
        await scripted(SCRIPT, {**SCRIPT, "when": "What is the colour"}).reply(conversation())


@pytest.mark.parametrize("answer", ["green", "{colour} 7", "{colour} x", "{other}", "", ", ", "{colour", "{colour!r}"])
def test_an_answer_with_words_of_its_own_is_refused(scripted, answer):
    with pytest.raises(ModelError, match=r"0\.json: .*(answer|taken)"):
        scripted(changed(answer=answer))


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ({"when": "x", "turns": [{"take": {"a": {"pattern": "(.)"}}, "answer": "{a}"}]}, "no tool call"),
        ({"when": "x", "turns": []}, "last turn must have an answer"),
        ({"when": "  ", "turns": SCRIPT["turns"]}, "`when` is empty"),
        ({**SCRIPT, "turns": SCRIPT["turns"][:-1]}, "last turn must have an answer"),
        ({**SCRIPT, "turns": [SCRIPT["turns"][0], *SCRIPT["turns"]][::-1]}, "answer"),
        (changed(calls=[{"tool": "look", "args": {}}]), "either call tools or answer"),
        ({**SCRIPT, "turns": [{"say": "Hm."}, *SCRIPT["turns"]]}, "turn 1: it must either call tools or answer"),
        (changed(take={"colour": {"pattern": "("}}), "not a regular expression"),
        (changed(take={"colour": {"pattern": "green"}}), "must have one group"),
        (changed(take={"colour": {"pattern": "(" + "a" * 1000 + ")"}}), "not a script"),
        (changed(take={"Colour me": {"pattern": "(.)"}}), "cannot be the name"),
        ({**SCRIPT, "turns": [{**SCRIPT["turns"][0], "say": "{name}"}, *SCRIPT["turns"][1:]]}, "before it is taken"),
        ({**SCRIPT, "wen": "x"}, "unknown field"),
        ({**SCRIPT, "turns": [{"calls": [{"tool": "look", "args": {"x": {}}}]}]}, "not a script"),
    ],
)
def test_a_script_that_cannot_be_meant_is_refused_with_its_name(scripted, script, message):
    with pytest.raises(ModelError, match=r"0\.json") as failure:
        scripted(script)
    assert message in failure.value.message


def test_two_scripts_of_which_one_fits_wherever_the_other_does_are_refused(scripted):
    with pytest.raises(ModelError, match=r"1\.json: its `when` fits the question of 0\.json as well"):
        scripted(SCRIPT, {**SCRIPT, "when": "the boat"})


def test_a_folder_that_is_not_there_or_empty_is_an_error(tmp_path):
    with pytest.raises(ModelError, match="no folder of scripts"):
        open_scripted(str(tmp_path / "nowhere"))
    with pytest.raises(ModelError, match="0 scripts"):
        open_scripted(str(tmp_path))


@pytest.mark.parametrize("data", [b"", b"[]", b'{"when": "\xff"}', b"[" * 5000, b" " * 200_000])
def test_a_file_that_is_no_script_is_an_error(tmp_path, data):
    (tmp_path / "a.json").write_bytes(data)
    with pytest.raises(ModelError, match=r"a\.json"):
        open_scripted(str(tmp_path))


async def test_a_request_that_is_not_text_is_an_error(scripted):
    with pytest.raises(ModelError, match="cannot be written as JSON"):
        await scripted(SCRIPT).reply(Request(messages=(User("colour of the boat \ud800"),), tools=TOOLS))


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_a_value_in_code_is_a_literal_of_exactly_that_value(value):
    space = {}
    exec(fill("x = {value!r}", {"value": value}), space)
    assert space["x"] == value


def test_the_bundled_scripts_are_called_demo():
    assert open_scripted("demo").name == "scripted/demo"
