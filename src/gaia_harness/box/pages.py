"""Records a page that the agent asked for, as a call and a result of the tool `agent.http`."""

import hashlib
from collections.abc import Sequence
from typing import IO, Any

from gaia_harness.box.conversations import HTTP
from gaia_harness.box.unpacking import CHUNK, UnpackingError, pieces, unpacked
from gaia_harness.evidence.recorder import Recorder
from gaia_harness.protocol import ERROR_STATUS
from gaia_harness.records.excerpt import to_bytes
from gaia_harness.records.steps import ARGUMENT_HEAD, Source
from gaia_harness.tools.readers import decode

LARGEST_TEXT = 4 << 20
"""Bytes of a page that are recorded and scanned. The rest is hashed, and said to be cut."""
LARGEST_DOCUMENT = 32 << 20
_DOCUMENTS = (b"%PDF-", b"PK\x03\x04")
"""So begin PDF files, and those of Office, which are archives: what they say is read by a worker."""

_TEXT_TYPES = ("json", "xml", "javascript", "ecmascript", "x-www-form-urlencoded", "yaml", "csv", "x-ndjson")

Headers = Sequence[tuple[bytes, bytes]]


def record_page(
    recorder: Recorder,
    turn: int,
    *,
    method: str,
    url: str,
    request_headers: Headers = (),
    request_body: IO[bytes] | None = None,
    status: int | None = None,
    headers: Headers = (),
    body: IO[bytes] | None = None,
    error: str | None = None,
    document: str | None = None,
) -> None:
    """Take down one exchange. The bodies are files that can be read twice, as they went over the wire.

    `document` is what a file such as a PDF says. `error` says why there is no answer (`status` is None then), or why it
    was cut short.
    """
    call_id = f"{HTTP}-{recorder.next_seq}"
    recorder.tool_call(turn, call_id, HTTP, {"method": method, "url": url, **_request(request_headers, request_body)})
    text, cut = ("", False) if body is None else _page(headers, body)
    if document is not None:
        said = to_bytes(document)
        text, cut = f"{text}\n{said[:LARGEST_TEXT].decode('utf-8', 'ignore')}", cut or len(said) > LARGEST_TEXT
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


def document_in(headers: Headers, body: IO[bytes]) -> bytes | None:
    """The bytes of a document that is no text but can be read as one; None where a page is none."""
    data = bytearray()
    body.seek(0)
    try:
        for piece in unpacked(body, _header(headers, b"content-encoding").strip().lower()):
            data += piece
            if len(data) > LARGEST_DOCUMENT or (len(data) >= 5 and not data.startswith(_DOCUMENTS)):
                return None
    except UnpackingError:
        return None
    return bytes(data) if data.startswith(_DOCUMENTS) else None


def _request(headers: Headers, body: IO[bytes] | None) -> dict[str, Any]:
    """What was sent: its beginning, unpacked; its size and its hash as it went."""
    size, sha256 = (0, "") if body is None else _digest(body)
    if body is None or not size:
        return {}
    head = b""
    try:
        for piece in unpacked(body, _header(headers, b"content-encoding").strip().lower()):
            head = (head + piece)[:ARGUMENT_HEAD]
            if len(head) == ARGUMENT_HEAD:
                break
    except UnpackingError:
        body.seek(0)
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
        for piece in unpacked(body, _header(headers, b"content-encoding").strip().lower()):
            data += piece
            if _is_binary(kind, data):
                return f"({kind[:100] or 'binary data'}, {about})", False
            if len(data) > LARGEST_TEXT:
                note = f"(Only the first {LARGEST_TEXT} bytes are kept. As it came: {about})"
                break
    except UnpackingError as error:
        note = f"({error} As it came: {about})"
    charset = rest.lower().partition("charset=")[2].split(";")[0].strip(" \"'")[:40]
    text = decode(bytes(data[:LARGEST_TEXT]), charset or None)
    return "\n".join(filter(None, (text, note))), bool(note)


def _is_binary(kind: str, data: bytearray) -> bool:
    """Whether it is no text, by what its server says, or by its look where that says nothing."""
    if kind.startswith("text/") or any(name in kind for name in _TEXT_TYPES):
        return False
    if kind in ("", "application/octet-stream", "binary/octet-stream"):
        return b"\0" in data[:CHUNK] and not data.startswith((b"\xff\xfe", b"\xfe\xff"))
    return True


def _digest(body: IO[bytes]) -> tuple[int, str]:
    """Size and hash of a body, which is then at its beginning again."""
    whole = hashlib.sha256()
    size = 0
    body.seek(0)
    for piece in pieces(body):
        whole.update(piece)
        size += len(piece)
    body.seek(0)
    return size, whole.hexdigest()


def _header(headers: Headers, name: bytes) -> str:
    return next((value.decode("latin-1") for key, value in headers if key.lower() == name), "")
