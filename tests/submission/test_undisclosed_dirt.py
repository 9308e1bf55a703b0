"""What only our own audit finds wrong is not the package's disclosed dirt: nobody can accept it beforehand."""

import pytest

from gaia_harness.submission import verdict
from gaia_harness.submission.verdict import Trust, verify
from gaia_harness.witness.allowed_signers import parse_allowed_signers


@pytest.mark.parametrize("found", [(), ("audit by this version: AUD-1 critical or high",)])
def test_accept_dirty_is_for_what_the_package_says_itself(whole, world, monkeypatch, found):
    def check_dataset(package, dataset, unclean):
        unclean.extend(found)
        return "made by another version"

    monkeypatch.setattr(verdict, "check_dataset", check_dataset)
    trust = Trust(signers=parse_allowed_signers(world.allowed.read_text()))
    said = verify(whole, trust=trust, dataset=lambda facts: None, accept_dirty=True)
    assert said.exit_code == (4 if found else 0)
    assert said.accepted_dirty is False
