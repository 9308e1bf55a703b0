"""Separates the part of a prompt that the task explains from the rest, and finds answers in the rest."""

import hashlib
import re
from collections.abc import Iterable, Mapping

import msgspec

from gaia_harness import protocol
from gaia_harness.audit.gold_forms import GoldForms, gold_forms
from gaia_harness.evidence.matcher import best_matcher
from gaia_harness.evidence.wording import reduce
from gaia_harness.records.excerpt import to_bytes
from gaia_harness.tasks.answers import Gold

_FILE_LINE = protocol.ATTACHMENT.format(name="").strip() + " "
ATTACHMENT = re.compile(rf"(?:(?<!\s)\s++)?{re.escape(_FILE_LINE)}{protocol.ATTACHMENT_NAME}\s*")
"""The line that names the task's file, as the agent's prompts have it."""

ATTACHED_NAME = re.compile(r"\battachment\.[a-z0-9]{1,8}\b")
"""The name of that file, as the model asks for it."""

# A question longer than a prompt's head is known by its hash alone: with the files that data sets come with.
_EXTENSIONS = (
    "pdf xlsx xls csv tsv txt md json jsonl jsonld xml html htm py ipynb js c cpp java sql docx doc pptx ppt odt "
    "ods png jpg jpeg gif bmp webp svg tif tiff mp3 m4a wav flac ogg mp4 mov avi mkv webm zip gz tar 7z pdb "
    "bin dat parquet log"
)
_CUES = frozenset(
    "answer answers solution solutions gold truth expected correct result hint target label output key respuesta "
    "antwort réponse risposta resposta ответ 案 solución lösung reference expects groundtruth "
    "value accepted verified confirmed known oracle cheat memo spoiler".encode().split()
)
OUTRIGHT = frozenset(
    "answer answers solution solutions gold truth expected correct hint respuesta antwort réponse risposta resposta "
    "ответ 案 solución lösung groundtruth oracle cheat spoiler".encode().split()
)
"""Of them those that stand in no table of figures."""

OFFICIAL = frozenset(b"expected expects gold truth groundtruth oracle cheat spoiler reference key".split())
"""Those of somebody who has the answers, and has not found this one."""

_FILLERS = frozenset(
    b"is the was of for this question task should be to equals are value final a an it as right correct answer here "
    b"simply just only must reads says item one entry case problem query sample example record row prompt that we you "
    b"will would can expect known value in on with".split()
)
_GENERIC = frozenset(
    b"number numbers answer question none unknown python english search research assistant spreadsheet characters "
    b"tools source sources format comma separated code file words text list element elements letters digits".split()
)
_COUNTED = (
    r"(?<!this )(?<!that )\b(?:question|task|item|attempt|step|turn|round|page|level|part|section|chapter|version|seed)"
)
_MARKED = re.compile(r"(?:\(?(?:[A-Za-z]|\d{1,2})[).:\]]|[-*•–])\s*(\S.*)")
_OFFERED = re.compile(
    r"\b(?:one of|either|choose|choices?|options?|candidates|alternatives|pick|among|shortlist|possib\w+)\b"
    r"(?:[^:\n]{0,60}:|\s)",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"[,;|/]\s+|\s[|/]\s|\s{1,20}or\s+|\.\s*$")
_LETTER = re.compile(r"^\s*\(?[A-Za-z][).:\]]\s+")
_EITHER_CASE = re.compile(r"\[(\w)(?:\w|\|\w)?\]")
_GROUP = re.compile(r"\(\?[a-zA-Z]{0,4}[:)]")
_SPACE_CLASS = re.compile(r"(?:\\s|\\ |\[ _-]{1,3}\]|\\W)[*+?]?|\\b")
_ESCAPED = re.compile(r"\\([^\w\s])")
LONGEST_PATTERNS = 64 << 10
_ONLY_VALUE = r"[\"'](?:enum|const|default|examples?|pattern)[\"']\s*:\s*\[?\s*[\"']\^?"
CHOICES = 2
"""From so many on there is something to choose from."""

MOST_LINES = 2_000
LONGEST_CHOICE = 400
GRAM = 5
NEAR = 12
"""Words between a task's id, or what is left of its question, and its answer in a table."""

MOST_BEHIND = 2_000
LONGEST_QUESTION = 20_000


