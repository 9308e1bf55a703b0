"""Reads .xlsx files: every cell with its position, value, formula and colour, sheet by sheet."""

import colorsys
import io
import re
from typing import Any

from gaia_harness.tools.readers import Document

CELLS = 200_000
"""Cells of a workbook that are read."""


def read_xlsx(data: bytes, charset: str | None) -> Document:  # noqa: ARG001
    """One line per row: `A1: name | B1: 12 (fill #FFFF00)`."""
    from openpyxl import load_workbook

    formulas = load_workbook(io.BytesIO(data), keep_links=False)
    values = load_workbook(io.BytesIO(data), keep_links=False, data_only=True)
    theme = _theme_colours(formulas.loaded_theme)
    parts, room = [], CELLS
    for sheet in formulas.worksheets:
        cells = sorted(sheet._cells.items())  # only what is in the file: iter_rows would make every cell up to the last
        cached = values[sheet.title]
        hidden = "" if sheet.sheet_state == "visible" else f", {sheet.sheet_state}"
        lines = [f"=== sheet {sheet.title!r} ({sheet.dimensions}{hidden}) ==="]
        merged = [str(area) for area in sheet.merged_cells.ranges][:500]
        if merged:
            lines.append("merged cells: " + ", ".join(merged))
        row_now = None
        for (row, column), cell in cells[:room]:
            shown = _cell(cell, cached._cells.get((row, column)), theme)
            if shown is None:
                continue
            if row == row_now:
                lines[-1] += " | " + shown
            else:
                lines.append(shown)
                row_now = row
        if len(cells) > room:
            lines.append(f"({len(cells) - room:,} more cells are left out)")
        room = max(0, room - len(cells))
        parts.append("\n".join(lines))
    others = [repr(name) for name in formulas.sheetnames if name not in {each.title for each in formulas.worksheets}]
    if others:
        parts.append("Sheets that hold only a chart: " + ", ".join(others))
    return Document(text="\n\n".join(parts))


def _cell(cell: Any, cached: Any, theme: list[str]) -> str | None:
    remarks = []
    value = cell.value
    if cell.data_type == "f":
        formula = getattr(value, "text", None) or (value if isinstance(value, str) else "")
        value = cached.value if cached is not None else None
        remarks.append(f"formula {one_line(formula)}" + ("" if value is not None else ", no value stored in the file"))
    fill = _fill(cell, theme)
    if fill:
        remarks.append(f"fill {fill}")
    if cell.comment is not None:
        remarks.append(f"note: {one_line(cell.comment.text)}")
    if value is None and not remarks:
        return None
    shown = "" if value is None else " " + one_line(str(value))
    return f"{cell.coordinate}:{shown}" + (f" ({'; '.join(remarks)})" if remarks else "")


def _fill(cell: Any, theme: list[str]) -> str | None:
    if cell.fill is None or cell.fill.fill_type is None:
        return None
    colour = cell.fill.fgColor if cell.fill.fill_type == "solid" else cell.fill.bgColor
    return _colour(colour, theme)


def _colour(colour: Any, theme: list[str]) -> str | None:
    from openpyxl.styles.colors import COLOR_INDEX

    if colour is None:
        return None
    if colour.type == "rgb" and isinstance(colour.rgb, str):
        base = colour.rgb[-6:]
    elif colour.type == "theme" and colour.theme < len(theme):
        base = theme[colour.theme]
    elif colour.type == "indexed" and colour.indexed < len(COLOR_INDEX):
        base = COLOR_INDEX[colour.indexed][-6:]
    else:
        return None
    if not re.fullmatch("[0-9A-Fa-f]{6}", base):
        return None
    return "#" + _tinted(base, colour.tint or 0.0).upper()


def _tinted(base: str, tint: float) -> str:
    """Lighter or darker by `tint` (ECMA-376, part 1, 18.8.3)."""
    if not tint:
        return base
    red, green, blue = (int(base[at : at + 2], 16) / 255 for at in (0, 2, 4))
    hue, light, saturation = colorsys.rgb_to_hls(red, green, blue)
    light = light * (1 + tint) if tint < 0 else light * (1 - tint) + tint
    return "".join(f"{round(each * 255):02x}" for each in colorsys.hls_to_rgb(hue, min(1, max(0, light)), saturation))


def _theme_colours(theme: bytes | None) -> list[str]:
    """The twelve colours of a workbook's theme, in the order in which cells count them: light before dark."""
    text = (theme or b"").decode(errors="replace")
    names = ("lt1", "dk1", "lt2", "dk2", *(f"accent{n}" for n in range(1, 7)), "hlink", "folHlink")
    places = (re.search(rf'<a:{name}>\s*<a:\w+[^>]*?(?:lastClr|val)="([0-9A-Fa-f]{{6}})"', text) for name in names)
    return [place.group(1) if place else "" for place in places]


def one_line(text: str) -> str:
    """The text of a cell with its line breaks written as `\\n`."""
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\n", "\\n")
