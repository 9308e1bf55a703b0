"""The tree of a trace's spans, in the order of time."""

from collections.abc import Iterator, Sequence

from gaia_harness.exchange.inputs import ImportRefused
from gaia_harness.exchange.spans import Span


class SpanTree:
    """Spans without a parent in the file, and the spans inside each span. `orphans` lost their parents."""

    def __init__(self) -> None:
        self.roots: list[Span] = []
        self.inner: dict[str, list[Span]] = {}
        self.orphans = 0


def tree_of(spans: Sequence[Span], where: str) -> SpanTree:
    """The tree; refused where ids or parents contradict each other."""
    known: dict[str, Span] = {}
    for span in spans:
        if known.setdefault(span.id, span) != span:
            raise ImportRefused(f"{where}: two spans with the id {span.id[:80]!a}")
    tree = SpanTree()
    for span in known.values():
        if span.parent is None:
            tree.roots.append(span)
        elif span.parent not in known:
            tree.roots.append(span)
            tree.orphans += 1
        else:
            tree.inner.setdefault(span.parent, []).append(span)
    for siblings in (tree.roots, *tree.inner.values()):
        if all(span.nanos is not None for span in siblings):
            siblings.sort(key=lambda span: span.nanos or 0)
    if sum(1 for _, leaving in walk(tree) if leaving) != len(known):
        raise ImportRefused(f"{where}: spans that are each other's parents")
    return tree


def walk(tree: SpanTree) -> Iterator[tuple[Span, bool]]:
    """Each span twice: when it is entered, and when all inside it is done."""
    todo = [(span, False) for span in reversed(tree.roots)]
    while todo:
        span, leaving = todo.pop()
        yield span, leaving
        if not leaving:
            todo.append((span, True))
            todo += [(child, False) for child in reversed(tree.inner.get(span.id, []))]


def agents_at_the_top(tree: SpanTree) -> int:
    """How many agents work side by side, none of them inside another."""
    inside = found = 0
    for span, leaving in walk(tree):
        if span.kind == "AGENT":
            found += not leaving and inside == 0
            inside += -1 if leaving else 1
    return found
