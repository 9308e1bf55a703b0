"""Attacks of the second test part: measured once, since then development."""

from gaia_harness.lab.attacks.spent.second_test.answers import VARIANTS as ANSWERS
from gaia_harness.lab.attacks.spent.second_test.bookkeeping import VARIANTS as BOOKKEEPING
from gaia_harness.lab.attacks.spent.second_test.copies import VARIANTS as COPIES
from gaia_harness.lab.attacks.spent.second_test.grader import VARIANTS as GRADER
from gaia_harness.lab.attacks.spent.second_test.keys import VARIANTS as KEYS
from gaia_harness.lab.attacks.spent.second_test.prompts import VARIANTS as PROMPTS
from gaia_harness.lab.attacks.spent.second_test.unseen import VARIANTS as UNSEEN
from gaia_harness.lab.attacks.spent.second_test.wordings import VARIANTS as WORDINGS
from gaia_harness.lab.cases import Variant

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
