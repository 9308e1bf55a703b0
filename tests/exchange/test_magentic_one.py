"""Console logs of Magentic-One: what a model said, and what came from outside."""

import shutil
from pathlib import Path

import pytest
from damaged import damaged_bytes, raise_it, runs_or_refusal
from hypothesis import given
from hypothesis import strategies as st

from gaia_harness.exchange.importers import magentic_one
from gaia_harness.exchange.inputs import ImportRefused, InputFile
from gaia_harness.exchange.neutral import NeutralRun, NeutralStep

RESULTS = Path(__file__).parent / "fixtures" / "magentic-one"  # made by make_fixtures/magentic_one.py
LEVEL = RESULTS / "orrel_level_1__MagenticOne"
TASK = LEVEL / "101faa44-6982-5d73-a0fd-93c27042c7fe"
REGISTER = "https://lanternkeepers.example/register"


def read(folder: Path) -> NeutralRun:
    (run,) = magentic_one.read(InputFile("console_log.txt", folder / "console_log.txt"), raise_it)
    return run


def log_of(tmp_path: Path, text: str) -> Path:
    folder = tmp_path / "level" / "a-task" / "0"
    folder.mkdir(parents=True)
    (folder / "console_log.txt").write_text(text, encoding="utf-8")
    return folder


def body(turns: str) -> str:
    return f"RUN.SH STARTING !#!#\nSCENARIO.PY STARTING !#!#\n{turns}SCENARIO.PY COMPLETE !#!#\nRUN.SH COMPLETE !#!#\n"


def test_the_run_is_found_with_its_question_file_model_answer_and_number() -> None:
    run = read(TASK / "0")
    assert (run.task_id, run.run, run.attempt) == (TASK.name, LEVEL.name, 1)
    assert run.question is not None
    assert run.question.endswith("taller than the shortest?")
    assert (run.answer, run.model, run.error) == ("37", "acme-agent-7", None)
    assert run.attachments == (f"{TASK.name}.txt",)
    assert (run.workdir, run.isolation) == ("/workspace", "docker")


def test_the_steps_are_the_turns_in_their_order_and_models_words_are_told_from_what_came_back() -> None:
    run = read(TASK / "0")
    told = [(step.type, step.agent, step.name or step.text.strip().split("\n")[0][:30]) for step in run.steps]
    assert told == [
        ("prompt", None, "The guild of lighthouse keeper"),
        ("prompt", None, "We are working to address the "),
        ("llm_call", None, "1. GIVEN OR VERIFIED FACTS"),
        ("llm_call", None, "- **WebSurfer**: find the regi"),
        ("llm_call", None, "Please search for the register"),
        ("tool_call", "WebSurfer", "web_search"),
        ("tool_result", "WebSurfer", "web_search"),
        ("llm_call", None, "Open the register."),
        ("tool_call", "WebSurfer", "visit_url"),
        ("tool_result", "WebSurfer", "visit_url"),
        ("llm_call", None, "Click on 'All lights'."),
        ("tool_call", "WebSurfer", "click"),
        ("tool_result", "WebSurfer", "click"),
        ("llm_call", None, "What is the shortest tower?"),
        ("llm_call", "WebSurfer", "The shortest tower on this pag"),
        ("llm_call", None, "Open the guild's other page."),
        ("tool_call", "WebSurfer", "WebSurfer"),
        ("tool_result", "WebSurfer", "WebSurfer"),
        ("llm_call", None, "Read the keeper's note."),
        ("tool_call", "FileSurfer", "FileSurfer"),
        ("tool_result", "FileSurfer", "FileSurfer"),
        ("llm_call", None, "Is there a second note?"),
        ("llm_call", "FileSurfer", "There is only one note in this"),
        ("llm_call", None, "Please run the script."),
        ("tool_call", "ComputerTerminal", "ComputerTerminal"),
        ("tool_result", "ComputerTerminal", "ComputerTerminal"),
        ("llm_call", None, "Write a script that subtracts."),
        ("llm_call", "Assistant", "Here it is:"),
        ("llm_call", None, "Please run the script."),
        ("tool_call", "ComputerTerminal", "ComputerTerminal"),
        ("tool_result", "ComputerTerminal", "ComputerTerminal"),
        ("llm_call", None, "The towers differ."),
    ]
    assert run.tools == {
        "web_search": "search",
        "visit_url": "fetch",
        "click": "fetch",
        "WebSurfer": "fetch",
        "FileSurfer": "read",
        "ComputerTerminal": "code",
    }
    assert any("WebSurfer answered from a page" in gap for gap in run.gaps)


def calls(run: NeutralRun) -> list[tuple[NeutralStep, NeutralStep]]:
    results = {step.call_id: step for step in run.steps if step.type == "tool_result"}
    return [(step, results[step.call_id]) for step in run.steps if step.type == "tool_call"]


