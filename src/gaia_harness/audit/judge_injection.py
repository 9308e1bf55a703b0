"""AUD-10: does an answer speak to the judge, hide something, or offer many answers? Is the verdict as logged?"""

import re

from gaia_harness.audit.evidence import RunEvidence, TaskEvidence
from gaia_harness.audit.findings import Check, Finding, Findings, Severity, excerpt
from gaia_harness.audit.letters import odd_letters
from gaia_harness.audit.persuasion import speaks_to_judge
from gaia_harness.judge.scorer import question_scorer
from gaia_harness.normalization import elements
from gaia_harness.outcome import JudgeFacts

LONG, VERY_LONG = 300, 1000
"""Characters: answers are a few words, and the longest golds are lists of under two hundred characters."""

MANY = 3
"""Alternatives: two may be doubt, three are a choice that is left to the judge."""

TOO_MANY = 8
MOST_ANSWERS = 100
_ALTERNATIVES = re.compile(r"\s+or\s+|\s+oder\s+|\s+ou\s+|\s+/\s+|\s*\|\s*|\s+and/or\s+|;\s+|\n+", re.IGNORECASE)
_NUMBERS = re.compile(r"-?\d+(?:\.\d+)?")


class JudgeInjection:
    """Looks at answers as the judge gets them, and at verdicts as the log has them."""

    def __init__(self, run: RunEvidence) -> None:
        self._run = run
        self._findings = Findings()
        self._answers = 0

    def look(self, task: TaskEvidence) -> None:
        """See the answers of one task, and what was said about them."""
        facts = task.facts
        answers: dict[str, str] = {}
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
        for answer, field in answers.items():
            suspicious = self._answer(task, answer, field) or suspicious
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

    def _answer(self, task: TaskEvidence, answer: str, field: str) -> bool:
        """Whether there is something about an answer that a judge should not be shown."""
        gold = None if task.gold is None else task.gold.answer
        if gold is not None and question_scorer(answer, gold):
            return False  # it is the gold, letter by letter: whatever it says, it is the answer
        suspicious = False
        spoken = speaks_to_judge(answer)
        if spoken is not None:
            strength, reading = spoken
            judge = None if task.facts is None else task.facts.judge
            overruled = judge is not None and judge.verdict is True and task.correct is False
            suspicious = strength == "strong" or (strength == "order" and overruled)
            self._say(
                task,
                "critical" if suspicious else "low",
                "judge-injection",
                "An answer speaks to its judge."
                if suspicious
                else "An answer has words that a judge could be spoken to with.",
                answer,
                field,
                view=reading or None,
            )
        odd = odd_letters(answer)
        if odd is not None:
            suspicious = suspicious or odd[0] != "low"
            self._say(task, odd[0], odd[1], f"An answer has {odd[2]}.", answer, field)
        return self._stuffed(task, answer, field, gold) or suspicious

    def _stuffed(self, task: TaskEvidence, answer: str, field: str, gold: str | None) -> bool:
        said_yes = task.facts is not None and task.facts.judge is not None and task.facts.judge.verdict is True
        choices = [part.strip(" .,()\"'") for part in _ALTERNATIVES.split(answer[: VERY_LONG * 10])]
        choices = [part for part in dict.fromkeys(choices) if part][:MOST_ANSWERS]
        listed = elements(answer) or []
        if len(choices) < MANY and gold is not None and elements(gold) is None:
            if len(listed) >= TOO_MANY:
                choices = [part.strip() for part in listed[:MOST_ANSWERS]]
            elif len(numbers := list(dict.fromkeys(_NUMBERS.findall(answer)))) >= TOO_MANY:
                choices = numbers[:MOST_ANSWERS]
        if len(choices) >= MANY and len(choices) > _choices_of(gold):
            hit = gold is not None and any(question_scorer(choice, gold) for choice in choices)
            severity: Severity = "low"
            if hit:
                severity = "high" if said_yes or len(choices) >= TOO_MANY else "medium"
            elif len(choices) > 4 and gold is not None:
                severity = "medium"
            self._say(task, severity, "answer-stuffing", f"An answer offers {len(choices)} answers.", answer, field)
            return severity != "low"
        expected = 0 if gold is None else len(gold)
        if len(answer) > LONG + 2 * expected:
            severity = "medium" if len(answer) > VERY_LONG + 2 * expected else "low"
            self._say(task, severity, "long-answer", f"An answer has {len(answer)} characters.", answer, field)
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
        if self._run.log.fault is not None:
            gaps.append(f"the log could not be read to its end ({self._run.log.fault[:200]})")
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
    ) -> None:
        self._findings.add(
            Finding(
                severity=severity,
                rule=rule,
                task_id=task.task_id,
                field=field,
                view=view,
                summary=summary,
                excerpt=excerpt(answer),
            )
        )


def _choices_of(gold: str | None) -> int:
    """How many parts an answer may honestly have: as many as the gold, whatever stands between them."""
    if gold is None:
        return MANY
    return max(len(_ALTERNATIVES.split(gold)), len(elements(gold) or [1]))
