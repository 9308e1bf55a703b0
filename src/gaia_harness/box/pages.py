"""Records a page that the agent asked for, as a call and a result of the tool `agent.http`."""

import hashlib
import zlib
from collections.abc import Iterator, Sequence
from typing import IO, Any

import zstandard

from gaia_harness.box.conversations import HTTP
from gaia_harness.evidence.recorder import Recorder
from gaia_harness.protocol import ERROR_STATUS
from gaia_harness.records.excerpt import to_bytes
from gaia_harness.records.steps import ARGUMENT_HEAD, Source
from gaia_harness.tools.readers import decode

LARGEST_TEXT = 4 << 20
"""Bytes of a page that are recorded and scanned. The rest is hashed, and said to be cut."""
READABLE = "gzip, deflate, zstd"
"""For `Accept-Encoding`. Brotli is not among them: Python's standard library cannot read it."""

_CHUNK = 64 << 10
_LITTLE = 256
"""Bytes of zstd that are unpacked at a time, which knows no limit: four bytes can be 128 KB."""
_MOST_MEMBERS = 1_000
_LARGEST_WINDOW = 8 << 20
_DAMAGED = "It cannot be unpacked to its end."
_TEXT_TYPES = ("json", "xml", "javascript", "ecmascript", "x-www-form-urlencoded", "yaml", "csv", "x-ndjson")

Headers = Sequence[tuple[bytes, bytes]]


class _Unreadable(Exception):
    """Why a body was not unpacked."""


def record_page(
    recorder: Recorder,
    turn: int,
    *,
    method: str,
    url: str,
    request_body: IO[bytes] | None = None,
    status: int | None = None,
    headers: Headers = (),
    body: IO[bytes] | None = None,
    error: str | None = None,
) -> None:
    """Take down one exchange. The bodies are files that can be read twice, as they went over the wire.

    `error` says why there is no answer (`status` is None then), or why it was cut short.
    """
    call_id = f"{HTTP}-{recorder.next_seq}"
    recorder.tool_call(turn, call_id, HTTP, {"method": method, "url": url, **_request(request_body)})
    text, cut = ("", False) if body is None else _page(headers, body)
    lines = [] if status is None or status < 400 else [ERROR_STATUS.format(status=status)]
    moved = _header(headers, b"location") if status is not None and 300 <= status < 400 else ""
    lines += [f"The page has moved to {moved}"] if moved else []
    lines += [error] if error else []
    output = to_bytes("\n".join([*lines, text] if text or not lines else lines))
    recorder.tool_result(
        turn,
        call_id,
        HTTP,
        output,
        is_error=status is None or status >= 400 or error is not None,
        sources=[Source(url=url, title="", offset=0, bytes=len(output))],
        cut_before=cut,
    )


def _request(body: IO[bytes] | None) -> dict[str, Any]:
    """What was sent: its beginning, its size and its hash."""
    size, sha256 = (0, "") if body is None else _digest(body)
    if body is None or not size:
        return {}
    head = body.read(ARGUMENT_HEAD)
    shown = {} if b"\0" in head else {"body": head.decode("utf-8", "replace")}
    return shown | {"bytes": size, "sha256": sha256}


def _page(headers: Headers, body: IO[bytes]) -> tuple[str, bool]:
    """A page as text, and whether more came than is recorded."""
    kind, _, rest = _header(headers, b"content-type").partition(";")
    kind = kind.strip().lower()
    about = "{} bytes, sha256 {}".format(*_digest(body))
    data = bytearray()
    note = ""
    try:
        for piece in _unpacked(body, _header(headers, b"content-encoding").strip().lower()):
            data += piece
            if _is_binary(kind, data):
                return f"({kind[:100] or 'binary data'}, {about})", False
            if len(data) > LARGEST_TEXT:
                note = f"(Only the first {LARGEST_TEXT} bytes are kept. As it came: {about})"
                break
    except _Unreadable as error:
        note = f"({error} As it came: {about})"
    charset = rest.lower().partition("charset=")[2].split(";")[0].strip(" \"'")[:40]
    text = decode(bytes(data[:LARGEST_TEXT]), charset or None)
    return "\n".join(filter(None, (text, note))), bool(note)


def _is_binary(kind: str, data: bytearray) -> bool:
    """Whether it is no text, by what its server says, or by its look where that says nothing."""
    if kind.startswith("text/") or any(name in kind for name in _TEXT_TYPES):
        return False
    if kind in ("", "application/octet-stream", "binary/octet-stream"):
        return b"\0" in data[:_CHUNK] and not data.startswith((b"\xff\xfe", b"\xfe\xff"))
    return True


def _unpacked(body: IO[bytes], packing: str) -> Iterator[bytes]:
    """The body in pieces of bounded size: a few kilobytes can hold gigabytes."""
    if packing in ("", "identity"):
        yield from _pieces(body)
        return
    if packing not in ("gzip", "x-gzip", "deflate", "zstd"):
        raise _Unreadable(f"It is packed as {packing[:40]!r}, which is not read.")
    zstd = packing == "zstd"
    member: Any = None
    members = 0
    for piece in _pieces(body, _LITTLE if zstd else _CHUNK):
        while piece:
            if member is None or member.eof:
                members += 1
                if members > _MOST_MEMBERS:
                    raise _Unreadable(f"It is packed in more than {_MOST_MEMBERS} pieces; the rest is not read.")
                member = _unpacker(packing, piece[0])
            try:
                yield member.decompress(piece) if zstd else member.decompress(piece, _CHUNK)
            except (zlib.error, zstandard.ZstdError):
                raise _Unreadable(_DAMAGED) from None
            piece = member.unused_data if member.eof else member.unconsumed_tail
    if member is not None:
        yield member.flush()
        if not member.eof:
            raise _Unreadable(_DAMAGED)


def _unpacker(packing: str, first: int) -> Any:
    if packing == "zstd":
        return zstandard.ZstdDecompressor(max_window_size=_LARGEST_WINDOW).decompressobj()
    bare = packing == "deflate" and first & 0x0F != 8  # some servers leave the header of RFC 1950 out
    return zlib.decompressobj(wbits=-15 if bare else 47)


def _pieces(file: IO[bytes], size: int = _CHUNK) -> Iterator[bytes]:
    while piece := file.read(size):
        yield piece


def _digest(body: IO[bytes]) -> tuple[int, str]:
    """Size and hash of a body, which is then at its beginning again."""
    whole = hashlib.sha256()
    size = 0
    body.seek(0)
    for piece in _pieces(body):
        whole.update(piece)
        size += len(piece)
    body.seek(0)
    return size, whole.hexdigest()


def _header(headers: Headers, name: bytes) -> str:
    return next((value.decode("latin-1") for key, value in headers if key.lower() == name), "")