def test_calls_have_their_arguments_and_pages_their_address_title_and_text() -> None:
    search, visit, click, lost, note, nothing, script = calls(read(TASK / "0"))
    assert search[0].args == {"query": "register of lights Orrel Isles"}
    assert visit[0].args == {"url": REGISTER}
    (page,) = visit[1].sources
    assert (page.url, page.title, visit[1].url) == (REGISTER, "Register [of lights]", REGISTER)
    assert page.text == "Weeping Rock, 44 m\n---------- Minor lights ----------\nPinch Beacon, 7 m"
    assert page.text in visit[1].text
    assert "I typed" not in visit[1].text  # that is what the model did, and not the page
    assert click[0].args == {"target_name": "All lights"}
    assert click[1].sources[0].text.endswith("Pinch Beacon, 7 m")
    assert lost[1].is_error
    assert "ERR_NAME_NOT_RESOLVED" in lost[1].text
    assert note[0].args == {"path": f"/workspace/{TASK.name}.txt"}
    assert note[1].text.endswith("The Nag is 19 m tall.\n")
    assert nothing[0].args is None
    assert nothing[1].is_error
    assert script[0].args == {"code": "print('metres:', 44 - 7)\n\nexit 3\n", "language": "python sh"}
    assert script[1].is_error
    assert script[1].text.endswith("metres: 37\n")


def test_a_crash_is_the_runs_error_and_no_answer_is_made_up() -> None:
    run = read(TASK / "1")
    assert (run.attempt, run.answer, run.error) == (2, None, "ValueError: No more mock responses available")
    assert run.steps[-1].text == "I would guess thirty."


def test_the_expected_answer_is_in_no_run(tmp_path: Path) -> None:
    for file in magentic_one.inputs(RESULTS):
        (run,) = magentic_one.read(file, raise_it)
        assert "THE GOLD ANSWER" in (file.path.parent / "expected_answer.txt").read_text(encoding="utf-8")
        assert "THE GOLD ANSWER" not in str(run)


@pytest.mark.parametrize("path", [RESULTS, LEVEL, TASK])
def test_runs_are_found_from_every_folder_above_them(path: Path) -> None:
    found = magentic_one.inputs(path)
    assert [file.path for file in found] == [TASK / "0" / "console_log.txt", TASK / "1" / "console_log.txt"]
    assert all(magentic_one.detect(file) for file in found)


def test_one_repetition_or_its_log_can_be_named_alone() -> None:
    log = TASK / "1" / "console_log.txt"
    assert [file.path for file in magentic_one.inputs(log.parent)] == [log]
    assert [file.path for file in magentic_one.inputs(log)] == [log]


def test_files_beside_the_log_that_are_links_are_not_read(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("not yours", encoding="utf-8")
    folder = tmp_path / "level" / "task" / "0"
    shutil.copytree(TASK / "0", folder)
    (folder / "prompt.txt").unlink()
    (folder / "prompt.txt").symlink_to(secret)
    assert "not yours" not in str(read(folder))
    (folder / "console_log.txt").unlink()
    (folder / "console_log.txt").symlink_to(secret)
    assert not magentic_one.inputs(tmp_path)


def test_headers_with_the_kind_of_message_are_understood(tmp_path: Path) -> None:
    turns = (
        "---------- TextMessage (user) ----------\nWhy?\n---------- TextMessage (MagenticOneOrchestrator) ----------\n"
    )
    run = read(log_of(tmp_path, body(f"{turns}FINAL ANSWER: because\n")))
    assert (run.question, run.answer, [step.type for step in run.steps]) == ("Why?", "because", ["prompt", "llm_call"])


def test_what_is_typed_as_an_address_and_is_none_is_a_search(tmp_path: Path) -> None:
    page = "The web browser is open to the page [t](https://x.example).\n"
    typed = f"---------- WebSurfer ----------\nI typed 'orrel lights' into the browser address bar.\n\n{page}"
    assert read(log_of(tmp_path, body(typed))).steps[0].role == "search"


def test_an_agent_that_is_not_of_the_team_is_a_gap(tmp_path: Path) -> None:
    ledger = (
        "We are working to address the following user request:\n\nWhy?\n\n\nTo answer this request we have assembled "
        "the following team:\n\nOracle: Knows.\n\n\nHere is an initial fact sheet to consider:\n\nnone"
    )
    turns = f"---------- MagenticOneOrchestrator ----------\n{ledger}\n---------- Oracle ----------\nSo.\n"
    run = read(log_of(tmp_path, body(turns)))
    assert run.steps[-1].agent == "Oracle"
    assert any(gap.startswith("Oracle is no agent of Magentic-One") for gap in run.gaps)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("RUN.SH STARTING !#!#\npip\n", "console_log.txt: no line says that the scenario started"),
        ("RUN.SH STARTING !#!#\nSCENARIO.PY STARTING !#!#\nTraceback\n", "console_log.txt:3: no turn of an agent"),
    ],
)
def test_a_log_without_a_run_is_refused_with_its_place(tmp_path: Path, text: str, fault: str) -> None:
    with pytest.raises(ImportRefused, match=fault):
        read(log_of(tmp_path, text))


def test_a_log_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ImportRefused, match=r"console_log.txt: cannot be read: No such file"):
        read(tmp_path)


def test_a_log_that_was_cut_off_says_so(tmp_path: Path) -> None:
    text = (TASK / "0" / "console_log.txt").read_text(encoding="utf-8")
    run = read(log_of(tmp_path, text[: text.index("FINAL ANSWER")]))
    assert (run.answer, run.error) == (None, "the console log ends before the scenario does")


@given(data=st.data())
def test_a_damaged_log_gives_a_run_or_a_refusal(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    path = tmp_path_factory.getbasetemp() / "task" / "0" / "console_log.txt"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data.draw(damaged_bytes((TASK / "0" / "console_log.txt").read_bytes())))
    runs_or_refusal(magentic_one.read, path)
