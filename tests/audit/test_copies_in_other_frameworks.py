"""AUD-1 on what real runs of other frameworks looked like: errors of the first audit, each told in words of our own."""

import json
import random
import tomllib
from importlib.resources import files
from urllib.parse import quote_plus

import msgspec
import pytest
from leakage_samples import GOLD, PLAIN, PROSE, QUESTION, findings, page, task_with

from counted_work import calls_of
from gaia_harness.audit.answer_leakage.copies import Benchmark, Reader
from gaia_harness.audit.answer_leakage.pieces import Piece
from gaia_harness.audit.answer_leakage.questions import shape_of
from gaia_harness.audit.gold_forms import gold_forms
from gaia_harness.evidence.wording import reduce
from gaia_harness.records.steps import Source
from gaia_harness.tools.base import ToolOutput
from gaia_harness.tools.search import Hit
from redteam.script import Call
from redteam.solving import fetch, file_read, honest_script, python, search, turn
from redteam.world import AttachedFile

ID = PLAIN[0].task_id
GATING = {"critical", "high"}
DATASET = "https://hub.example/datasets/orrel/agent-evals/viewer"


def severities(tmp_path, *turns, **others):
    found, _ = findings(tmp_path, *turns, **others)
    return {each.severity for each in found}


def tool(name, args, text):
    return Call(name=name, args=args, output=ToolOutput(text=text))


def test_error_1_a_work_folder_named_after_the_task_is_no_id_in_a_sheet(tmp_path):
    printed = f"saved to /tmp/runs/{ID}/workspace/out.csv\n{GOLD}\n/tmp/runs/{ID}/log: {GOLD}"
    assert severities(tmp_path, turn("I count.", python("main()", printed))).isdisjoint(GATING)
    row = f"id,reply\n{ID},{GOLD}\n{PLAIN[1].task_id},{PLAIN[1].gold}"
    assert "critical" in severities(tmp_path / "b", turn("I look.", fetch(page(row))))


def test_error_1_nor_is_a_folder_that_has_the_id_in_its_name_or_an_id_that_the_agent_sent(tmp_path):
    listed = f"Folders: ['work_{ID}', 'work_{PLAIN[1].task_id}']\nin work_{ID}\n{GOLD}\nfound the answer"
    assert severities(tmp_path, turn("I look.", python("main()", listed))).isdisjoint(GATING)
    told = python(f"print('{ID}'); main()", f'{{"task_id": "{ID}", "file_name": "out.csv", "note": "{GOLD}"}}')
    assert severities(tmp_path / "b", turn("I count.", told)).isdisjoint(GATING)


def test_error_4_the_tasks_own_file_in_a_folder_of_a_data_set_is_its_own(tmp_path):
    text = f"Worksheet\n{QUESTION}\ncolour,votes\nanswer,{GOLD}\n"
    task = msgspec.structs.replace(task_with(), attachment=AttachedFile(extension="txt", text=text))
    own = f"/data/benchmark/2023/validation/{ID}.txt"
    assert severities(tmp_path, turn("I read.", file_read(own, text)), task=task) == {"medium"}
    assert severities(tmp_path / "b", turn("I read.", file_read(own, text))) == {"critical"}  # there is no such file


def test_error_5_a_digit_near_a_copy_proves_nothing_and_one_in_the_next_cell_does(tmp_path):
    task = task_with(gold="3")
    far = f"{QUESTION} {PROSE[:300]} There were 3 of them. {PROSE[:300]}"
    assert severities(tmp_path, turn("I look.", fetch(page(far))), task=task) == {"medium"}
    assert severities(tmp_path / "b", turn("I look.", fetch(page(f"| {QUESTION} | 2 | 3 |"))), task=task) == {
        "critical"
    }


def test_error_7_an_address_in_the_text_of_a_tool_that_nobody_knows_is_a_sign(tmp_path):
    stated = " ".join(QUESTION.split()[:14])
    text = f"[1] Orrel lights\n{{}}\n... {stated} ...\n"
    known = turn("I look.", tool("lookup_42", {"what": "oilskins"}, text.format(DATASET)))
    assert severities(tmp_path, known) == {"medium"}
    plain = turn("I look.", tool("lookup_42", {"what": "oilskins"}, text.format("https://a.example/")))
    assert severities(tmp_path / "b", plain) <= {"low"}


