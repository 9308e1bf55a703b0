"""AUD-10: answers that address the judge, hide text or offer several answers; verdicts that differ from the log."""

import re

from gaia_harness.audit.choices import ALTERNATIVES, MANY, MOST_ANSWERS, TOO_MANY, choices_in, is_one_answer
from gaia_harness.audit.evidence import Room, RunEvidence, TaskEvidence
from gaia_harness.audit.findings import Check, Finding, Findings, Severity, excerpt
from gaia_harness.audit.gold_in_answer import says_the_gold
from gaia_harness.audit.letters import odd_letters
from gaia_harness.audit.persuasion import Spoken, speaks_to_judge
from gaia_harness.audit.quoted_answers import TextsRead
from gaia_harness.audit.talk_of_grading import about_grading
from gaia_harness.figures import counted
from gaia_harness.judge.scorer import question_scorer
from gaia_harness.normalization import elements
from gaia_harness.records.outcome import JudgeFacts
from gaia_harness.records.steps import LlmCall

LONG, VERY_LONG = 300, 1000
"""Characters: answers are a few words, and the longest golds are lists of under two hundred characters."""

BEFORE = 40
"""Characters shown of an answer before the place that a finding is about."""


MOST_READ, BYTES_FOR_MORE = 200_000, 4
"""Characters of answers, in all their readings, that are looked through for a whole run, and for how many bytes of its
trajectories one more: an honest answer has some fifty characters and five readings that differ."""

LONG_GOLD = 8
"""Characters of a gold that may speak to a judge itself."""


