"""The pages that an attempt fetched, kept byte for byte in bounded memory for further reading."""

from collections import OrderedDict
from typing import Generic, Protocol, TypeVar


class _Sized(Protocol):
    @property
    def body(self) -> bytes: ...


P = TypeVar("P", bound=_Sized)

MOST_BYTES = 64 << 20
"""Bytes of pages kept for all attempts of a run together."""


class KeptPages(Generic[P]):
    """Pages by attempt and address. When they are too many bytes, the one that was not read for longest goes."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._bytes = 0
        self._pages: OrderedDict[tuple[object, str], P] = OrderedDict()

    def keep(self, attempt: object, url: str, page: P) -> None:
        """Keep a page in place of an older copy."""
        self._drop((attempt, url))
        self._pages[attempt, url] = page
        self._bytes += len(page.body)
        while self._bytes > self._most_bytes:
            self._drop(next(iter(self._pages)))

    def get(self, attempt: object, url: str) -> P | None:
        """The page as this attempt fetched it, if it is still kept."""
        page = self._pages.get((attempt, url))
        if page is not None:
            self._pages.move_to_end((attempt, url))
        return page

    def _drop(self, key: tuple[object, str]) -> None:
        page = self._pages.pop(key, None)
        if page is not None:
            self._bytes -= len(page.body)
