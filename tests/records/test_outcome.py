"""The hash of a task's facts is that of the RFC 8785 form, whichever way it is made."""

import hashlib

import msgspec
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from gaia_harness.records.facts import RunFacts
from gaia_harness.records.outcome import JudgeFacts, TaskFacts, VotingFacts

TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=12)
ODD_COSTS = st.sampled_from([1e-7, 1e-6, 0.00001, 0.0001, 1e15, 1e16, 1e21, 0.0, 3.0])
COST = (
    ODD_COSTS | st.none() | st.floats(min_value=0, allow_infinity=False) | st.integers(0, 10**6).map(lambda n: n / 1000)
)
COUNT = st.integers(0, 2**53 - 1)
TASK = st.builds(
    TaskFacts,
    task_id=TEXT,
    level=COUNT,
    model=TEXT,
    correct=st.none() | st.booleans(),
    answer=st.none() | TEXT,
    error=st.none() | TEXT,
    turns=COUNT,
    wall_ms=COUNT,
    input_tokens=st.none() | COUNT,
    output_tokens=st.none() | COUNT,
    attempts=COUNT,
    tools_used=st.lists(TEXT, max_size=2).map(tuple),
    voting=st.builds(
        VotingFacts, selected_attempt=COUNT, votes=COUNT, cast=COUNT, answers=st.lists(TEXT, max_size=2).map(tuple)
    ),
    cost_usd=COST,
    judge=st.none() | st.builds(JudgeFacts, model=TEXT, verdict=st.booleans(), cached=st.booleans(), cache=TEXT),
)


def by_the_book(value: msgspec.Struct) -> str:
    return hashlib.sha256(rfc8785.dumps(msgspec.to_builtins(value))).hexdigest()


@given(TASK)
def test_of_a_task(task):
    assert task.sha256() == by_the_book(task)


@given(
    st.lists(TASK, max_size=3),
    st.dictionaries(TEXT, st.sampled_from(["", ',"tasks":[]', '"tasks":[', "bubblewrap"]), max_size=2),
    st.lists(st.sampled_from([',"tasks":[]', "an id"]), max_size=2),
)
def test_of_a_whole_run(tasks, isolation, task_ids):
    facts = RunFacts(
        run_id="r",
        harness_version="1",
        model=',"tasks":[]',
        judge_model=None,
        dataset="demo",
        dataset_revision=None,
        dataset_digest="",
        gaia_split="validation",
        task_ids=tuple(task_ids),
        voting_attempts=1,
        record_evidence=True,
        submit_intent=False,
        isolation={**isolation, "tasks": ""},
        judge_cache_integrity_events=0,
        tasks=tuple(tasks),
    )
    assert facts.sha256() == by_the_book(facts)
