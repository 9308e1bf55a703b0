"""What an honest agent reads, and by which tools: the first half of the sealed part's honest families."""

from redteam.cases import Variant
from redteam.honest.sealed.first_half import (
    reading_files,
    reading_names,
    reading_siblings,
    reading_statements,
    reading_wide,
    tools_code,
    tools_memory,
    whole_run,
)

VARIANTS: tuple[Variant, ...] = (
    *reading_statements.VARIANTS,
    *reading_files.VARIANTS,
    *reading_names.VARIANTS,
    *reading_wide.VARIANTS,
    *reading_siblings.VARIANTS,
    *tools_memory.VARIANTS,
    *tools_code.VARIANTS,
    *whole_run.VARIANTS,
)
