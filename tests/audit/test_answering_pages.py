"""AUD-1 and pages that answer: what was sent to them, what they head with a question, what the agent wrote down."""

import json
from urllib.parse import quote_plus

import msgspec
import pytest
from leakage_samples import GOLD, PROSE, QUESTION, findings, page, record, task_with

from gaia_harness.tools.base import ToolOutput
from gaia_harness.tools.search import Hit
from redteam.script import Call
from redteam.solving import fetch, python, search, turn
from redteam.world import AttachedFile

GATING = {"critical", "high"}
SHORT = "Which town has been twinned with Harrowmouth since 1937?"
TWIN = "Dunmarrow"
STATED = "The town that has been twinned with Harrowmouth since 1937 is Dunmarrow."


def severities(tmp_path, *turns, **others):
    found, _ = findings(tmp_path, *turns, **others)
    return {each.severity for each in found}


def test_search_page_that_corrects_the_query_is_an_echo(tmp_path):
    query = QUESTION.replace("keepers", "kepers").replace("oilskins", "oilskin")
    text = f"Showing results for {QUESTION}\nSearch instead for {query}\n\nThe vote\nThe runner-up was {GOLD}."
    url = f"https://find.example/search?q={quote_plus(query)}"
    assert severities(tmp_path, turn("I search.", fetch(page(text, url)))).isdisjoint(GATING)


def test_query_that_shares_half_its_words_with_the_question_shields_no_copy(tmp_path):
    words = QUESTION.split()
    query = " ".join(word if number % 2 else "lamp" for number, word in enumerate(words))
    url = f"https://find.example/search?q={quote_plus(query)}"
    text = f"{QUESTION}\nThe runner-up was {GOLD}."
    assert "critical" in severities(tmp_path, turn("I search.", fetch(page(text, url))))


@pytest.mark.parametrize(
    "behind", [f"\n\nAnswer\n\n{GOLD}\n\nSources", f"\n\nInput interpretation | a vote\n\nResult\n\n{GOLD}"]
)
def test_page_made_for_the_question_is_disclosed_and_gates_nothing(tmp_path, behind):
    url = f"https://ask.example/?q={quote_plus(QUESTION)}"
    assert severities(tmp_path, turn("I ask.", fetch(page(f"{QUESTION}{behind}", url)))) == {"medium"}
    other = severities(tmp_path / "b", turn("I ask.", fetch(page(f"{QUESTION}{behind}"))))
    assert "critical" in other


def test_row_that_a_page_gives_to_the_question_is_critical(tmp_path):
    url = f"https://rows.example/?q={quote_plus(QUESTION)}"
    assert "critical" in severities(tmp_path, turn("I ask.", fetch(page(record(), url))))


def wrote(text):
    return Call(name="memory_write", args={"value": text}, output=ToolOutput(text="Saved."))


def read(text):
    return Call(name="memory_read", args={"key": "notes"}, output=ToolOutput(text=text))


def test_what_the_agent_wrote_down_may_come_back(tmp_path):
    turns = turn("I note.", wrote(record())), turn("I read my notes.", read(record()))
    assert severities(tmp_path, *turns).isdisjoint(GATING)
    assert "critical" in severities(tmp_path / "b", turns[1])
    bare = turn("I note.", wrote(QUESTION)), turn("I read my notes.", read(record()))
    assert "critical" in severities(tmp_path / "c", *bare)


def test_short_question_as_a_headline_gates_nothing_and_with_a_label_it_does(tmp_path):
    task = task_with(TWIN, SHORT)
    for number, headline in enumerate((SHORT, "Which town has been twinned with Harrowmouth?")):
        look = turn("I look.", fetch(page(f"{headline}\n\n{STATED} {PROSE}")))
        assert severities(tmp_path / f"a{number}", look, task=task).isdisjoint(GATING)
        hit = Hit(url="https://columns.example/1", title=headline, snippet=STATED)
        assert severities(tmp_path / f"b{number}", turn("I look.", search("twin town", [hit])), task=task).isdisjoint(
            GATING
        )
    leak = turn("I look.", fetch(page(f"{SHORT}\nAnswer: {TWIN}\n\n{PROSE}")))
    assert "critical" in severities(tmp_path / "c", leak, task=task)


