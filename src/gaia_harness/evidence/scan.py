"""Scans tool outputs for copies of the benchmark while the full text is in memory.

The scan keeps figures and a few windows of text; what they mean is for the audit to say. It knows the question,
the other questions of the run and the task ids, and never an answer.
"""

from collections.abc import Iterator, Sequence

import msgspec

from gaia_harness.evidence.fingerprint import SIGNATURES, Fingerprint, Kind
from gaia_harness.evidence.page_shapes import shapes
from gaia_harness.evidence.passages import Echoes, Passage, Place, cover_of, passages_of
from gaia_harness.evidence.redaction import Redactor
from gaia_harness.evidence.views import View, views
from gaia_harness.evidence.windows import Mark, Segment, cut_windows
from gaia_harness.evidence.wording import reduce
from gaia_harness.records.excerpt import to_bytes
from gaia_harness.records.steps import Scan, Source, SourceFigures, Window

VERSION = "scan/1"

SOME, HALF = 0.3, 0.5
"""Shares of a question's wording: from the first on a window is kept; the second is a copy."""

ROW = 6
"""Pieces of a question in one place that are kept however little of it they are: a row of ten words, as a search engine
shows of a copy."""

MOST_COPIES = 4
"""Places of one text at which one question is marked, the fullest first."""


class Found(msgspec.Struct, frozen=True):
    """What a scan gives: the figures, the windows, whether the whole body is worth keeping, how much was masked."""

    scan: Scan
    windows: tuple[Window, ...]
    flagged: bool
    redactions: int


class _Tally:
    """What has been found in one segment, over all its readings."""

    def __init__(self, segment: Segment, pages: tuple[str, ...]) -> None:
        self.segment = segment
        self.pages = pages
        self.copy = self.echo = self.cover = 0.0
        self.others: set[int] = set()
        self.own_id = False
        self.other_ids: set[int] = set()
        self.signatures: set[str] = set()
        self.readings: set[str] = set()
        self.marks: list[Mark] = []

    def figures(self) -> SourceFigures:
        return SourceFigures(
            source=self.segment.source,
            copy=round(self.copy, 3),
            echo=round(self.echo, 3),
            cover=round(self.cover, 3),
            questions=len(self.others),
            own_id=self.own_id,
            other_ids=len(self.other_ids),
            signatures=tuple(sorted(self.signatures)),
            pages=self.pages,
            readings=tuple(sorted(self.readings)),
        )

    def anything(self) -> bool:
        return bool(
            self.echo or self.cover or self.others or self.own_id or self.other_ids or self.signatures or self.pages
        )


def scan(
    output: str | bytes,
    fingerprint: Fingerprint,
    task_id: str,
    *,
    sources: Sequence[Source] = (),
    sent: str = "",
    redactor: Redactor = Redactor(),  # noqa: B008 - it never changes
) -> Found:
    """Scan one tool output. `sent` is what the agent put into the call: an echo of it is no copy."""
    look = _Look(fingerprint, task_id, sent, redactor)
    tallies = [look.at(segment, _pages(segment, sources)) for segment in _segments(output, sources)]
    copy = max((tally.copy for tally in tallies), default=0.0)
    echo = max((tally.echo for tally in tallies), default=0.0)
    cover = max((tally.cover for tally in tallies), default=0.0)
    others = set[int]().union(*(tally.others for tally in tallies))
    other_ids = set[int]().union(*(tally.other_ids for tally in tallies))
    own_id = any(tally.own_id for tally in tallies)
    pages = shapes(source.url for source in sources)
    figures = Scan(
        version=VERSION,
        copy=round(copy, 3),
        echo=round(echo, 3),
        cover=round(cover, 3),
        questions=len(others),
        together=max((len(tally.others) for tally in tallies), default=0),
        own_id=own_id,
        other_ids=len(other_ids),
        signatures=tuple(sorted(set[str]().union(*(tally.signatures for tally in tallies)))),
        pages=pages,
        readings=tuple(sorted(set[str]().union(*(tally.readings for tally in tallies)))),
        by_source=tuple(tally.figures() for tally in tallies if tally.anything()) if len(sources) > 1 else (),
    )
    flagged = bool(
        copy >= SOME
        or echo >= HALF
        or others
        or own_id
        or other_ids
        or any(tally.cover >= HALF and len(tally.signatures) > 1 for tally in tallies)
        or pages
    )
    windows, masked = cut_windows((mark for tally in tallies for mark in tally.marks), redactor)
    return Found(figures, windows, flagged, masked)