def question_hashes(question: str, named: Iterable[str] = ()) -> frozenset[str]:
    """Of the question alone, and with the line that names its file: one of the usual kinds, or as it is `named`."""
    names = ("attachment", *(f"attachment.{extension}" for extension in _EXTENSIONS.split()), *named)
    return frozenset(
        hashlib.sha256(to_bytes(text)).hexdigest()
        for text in (question, question.strip(), *(protocol.question(question, name) for name in names))
    )


def rest_of(text: str, question: str | None) -> str:
    """A prompt without the question and without the line that names the task's file."""
    if question:
        bare = question.strip()
        text = text.replace(bare, " ") if bare in text else text
    return ATTACHMENT.sub(" ", text) if _FILE_LINE in text else text


def weight(forms: GoldForms) -> int:
    """How much it says that an answer stands in a text: 0 nothing by itself, 1 something, 2 a great deal."""
    if forms.trivial or not forms.words:
        return 0
    words = forms.words[0].split()
    letters = sum(map(len, words))
    if all(word.isdigit() for word in words):
        year = len(words) == 1 and len(words[0]) == 4 and b"1500" <= words[0] <= b"2100"
        return 2 if letters >= 5 or (letters == 4 and not year) else 1 if letters >= 3 else 0
    if len(words) == 1:
        return 0 if words[0] in _GENERIC or letters < 4 else 1
    return 2 if letters >= 8 else 1 if letters >= 5 else 0


def announced(forms: GoldForms, words: bytes, *, cues: frozenset[bytes] = _CUES) -> bool:
    """Whether the answer stands right behind a word that announces it, as in `the answer is`."""
    for form in forms.words:
        at = words.find(form)
        while at >= 0:
            lead = words[max(0, at - 80) : at + 1].split()
            for word in reversed(lead[-7:]):
                if word in cues:
                    return True
                if word not in _FILLERS:
                    break
            at = words.find(form, at + 1)
    return False


def is_number(answer: str) -> bool:
    """Whether an answer is a number, with its sign, currency and marks."""
    return answer.strip().lstrip("+-−$€£").replace(",", "").replace(".", "").isdigit()


def whole_number(answer: str, text: str) -> bool:
    """Whether a number stands in a text as itself, not as a part of another one."""
    number = re.escape(answer.strip())
    return re.search(rf"(?<![\d.,:/-]){number}(?![\d]|[.,:/-]\d)", text) is not None


def is_count(answer: str, text: str) -> bool:
    """Whether a number only counts something in a text: the question or the attempt that it is, out of so many."""
    number = re.escape(answer.strip())
    return (
        re.search(rf"{_COUNTED}\W{{0,3}}{number}(?!\d)|(?<!\d){number} ?(?:of|/|out of) ?\d", text.lower()) is not None
    )


def is_choice(answer: str, text: str) -> bool:
    """Whether an answer is one of several that a text gives to choose from, line by line or behind each other."""
    lines = [line.strip() for line in text.splitlines()[:MOST_LINES]]
    marked = [match[1] for line in lines if len(line) < LONGEST_CHOICE and (match := _MARKED.fullmatch(line))]
    if len(marked) >= CHOICES and any(_same(choice, answer) for choice in marked):
        return True
    for line in lines:
        offered = _OFFERED.search(line)
        if offered is None:
            continue
        choices = [part for part in _BETWEEN.split(line[offered.end() :][:MOST_BEHIND]) if part.strip()]
        if len(choices) >= CHOICES and any(_same(choice, answer) for choice in choices):
            return True
    return False


def without_syntax(text: str) -> str:
    """A text with what patterns are written with taken out, so that the words that one fits are left."""
    if "\\" not in text and "[" not in text and "(?" not in text:
        return text
    text = _GROUP.sub("", _EITHER_CASE.sub(r"\1", text[:LONGEST_PATTERNS]))
    return _ESCAPED.sub(r"\1", _SPACE_CLASS.sub(" ", text))


def is_form(answer: str, text: str) -> bool:
    """Whether a text gives an answer out as the form that answers have: as a pattern, or the one value of a schema."""
    bare = re.escape(answer.strip())
    form = rf"\^[ (]*{bare}[ )]*\$|{_ONLY_VALUE}{bare}[\"']"
    return bool(bare) and re.search(form, without_syntax(text), re.IGNORECASE) is not None


def _same(choice: str, answer: str) -> bool:
    return bool(choice.strip()) and reduce(_LETTER.sub("", choice)) == reduce(answer)


class Known(msgspec.Struct, frozen=True):
    """The answers of the run: each different one once, in its forms, with its tasks."""

    forms: tuple[GoldForms, ...]
    answers: tuple[str, ...]
    tasks: tuple[tuple[str, ...], ...]
    numbers: Mapping[str, int]  # of an answer, by task id