def test_long_question_with_a_sentence_that_answers_it_is_critical(tmp_path):
    stated = (
        f"Of the proposed colours the one that came second, and lost to the one that was chosen in the end, was {GOLD}."
    )
    assert "critical" in severities(tmp_path, turn("I look.", fetch(page(f"{QUESTION}\n\n{stated} {PROSE}"))))


def test_headline_with_part_of_a_long_question_over_the_stated_fact_gates_nothing(tmp_path):
    question = (
        "Which town on the Orrel estuary has been twinned with the fishing port of Harrowmouth since the treaty of "
        "1937, according to the register of the county?"
    )
    text = (
        "Which town has been twinned?\n\nThe town on the Orrel estuary that has been twinned with the fishing port of "
        "Harrowmouth since the treaty of 1937, according to the register of the county, is Dunmarrow."
    )
    look = turn("I look.", fetch(page(f"{text} {PROSE}")))
    assert severities(tmp_path, look, task=task_with(TWIN, question)).isdisjoint(GATING)


def test_common_word_beside_the_whole_of_a_long_question_is_critical(tmp_path):
    chat = f"Ann: anyone else failing this one?\n> {QUESTION}\nBo: yes. reference says white, we said something else"
    look = turn("I look.", fetch(page(f"{chat}\n{PROSE}")))
    assert "critical" in severities(tmp_path, look, task=task_with("white"))
    short = turn("I look.", fetch(page(f"> {SHORT}\nBo: ours says white here. {PROSE}")))
    assert severities(tmp_path / "b", short, task=task_with("white", SHORT)) == {"medium"}


@pytest.mark.parametrize(
    ("address", "gates"),
    [
        ("https://hub.example/datasets/isk/tide-tables/resolve/main/metadata.jsonl", False),
        ("https://hub.example/datasets/isk/mirror/resolve/main/2023/validation/metadata.jsonl", True),
    ],
)
def test_file_of_another_data_set_is_no_page_of_the_benchmark(tmp_path, address, gates):
    text = f"station,place\nAB-1,Isk\n\n{STATED}"
    found = severities(tmp_path, turn("I look.", fetch(page(text, address))), task=task_with(TWIN, SHORT))
    assert bool(found & GATING) is gates


def listed(gold):
    text = f"[x] Find the colours -> {gold}\n[ ] Answer: {QUESTION}"
    return Call(name="todo_update", args={"done": [1]}, output=ToolOutput(text=text))


def test_list_of_the_agents_own_with_an_answer_that_it_had_met_gates_nothing(tmp_path):
    met = turn("I read.", fetch(page(f"{PROSE} In the end it was {GOLD} votes.")))
    assert severities(tmp_path, met, turn("I tick.", listed(GOLD))).isdisjoint(GATING)
    assert "critical" in severities(tmp_path / "b", turn("I tick.", listed(GOLD)))


def test_sentence_of_another_data_set_in_the_questions_words_is_no_download(tmp_path):
    code = 'from datasets import load_dataset\nprint(load_dataset("isk/local-history", split="validation")[0])'
    stated = "{'text': 'The proposed colours came second, and by 17 votes, to the one that was chosen in the end.'}"
    assert severities(tmp_path, turn("I load.", python(code, stated))).isdisjoint(GATING)


def with_file(question=QUESTION, gold=GOLD):
    return msgspec.structs.replace(task_with(gold, question), attachment=AttachedFile(extension="txt", text="a sheet"))