def _pages(segment: Segment, sources: Sequence[Source]) -> tuple[str, ...]:
    return () if segment.source is None else shapes([sources[segment.source].url])


def _segments(output: str | bytes, sources: Sequence[Source]) -> Iterator[Segment]:
    """The text of each source by itself, so that nothing is found across two of them; then what lies between."""
    text = _exact(output)
    if len(sources) < 2:
        yield Segment(0 if sources else None, 0, text)
        return
    data = text.encode("utf-8", "surrogateescape")
    end, between = 0, []
    for number, source in sorted(enumerate(sources), key=lambda item: item[1].offset):
        start = max(end, min(source.offset, len(data)))
        if start > end:
            between.append((end, start))
        end = max(start, min(source.offset + source.bytes, len(data)))
        yield Segment(number, start, data[start:end].decode("utf-8", "surrogateescape"))
    if end < len(data):
        between.append((end, len(data)))
    for start, stop in between:
        yield Segment(None, start, data[start:stop].decode("utf-8", "surrogateescape"))


def _exact(output: str | bytes) -> str:
    """The output as text from which its bytes can be had again, whatever they are."""
    if isinstance(output, str):
        try:
            output.isascii() or output.encode()
        except UnicodeEncodeError:
            output = to_bytes(output)
        else:
            return output
    return output.decode("utf-8", "surrogateescape")


class _Look:
    """One scan: what is looked for, and what the agent sent."""

    def __init__(self, fingerprint: Fingerprint, task_id: str, sent: str, redactor: Redactor) -> None:
        self._fingerprint = fingerprint
        self._own = fingerprint.numbers.get(task_id)
        self._sent = Echoes(sent)
        self._fill = redactor.fill

    def at(self, segment: Segment, pages: tuple[str, ...]) -> _Tally:
        """Look at a segment, in all its readings."""
        tally = _Tally(segment, pages)
        self._read(tally, None, segment.text)
        for view in views(segment.text, self._fill):
            self._read(tally, view, view.text)
        return tally

    def _read(self, tally: _Tally, view: View | None, text: str) -> None:
        words = reduce(text)
        found = self._fingerprint.find(words, self._own)
        if not found:
            return

        def mark(rank: int, why: str, passage: Passage, turned: str = "") -> None:
            place = Mark(rank, passage.share, why, tally.segment, view, turned, words, passage.start, passage.end)
            tally.marks.append(place)
            if place.name:
                tally.readings.add(place.name)

        by_question: dict[tuple[int, str], list[Place]] = {}
        for kind, number, piece, turned, start in found:
            if kind is Kind.QUESTION:
                by_question.setdefault((number, turned), []).append((start, piece))
            elif kind is Kind.TASK_ID:
                if number == self._own and not tally.own_id:
                    tally.own_id = True
                elif number != self._own and number not in tally.other_ids:
                    tally.other_ids.add(number)
                else:
                    continue
                mark(2, "task_id", Passage(1.0, start, start + 1))
            elif (signature := SIGNATURES[number].replace(" ", "_")) not in tally.signatures:
                tally.signatures.add(signature)
                mark(5, "signature", Passage(1.0, start, start + 1))
        for (number, turned), places in by_question.items():
            question = self._fingerprint.question(number)
            pieces, size = question.pieces, question.size
            reach = 2 * len(self._fingerprint.words[number])
            if number == self._own:
                passages = passages_of(places, pieces, reach, words, size)
                tally.echo = max(tally.echo, passages[0].share)
                if self._sent:
                    for passage in passages[:MOST_COPIES]:
                        if passage.share >= HALF:
                            mark(3, "echo", passage, turned)
                    passages = passages_of(self._sent.taken_out(places, words, size), pieces, reach, words, size)
                for passage in passages[:MOST_COPIES]:
                    tally.copy = max(tally.copy, passage.share)
                    if passage.share >= SOME:
                        mark(0, "copy", passage, turned)
                    elif passage.share * pieces >= ROW:
                        mark(4, "copy", passage, turned)
            elif len(places) >= HALF * pieces and number not in tally.others:
                if self._sent:
                    places = self._sent.taken_out(places, words, size)
                passages = passages_of(places, pieces, reach, words, size)
                if passages and passages[0].share >= HALF:
                    tally.others.add(number)
                    mark(1, "question", passages[0], turned)
        if self._own is not None and tally.signatures:
            weights = self._fingerprint.weights(self._own)
            cover = cover_of(words, weights, 2 * self._fingerprint.words[self._own].count(b" "))
            if cover.share > tally.cover:
                tally.cover = cover.share
                if cover.share >= HALF:
                    mark(4, "cover", cover)
