"""Readers for all file formats: bytes and a name in, text and pictures out. They run in the reader worker only.

The bytes decide what a file is; its name only tells one kind of text from another.
"""

import re
from collections.abc import Callable

import msgspec

from gaia_harness.errors import ToolError
from gaia_harness.models.messages import Image
from gaia_harness.shortening import shorten


class Unread(ToolError):
    """A file that this process does not read, but somebody else may: `kind` is `audio` or `doc`."""

    def __init__(self, what: str, *, kind: str, extension: str, data: bytes) -> None:
        super().__init__(f"{what}, which cannot be read as text.")
        self.what = what
        self.kind = kind
        self.extension = extension
        self.data = data


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """What a file says."""

    text: str
    title: str = ""
    images: tuple[Image, ...] = ()


# fmt: off
_TEXT_KINDS = frozenset((
    "txt", "md", "markdown", "rst", "csv", "tsv", "json", "jsonl", "jsonld", "xml", "svg", "yaml", "yml", "toml",
    "ini", "cfg", "log", "tex", "bib", "srt", "vtt", "pdb", "sql", "py", "js", "ts", "java", "c", "h", "cpp",
    "hpp", "cs", "go", "rs", "rb", "php", "pl", "sh", "r", "m", "lua", "swift", "kt", "scala", "hs", "css",
))
# fmt: on
_AUDIO = (  # how the bytes of audio files begin
    (b"ID3", "mp3", "an MP3 audio file"),
    (b"\xff\xfb", "mp3", "an MP3 audio file"),
    (b"\xff\xfa", "mp3", "an MP3 audio file"),
    (b"\xff\xf3", "mp3", "an MP3 audio file"),
    (b"\xff\xf2", "mp3", "an MP3 audio file"),
    (b"OggS", "ogg", "an Ogg audio file"),
    (b"fLaC", "flac", "a FLAC audio file"),
)
_OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_UNREADABLE = (  # how the bytes of kinds begin that cannot be read here
    (b"\x1a\x45\xdf\xa3", "a Matroska or WebM video file"),
    (b"\x1f\x8b", "a gzip file"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (b"Rar!", "a RAR archive"),
    (b"\x7fELF", "a compiled program"),
    (b"SQLite format 3", "an SQLite database"),
)


def read(data: bytes, name: str, *, charset: str | None = None, member: str = "", for_ocr: bool = False) -> Document:
    """Read a file. `member` is the path of a file inside it, when it is an archive."""
    kind = kind_of(data, name)
    if member and kind != "zip":
        raise ToolError(f"{_shown(name)} is not an archive: it has no {_shown(member)!r} inside.")
    if kind == "zip":
        from gaia_harness.tools.archives import read_zip

        return read_zip(data, name, member, for_ocr=for_ocr)
    try:
        return _reader(kind, for_ocr=for_ocr)(data, charset)
    except ToolError:
        raise
    except MemoryError:
        raise ToolError(f"{_shown(name)} needs more memory to read than there is.") from None
    except Exception as error:  # parsers of foreign files raise whatever comes to their mind
        what = shorten(" ".join(str(error).split()), 200) or type(error).__name__
        raise ToolError(f"{_shown(name)} is broken or not a real {kind} file: {what}") from None


def kind_of(data: bytes, name: str) -> str:
    """The kind of a file, such as `pdf`; ToolError for what cannot be read here, Unread for what others may read."""
    if not data:
        raise ToolError(f"{_shown(name)} is empty.")
    if data.startswith(b"%PDF-") or b"%PDF-" in data[:1024]:
        return "pdf"
    for start, kind in ((b"\x89PNG\r\n\x1a\n", "image"), (b"\xff\xd8\xff", "image"), (b"GIF8", "image")):
        if data.startswith(start):
            return kind
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image"
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        from gaia_harness.tools.archives import office_kind

        return office_kind(data, name) or "zip"
    extension = name.rpartition(".")[2].lower()
    _refuse_audio(data, name, extension)
    if data.startswith(_OLD_OFFICE):
        return _old_office(data, name, extension)
    for start, what in _UNREADABLE:
        if data.startswith(start):
            raise ToolError(f"{_shown(name)} is {what}, which cannot be read as text.")
    if extension in ("html", "htm", "xhtml"):
        return "html"
    if extension in _TEXT_KINDS:
        return "text"
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "text"
    try:
        data.decode()
    except UnicodeDecodeError:
        known = f"a .{extension} file" if re.fullmatch("[a-z0-9]{1,8}", extension) and "." in name else "not text"
        raise ToolError(f"{_shown(name)} is {known} of a kind that cannot be read here.") from None
    if b"\0" in data[:4096]:
        raise ToolError(f"{_shown(name)} is not text, and of a kind that cannot be read here.")
    return "html" if re.match(rb"\s*(<!doctype html|<html)", data[:200], re.IGNORECASE) else "text"


def _refuse_audio(data: bytes, name: str, extension: str) -> None:
    found = [(kind, what) for start, kind, what in _AUDIO if data.startswith(start)]
    if data[:4] == b"RIFF":
        what = {b"WAVE": "a WAV audio file", b"AVI ": "an AVI video file"}.get(data[8:12], "a RIFF media file")
        found = [("wav" if data[8:12] == b"WAVE" else "", what)]
    elif data[4:8] == b"ftyp":
        sound = data[8:12] in (b"M4A ", b"M4B ") or extension == "m4a"
        found = [("m4a", "an MP4 audio file")] if sound else [("", "an MP4 audio or video file")]
    for kind, what in found[:1]:
        if kind:
            raise Unread(f"{_shown(name)} is {what}", kind="audio", extension=kind, data=data)
        raise ToolError(f"{_shown(name)} is {what}, which cannot be read as text.")


def _old_office(data: bytes, name: str, extension: str) -> str:
    from gaia_harness.tools.old_office import old_office_kind

    kind = old_office_kind(data) or (extension if extension in ("xls", "doc") else "")
    if kind == "xls":
        return "xls"
    if kind == "doc":
        raise Unread(f"{_shown(name)} is a Word document of the old kind (.doc)", kind="doc", extension=kind, data=data)
    what = "a PowerPoint file of the old kind (.ppt)" if kind == "ppt" else "an Office file of the old binary kind"
    raise ToolError(f"{_shown(name)} is {what}, which cannot be read as text.")


def decode(data: bytes, charset: str | None) -> str:
    """Text from bytes: a byte order mark first, then what was announced, then UTF-8, then Windows-1252."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", errors="replace")
    for name in ("utf-8-sig", charset):
        if name:
            try:
                return data.decode(name)
            except (UnicodeDecodeError, LookupError, ValueError):
                continue
    return data.decode("cp1252", errors="replace")


def clean(text: str) -> str:
    """Text that can be stored as UTF-8: half surrogate pairs, which some parsers let through, are replaced."""
    return text.encode("utf-8", errors="replace").decode()


def _reader(kind: str, *, for_ocr: bool) -> Callable[[bytes, str | None], Document]:
    # Imports wait until a file of the kind turns up: together they take most of a second.
    if kind == "pdf":
        from gaia_harness.tools.pdf import read_pdf

        return read_pdf
    if kind == "image":
        from gaia_harness.tools.pictures import read_picture

        return lambda data, charset: read_picture(data, charset, for_ocr=for_ocr)
    if kind == "html":
        from gaia_harness.tools.webpage import read_html

        return read_html
    if kind == "xlsx":
        from gaia_harness.tools.spreadsheets import read_xlsx

        return read_xlsx
    if kind == "xls":
        from gaia_harness.tools.old_office import read_xls

        return read_xls
    if kind in ("docx", "pptx"):
        from gaia_harness.tools.office import read_docx, read_pptx

        return read_docx if kind == "docx" else read_pptx
    return lambda data, charset: Document(text=decode(data, charset))


def _shown(name: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in name)[:200]
