import hashlib
import json
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gaia_harness.errors import DatasetError, GaiaError, UsageError
from gaia_harness.records.config import Selection
from gaia_harness.tasks.answers import Gold
from gaia_harness.tasks.loading import LoadedTasks, load_tasks, parse_limit
from gaia_harness.tasks.rows import MAX_LINE_BYTES, parse_row
from gaia_layout import json_lines, parquet, row, write_layout

seeded = settings(derandomize=True, deadline=None)  # a busy machine is no failure
FORMATS = {"metadata.parquet": parquet, "metadata.jsonl": json_lines}
LEDGER = b"room,lanterns\n3,7\n"


def six_rows(split="validation"):
    return [
        row(1, level=1, split=split),
        row(2, level=2, split=split),
        row(3, level=1, file_name="ledger-3.csv", split=split),
        row(4, level=3, split=split),
        row(5, level=1, split=split),
        row(6, level=2, split=split),
    ]


@pytest.fixture(params=FORMATS)
def folder(request, tmp_path):
    files = {
        f"2023/validation/{request.param}": FORMATS[request.param](six_rows()),
        "2023/validation/ledger-3.csv": LEDGER,
        f"2023/test/{request.param}": FORMATS[request.param](six_rows("test")),
        "2023/test/ledger-3.csv": LEDGER,
    }
    return write_layout(tmp_path, files)


def load(folder, **selection) -> LoadedTasks:
    return load_tasks(str(folder), selection=Selection(**selection))


def ids(loaded: LoadedTasks) -> list[int]:
    return [int(task.task_id.removeprefix("task-")) for task in loaded.tasks]


def refused(folder, **options) -> DatasetError:
    with pytest.raises(DatasetError) as caught:
        load_tasks(str(folder), **options)
    return caught.value


def test_both_formats_give_the_same_tasks_key_and_digest(tmp_path):
    loaded = []
    for name, write in FORMATS.items():
        files = {f"2023/validation/{name}": write(six_rows()), "2023/validation/ledger-3.csv": LEDGER}
        loaded.append(load(write_layout(tmp_path / name, files)))
    assert ids(loaded[0]) == ids(loaded[1]) == [1, 2, 3, 4, 5, 6]
    assert loaded[0].digest == loaded[1].digest
    assert loaded[0].key == loaded[1].key
    assert loaded[0].key.get("task-4") == Gold(answer="4 lanterns", annotator_steps="1. Count in room 4.")
    third = loaded[0].tasks[2]
    assert (third.question, third.level) == ("How many lanterns hang in room 3?", 1)
    assert third.attachment.read_bytes() == LEDGER
    assert loaded[0].tasks[0].attachment is None
    assert (loaded[0].split, loaded[0].revision) == ("validation", None)
    assert loaded[0].dataset == str(tmp_path / "metadata.parquet")


def test_the_digest_is_what_its_description_says(folder):
    loaded = load(folder, level=1, first=2)
    described = [
        {
            "attachment_sha256": hashlib.sha256(LEDGER).hexdigest(),
            "level": 1,
            "question": "How many lanterns hang in room 3?",
            "task_id": "task-3",
        },
        {"attachment_sha256": None, "level": 1, "question": "How many lanterns hang in room 5?", "task_id": "task-5"},
    ]
    canonical = json.dumps(described, sort_keys=True, separators=(",", ":")).encode()
    assert loaded.digest == hashlib.sha256(canonical).hexdigest()


def test_the_digest_knows_the_attachment_and_not_the_answers(tmp_path):
    def digest(name, ledger=LEDGER, **changes):
        files = {
            "2023/validation/metadata.jsonl": json_lines([row(1, file_name="a.csv", **changes)]),
            "2023/validation/a.csv": ledger,
        }
        return load(write_layout(tmp_path / name, files)).digest

    same = digest("first")
    assert digest("answer", Final_answer="other", Annotator_Metadata=None) == same
    assert digest("ledger", ledger=LEDGER + b" ") != same
    assert digest("question", Question="Other?") != same
    assert digest("level", Level=2) != same


