"""A small benchmark of our own to plant copies of, and pages that have nothing to do with it."""

import random
import re

from gaia_harness.evidence.fingerprint import Fingerprint
from gaia_harness.evidence.recorder import Recorder, RecorderSettings
from gaia_harness.evidence.scan import scan

TASK = "5b1f0c1e-77aa-4d0e-9c55-0d2f6a1b9e01"
OTHER = "c0ffee00-1234-4abc-8def-00112233aabb"
THIRD = "9d8c7b6a-5f4e-4d3c-8b2a-190817263544"
QUESTION = (
    "In the third verse of the ballad printed on the back of the 1911 Skerrow ferry timetable, which bird does the "
    "lighthouse keeper's widow mistake for her husband's whistle before the fog lifts over Pinch Beacon?"
)
OTHER_QUESTION = (
    "How many brass buttons were missing from the uniform of the harbour master when the council weighed it "
    "against the spring catch of herring in the year of the two regattas?"
)
THIRD_QUESTION = (
    "According to the minutes of the botanic society, what colour was the ribbon that the youngest curator tied "
    "around the sulking fern on the morning after the glasshouse flood?"
)
QUESTIONS = {TASK: QUESTION, OTHER: OTHER_QUESTION, THIRD: THIRD_QUESTION}
ANSWER = "the corncrake of Farrowby marsh"

_VOCABULARY = re.findall(
    r"\w+",
    "the of and in a to was with harbour island boat winter letter garden stone old report water year from over "
    "between morning council market bridge keeper teacher river road house field paper table season summer",
)


def fingerprint(**options) -> Fingerprint:
    return Fingerprint(QUESTIONS, **options)


FINGERPRINT = fingerprint()


def filler(words: int, seed: int = 1) -> str:
    rng = random.Random(seed)
    return " ".join(rng.choice(_VOCABULARY) + rng.choice(("", "", "", ",", ".\n")) for _ in range(words))


def look(text, **options):
    return scan(text, FINGERPRINT, TASK, **options)


def recorder(**settings) -> Recorder:
    return Recorder(task_id=TASK, settings=RecorderSettings(fingerprint=FINGERPRINT, **settings))
