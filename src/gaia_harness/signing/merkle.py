"""Merkle tree over the lines of a log (RFC 6962, section 2.1)."""

import hashlib
from collections.abc import Iterable

EMPTY_ROOT = hashlib.sha256(b"").digest()


def leaf_hash(data: bytes) -> bytes:
    """The hash of a leaf; the prefix keeps leaves and nodes apart."""
    return hashlib.sha256(b"\x00" + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash of an inner node."""
    return hashlib.sha256(b"\x01" + left + right).digest()


class Tree:
    """A growing tree of which only the roots of its full subtrees are kept: memory is logarithmic."""

    def __init__(self) -> None:
        self.size = 0
        self._peaks: list[bytes] = []  # roots of the full subtrees, largest first: one per 1-bit of the size

    def append(self, data: bytes) -> None:
        """Add a leaf."""
        node, bits = leaf_hash(data), self.size
        while bits & 1:
            node, bits = node_hash(self._peaks.pop(), node), bits >> 1
        self._peaks.append(node)
        self.size += 1

    def root(self) -> bytes:
        """The tree's head."""
        if not self._peaks:
            return EMPTY_ROOT
        node = self._peaks[-1]
        for peak in reversed(self._peaks[:-1]):
            node = node_hash(peak, node)
        return node


def root_of(leaves: Iterable[bytes]) -> bytes:
    """The head of a tree over these leaves (data, not hashes)."""
    tree = Tree()
    for leaf in leaves:
        tree.append(leaf)
    return tree.root()
