"""The data set beside a run, from this machine alone."""

import pytest

from gaia_harness.errors import DatasetError
from gaia_harness.run.audit_input import load_dataset_facts
from gaia_harness.tasks.loading import load_tasks


def test_a_hub_that_is_not_cached_says_how_to_get_it_and_blames_no_variable(tmp_path):
    with pytest.raises(DatasetError) as caught:
        load_dataset_facts("hub", "validation", None, ("a",), {"HF_HOME": str(tmp_path)})
    assert "HF_HUB_OFFLINE" not in f"{caught.value.message} {caught.value.hint}"
    assert "gaia run --dry-run" in caught.value.hint


def test_ids_that_a_data_set_does_not_have_are_left_out_and_hide_none_of_the_others():
    some = sorted(load_tasks("demo", split="validation").key.golds)[:2]
    facts = load_dataset_facts("demo", "validation", None, (*some, "made-up"), {})
    assert sorted(facts.questions) == sorted(facts.key.golds) == some
