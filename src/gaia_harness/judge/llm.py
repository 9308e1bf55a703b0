"""The LLM judge: a second opinion beside the official scorer, never the headline."""

from collections.abc import Callable

from gaia_harness.errors import ModelError
from gaia_harness.figures import total, total_cost
from gaia_harness.judge.cache import JudgeCache, Lookup
from gaia_harness.judge.entry import JudgeRequest
from gaia_harness.judge.prompt import PROMPT_SHA256, PROMPT_VERSION, judge_messages
from gaia_harness.judge.verdict import JudgeVerdict, NoVerdict, read_verdict
from gaia_harness.models.base import Model
from gaia_harness.models.messages import Reply, Request, Usage
from gaia_harness.records.excerpt import sound
from gaia_harness.records.results import Judgment
from gaia_harness.shortening import shorten

MOST_CALLS = 2
"""A reply that is no verdict is asked for once more."""

MAX_OUTPUT_TOKENS = 4096
"""Enough for a model that thinks before its verdict; without an end, a judge could cost more than the run."""

LONGEST_ERROR = 500


class LlmJudge:
    """Asks a model about answers, or the cache where it knows. The model is closed by whoever opened it."""

    def __init__(
        self,
        model: Model,
        cache: JudgeCache | None,
        *,
        on_integrity: Callable[[str, str], None],
        cost: Callable[[Usage], float | None] = lambda _: None,
    ) -> None:
        self._model = model
        self._cache = cache
        self._on_integrity = on_integrity
        self._cost = cost

    async def judge(self, task_id: str, question: str, answer: str, expected: str) -> Judgment:
        """The judgment of one answer. Never raises: without a verdict, it says why."""
        asked = JudgeRequest(
            task_id=task_id,
            question=question,
            answer=answer,
            expected=expected,
            model=self._model.name,
            address=self._model.address,
            prompt_version=PROMPT_VERSION,
        )
        found = Lookup("off") if self._cache is None else self._cache.get(asked)
        if found.verdict is not None:
            return self._judgment(found, found.verdict, None, 0, [])
        if found.state == "tampered":
            self._on_integrity(found.kind, found.detail)
        request = Request(messages=judge_messages(question, answer, expected), max_output_tokens=MAX_OUTPUT_TOKENS)
        usages: list[Usage] = []
        error, calls = "", 0
        while calls < MOST_CALLS:
            calls += 1
            try:
                reply = await self._model.reply(request)
                usages.append(reply.usage)
                verdict = _verdict_of(reply)
            except NoVerdict as fault:
                error = f"no verdict in {calls} replies: {fault.message}"
            except ModelError as failure:  # the model has tried again already, as often as is worth it
                error = failure.message
                break
            else:
                if self._cache is not None:
                    self._cache.put(asked, verdict)
                return self._judgment(found, verdict, None, calls, usages)
        return self._judgment(found, None, sound(shorten(error, LONGEST_ERROR)), calls, usages)

    def _judgment(
        self, found: Lookup, verdict: JudgeVerdict | None, error: str | None, calls: int, usages: list[Usage]
    ) -> Judgment:
        # call by call, as some prices depend on a call's length; nothing used costs nothing, if there is a price
        costs = [self._cost(usage) for usage in usages or [Usage(input_tokens=0, output_tokens=0)]]
        return Judgment(
            verdict=None if verdict is None else verdict.correct,
            reason="" if verdict is None else verdict.reason,
            error=error,
            model=self._model.name,
            prompt_version=PROMPT_VERSION,
            prompt_sha256=PROMPT_SHA256,
            cached=found.state == "hit",
            cache=found.state,
            calls=calls,
            input_tokens=total(usage.input_tokens for usage in usages),
            output_tokens=total(usage.output_tokens for usage in usages),
            cost_usd=total_cost(costs),
        )


def _verdict_of(reply: Reply) -> JudgeVerdict:
    if reply.tool_calls:
        raise NoVerdict("the reply calls a tool, and there is none")
    return read_verdict(reply.text)