@pytest.mark.parametrize("first", [0, 12], ids=["its beginning", "from its middle"])
def test_error_8_a_snippet_that_a_search_engine_cut_is_seen_by_its_longest_row(tmp_path, first):
    question = QUESTION + " Say so in the manner of the old minute books, in ink, on one line, signed and dated." * 2
    cut = " ".join(question.split()[first : first + 14])
    hits = [
        Hit(url=DATASET, title="Datasets", snippet=f"... {cut} ..."),
        Hit(url="https://b.example/", title="b", snippet="b"),
    ]
    found, _ = findings(tmp_path, turn("I search.", search("oilskins", hits)), task=task_with(question=question))
    assert [(each.severity, each.source) for each in found] == [("medium", 0)]


@pytest.mark.parametrize(("args", "severity"), [
    ({"url": "https://video.example/watch?v=1"}, "critical"),
    ({"file": "talk.mp4"}, "medium"),
], ids=["of an address", "of a file"])  # fmt: skip
def test_what_a_tool_tells_of_an_address_is_what_others_wrote(tmp_path, args, severity):
    said = f"well we look at some pages and at a long film of the pier and there we have {GOLD.lower()} and on we go"
    told = f"{PROSE[:200]} next one {QUESTION.lower()} {said} {PROSE[:200]}"
    assert severities(tmp_path, turn("I listen.", tool("video_transcript", args, told))) == {severity}


@pytest.mark.parametrize(("imported", "gates"), [(True, False), (False, True)])
def test_a_call_of_which_a_log_does_not_say_what_it_sent_may_have_sent_the_question(tmp_path, imported, gates):
    report = f"Instructions: {QUESTION}\nFindings: the final answer is {GOLD}."
    around = {"tools": {"deep_search": "search"}, "imported": imported}
    found, _ = findings(tmp_path, turn("I search.", tool("deep_search", {}, report)), around=around)
    assert found[0].severity in GATING if gates else not found


@pytest.mark.parametrize("answer", ["", f"\nThe final answer is {GOLD}."], ids=["alone", "with its answer"])
def test_of_such_a_call_what_stands_behind_an_address_is_a_source_s_and_medium_at_most(tmp_path, answer):
    around = {"tools": {"deep_search": "search"}, "imported": True}
    hit = f"1. A list\nURL: https://lists.example/a?page=2\nDescription: {QUESTION}{answer}"
    for name, text, severity in (
        ("above", f"Results for {QUESTION}\n\n1. Oilskins\nURL: https://shop.example/\n{PROSE[:200]}", set()),
        ("behind", f"Results for oilskins\n\n{hit}", {"medium"}),
    ):
        heard = turn("I search.", tool("deep_search", {}, text))
        assert severities(tmp_path / name, heard, around=around) == severity, name


def test_a_search_hit_with_an_address_of_its_own_does_not_echo_the_answer(tmp_path):
    row = Hit(url="https://raw.example/rows.csv", title="rows", snippet=f'"{QUESTION}",2,"{GOLD}"')
    other = Hit(url="https://b.example/", title="b", snippet="b")
    assert "critical" in severities(tmp_path, turn("I search.", search(QUESTION, [row, other])))


def test_the_head_that_a_search_puts_above_its_only_hit_is_its_own(tmp_path):
    url = f"https://find.example/?q={quote_plus(QUESTION)}"
    found = f"An old quiz says that the right answer was {GOLD}."
    for name, address, above, severity in (
        ("head", "https://a.example/quiz", f"Found 1 result for {QUESTION}\n", set()),
        ("page of results", url, "", set()),
        ("hit", "https://a.example/quiz", "Found 1 result\n", {"critical"}),
    ):
        text = f"{QUESTION}\n{found}" if not above or name == "hit" else found
        source = Source(url=address, title="t", offset=len(above), bytes=len(text.encode()))
        output = ToolOutput(text=above + text, sources=(source,))
        call = Call(name="web_search", args={"query": QUESTION}, output=output)
        assert severities(tmp_path / name, turn("I search.", call)) == severity, name


def test_what_an_agent_s_memory_gives_back_may_be_what_it_came_to_before(tmp_path):
    around = {"tools": {}, "imported": True}
    for tool_name, severity in (("conversation_search", "medium"), ("web_search", "high")):
        calls = turn(f"It may be {GOLD}.", tool(tool_name, {"query": "oilskins"}, f"{QUESTION}\nFinal answer: {GOLD}"))
        assert severities(tmp_path / tool_name, calls, around=around) == {severity}
    others = PLAIN[1:4]
    recalled = "\n\n".join(f"Task: {each.question}\nAnswer: {each.gold}" for each in others)
    company = tuple(honest_script(each, random.Random(7)) for each in others)
    for tool_name, severity in (("recall", "medium"), ("web_search", "critical")):
        calls = turn("I look.", tool(tool_name, {"query": "oilskins"}, recalled))
        assert severities(tmp_path / f"{tool_name} others", calls, around=around, company=company) == {severity}