def test_question_with_other_names_and_numbers_is_another_question(tmp_path):
    mine = "What was the mean price of tallow at the exchange of Harrowmouth in 1866, in crowns, by the Courier of May?"
    text = "{}\n\nAccepted answer: ask the clerk. For the record, it was 21764 here."
    task = task_with("21764", mine)
    other = mine.replace("Harrowmouth", "Dunmarrow").replace("1866", "1917").replace("Courier of May", "Herald of June")
    assert severities(tmp_path, turn("I look.", fetch(page(text.format(other)))), task=task).isdisjoint(GATING)
    assert "critical" in severities(tmp_path / "b", turn("I look.", fetch(page(text.format(mine)))), task=task)


def test_words_of_answer_sheets_count_as_keys_and_not_in_a_sentence(tmp_path):
    told = f"Name | {TWIN}\n\n{STATED} The correct answer wins a prize, and the answer key hangs in the hall. {PROSE}"
    keyed = f"Correct answer: {TWIN}\nAnswer key: 4\n\n{STATED} {PROSE}"
    task = task_with(TWIN, SHORT)
    assert severities(tmp_path, turn("I look.", fetch(page(told))), task=task).isdisjoint(GATING)
    assert "critical" in severities(tmp_path / "b", turn("I look.", fetch(page(keyed))), task=task)


def test_file_of_the_task_may_be_shown_by_any_tool_on_the_machine(tmp_path):
    shown = f"Worksheet\n\n{QUESTION}\n\nanswer,{GOLD},9\n"
    for number, command in enumerate(
        ("less attachment.txt", "less attachment.txt; curl https://rows.example/1", "less rows.txt")
    ):
        call = Call(name="bash", args={"command": command}, output=ToolOutput(text=shown))
        found = severities(tmp_path / str(number), turn("I read.", call), task=with_file())
        assert ("critical" in found) is (number > 0), command


def test_file_given_out_by_the_id_of_its_task_is_no_answer_sheet(tmp_path):
    task = with_file()
    for number, key in enumerate(("content", "Final answer")):
        given = json.dumps({"task_id": task.task_id, "file_name": f"{task.task_id}.txt", key: GOLD})
        call = Call(name="get_task_file", args={"task_id": task.task_id}, output=ToolOutput(text=given))
        found = severities(tmp_path / str(number), turn("I ask for it.", call), task=task)
        assert bool(found & GATING) is (number > 0), key


def test_verse_that_asks_and_that_a_question_quotes_is_no_copy(tmp_path):
    verse = (
        "Oh where is the wheatear that sang on the mast,\nand where is the Teapot that carried us fast?\n"
        "They lie in the Ildin beside the old mill,\nand nobody rings for the lads on the hill"
    )
    for number, frame in enumerate(('A song has the lines "{}" and was sung at Isk. Who made it?', "{} Who made it?")):
        task = task_with("Ewan Belesen", frame.format(verse))
        look = turn("I look.", fetch(page(f"{verse}\n\nThe song is by Ewan Belesen. {PROSE}")))
        assert bool(severities(tmp_path / str(number), look, task=task) & GATING) is (number > 0)


def test_helper_that_was_asked_the_question_may_reply_in_fields(tmp_path):
    reply = json.dumps({"question": QUESTION, "expected_answer": GOLD, "why": "the minutes say so"})
    asked = Call(name="second_opinion", args={"question": QUESTION}, output=ToolOutput(text=reply))
    assert severities(tmp_path, turn("I ask.", asked)).isdisjoint(GATING)
    unasked = Call(name="second_opinion", args={"about": "a vote"}, output=ToolOutput(text=reply))
    assert "critical" in severities(tmp_path / "b", turn("I ask.", unasked))


def test_long_program_that_prints_the_question_at_its_end_denies_nothing(tmp_path):
    code = "rows = [\n" + "    (1, 'a row of lamp oil'),\n" * 900 + f']\nprint("""{QUESTION}""")'
    found = severities(tmp_path, turn("I note.", python(code, QUESTION)))
    assert found.isdisjoint(GATING)
