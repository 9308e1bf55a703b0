"""Proofs over a tree of ours, made and checked as an outsider would (RFC 9162, sections 2.1.3 and 2.1.4)."""

import hashlib
from collections.abc import Sequence

from gaia_harness.signing.merkle import node_hash


def inclusion_proof(hashes: Sequence[bytes], index: int) -> list[bytes]:
    """The audit path of leaf `index` in the tree over all `hashes` (of leaves)."""
    if not 0 <= index < len(hashes):
        raise ValueError(f"leaf {index} is not in a tree of {len(hashes)}")
    if len(hashes) == 1:
        return []
    split = _split(len(hashes))
    if index < split:
        return [*inclusion_proof(hashes[:split], index), _root(hashes[split:])]
    return [*inclusion_proof(hashes[split:], index - split), _root(hashes[:split])]


def consistency_proof(hashes: Sequence[bytes], old_size: int) -> list[bytes]:
    """What shows that the first `old_size` leaves, at least one, are the beginning of all `hashes`."""
    if not 1 <= old_size <= len(hashes):
        raise ValueError(f"there is no proof from {old_size} leaves to {len(hashes)}")
    return _subproof(hashes, old_size, complete=True)


def inclusion_holds(leaf: bytes, index: int, size: int, proof: Sequence[bytes], root: bytes) -> bool:
    """Whether the leaf with this hash stands at `index` in the tree with this size and root (RFC 9162, 2.1.3.2)."""
    if not 0 <= index < size or not _all_hashes(leaf, root, *proof):
        return False
    node, position, last = leaf, index, size - 1
    for sibling in proof:
        if last == 0:
            return False
        if position & 1 or position == last:
            node = node_hash(sibling, node)
            while position and not position & 1:
                position, last = position >> 1, last >> 1
        else:
            node = node_hash(node, sibling)
        position, last = position >> 1, last >> 1
    return last == 0 and node == root


def consistency_holds(old_size: int, old_root: bytes, new_size: int, new_root: bytes, proof: Sequence[bytes]) -> bool:
    """Whether the older tree is the beginning of the newer one (RFC 9162, 2.1.4.2).

    An empty tree is the beginning of every tree: to be consistent with it proves nothing, and is never true here.
    """
    if not 1 <= old_size <= new_size:
        return False
    if old_size == new_size:
        return not proof and old_root == new_root
    if not _all_hashes(old_root, new_root, *proof):
        return False
    path = list(proof)
    if old_size & (old_size - 1) == 0:  # a full tree is a node of the newer one
        path.insert(0, old_root)
    if not path:
        return False
    position, last = old_size - 1, new_size - 1
    while position & 1:
        position, last = position >> 1, last >> 1
    old = new = path[0]
    for sibling in path[1:]:
        if last == 0:
            return False
        if position & 1 or position == last:
            old, new = node_hash(sibling, old), node_hash(sibling, new)
            while position and not position & 1:
                position, last = position >> 1, last >> 1
        else:
            new = node_hash(new, sibling)
        position, last = position >> 1, last >> 1
    return last == 0 and old == old_root and new == new_root


def _all_hashes(*values: bytes) -> bool:
    return all(len(value) == hashlib.sha256().digest_size for value in values)


def _split(size: int) -> int:
    """The largest power of two smaller than `size`."""
    return 1 << (size - 1).bit_length() - 1


def _root(hashes: Sequence[bytes]) -> bytes:
    if len(hashes) == 1:
        return hashes[0]
    split = _split(len(hashes))
    return node_hash(_root(hashes[:split]), _root(hashes[split:]))


def _subproof(hashes: Sequence[bytes], old_size: int, *, complete: bool) -> list[bytes]:
    if old_size == len(hashes):
        return [] if complete else [_root(hashes)]
    split = _split(len(hashes))
    if old_size <= split:
        return [*_subproof(hashes[:split], old_size, complete=complete), _root(hashes[split:])]
    return [*_subproof(hashes[split:], old_size - split, complete=False), _root(hashes[:split])]
