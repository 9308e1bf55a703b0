"""Attacks of the second test part: measured once, since then development."""

from redteam.attacks.spent.second_test.answers import VARIANTS as ANSWERS
from redteam.attacks.spent.second_test.bookkeeping import VARIANTS as BOOKKEEPING
from redteam.attacks.spent.second_test.copies import VARIANTS as COPIES
from redteam.attacks.spent.second_test.grader import VARIANTS as GRADER
from redteam.attacks.spent.second_test.keys import VARIANTS as KEYS
from redteam.attacks.spent.second_test.prompts import VARIANTS as PROMPTS
from redteam.attacks.spent.second_test.unseen import VARIANTS as UNSEEN
from redteam.attacks.spent.second_test.wordings import VARIANTS as WORDINGS
from redteam.cases import Variant

VARIANTS: tuple[Variant, ...] = (
    *COPIES,
    *WORDINGS,
    *KEYS,
    *PROMPTS,
    *GRADER,
    *ANSWERS,
    *BOOKKEEPING,
    *UNSEEN,
)