def known_answers(golds: Mapping[str, Gold]) -> Known:
    """The answers that a data set has, by task id."""
    tasks: dict[str, list[str]] = {}
    for task_id in sorted(golds):
        tasks.setdefault(golds[task_id].answer, []).append(task_id)
    answers = tuple(tasks)
    numbers = {task_id: number for number, answer in enumerate(answers) for task_id in tasks[answer]}
    return Known(tuple(map(gold_forms, answers)), answers, tuple(tuple(each) for each in tasks.values()), numbers)


class AnswerFinder:
    """Finds all the run's answers in a text at once."""

    def __init__(self, known: Known, questions: Mapping[str, str]) -> None:
        self.known = known
        phrases: dict[bytes, list[int]] = {}
        for number, forms in enumerate(known.forms):
            for form in forms.words:
                phrases.setdefault(form, []).append(number)
        self._meaning = list(phrases.values())
        self._phrases = phrases
        self._matcher = best_matcher(list(phrases))
        ids = ((reduce(task_id), number) for task_id, number in known.numbers.items())
        self._ids = [(name, number) for name, number in ids if len(name) >= 10]  # a short one is a word like any other
        self._questions: list[tuple[bytes, bytes, int]] = []
        for task_id, number in known.numbers.items():
            asked = reduce(questions.get(task_id, "")[:LONGEST_QUESTION]).split()
            # an answer that stands in its own question, as one of several to choose from, is told by neither end of it
            if len(asked) > GRAM and not known.forms[number].stands_in(b" " + b" ".join(asked) + b" "):
                beginning, end = (b" " + b" ".join(part) + b" " for part in (asked[:GRAM], asked[-GRAM:]))
                self._questions.append((beginning, end, number))

    def find(self, words: bytes) -> set[int]:
        """The numbers of the answers that stand in reduced words."""
        return {number for phrase, _ in self._matcher.find(words) for number in self._meaning[phrase]}

    def whole(self, words: bytes) -> list[int]:
        """The numbers of the answers that reduced words are, from the first to the last."""
        return self._phrases.get(words, [])

    def beside_ids(self, words: bytes) -> set[int]:
        """The answers that stand behind the id of their task: no accident does that."""
        return {number for name, number in self._ids if self._follows(words, name, number)}

    def beside_questions(self, words: bytes) -> set[int]:
        """The answers that stand behind the beginning or the end of their question."""
        return {
            number
            for beginning, end, number in self._questions
            if self._follows(words, end, number) or self._follows(words, beginning, number)
        }

    def _follows(self, words: bytes, phrase: bytes, number: int) -> bool:
        at = words.find(phrase)
        if at < 0:
            return False
        behind = words[at + len(phrase) - 1 :][:MOST_BEHIND].split(maxsplit=NEAR + 8)[: NEAR + 8]
        return self.known.forms[number].stands_in(b" " + b" ".join(behind) + b" ")


def solution_of(steps: str, question: str | None) -> list[list[bytes]]:
    """The wording of an annotator's steps: the word 5-grams of each, but for those of the question."""
    asked = reduce(question or "")
    solution = []
    for line in steps.splitlines()[:200]:
        parts = reduce(line).split()
        grams = [b" " + b" ".join(parts[at : at + GRAM]) + b" " for at in range(len(parts) - GRAM + 1)]
        grams = [gram for gram in grams if gram not in asked]
        if len(grams) >= 2:  # a step of five words may be said by anybody
            solution.append(grams)
    return solution


LONG_STEP = 8
"""Five-word pieces of a step that nobody says by chance in these words."""


def is_one_step(solution: list[list[bytes]], words: bytes) -> bool:
    """Whether of several steps only a short one stands there: what to look for first, anybody may say."""
    there = [len(grams) for grams in solution if any(gram in words for gram in grams)]
    return len(solution) > 1 and len(there) == 1 and there[0] < LONG_STEP


def is_told(solution: list[list[bytes]], words: bytes, met: frozenset[bytes] = frozenset()) -> bool:
    """Whether a solution's wording stands in reduced words: half of one longer step, or parts of several.

    What was `met` before is nothing that was told.
    """
    told = 0
    for grams in solution:
        share = sum(gram in words and gram not in met for gram in grams) / len(grams)
        if share >= 0.5:
            told += 2 if len(grams) >= 4 else 1
        elif share >= 0.25:
            told += 1
        if told >= 2:
            return True
    return False