def test_no_answer_and_no_annotator_word_is_in_a_task(folder):
    shown = repr(load(folder).tasks)
    assert "4 lanterns" not in shown and "Count in room" not in shown
    assert "4 lanterns" not in repr(load(folder).key)


def test_the_test_split_has_tasks_and_no_answers(folder):
    loaded = load_tasks(str(folder), split="test")
    assert len(loaded.tasks) == 6 and loaded.key.golds == {}


@pytest.mark.parametrize("answer", ["?", "", " ", None])
def test_a_missing_answer_is_no_gold(tmp_path, answer):
    rows = [row(1, Final_answer=answer), row(2)]
    loaded = load(write_layout(tmp_path, {"2023/validation/metadata.jsonl": json_lines(rows)}))
    assert list(loaded.key.golds) == ["task-2"]


@pytest.mark.parametrize(
    ("selection", "expected"),
    [
        ({}, [1, 2, 3, 4, 5, 6]),
        ({"level": 1}, [1, 3, 5]),
        ({"level": 3}, [4]),
        ({"last": 2}, [1, 2]),
        ({"first": 2, "last": 4}, [2, 3, 4]),
        ({"first": 5, "last": 99}, [5, 6]),
        ({"level": 1, "first": 2, "last": 3}, [3, 5]),
        ({"level": 2, "first": 2}, [6]),
        ({"task_ids": ("task-5", "task-2", "task-5")}, [2, 5]),
    ],
)
def test_a_selection_gives_exactly_those_tasks_in_order(folder, selection, expected):
    loaded = load(folder, **selection)
    assert ids(loaded) == expected
    assert list(loaded.key.golds) == [task.task_id for task in loaded.tasks]


def test_an_unknown_task_id_is_named(folder):
    with pytest.raises(UsageError) as caught:
        load(folder, task_ids=("task-2", "task-77"))
    assert "has no task 'task-77'" in caught.value.message and "task-2'" not in caught.value.message
    assert caught.value.hint == "ids are like 'task-1'; --split is for those of another split"


def test_an_empty_selection_says_what_was_asked_for(folder):
    with pytest.raises(UsageError) as caught:
        load(folder, level=2, first=3, last=9)
    assert "split validation" in caught.value.message
    assert "2 tasks of level 2: there are none at positions 3 to 9" in caught.value.message
    assert caught.value.hint == "--limit counts from 1: 1-2 is all of them"


@pytest.mark.parametrize(
    "selection",
    [{"level": 4}, {"first": 0}, {"first": 3, "last": 2}, {"last": 0}, {"task_ids": ("task-1",), "level": 1}],
)
def test_a_selection_that_cannot_be_meant_is_a_usage_error(folder, selection):
    with pytest.raises(UsageError):
        load(folder, **selection)


def test_a_revision_of_a_folder_is_a_usage_error(folder):
    with pytest.raises(UsageError, match="--revision"):
        load_tasks(str(folder), revision="main")


@pytest.mark.parametrize(("text", "positions"), [("10", (1, 10)), ("1", (1, 1)), ("10-20", (10, 20)), ("3-3", (3, 3))])
def test_limits(text, positions):
    assert parse_limit(text) == positions


@pytest.mark.parametrize("text", ["0", "0-5", "20-10", "x", "", "-5", "5-", "1-2-3", "1.5", " 3", "٣", "9" * 10_000])
def test_nonsense_limits_are_usage_errors(text):
    with pytest.raises(UsageError) as caught:
        parse_limit(text)
    assert "10-20" in caught.value.hint and len(caught.value.message) < 200


def test_a_missing_folder_is_named(tmp_path):
    error = refused(tmp_path / "nowhere")
    assert "nowhere: no such folder" in error.message and "hub, demo or a folder" in error.hint
    (tmp_path / "file").touch()
    assert "is not a folder" in refused(tmp_path / "file").message
    assert "has no folder 2023" in refused(tmp_path).message


@pytest.mark.parametrize("split", ["train", "../2023/test", ".", "", "a/b", "x" * 5000, "nul\0"])
def test_an_unknown_split_lists_those_that_exist(folder, split):
    error = refused(folder, split=split)
    assert "no split" in error.message and error.hint == "it has: test, validation"


