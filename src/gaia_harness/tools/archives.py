"""Reads zip files: the listing and each member, in bounded memory. Nothing is written to disk."""

import io
import zipfile
import zlib

from gaia_harness.errors import ToolError
from gaia_harness.tools.readers import Document, read

_MEMBERS = 10_000
_LISTED = 1_000
_MEMBER_BYTES = 64 << 20
_TOTAL_BYTES = 512 << 20
_RATIO = 200  # text rarely shrinks to less than a fiftieth; bombs shrink to a thousandth
_RATIO_FREE = 1 << 20  # small members may shrink as they like


def office_kind(data: bytes, name: str) -> str | None:
    """`xlsx`, `docx` or `pptx` when the zip is one of these, after a look for bombs in it."""
    archive = _open(data, name)
    names = set(archive.namelist())
    if "[Content_Types].xml" not in names:
        return None
    for kind, part in (("xlsx", "xl/workbook.xml"), ("docx", "word/document.xml"), ("pptx", "ppt/presentation.xml")):
        if part in names:
            for info in archive.infolist():
                _check(info)
            return kind
    return None


def read_zip(data: bytes, name: str, member: str, *, depth: int = 0, for_ocr: bool = False) -> Document:
    """The listing of an archive, or what a member of it says. An archive in it is opened too, but no deeper one."""
    archive = _open(data, name)
    if not member:
        return Document(text=_listing(archive, name))
    infos = {info.filename: info for info in archive.infolist() if not info.is_dir()}
    wanted = member.strip("/")
    found = wanted if wanted in infos else None
    inner = ""
    if found is None:  # a member of an archive in the archive
        at = next((at for at, c in enumerate(wanted) if c == "/" and wanted[:at] in infos), None)
        if at is not None:
            found, inner = wanted[:at], wanted[at + 1 :]
    if found is None or ".." in found.split("/"):
        raise ToolError(f"There is no {_shown(member)!r} in {name}. Read {name!r} to see what is in it.")
    content = _content(archive, infos[found])
    place = f"{name}/{found}"
    if content.startswith((b"PK\x03\x04", b"PK\x05\x06")) and office_kind(content, place) is None:
        if depth:
            raise ToolError(f"{_shown(place)} is an archive in an archive in an archive: that is not opened.")
        return read_zip(content, place, inner, depth=depth + 1, for_ocr=for_ocr)
    return read(content, place, member=inner, for_ocr=for_ocr)


def _open(data: bytes, name: str) -> zipfile.ZipFile:
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
        infos = archive.infolist()
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError, EOFError) as error:
        raise ToolError(f"{name} is a broken zip file: {error}") from None
    if len(infos) > _MEMBERS:
        raise ToolError(f"{name} has {len(infos):,} members; at most {_MEMBERS:,} are read.")
    if sum(info.file_size for info in infos) > _TOTAL_BYTES:
        raise ToolError(f"{name} unpacks to more than {_TOTAL_BYTES >> 20} MiB: that is not opened.")
    return archive


def _check(info: zipfile.ZipInfo) -> None:
    if info.file_size > _MEMBER_BYTES:
        raise ToolError(f"{_shown(info.filename)} unpacks to more than {_MEMBER_BYTES >> 20} MiB: that is not read.")
    if info.file_size > _RATIO_FREE and info.file_size > _RATIO * max(1, info.compress_size):
        raise ToolError(f"{_shown(info.filename)} unpacks to more than {_RATIO} times its size: that is not read.")


def _content(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    _check(info)
    if info.flag_bits & 1:
        raise ToolError(f"{_shown(info.filename)} is encrypted and needs a password.")
    try:
        with archive.open(info) as file:
            content = file.read(_MEMBER_BYTES + 1)  # what the listing claims need not be so
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError) as error:
        raise ToolError(f"{_shown(info.filename)} in the zip is broken: {error}") from None
    if len(content) > _MEMBER_BYTES:
        raise ToolError(f"{_shown(info.filename)} unpacks to more than {_MEMBER_BYTES >> 20} MiB: that is not read.")
    return content


def _listing(archive: zipfile.ZipFile, name: str) -> str:
    files = [info for info in archive.infolist() if not info.is_dir()]
    lines = [f"{name}: a zip file with {len(files):,} files."]
    lines += [f"{_shown(info.filename)}  {info.file_size:,} bytes" for info in files[:_LISTED]]
    if len(files) > _LISTED:
        lines.append(f"(and {len(files) - _LISTED:,} more)")
    if files:
        lines.append(f'Read one by its path, such as "{name}/{_shown(files[0].filename)}".')
    return "\n".join(lines)


def _shown(name: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in name)[:300]