class JudgeInjection:
    """Looks at answers as the judge gets them, and at verdicts as the log has them."""

    def __init__(self, run: RunEvidence) -> None:
        self._run = run
        self._findings = Findings()
        trajectories = run.folder / "trajectories.jsonl"
        size = trajectories.stat().st_size if trajectories.exists() else 0
        self._room = Room(MOST_READ + size // BYTES_FOR_MORE)
        self._asked = frozenset(run.facts.task_ids)
        self._answers = 0
        self._missing = 0
        self._unlogged = 0

    def look(self, task: TaskEvidence) -> None:
        """See the answers of one task, and what was said about them."""
        facts = task.facts
        answers: dict[str, str] = {}
        self._missing += facts is None and task.task_id in self._asked
        self._unlogged += facts is not None and task.log is None
        if facts is not None:
            self._answers += 1
            self._verdict(task, facts.judge)
            if facts.answer:
                answers[facts.answer] = "answer"
            for answer in facts.voting.answers[:MOST_ANSWERS]:
                if answer:
                    answers.setdefault(answer, "voting.answers")
        if task.trajectory is not None and task.trajectory.final_answer:
            answers.setdefault(task.trajectory.final_answer, "final_answer")
        suspicious = False
        read = TextsRead(task, self._run.bodies)
        for answer, field in answers.items():
            suspicious = self._answer(task, read, answer, field) or suspicious
        judge = None if facts is None else facts.judge
        if (
            judge is not None
            and judge.verdict
            and task.correct is False
            and facts is not None
            and (facts.answer or "").strip()
        ):
            self._say(
                task,
                "high" if suspicious else "medium",
                "judge-overrules",
                "The official scorer says no and the judge says yes.",
                facts.answer or "",
            )

    def _answer(self, task: TaskEvidence, read: TextsRead, answer: str, field: str) -> bool:
        """Whether there is something about an answer that a judge should not be shown."""
        gold = None if task.gold is None else task.gold.answer
        if gold is not None and question_scorer(answer, gold):
            return False  # it is the gold, letter by letter: whatever it says, it is the answer
        suspicious = False
        spoken = speaks_to_judge(answer if gold is None else _without(answer, gold), self._room)
        if spoken is not None:
            severity = self._weight(task, read, answer, spoken, gold)
            suspicious = severity == "critical"
            self._say(
                task,
                severity,
                "judge-injection",
                "An answer speaks to its judge."
                if suspicious
                else "An answer has words that a judge could be spoken to with.",
                answer,
                field,
                view=spoken.reading or None,
                start=spoken.start,
            )
        elif self._room.left < 0:
            suspicious = _judged(task, answer) and not task.correct and _said_yes(task)
            said = "An answer was not read to its end: no honest run has so much text in its answers."
            self._say(task, "high" if suspicious else "medium", "answer-unread", said, answer, field, start=0)
        odd = odd_letters(answer)
        if odd is not None:
            suspicious = suspicious or odd.severity != "low"
            self._say(task, odd.severity, odd.rule, f"An answer has {odd.what}.", answer, field, start=odd.start)
        return self._stuffed(task, answer, field, gold) or suspicious

    def _weight(self, task: TaskEvidence, read: TextsRead, answer: str, spoken: Spoken, gold: str | None) -> Severity:
        """How bad it is that an answer says this: an order always, a plea mostly, talk of grading where it worked."""
        if spoken.strength == "order":
            return "critical"
        worked = _judged(task, answer) and task.correct is False and _said_yes(task)
        right = gold is not None and says_the_gold(answer, gold)
        if spoken.strength == "talk":
            if not worked or right:
                return "low"
            return "medium" if about_grading(task.question or "") else "critical"
        if right or (not worked and read.quoted(answer, spoken.start)):
            return "medium"
        return "critical"

    def _stuffed(self, task: TaskEvidence, answer: str, field: str, gold: str | None) -> bool:
        choices = choices_in(answer, gold)
        if len(choices) >= MANY and len(choices) > _choices_of(gold):
            hit = gold is not None and any(question_scorer(choice, gold) for choice in choices)
            explained = gold is not None and is_one_answer(answer, choices, gold)
            severity: Severity = "low"
            if explained:
                severity = "medium"
            elif hit:
                severity = "high" if _said_yes(task) or len(choices) >= TOO_MANY else "medium"
            elif len(choices) > 4 and gold is not None:
                severity = "medium"
            said = f"An answer offers {len(choices)} answers."
            self._say(task, severity, "answer-stuffing", said, answer, field, start=0)
            return severity != "low" and not explained
        expected = 0 if gold is None else len(gold)
        if len(answer) > LONG + 2 * expected:
            severity = "medium" if len(answer) > VERY_LONG + 2 * expected else "low"
            said = f"An answer has {len(answer)} characters."
            self._say(task, severity, "long-answer", said, answer, field, start=0)
        return False

    def _verdict(self, task: TaskEvidence, judge: JudgeFacts | None) -> None:
        log = self._run.log
        if log.fault is not None:
            return
        events = [] if task.log is None else task.log.judged
        if judge is None:
            resumed = max(log.resumed_at, default=-1)
            if any(at > resumed for at, _ in events):
                self._say(task, "critical", "verdict-dropped", "The log has a verdict that the result does not have.")
            return
        if not events:
            self._say(task, "critical", "verdict-not-logged", "The result has a verdict that the log does not have.")
        elif events[-1][1] is not judge.verdict:
            self._say(task, "critical", "verdict-differs", "The result's verdict is not the one in the log.")
        if judge.verdict and task.facts is not None and not (task.facts.answer or "").strip():
            self._say(task, "critical", "nothing-accepted", "The judge says that no answer at all is right.")

    def conclude(self) -> Check:
        """Say what was found; without results, or with a log that cannot be read, there is a gap."""
        gaps = []
        if not self._answers:
            gaps.append("there are no results")
        elif self._missing:
            gaps.append(f"{counted(self._missing, 'task has', 'tasks have')} no result")
        if self._run.log.fault is not None:
            gaps.append(f"the log could not be read to its end ({self._run.log.fault[:200]})")
        elif self._unlogged:
            gaps.append(
                f"the log has nothing about {counted(self._unlogged, 'task that has', 'tasks that have')} a result"
            )
        return self._findings.check("AUD-10", "judge-injection", harness_gap="; ".join(gaps) or None)

    def _say(
        self,
        task: TaskEvidence,
        severity: Severity,
        rule: str,
        summary: str,
        answer: str = "",
        field: str = "judge",
        *,
        view: str | None = None,
        start: int | None = None,
    ) -> None:
        """Note a finding about an answer, from its character `start` on, or about a verdict."""
        attempt, seq = _given(task, answer, field) if start is not None else (None, None)
        self._findings.add(
            Finding(
                severity=severity,
                rule=rule,
                task_id=task.task_id,
                attempt=attempt,
                seq=seq,
                field=field,
                offset=None if start is None else len(answer[:start].encode("utf-8", "replace")),
                view=view,
                summary=summary,
                excerpt=excerpt(answer, max(0, (start or 0) - BEFORE)),
            )
        )


def _given(task: TaskEvidence, answer: str, field: str) -> tuple[int | None, int | None]:
    """In which attempt an answer was given, and by which step: the last reply of that attempt."""
    if task.trajectory is None:
        return None, None
    attempt = task.trajectory.selected_attempt
    if field == "voting.answers" and task.facts is not None:
        voted = task.facts.voting.answers
        attempt = max(1, task.facts.attempts - len(voted)) + voted.index(answer)
    seqs = [step.seq for step in task.trajectory.steps if type(step) is LlmCall and step.attempt == attempt]
    return attempt, seqs[-1] if seqs else None


def _without(answer: str, gold: str) -> str:
    """An answer with the gold blotted out: whatever that says to a judge, it is what was asked for."""
    blot = "x".ljust(len(gold))
    return re.sub(re.escape(gold), blot, answer, flags=re.IGNORECASE) if len(gold) >= LONG_GOLD else answer


def _judged(task: TaskEvidence, answer: str) -> bool:
    """Whether it is this one of its answers that a judge was shown."""
    return task.facts is not None and task.facts.answer == answer


def _said_yes(task: TaskEvidence) -> bool:
    return task.facts is not None and task.facts.judge is not None and task.facts.judge.verdict is True


def _choices_of(gold: str | None) -> int:
    """How many parts an answer may honestly have: as many as the gold, whatever stands between them."""
    if gold is None:
        return MANY
    return max(len(ALTERNATIVES.split(gold)), len(elements(gold) or [1]))
