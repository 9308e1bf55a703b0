"""Reads the text of PDF files, page by page."""

import io

from gaia_harness.errors import ToolError
from gaia_harness.tools.readers import Document

_PAGES = 2_000


def read_pdf(data: bytes, charset: str | None) -> Document:  # noqa: ARG001
    """The text of each page, after a line that says which page it is."""
    from pypdf import PdfReader

    reader = PdfReader(io.BytesIO(data))
    if reader.is_encrypted and not reader.decrypt(""):
        raise ToolError("The PDF is encrypted and needs a password.")
    count = len(reader.pages)
    parts = []
    for number, page in enumerate(reader.pages[:_PAGES], start=1):
        text = page.extract_text().strip()
        parts.append(f"--- page {number} of {count} ---\n{text or '(no text on this page: it may be a picture)'}")
    if count > _PAGES:
        parts.append(f"(pages {_PAGES + 1} to {count} are left out)")
    title = reader.metadata.title if reader.metadata else None
    return Document(text="\n\n".join(parts), title=str(title or ""))
