"""What would somebody try who has read the design, but not the audit? Written when the thresholds were fixed."""

from redteam.attacks.sealed import (
    answering,
    attempts,
    blind,
    bookkeeping,
    copies,
    fetching,
    placing,
    prompting,
    reaching,
)

VARIANTS = (
    *copies.VARIANTS,
    *placing.VARIANTS,
    *fetching.VARIANTS,
    *prompting.VARIANTS,
    *reaching.VARIANTS,
    *attempts.VARIANTS,
    *bookkeeping.VARIANTS,
    *answering.VARIANTS,
    *blind.VARIANTS,
)
