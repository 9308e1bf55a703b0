"""Reads tar files as any ordinary `tar` does: plain, ustar, pax or GNU.

Refuses what two programs could read in two ways, and what a package has no use for.
Not by Python's tarfile: it reads pax headers of any size into memory, and recurses for each of them.
"""

import re
from collections.abc import Callable, Iterator

from gaia_harness.errors import EvidenceError, UnreadableError
from gaia_harness.submission.decompression import AGAIN, Decompressed
from gaia_harness.submission.file_set import BUFFER, MOST_FILES, shown
from gaia_harness.submission.unpacking import LONGEST_NAME, MOST_FOLDERS, Entry

BLOCK = 512
LARGEST_PAX = 1 << 16
MOST_EXTENSIONS = 2 * (MOST_FILES + MOST_FOLDERS)
"""Headers with more about the next entry: they are no entries, and many of them cost time all the same."""

_DECIMAL = re.compile(r"[0-9]{1,15}")
_OCTAL = re.compile(rb" *[0-7]{1,12}[ \0]*")
_USTAR, _GNU, _PLAIN = b"ustar\x0000", b"ustar  \0", bytes(8)
_FILE, _FOLDER, _PAX, _PAX_FOR_ALL, _LONG_NAME = b"0\0", b"5", b"x", b"g", b"L"
_FAULTS = {
    b"1": "is a link",
    b"2": "is a link",
    b"3": "is not a plain file (a device)",
    b"4": "is not a plain file (a device)",
    b"6": "is not a plain file (a pipe)",
}
_REFUSED = {
    b"K": "is not a file (a long link, in GNU's form of tar)",
    b"S": "is not a plain file (one with holes, in GNU's form of tar)",
}
_OF_ONE = ("path", "size")
_WITHOUT_EFFECT = re.compile(
    r"[amc]time|uid|gid|uname|gname|comment|LIBARCHIVE\.\S+|SCHILY\.(xattr|acl)\.\S+|SCHILY\.(dev|ino|nlink|fflags)"
)
"""What a pax header may say of owners, times and the like: nothing of it is looked at."""


def tar_entries(stream: Decompressed, archive: str) -> Iterator[Entry]:
    """Each entry in turn; what was not read of one is passed over."""
    said: dict[str, str] = {}
    extensions = 0
    while (header := stream.read(BLOCK)) != bytes(BLOCK) or stream.at <= BLOCK:
        _check_header(header, archive, first=stream.at <= BLOCK)
        name, size, kind = _name(header, archive), _size(header, archive), header[156:157]
        if kind in (_PAX, _PAX_FOR_ALL, _LONG_NAME):
            extensions += 1
            if extensions > MOST_EXTENSIONS:
                raise EvidenceError(f"{archive}: more than {MOST_EXTENSIONS} headers that say more of an entry")
            found = _extension(stream, kind, size, archive)
            if said.keys() & found.keys():
                raise EvidenceError(f"{archive}: an entry has two headers that say different things of it")
            said |= found
            continue
        name, size, said = said.get("path", name), int(said.get("size", size)), {}
        if size and kind not in _FILE:
            raise EvidenceError(f"{archive}: {shown(name)}: {_FAULTS.get(kind, 'is not a plain file')}, with content")
        if kind not in _FILE + _FOLDER and kind not in _FAULTS:
            fault = _REFUSED.get(kind, f"is not a plain file (of a type {kind!r} that we do not know)")
            raise EvidenceError(f"{archive}: {shown(name)}: {fault}")
        end = stream.at + size
        yield Entry(name, kind in _FOLDER, size, _reader(stream, end), _FAULTS.get(kind))
        _pass_over(stream, end + -size % BLOCK, archive)
    if said:
        raise EvidenceError(f"{archive}: ends with a header of an entry that is not there")
    while rest := stream.read(BUFFER):
        if any(rest):
            raise EvidenceError(f"{archive}: has something behind its end")


def _reader(stream: Decompressed, end: int) -> Callable[[int], bytes]:
    """Reads an entry, and no further than its end."""
    return lambda count: stream.read(min(count, end - stream.at))