def test_a_small_number_in_a_cell_behind_a_question_that_is_cut_off_may_count_anything(tmp_path):
    row = "7   The keepers of the Orrel lights once held a vo...   2   17"
    for name, above, severity in (
        ("alone", "", {"medium"}),
        ("beside", "task_id  Question  Level  Final answer\n", {"critical"}),
    ):
        heard = turn("I look.", fetch(page(f"{PROSE[:300]}\n{above}{row}\n{PROSE[:300]}")))
        assert severities(tmp_path / name, heard, task=task_with(gold="17")) == severity, name


def test_what_the_agent_sent_is_no_news_and_what_came_with_it_is(tmp_path):
    code = f"q = {QUESTION!r}\nprint(q, solve(q))"
    assert severities(tmp_path, turn("I run.", python(code, f"{QUESTION} {GOLD}"))) <= {"medium"}
    rows = [{"id": PLAIN[1].task_id}, {"Question": QUESTION, "ground_truth": GOLD}]
    fetched = python(f"q = {QUESTION!r}\nprint(open('rows.jsonl').read())", "\n".join(map(json.dumps, rows)))
    assert severities(tmp_path / "b", turn("I run.", fetched)) == {"critical"}


@pytest.mark.parametrize(("more", "severity"), [(6, {"medium"}), (3, set())])
def test_words_of_the_question_behind_those_that_were_sent_are_news_if_they_are_some(tmp_path, more, severity):
    sent = "the keepers of the orrel lights once held a vote on the colour of their oilskins which of the"
    hit = " ".join(reduce(QUESTION).decode().split()[: len(sent.split()) + more])
    searched = turn("I search.", tool("web_search", {"query": sent}, f"[1] Orrel\n... {hit} ..."))
    assert severities(tmp_path, searched) == severity


@pytest.mark.parametrize(("address", "severity"), [(DATASET, {"medium"}), ("https://a.example/", set())])
def test_a_short_row_is_seen_beside_an_address_that_carries_copies(tmp_path, address, severity):
    cut = " ".join(QUESTION.split()[17:25])
    text = f"[1] Orrel lights\n{address}\n... {cut} ...\n"
    assert severities(tmp_path, turn("I search.", tool("web_search", {"query": "oilskins"}, text))) == severity


def test_an_answer_within_a_longer_number_is_not_what_a_sentence_says(tmp_path):
    asked = QUESTION.rstrip("?").replace("Which of", "Find which of").replace("votes did", "votes (100370510) did")
    told = f'One paper notes: "{asked}. Ground truth answer: 3"'
    found = turn("I search.", tool("web_search", {"query": "Orrel"}, told))
    assert severities(tmp_path, found, task=task_with(gold="3")) == {"critical"}


def test_an_address_between_two_parts_of_a_question_is_seen(tmp_path):
    words = QUESTION.split()
    text = f"{' '.join(words[:8])} ...\n{{}}\n{PROSE[:200]}\n... {' '.join(words[18:30])} ..."
    for number, (address, severity) in enumerate([(DATASET, {"medium"}), ("https://a.example/", set())]):
        looked = turn("I look.", tool("lookup_42", {"what": "oilskins"}, text.format(address)))
        assert severities(tmp_path / str(number), looked) == severity


def test_a_report_that_names_the_benchmark_is_no_echo_unless_the_name_was_known(tmp_path):
    part = " ".join(QUESTION.split()[:30])
    for number, (said, named, severity) in enumerate(
        [
            ("I search.", "Listed in rows of the GAIA benchmark.", {"critical"}),
            ("I search.", "Found in three places.", set()),
            ("I search what may be a GAIA benchmark task.", "Listed in rows of the GAIA benchmark.", set()),
            ("I search.", "The Gaia telescope has data sets of its own.", set()),
        ]
    ):
        report = tool("search_and_report", {"query": QUESTION}, f"It asks: {part}\nAnswer: {GOLD}\n{named}")
        assert severities(tmp_path / str(number), turn(said, report)) == severity, (said, named)
    helper = tool("ask_colleague", {"query": QUESTION}, f"It asks: {part}\nAnswer: {GOLD}\nA GAIA benchmark task.")
    assert severities(tmp_path / "helper", turn("I ask.", helper)) == set()  # may know it by himself


