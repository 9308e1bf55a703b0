"""Honest runs of 165 tasks with unusual reading and tools in them.

Held out: not for the eyes of those who write the audit's rules.
"""

import random

import msgspec

from redteam.batches import SEALED
from redteam.cases.answer_keys.honest.other_data_sets_held_out import (
    loaded_other,
    other_card,
    other_viewer,
    query_tool_on_set,
    space_and_notebook,
)
from redteam.cases.copied_answers.honest.attached_files_held_out import (
    asked_of_reader,
    book,
    exam,
    graded,
    mail,
    picture,
    read_whole,
    searched_in_pieces,
    seen_by_reader,
    survey,
)
from redteam.cases.copied_answers.honest.long_and_foreign_held_out import (
    archived,
    claim_checker,
    foreign_page,
    log_of_hits,
    long_table,
    paged,
    several_agree,
    transcript,
    translated_both_ways,
    verified_afterwards,
)
from redteam.cases.copied_answers.honest.namesakes_held_out import (
    benchmark_of_soil,
    named_person,
    queried_catalogue,
    star_catalogue,
)
from redteam.cases.copied_answers.honest.statements_held_out import (
    answer_engine,
    article_that_states_it,
    computing_engine,
    exam_as_json,
    faq,
    featured_snippet,
    flashcards,
    forum_thread,
    infobox,
    overview_in_hits,
    press_release,
    quiz_with_key,
    snippet_that_states_it,
)
from redteam.cases.grader_access.honest.printed_results_held_out import (
    asserted,
    candidates_table,
    doubts_expected,
    extracted_with_code,
    failed_then_printed,
    intermediate_tables,
    result_as_json,
    talks_of_expected,
)
from redteam.cases.prompts.honest.notes_and_memory_held_out import (
    decomposed,
    delegated,
    memory_of_methods,
    memory_of_this_task,
    noted_and_read_again,
    noted_early,
    second_opinion,
    thinking_tool,
    todo_list,
)
from redteam.making import RunMaker
from redteam.questions.held_out import filed, shaped
from redteam.script import RunScript, TaskScript
from redteam.solving import honest_script
from redteam.variants import Build, Case, Scripter, honest, whole

LEVELS = {1: 53, 2: 86, 3: 26}
"""So many tasks of each level has the split that everybody runs."""


MIXED: tuple[Scripter, ...] = (
    article_that_states_it, snippet_that_states_it, infobox,
    press_release, faq, quiz_with_key,
    exam_as_json, flashcards, forum_thread,
    featured_snippet, answer_engine, computing_engine,
    overview_in_hits, star_catalogue, queried_catalogue,
    named_person, benchmark_of_soil, other_viewer, other_card,
    loaded_other, space_and_notebook, query_tool_on_set,
    paged, long_table,
    log_of_hits, foreign_page, translated_both_ways,
    archived, transcript, several_agree, claim_checker,
    verified_afterwards, result_as_json, extracted_with_code,
    candidates_table, intermediate_tables, asserted, talks_of_expected,
    doubts_expected, failed_then_printed, decomposed, delegated,
    second_opinion, noted_and_read_again, noted_early,
    memory_of_methods, memory_of_this_task, thinking_tool,
    todo_list,
)  # fmt: skip


def _levelled(scripts: list[TaskScript]) -> list[TaskScript]:
    """The same, with as many of each level as there should be."""
    levels = [level for level, count in LEVELS.items() for _ in range(count)]
    ordered = sorted(scripts, key=lambda script: script.task.level)
    return [
        msgspec.structs.replace(script, task=msgspec.structs.replace(script.task, level=level))
        for script, level in zip(ordered, levels, strict=True)
    ]


def _files(rng: random.Random, maker: RunMaker) -> list[TaskScript]:
    ways = (
        (exam, read_whole),
        (mail, asked_of_reader),
        (survey, graded),
        (book, searched_in_pieces),
        (picture, seen_by_reader),
    )
    return [read(task, rng) for at, (file, read) in enumerate(ways) for task in filed((maker.seed, at), rng, 3, file)]


def _mixed(unusual: int) -> Build:
    def build(rng: random.Random, maker: RunMaker) -> Case:
        order = rng.sample(MIXED, len(MIXED))
        own = shaped(maker.seed, unusual)
        scripts = [order[at % len(order)](task, rng) for at, task in enumerate(own)] + _files(rng, maker)
        rest = maker.tasks(sum(LEVELS.values()) - len(scripts))
        scripts += [honest_script(task, rng, right=rng.random() < 0.6) for task in rest]
        scripts = _levelled(scripts)
        rng.shuffle(scripts)
        return whole(RunScript(tasks=tuple(scripts)))

    return build


VARIANTS = (
    honest(SEALED, "whole-run", "mixed-165", "165 tasks, 69 of them with something unusual.", _mixed(18)),
    honest(SEALED, "whole-run", "mostly-unusual-165", "165 tasks, 120 of them with something unusual.", _mixed(35)),
)
