"""The official GAIA scorer's rules, which are always the headline."""

from gaia_harness.normalization import elements, is_number, number, words

NAME = "gaia-official"
VERSION = "1"


def rule_for(ground_truth: str) -> str:
    """Which rule the gold answer picks: `number`, `list` or `text`."""
    if is_number(ground_truth):
        return "number"
    return "text" if elements(ground_truth) is None else "list"


def question_scorer(model_answer: str | None, ground_truth: str) -> bool:
    """Whether the answer is right. The form of the gold decides how; no answer counts as the word "None"."""
    answer = "None" if model_answer is None else model_answer
    rule = rule_for(ground_truth)
    if rule == "number":
        return number(answer) == float(ground_truth)
    if rule == "list":
        given, wanted = elements(answer) or [answer], elements(ground_truth) or []
        return len(given) == len(wanted) and all(map(_same_element, given, wanted))
    return words(answer, keep_punctuation=False) == words(ground_truth, keep_punctuation=False)


def _same_element(given: str, wanted: str) -> bool:
    if is_number(wanted):
        return number(given) == float(wanted)
    return words(given, keep_punctuation=True) == words(wanted, keep_punctuation=True)