def test_a_split_of_any_simple_name_that_exists_is_read(tmp_path):
    write_layout(tmp_path, {"2023/dev-2/metadata.jsonl": json_lines([row(1, split="validation")])})
    assert load_tasks(str(tmp_path), split="dev-2").split == "dev-2"


def test_a_split_without_metadata_says_what_is_missing(tmp_path):
    write_layout(tmp_path, {"2023/validation/note.txt": b""})
    assert "has no metadata.parquet and no metadata.jsonl" in refused(tmp_path).message


def level_files(levels):
    return {
        f"2023/validation/metadata.level{n}.parquet": parquet([row(n * 10 + i, level=n) for i in (1, 2)])
        for n in levels
    }


def test_files_of_one_level_are_read_where_only_those_exist(tmp_path):
    write_layout(tmp_path, level_files([1, 2, 3]))
    assert ids(load(tmp_path)) == [11, 12, 21, 22, 31, 32]
    assert ids(load(tmp_path, level=2)) == [21, 22]


def test_a_missing_file_of_a_level_is_not_passed_over_in_silence(tmp_path):
    write_layout(tmp_path, level_files([1, 2]))
    assert ids(load(tmp_path, level=2)) == [21, 22]
    assert "metadata.level3.parquet: missing" in refused(tmp_path).message


def test_a_row_in_the_file_of_another_level_is_refused(tmp_path):
    files = level_files([1, 2, 3])
    files["2023/validation/metadata.level2.parquet"] = parquet([row(1, level=2), row(2, level=3)])
    error = refused(write_layout(tmp_path, files))
    assert "metadata.level2.parquet, row 2 (task task-2): level 3 in a file of level 2" in error.message


def test_old_copies_with_numbers_and_without_paths_are_read(tmp_path):
    old = row(3, Level=2, file_name="ledger.csv")
    del old["file_path"]
    old["Annotator Metadata"] = json.dumps({"Steps": "1. Count."})
    bare = {"task_id": "any id", "Question": "Why?", "Level": 1, "file_name": ""}
    files = {
        "2023/validation/metadata.jsonl": json_lines([old, bare]) + b"\n",
        "2023/validation/ledger.csv": LEDGER,
    }
    loaded = load(write_layout(tmp_path, files))
    assert loaded.tasks[0].attachment.read_bytes() == LEDGER and loaded.tasks[0].level == 2
    assert loaded.key.get("task-3").annotator_steps == "1. Count."
    assert loaded.tasks[1].task_id == "any id" and loaded.key.get("any id") is None