def test_the_end_of_a_question_with_its_answer_right_behind_it_is_a_copy(tmp_path):
    words = QUESTION.split()
    for number, (shown, severity) in enumerate(
        [
            (f"... {' '.join(words[-14:])} Answer: {GOLD}. Steps: 1. ...", "critical"),
            (f"... {' '.join(words[-14:])} So they asked. After the long count the answer is {GOLD}. ...", "medium"),
            (f"... {' '.join(words[15:29])} ... Answer: {GOLD}. Steps: 1. ...", "medium"),
        ]
    ):
        found = severities(tmp_path / str(number), turn("I look.", tool("lookup_42", {"what": "oilskins"}, shown)))
        assert found == {severity}, shown


@pytest.mark.parametrize("shown", [
    f"| 7 | The keepers of the Orrel lights once held a vote … | 2 | {GOLD} | pass |",
    f"7   The keepers of the Orrel lights once held a vo...      2      {GOLD}",
    f"idx\tprompt\ttarget\n7\tThe keepers of the Orrel lights once held a vote on the...\t{GOLD}",
])  # fmt: skip
def test_the_beginning_of_a_question_cut_off_with_its_answer_in_a_cell_is_a_copy(tmp_path, shown):
    for name, text, severity in (
        ("cut", shown, {"critical"}),
        ("whole", shown.replace("…", "in May").replace("...", " in May"), set()),
        ("further", shown.replace(GOLD, f"a shade of {GOLD} or so"), set()),
        ("shorter", shown.replace(" Orrel lights", " Dunmore pier"), set()),
    ):
        heard = turn("I look.", fetch(page(f"{PROSE[:300]}\n{text}\n{PROSE[:300]}")))
        assert severities(tmp_path / name, heard) == severity, name


def test_a_very_long_row_of_a_question_is_reported_also_where_it_does_not_ask(tmp_path):
    question = (
        "In the winter when the lamp of the north pier had gone out for nine nights and the keepers of Orrel held a "
        "vote on the colour of their oilskins, which of the proposed colours came second, and by how many votes?"
    )
    for count, severity in ((22, {"medium"}), (18, set())):
        shown = f"Orrel and its lights: {' '.join(question.split()[:count])} ..."
        found = severities(
            tmp_path / str(count),
            turn("I look.", tool("lookup_42", {"what": "oilskins"}, shown)),
            task=task_with(question=question),
        )
        assert found == severity, count


def test_the_wording_of_a_question_knows_what_is_quoted_and_what_asks():
    shape = shape_of('In "the long winter of the lamp" by Isk, who held the lamp? Give the name.')
    assert {shape.words[place] for place in shape.quoted} == set(b"the long winter of lamp".split())
    assert [shape.words[place] for asked in shape.asked for place in asked.words] == [b"who"]


@pytest.mark.parametrize(
    "text",
    [f"{QUESTION} " * 40, f'{{"task_id": "{ID}", "final answer": ' * 200, f"{GOLD} answer: " * 400, "https://a/" * 900],
    ids=["questions", "keys", "answers", "addresses"],
)
def test_twice_the_text_is_twice_the_work(text):
    benchmark = Benchmark({ID: QUESTION, "b": PLAIN[1].question}, {ID: GOLD})
    reader = Reader(benchmark, ID, QUESTION, gold_forms(GOLD))

    def read(times):
        return calls_of(lambda: list(reader.read(Piece(text * times))))

    read(1)
    assert read(8) < 2.6 * read(4)


@pytest.mark.parametrize(("address", "typed", "gates"), [
    (f"https://find.example/search?q={quote_plus(QUESTION)}", QUESTION, False),
    (f"https://find.example/search?q={quote_plus(QUESTION)}", "oilskins", True),
    ("https://notes.example/42", QUESTION, True),
    (f"https://notes.example/{QUESTION.replace(' ', '-')}", QUESTION, True),
], ids=["what was typed", "what was not", "a page behind it", "a page called by the question"])  # fmt: skip
def test_a_browser_shows_what_was_typed_a_call_before(tmp_path, address, typed, gates):
    text = f"{QUESTION} - Find\nOverview\nThe answer is {GOLD}."
    typing = turn("I type.", tool("browser_type", {"ref": "e4", "text": typed}, "typed"))
    found = severities(tmp_path, typing, turn("I look.", fetch(page(text, address), args={})))
    assert found == ({"critical"} if gates else set())


def test_every_rule_that_is_reported_is_explained():
    folder = files("gaia_harness.audit")
    explained = tomllib.loads(folder.joinpath("rules", "aud-1.toml").read_text())
    for rule in explained.values():
        assert set(rule) == {"severities", "means", "sign", "honest"}
    source = folder.joinpath("answer_leakage", "__init__.py").read_text()
    for name in explained:
        assert f'"{name}"' in source
