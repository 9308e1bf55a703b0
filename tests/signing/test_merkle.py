"""The tree, by the reference roots, by others' proofs and by properties."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaia_harness.signing.merkle import EMPTY_ROOT, Tree, leaf_hash, root_of
from merkle_proofs import consistency_holds, consistency_proof, inclusion_holds, inclusion_proof
from vectors import vectors

LEAVES = st.lists(st.binary(max_size=8), min_size=1, max_size=40)

# Certificate Transparency's reference tree, so that a clone without the vectors still has its roots
REFERENCE_LEAVES = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"]
REFERENCE_ROOTS = {
    0: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    1: "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    3: "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    8: "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
}


def raw(text: str | None) -> bytes:
    return base64.b64decode(text or "")


def test_reference_roots():
    for size, root in REFERENCE_ROOTS.items():
        assert root_of(bytes.fromhex(leaf) for leaf in REFERENCE_LEAVES[:size]).hex() == root


def test_all_reference_roots():
    data = vectors("merkle_reference_roots.json")
    leaves = [bytes.fromhex(leaf) for leaf in data["leaves_hex"]]
    assert [root_of(leaves[:n]).hex() for n in range(len(leaves) + 1)] == data["root_of_first_n"]


def test_inclusion_proofs_of_others():
    for name, case in vectors("merkle_inclusion.json").items():
        proof = [raw(node) for node in case["proof"] or []]
        holds = inclusion_holds(raw(case["leafHash"]), case["leafIdx"], case["treeSize"], proof, raw(case["root"]))
        assert holds is not case["wantErr"], name


def test_consistency_proofs_of_others():
    for name, case in vectors("merkle_consistency.json").items():
        proof = [raw(node) for node in case["proof"] or []]
        holds = consistency_holds(case["size1"], raw(case["root1"]), case["size2"], raw(case["root2"]), proof)
        assert holds is not case["wantErr"], name


@given(LEAVES, st.data())
def test_every_leaf_is_included_and_no_other(leaves, data):
    hashes = [leaf_hash(leaf) for leaf in leaves]
    root, index = root_of(leaves), data.draw(st.integers(0, len(leaves) - 1))
    proof = inclusion_proof(hashes, index)
    assert inclusion_holds(hashes[index], index, len(leaves), proof, root)
    assert not inclusion_holds(leaf_hash(leaves[index] + b"x"), index, len(leaves), proof, root)
    assert not inclusion_holds(hashes[index], index, len(leaves), [*proof, root], root)
    if proof:
        assert not inclusion_holds(hashes[index], index, len(leaves), proof[:-1], root)


@given(LEAVES, st.data())
def test_a_grown_tree_is_consistent_with_its_past_and_a_changed_past_is_not(leaves, data):
    old = data.draw(st.integers(1, len(leaves)))
    hashes = [leaf_hash(leaf) for leaf in leaves]
    proof = consistency_proof(hashes, old)
    old_root, root = root_of(leaves[:old]), root_of(leaves)
    assert consistency_holds(old, old_root, len(leaves), root, proof)
    changed = [leaves[0] + b"x", *leaves[1:old]]
    assert not consistency_holds(old, root_of(changed), len(leaves), root, proof)


@given(LEAVES)
def test_growing_step_by_step_keeps_logarithmic_memory(leaves):
    tree = Tree()
    for count, leaf in enumerate(leaves, start=1):
        tree.append(leaf)
        assert tree.size == count
        assert len(tree._peaks) == count.bit_count()
    assert tree.root() == root_of(leaves)


def test_an_empty_tree_has_the_hash_of_nothing():
    assert Tree().root() == EMPTY_ROOT
    assert not consistency_holds(0, EMPTY_ROOT, 1, leaf_hash(b""), [])
    with pytest.raises(ValueError, match="no proof from 0 leaves"):
        consistency_proof([leaf_hash(b"")], 0)