BROKEN = {
    "no id": ({"task_id": ""}, "row 2: '' is not a task id"),
    "id with a line break": ({"task_id": "a\nb"}, "row 2: 'a\\nb' is not a task id"),
    "id with an invisible character": ({"task_id": "a\u200bb"}, "row 2: 'a\\u200bb' is not a task id"),
    "id too long": ({"task_id": "x" * 201}, "row 2: task_id has 201 characters"),
    "duplicate id": ({"task_id": "task-1"}, "row 2: task id task-1 stands already in"),
    "empty question": ({"Question": " \n"}, "row 2 (task task-2): the question is empty"),
    "no question": ({"Question": None}, "row 2 (task task-2): the question is empty"),
    "endless question": ({"Question": "x" * 200_001}, "row 2 (task task-2): Question has 200001 characters"),
    "level 4": ({"Level": "4"}, "row 2 (task task-2): level '4' is not 1, 2 or 3"),
    "level 0": ({"Level": "0"}, "row 2 (task task-2): level '0' is not 1, 2 or 3"),
    "padded level": ({"Level": "01"}, "row 2 (task task-2): level '01' is not 1, 2 or 3"),
    "no level": ({"Level": None}, "row 2 (task task-2): level None is not 1, 2 or 3"),
    "absolute path": ({"file_name": "x", "file_path": "/etc/passwd"}, "'/etc/passwd' leaves the data set"),
    "path upwards": ({"file_name": "x", "file_path": "2023/../../x"}, "row 2 (task task-2): file_path"),
    "name with a folder": ({"file_name": "../x", "file_path": ""}, "file_name '../x' is not a plain name"),
    "name that is upwards": ({"file_name": "..", "file_path": ""}, "leaves the data set"),
    "path without a name": ({"file_path": "2023/validation/x"}, "has a file_path but no file_name"),
    "the answers as attachment": (
        {"file_name": "x.jsonl", "file_path": "2023/validation/metadata.jsonl"},
        "which holds the answers",
    ),
    "missing attachment": (
        {"file_name": "gone.csv", "file_path": "2023/validation/gone.csv"},
        "row 2 (task task-2): the attachment 2023/validation/gone.csv is missing",
    ),
    "attachment is a folder": (
        {"file_name": "validation", "file_path": "2023/validation"},
        "the attachment 2023/validation is missing",
    ),
    "annotator text is no JSON": ({"Annotator_Metadata": "{"}, "row 2 (task task-2): Annotator Metadata: not JSON"),
}


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("defect", BROKEN)
def test_a_broken_row_is_refused_with_file_row_and_id(tmp_path, name, defect):
    changes, words = BROKEN[defect]
    annotator = {} if "Annotator_Metadata" in changes else {"Annotator_Metadata": '{"Steps": "1."}'}
    rows = [row(1) | {"Annotator Metadata": '{"Steps": "1."}'}, row(2, **annotator, **changes)]
    error = refused(write_layout(tmp_path, {f"2023/validation/{name}": FORMATS[name](rows)}))
    assert error.message.startswith(f"2023/validation/{name}, row 2") and words in error.message
    assert len(error.message) < 500


@pytest.mark.parametrize("column", ["task_id", "Question", "Level", "file_name"])
@pytest.mark.parametrize("name", FORMATS)
def test_a_missing_column_is_named(tmp_path, name, column):
    broken = row(1)
    del broken[column]
    error = refused(write_layout(tmp_path, {f"2023/validation/{name}": FORMATS[name]([broken])}))
    assert f"metadata.{name.split('.')[1]}" in error.message and f"no column {column}" in error.message


GOOD = json_lines([row(1)])


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b'{"task_id": "a", "task_id": "b"}', "the name 'task_id' stands twice"),
        (GOOD.replace(b'"1"', b"NaN"), "NaN is not JSON"),
        (GOOD.replace(b"lanterns", b"\xff"), "invalid UTF-8"),
        (GOOD.replace(b"How", b"\\ud800"), "lone surrogate"),
        (GOOD.replace(b'"1"', b"true"), "level True is not 1, 2 or 3"),
        (GOOD.replace(b'"1"', b"1.0"), "level 1.0 is not 1, 2 or 3"),
        (GOOD.replace(b'"1 lanterns"', b"[1]"), "Final answer is a list, not text"),
        (GOOD.replace(b'"1. Count in room 1."', b"7"), "Steps is a number, not text"),
        (b"[" * 100_000, "nested deeper than 64"),
        (b"[]", "a list, not an object"),
        (b"{", "not JSON"),
        (b'{"x": "' + b"y" * MAX_LINE_BYTES, f"longer than {MAX_LINE_BYTES} bytes"),
    ],
)
def test_a_line_that_is_not_a_row_is_refused_with_its_number(tmp_path, line, words):
    data = json_lines([row(2), row(3)]) + line
    error = refused(write_layout(tmp_path, {"2023/validation/metadata.jsonl": data}))
    assert error.message.startswith("2023/validation/metadata.jsonl, row 3") and words in error.message


@pytest.mark.parametrize("keep", [0, 4, 100, -1, -9])
def test_a_parquet_file_that_is_cut_is_refused(tmp_path, keep):
    data = parquet(six_rows())[:keep]
    error = refused(write_layout(tmp_path, {"2023/validation/metadata.parquet": data}))
    assert error.message.startswith("2023/validation/metadata.parquet: not a readable parquet file: ")