def _pass_over(stream: Decompressed, end: int, archive: str) -> None:
    while stream.at < end:
        if not stream.read(min(BUFFER, end - stream.at)):
            raise UnreadableError(f"{archive}: is cut short", hint=AGAIN)


def _check_header(header: bytes, archive: str, *, first: bool) -> None:
    if first and not _is_header(header):
        raise UnreadableError(
            f"{archive}: not an archive: neither a tar file, compressed or not, nor a zip file",
            hint="name the file or folder that `gaia submit` made",
        )
    if len(header) < BLOCK:
        raise UnreadableError(f"{archive}: is cut short, or has no end", hint=AGAIN)
    if not _is_header(header):
        raise UnreadableError(f"{archive}: damaged: something else stands where an entry should begin", hint=AGAIN)


def _is_header(block: bytes) -> bool:
    """Whether the checksum is right, which is over the block with spaces in its own place."""
    if len(block) < BLOCK or not _OCTAL.fullmatch(block[148:156]):
        return False
    return int(block[148:156].strip(b" \0"), 8) == sum(block) - sum(block[148:156]) + 8 * ord(" ")


def _name(header: bytes, archive: str) -> str:
    name, form = _text(header[:100], archive), header[257:265]
    if form == _USTAR:
        before = _text(header[345:500], archive)
        return f"{before}/{name}" if before else name
    if form != _GNU and (form != _PLAIN or any(header[345:])):
        raise EvidenceError(f"{archive}: {shown(name)}: in a form of tar that we do not know")
    return name


def _text(field: bytes, archive: str) -> str:
    """A text that ends with its field or with a NUL, behind which nothing stands."""
    text = field.rstrip(b"\0")
    try:
        if b"\0" not in text:
            return text.decode()
    except UnicodeDecodeError:
        pass
    raise EvidenceError(f"{archive}: an entry whose name is not a text: {text[:100]!a}")


def _size(header: bytes, archive: str) -> int:
    field = header[124:136]
    if field[0] == 0x80:  # GNU's way to write a large number
        return int.from_bytes(field[1:], "big")
    if not _OCTAL.fullmatch(field):
        raise EvidenceError(f"{archive}: {shown(_name(header, archive))}: its size is not a number")
    return int(field.strip(b" \0"), 8)


def _extension(stream: Decompressed, kind: bytes, size: int, archive: str) -> dict[str, str]:
    """What a header says of the entry behind it: its name, its size."""
    if size > (LONGEST_NAME if kind == _LONG_NAME else LARGEST_PAX):
        raise EvidenceError(f"{archive}: a header of {size} bytes that says more of an entry")
    data = stream.read(size)
    _pass_over(stream, stream.at + size - len(data) + -size % BLOCK, archive)
    if kind == _LONG_NAME:
        return {"path": _text(data, archive)}
    found = _pax_records(data, archive)
    odd = [key for key in found if not _WITHOUT_EFFECT.fullmatch(key) and (kind == _PAX_FOR_ALL or key not in _OF_ONE)]
    if odd or not _DECIMAL.fullmatch(found.get("size", "0")):
        raise EvidenceError(
            f"{archive}: a pax header with {shown((odd or ['size'])[0])}, which a package has no use for"
        )
    return {key: value for key, value in found.items() if key in _OF_ONE}


def _pax_records(data: bytes, archive: str) -> dict[str, str]:
    """Records of the form `length key=value`, each with a newline at its end that counts."""
    found: dict[str, str] = {}
    at = 0
    while at < len(data):
        digits = data[at : at + 6].partition(b" ")[0]
        length = int(digits) if digits.isdigit() else 0
        record = data[at : at + length]
        key, equals, value = record[len(digits) + 1 : -1].partition(b"=")
        try:
            name, text = key.decode(), value.decode(errors="strict" if key in (b"path", b"size") else "replace")
        except UnicodeDecodeError:
            name = text = ""
        sound = len(record) == length and record.endswith(b"\n") and equals and name and "\0" not in text
        if not sound or name in found:
            raise EvidenceError(f"{archive}: a pax header that is not written as one")
        found[name] = text
        at += length
    return found
