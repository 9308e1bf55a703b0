"""The data set beside a run, from this machine alone."""

import pytest

from gaia_harness.errors import DatasetError
from gaia_harness.run.audit_input import load_dataset_facts


def test_a_hub_that_is_not_cached_says_how_to_get_it_and_blames_no_variable(tmp_path):
    with pytest.raises(DatasetError) as caught:
        load_dataset_facts("hub", "validation", None, ("a",), {"HF_HOME": str(tmp_path)})
    assert "HF_HUB_OFFLINE" not in f"{caught.value.message} {caught.value.hint}"
    assert "gaia run --dry-run" in caught.value.hint