def test_invalid_utf8_and_wrong_types_in_parquet_are_refused_with_the_row(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    good = pa.Table.from_pylist([row(1), row(2)])
    bad_text = pa.array([b"fine", b"\xff\xfe"]).cast(pa.string(), safe=False)
    path = write_layout(tmp_path, {"2023/validation/x": b""}) / "2023/validation/metadata.parquet"
    column = good.schema.get_field_index("Question")
    pq.write_table(good.set_column(column, "Question", bad_text), path)
    assert "metadata.parquet, row 2: invalid UTF-8" in refused(tmp_path).message
    pq.write_table(good.set_column(column, "Question", pa.array([b"x", b"y"])), path)
    assert "row 1 (task task-1): Question is of type bytes, not text" in refused(tmp_path).message
    pq.write_table(good.append_column("Level", pa.array(["1", "1"])), path)
    assert "the column Level stands twice" in refused(tmp_path).message


def test_a_small_parquet_file_that_unpacks_without_end_is_refused(tmp_path):
    rows = [row(n, Question="x" * 190_000) for n in range(400)]
    data = parquet(rows)
    assert len(data) < 2**20
    assert "unpacks to more than" in refused(write_layout(tmp_path, {"2023/validation/metadata.parquet": data})).message


def test_an_attachment_that_is_a_link_out_of_the_folder_is_refused(tmp_path):
    files = {"2023/validation/metadata.jsonl": json_lines([row(1, file_name="a.csv")])}
    root = write_layout(tmp_path / "set", files)
    secret = tmp_path / "secret.csv"
    secret.write_text("secret")
    (root / "2023/validation/a.csv").symlink_to(secret)
    error = refused(root)
    assert "row 1 (task task-1)" in error.message and "link out of the data set" in error.message
    assert "cp -rL" in error.hint


def test_an_attachment_that_is_a_link_to_the_answers_is_refused(tmp_path):
    files = {"2023/validation/metadata.jsonl": json_lines([row(1, file_name="a.csv")])}
    write_layout(tmp_path, files)
    (tmp_path / "2023/validation/a.csv").symlink_to("metadata.jsonl")
    assert "is a link to the answers" in refused(tmp_path).message


def test_only_the_attachments_of_selected_tasks_must_be_there(tmp_path):
    rows = [row(1), row(2, file_name="gone.csv")]
    write_layout(tmp_path, {"2023/validation/metadata.jsonl": json_lines(rows)})
    assert ids(load(tmp_path, last=1)) == [1]
    assert "gone.csv is missing" in refused(tmp_path).message


def test_without_pyarrow_the_error_says_what_to_install(tmp_path, monkeypatch):
    write_layout(tmp_path, {"2023/validation/metadata.parquet": parquet([row(1)])})
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    assert refused(tmp_path).hint == "pip install 'gaia-harness[run]'"


def test_the_demo_is_loaded_under_its_name():
    loaded = load_tasks("demo")
    assert (loaded.dataset, loaded.split, loaded.revision) == ("demo", "validation", None)
    assert {task.level for task in loaded.tasks} == {1, 2, 3}
    assert set(loaded.key.golds) == {task.task_id for task in loaded.tasks}


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12) | st.binary(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@seeded
@given(st.dictionaries(st.sampled_from(sorted(row(1))), anything), st.sampled_from([None, "a.csv", "../x", "/x"]))
def test_any_values_in_the_columns_make_a_clean_row_or_a_dataset_error(changes, file_path):
    columns = row(1, file_name="a.csv", file_path=file_path) | changes
    try:
        parsed = parse_row(1, columns, name="metadata.jsonl", split="validation")
    except DatasetError as error:
        message = error.message
    else:
        message = None
    if message is not None:
        assert message.startswith("metadata.jsonl, row 1")
        return
    assert parsed.level in (1, 2, 3) and parsed.question.strip() and parsed.task_id.isprintable()
    assert parsed.file_path is None or not ({"..", ""} & set(parsed.file_path.split("/")))


@seeded
@given(st.binary(max_size=300))
def test_random_bytes_as_metadata_are_a_gaia_error(tmp_path_factory, data):
    for name in FORMATS:
        root = tmp_path_factory.mktemp("any")
        write_layout(root, {f"2023/validation/{name}": data})
        with pytest.raises(GaiaError):
            load(root)
