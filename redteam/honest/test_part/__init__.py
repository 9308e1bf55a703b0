"""Honest cases of the test part: by an author who has never seen the audit that they measure."""

from redteam.honest.test_part import reading, working

VARIANTS = (*reading.VARIANTS, *working.VARIANTS)
