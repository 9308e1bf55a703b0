"""Reads .docx and .pptx files: paragraphs, tables, slides and notes in order."""

import io
from collections.abc import Iterator
from typing import Any

from gaia_harness.tools.readers import Document


def read_docx(data: bytes, charset: str | None) -> Document:  # noqa: ARG001
    """Paragraphs and tables in the order of the document; list items and headings are marked."""
    from docx import Document as open_docx

    document = open_docx(io.BytesIO(data))
    parts = [part for part in _blocks(document) if part]
    pictures = len(document.inline_shapes)
    if pictures:
        parts.append(f"({pictures} pictures in the document are not shown)")
    return Document(text="\n".join(parts), title=document.core_properties.title or "")


def read_pptx(data: bytes, charset: str | None) -> Document:  # noqa: ARG001
    """Slide by slide: the text of its shapes, its tables, the speaker's notes."""
    from pptx import Presentation

    deck = Presentation(io.BytesIO(data))
    slides = []
    for number, slide in enumerate(deck.slides, start=1):
        lines = [f"--- slide {number} of {len(deck.slides)} ---"]
        for shape in slide.shapes:
            lines += _shape(shape)
        if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
            notes = slide.notes_slide.notes_text_frame.text.strip()
            lines += [f"notes: {notes}"] if notes else []
        slides.append("\n".join(lines))
    return Document(text="\n\n".join(slides), title=deck.core_properties.title or "")


def _blocks(container: Any) -> Iterator[str]:
    from docx.table import Table

    for block in container.iter_inner_content():
        if isinstance(block, Table):
            yield from _rows(block)
            continue
        style = (block.style.name or "") if block.style is not None else ""
        text = block.text.strip()
        if text and style.startswith("Heading"):
            text = f"{'#' * min(6, int(style[-1]) if style[-1].isdigit() else 1)} {text}"
        elif text and style.startswith("List"):
            text = f"- {text}"
        yield text


def _rows(table: Any) -> Iterator[str]:
    for row in table.rows:
        yield "| " + " | ".join(" ".join(cell.text.split()) for cell in row.cells) + " |"


def _shape(shape: Any) -> Iterator[str]:
    if hasattr(shape, "shapes"):  # a group
        for each in shape.shapes:
            yield from _shape(each)
    elif getattr(shape, "has_table", False):
        yield from _rows(shape.table)
    elif getattr(shape, "has_chart", False):
        for plot in shape.chart.plots:
            categories = ", ".join(str(each) for each in plot.categories)
            yield f"(chart with categories {categories})"
            for series in plot.series:
                yield f"(chart series {series.name}: {', '.join(str(value) for value in series.values)})"
    elif shape.has_text_frame:
        text = shape.text_frame.text.replace("\v", "\n").strip()
        if text:
            yield text
    elif hasattr(shape, "image"):
        yield f"(picture {shape.name!r} is not shown)"
