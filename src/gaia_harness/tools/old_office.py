"""Recognises old binary Office files, and reads workbooks (.xls)."""

import io
from typing import Any

from gaia_harness.errors import ToolError
from gaia_harness.tools.readers import Document
from gaia_harness.tools.spreadsheets import CELLS, one_line

_STREAMS = {"Workbook": "xls", "Book": "xls", "WordDocument": "doc", "PowerPoint Document": "ppt"}


def old_office_kind(data: bytes) -> str | None:
    """`xls`, `doc` or `ppt`, by the streams in the file; None for another file of this container, or a broken one."""
    from xlrd import compdoc

    try:
        entries = compdoc.CompDoc(data, logfile=io.StringIO()).dirlist
        names = [entries[child].name for child in entries[0].children]
    except Exception:  # a parser of foreign files raises whatever comes to its mind
        return None
    return next((kind for name, kind in _STREAMS.items() if name in names), None)


def read_xls(data: bytes, charset: str | None) -> Document:  # noqa: ARG001
    """One line per row: `A1: name | B1: 12 (fill #FFFF00)`. Formulas are not read, only the values stored for them."""
    import xlrd

    try:
        book = xlrd.open_workbook(
            file_contents=data, logfile=io.StringIO(), on_demand=True, ragged_rows=True, formatting_info=True
        )
    except xlrd.XLRDError as error:
        if "encrypted" in str(error).lower():
            raise ToolError("The workbook is encrypted and needs a password.") from None
        raise
    parts, room = [], CELLS
    for number, name in enumerate(book.sheet_names()):
        sheet = book.sheet_by_index(number)
        hidden = {1: ", hidden", 2: ", veryHidden"}.get(sheet.visibility, "")
        cells = _area(0, sheet.nrows, 0, sheet.ncols) if sheet.nrows and sheet.ncols else "empty"
        lines = [f"=== sheet {name!r} ({cells}{hidden}) ==="]
        merged = [_area(*area) for area in sheet.merged_cells[:500]]
        if merged:
            lines.append("merged cells: " + ", ".join(merged))
        left_out = 0
        for row in range(sheet.nrows):
            length = sheet.row_len(row)
            shown = [_cell(book, sheet, row, column) for column in range(min(length, room))]
            left_out += max(0, length - room)
            room = max(0, room - length)
            if any(shown):
                lines.append(" | ".join(filter(None, shown)))
        if left_out:
            lines.append(f"({left_out:,} more cells are left out)")
        parts.append("\n".join(lines))
        book.unload_sheet(number)
    return Document(text="\n\n".join(parts))


def _cell(book: Any, sheet: Any, row: int, column: int) -> str | None:
    import xlrd

    kind, value = sheet.cell_type(row, column), sheet.cell_value(row, column)
    if kind == xlrd.XL_CELL_DATE:
        value = _date(value, book.datemode)
    elif kind == xlrd.XL_CELL_BOOLEAN:
        value = bool(value)
    elif kind == xlrd.XL_CELL_ERROR:
        value = xlrd.error_text_from_code.get(value, f"error {value}")
    elif kind == xlrd.XL_CELL_NUMBER and value == int(value) and abs(value) < 1e15:
        value = int(value)
    remarks = [f"fill {fill}"] if (fill := _fill(book, sheet, row, column)) else []
    note = sheet.cell_note_map.get((row, column))
    if note is not None:
        remarks.append(f"note: {one_line(note.text)}")
    shown = "" if kind in (xlrd.XL_CELL_EMPTY, xlrd.XL_CELL_BLANK) else one_line(str(value))
    if not shown and not remarks:
        return None
    return f"{_name(row, column)}:" + (f" {shown}" if shown else "") + (f" ({'; '.join(remarks)})" if remarks else "")


def _date(value: float, datemode: int) -> Any:
    import xlrd

    try:
        moment = xlrd.xldate_as_datetime(value, datemode)
    except (xlrd.XLDateError, ValueError, OverflowError):
        return value
    return moment.time() if 0 <= value < 1 else moment


def _fill(book: Any, sheet: Any, row: int, column: int) -> str | None:
    try:
        background = book.xf_list[sheet.cell_xf_index(row, column)].background
    except IndexError:  # a cell that stands in no record has no format
        return None
    if not background.fill_pattern:
        return None
    solid = background.fill_pattern == 1
    colour = book.colour_map.get(background.pattern_colour_index if solid else background.background_colour_index)
    return None if colour is None else "#{:02X}{:02X}{:02X}".format(*colour)


def _name(row: int, column: int) -> str:
    from xlrd.formula import colname

    return f"{colname(column)}{row + 1}"


def _area(first_row: int, end_row: int, first_column: int, end_column: int) -> str:
    return f"{_name(first_row, first_column)}:{_name(end_row - 1, end_column - 1)}"
