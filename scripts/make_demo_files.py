"""Makes the demo's office files, pictures, archives and PDFs again, byte for byte the same each time.

    python scripts/make_demo_files.py [FOLDER]

FOLDER is the demo's data folder, by default the one in this checkout. The files are committed: this is here so that
one can see what is in them and change it.
"""

import io
import re
import struct
import sys
import zipfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

DATA = Path(__file__).resolve().parent.parent / "src" / "gaia_harness" / "demo" / "data"
TASKS = "2023/validation"
WHEN = (2019, 3, 1, 12, 0, 0)

MARKET = "7c3e9c22-bc06-58f3-9b2a-d488c53d2787"
LEDGER = "6f67b09e-ddfe-5626-a077-d9917222f657"
MINUTES = "4835087c-0191-5f56-839c-004b8c31f055"
BEQUEST = "56876b8c-2f3b-5a51-b065-6ce2ee0af278"
TALK = "5704713a-3697-5a5c-bfd9-3afecc8cec87"
DUES = "42d83668-db30-511a-be62-1b92e1d4da73"
QUILT = "7f328289-4f87-5928-acd5-cbd09599fcbc"
BIRDS = "06337b61-ddb9-55ff-95f8-a257e3c564da"
LETTERS = "7ce802ee-e77d-5101-93ba-32ea78dde582"


def main(folder: Path) -> None:
    """Write every file below `folder`."""
    made = {
        f"{TASKS}/{MARKET}.xlsx": market(),
        f"{TASKS}/{LEDGER}.xlsx": ledger(),
        f"{TASKS}/{MINUTES}.docx": minutes(),
        f"{TASKS}/{BEQUEST}.docx": bequest(),
        f"{TASKS}/{TALK}.pptx": talk(),
        f"{TASKS}/{DUES}.pdf": pdf("Harbour Dues at Saltgate, 2019", HARBOUR_DUES),
        f"{TASKS}/{QUILT}.png": quilt(),
        f"{TASKS}/{BIRDS}.zip": packed({f"counts/{month}.csv": text for month, text in bird_counts().items()}),
        f"{TASKS}/{LETTERS}.zip": packed(letters()),
        "pages/seedbank/report-2016.pdf": pdf("Ossel Seed Vault: Germination Report for 2016", GERMINATION),
    }
    for name, data in made.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        print(f"{len(data):7,} bytes  {name}")


# --- spreadsheets ---------------------------------------------------------------------------------------------------

STALLS = (
    # stall, holder, trade, rent in bells, the clerk's colour
    ("A1", "Edda Tolliver", "marrows", 14, "green"),
    ("A2", "Lemuel Oake", "barometers, part-worn", 11, "yellow"),
    ("A3", "The Skerrow ladies", "scones and paving", 9, "orange"),
    ("A4", "Mrs Lovage Penhallow", "honey", 12, "green"),
    ("B1", "Jem Larkspur the younger", "pencils", 7, "yellow"),
    ("B2", "Constance Garth's nephew", "sea beans", 13, "green"),
    ("B3", "Captain Quern's estate", "rope, sentimental", 18, "yellow"),
    ("B4", "Muriel Stoop", "whistles", 8, "orange"),
    ("C1", "The bell-ringers", "nothing, loudly", 6, "green"),
    ("C2", "Patience Stoop", "left boots", 10, "yellow"),
    ("C3", "nobody", "to let", 15, "none"),
    ("C4", "Bram Larkspur", "maps, unfinished", 5, "yellow"),
)
CLERK = {"green": "92D050", "yellow": "FFE04B", "orange": "F4A460"}


def market() -> bytes:
    """The plan of a market: what is owed is told by a colour, and the key to the colours is at the foot."""
    from openpyxl import Workbook
    from openpyxl.styles import PatternFill

    book = Workbook()
    sheet = book.active
    sheet.title = "Saturday market"
    sheet.append(["Sowhithe Saturday market: stalls and rents"])
    sheet.append([])
    sheet.append(["Stall", "Holder", "Trade", "Rent (bells)"])
    for stall, holder, trade, rent, colour in STALLS:
        sheet.append([stall, holder, trade, rent])
        if colour != "none":
            sheet.cell(sheet.max_row, 1).fill = PatternFill("solid", fgColor="FF" + CLERK[colour])
    sheet.append([])
    for colour, meaning in (
        ("green", "paid"),
        ("yellow", "rent owing"),
        ("orange", "in dispute: not owing until the bench has sat"),
    ):
        sheet.append([None, meaning])
        sheet.cell(sheet.max_row, 1).fill = PatternFill("solid", fgColor="FF" + CLERK[colour])
    return _office(book.save)


JARS = (
    # accession, species, grams, colour of the ground, remark
    ("OV-2201", "grey sea bean", 640, "7FB069", ""),
    ("OV-2202", "Farrowby vetch", 45, "B5472F", "regrow!"),
    ("OV-2203", "black anvil oat", 212, "F2B134", ""),
    ("OV-2204", "warden's thrift", 18, "7FB069", "see cat"),
    ("OV-2205", "black anvil oat", 212, "8A97A3", "the same again"),
    ("OV-2206", "terrier's toadflax", 12, "F2B134", "fine, I think"),
    ("OV-2207", "Tolliver's marrow", 96, None, "damp on arrival"),
    ("OV-2208", "curator's campion", 27, "F2B134", ""),
    ("OV-2209", "untrodden kale", 55, "7FB069", "regrow!"),
    ("OV-2210", "gale cranesbill", 14, "B5472F", ""),
    ("OV-2211", "spaniel's woundwort", 38, "F2B134", "see cat"),
    ("OV-2212", "lesser sulking fern", 3, None, "does not wish to be tested"),
)


def ledger() -> bytes:
    """A page of the seed vault's ledger. The colours are explained elsewhere, and the remarks mislead."""
    from openpyxl import Workbook
    from openpyxl.styles import PatternFill

    book = Workbook()
    sheet = book.active
    sheet.title = "Ledger 22"
    sheet.append(["Jar", "Species", "Grams", "Remark"])
    for jar, species, grams, colour, remark in JARS:
        sheet.append([jar, species, grams, remark or None])
        if colour:
            sheet.cell(sheet.max_row, 3).fill = PatternFill("solid", fgColor="FF" + colour)
    return _office(book.save)


# --- documents ------------------------------------------------------------------------------------------------------

MOTIONS = (
    ("1", "That the interval for tea be lengthened to forty minutes", "Sowhithe Oddfellows", 6, 1),
    ("2", "That whistling be counted as a move", "Cold Landing Castaways", 2, 5),
    ("3", "That the salt cellar be recognised as a bishop", "Needle Quay Bishops", 4, 3),
    ("4", "That a lamp be bought for the packing shed", "Yarrow Stage Knights Errant", 5, 2),
    ("5", "That the visiting side no longer be required to bring news", "Port Quill Rooks", 3, 4),
    ("6", "That the secretary be thanked", "Saltgate Pawns", 7, 0),
)


def minutes() -> bytes:
    """The minutes of a meeting, with a table of votes."""
    from docx import Document

    document = Document()
    document.add_heading("Rook and Rowlock League: Minutes of the Annual Meeting, 1999", 1)
    document.add_paragraph(
        "Held in the weigh-house at Sowhithe on 8 May 1999. All seven clubs were represented and each had one vote. "
        "The minutes of the last meeting were read, and it was agreed that they had been a mistake."
    )
    document.add_paragraph(
        "A motion is carried when more clubs vote for it than against it. The votes were as follows."
    )
    table = document.add_table(rows=1, cols=5)
    for cell, text in zip(table.rows[0].cells, ("No.", "Motion", "Proposed by", "For", "Against"), strict=True):
        cell.text = text
    for motion in MOTIONS:
        for cell, value in zip(table.add_row().cells, motion, strict=True):
            cell.text = str(value)
    document.add_paragraph(
        "Mr Dunnock, being thanked, said that it was nothing, and it was minuted as such. The meeting closed at the "
        "turn of the tide, with soup."
    )
    return _office(document.save)


def bequest() -> bytes:
    """A letter that leaves something to the museum, and says where it is to stand in a roundabout way."""
    from docx import Document

    document = Document()
    for paragraph in (
        "Saltgate, the 2nd of February 2017",
        "To the Keeper of the Museum of Small Wonders.",
        "Dear Dr Orchard,",
        "I am ninety-four and have been told to settle my affairs, of which there are three. The boat goes to my "
        "nephew, who has it already. The quarrel with the Stoops I leave to my niece, who will keep it up.",
        "The third is my clock, which strikes thirteen at noon and has never been able to say why. I should like the "
        "museum to have it. I do not wish it to be put among your other clocks, where it would be made to feel small. "
        "Pray hang it in the room that lies directly to the north of the one where you now keep the Apologetic "
        "Teapot. They used to hear each other through my grandmother's wall and may do so again.",
        "It wants winding on Sundays and a kind word after thunder.",
        "Yours sincerely, Jessamy Wren",
    ):
        document.add_paragraph(paragraph)
    return _office(document.save)


TELESCOPES = (
    (
        "Old Squint",
        "Mirror of 38 cm, ground on the kitchen table",
        "In use from 1884 to 1951",
        "Followed the comet twice",
    ),
    (
        "The Left-Handed Refractor",
        "Lens of 20 cm, drawn the wrong way round",
        "In use from 1902 to 1960",
        "Could be used by one family only",
    ),
    ("The Duchess", "Mirror of 61 cm, silvered on the back", "In use from 1951 to 1978", "Beautiful; saw very little"),
    (
        "Young Squint",
        "Mirror of 91 cm, won in a lottery",
        "In use from 1979 to the present day",
        "The dome was built to fit",
    ),
    (
        "The Whisper",
        "Mirror of 25 cm",
        "In use from 2005 to the present day",
        "Run by the school; do not tell the school",
    ),
)


def talk() -> bytes:
    """The slides of a talk: a title, one slide for each telescope, thanks."""
    from pptx import Presentation

    show = Presentation()
    first = show.slides.add_slide(show.slide_layouts[0])
    first.shapes.title.text = "Things We Have Looked Through"
    first.placeholders[1].text = "A talk for cloudy nights. Crispin Yarde, Long Yarrow Observatory, 2019"
    for name, glass, years, remark in TELESCOPES:
        slide = show.slides.add_slide(show.slide_layouts[1])
        slide.shapes.title.text = name
        slide.placeholders[1].text = "\n".join((glass, years, remark))
    last = show.slides.add_slide(show.slide_layouts[1])
    last.shapes.title.text = "Thank you"
    last.placeholders[1].text = "The tin marked Dome is by the door.\nThe other tin is also by the door."
    return _office(show.save)


def _office(save: Callable[[io.BytesIO], None]) -> bytes:
    """What `save` writes, packed again without the time of day."""
    buffer = io.BytesIO()
    save(buffer)
    stamp = b"%d-%02d-%02dT%02d:%02d:%02dZ" % WHEN
    members = {}
    with zipfile.ZipFile(buffer) as archive:
        for name in archive.namelist():
            data = archive.read(name)
            if name == "docProps/core.xml":
                data = re.sub(rb"(<dcterms:(created|modified)[^>]*>)[^<]*", rb"\g<1>" + stamp, data)
            members[name] = data
    members.pop("docProps/thumbnail.jpeg", None)
    rels = members.get("_rels/.rels", b"")
    members["_rels/.rels"] = re.sub(rb"<Relationship [^>]*thumbnail[^>]*/>", b"", rels)
    return packed(members)


def packed(members: Mapping[str, bytes | str]) -> bytes:
    """A zip archive of the members in their order, each with the same date."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in members.items():
            info = zipfile.ZipInfo(name, WHEN)
            info.create_system = 3
            info.external_attr = 0o100644 << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, data)
    return buffer.getvalue()


# --- PDF ------------------------------------------------------------------------------------------------------------

HARBOUR_DUES = (
    "Payable to the harbour master, who will be along presently.",
    "",
    "Mooring, for each night",
    "Vessels up to 10 metres: 4 bells",
    "Vessels over 10 metres and up to 15 metres: 6 bells",
    "Vessels over 15 metres: 9 bells",
    "The third night and every later night are charged at half.",
    "",
    "Animals on board",
    "Dog: 1 bell for the whole stay",
    "Cat: 2 bells for each night, as the fish are watched",
    "Parrot: free until it speaks",
    "",
    "The bell",
    "A vessel that leaves without ringing the quay bell pays 5 bells,",
    "since somebody must then walk down and ring it for her.",
    "",
    "Children are not charged, but are counted.",
)
GERMINATION = (
    "One hundred seeds of each kind were laid on damp felt in spring and again in autumn.",
    "The figures are the seeds that came up.",
    "",
    "Grey sea bean: spring 94, autumn 96",
    "Warden's thrift: spring 71, autumn 68",
    "Untrodden kale: spring 83, autumn 80",
    "Black anvil oat: spring 55, autumn 49",
    "Farrowby vetch: spring 7, autumn 5",
    "Terrier's toadflax: spring 3, autumn 40",
    "Tolliver's marrow: spring 88, autumn 91",
    "Gale cranesbill: spring 21, autumn 18",
    "Spaniel's woundwort: spring 44, autumn 52",
    "Curator's campion: spring 36, autumn 39",
    "Lesser sulking fern: not tested, having spores and an attitude",
    "",
    "In spring the toadflax was laid on the wrong side of the felt. The warden has",
    "apologised to it. The autumn figure is sound, but both count in the year's total.",
    "The felt itself was found to have sprouted in one corner.",
    "The hens are thanked for their patience.",
)


def pdf(title: str, lines: Sequence[str]) -> bytes:
    """A PDF of one page with a heading and lines of text, by hand: plain objects, no compression, no date."""

    def shown(text: str) -> str:
        return "(" + re.sub(r"([\\()])", r"\\\1", text) + ") Tj"

    text = ["BT", "/F1 15 Tf", "60 780 Td", shown(title), "/F1 11 Tf", "0 -14 Td"]
    for line in lines:
        text += ["0 -16 Td", shown(line)]
    content = "\n".join([*text, "ET"]).encode("ascii")
    objects = (
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R "
        b"/Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        b"<< /Title %s >>" % shown(title)[:-3].encode("ascii"),
    )
    out, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    return (
        out
        + b"xref\n0 %d\n0000000000 65535 f \n%s" % (size, table)
        + b"trailer\n<< /Size %d /Root 1 0 R /Info 6 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (size, len(out))
    )


# --- the quilt ------------------------------------------------------------------------------------------------------

PATCHES = (
    "orcctiii",
    "nsmslrlm",
    "srvisinl",
    "ontttnco",
    "cosiiimn",
    "vmmcriro",
    "misrrlrr",
    "nsmrrsnn",
    "mmolrrnc",
)
DYES = {
    "i": (0xF4, 0xEE, 0xDC),
    "s": (0x7F, 0xB6, 0xD6),
    "n": (0x2E, 0x3A, 0x87),
    "c": (0xA8, 0x20, 0x2E),
    "m": (0x5F, 0x7F, 0x3A),
    "o": (0xC9, 0x8A, 0x1B),
    "l": (0x5B, 0x67, 0x70),
    "v": (0x7A, 0x3F, 0x8C),
    "r": (0xE5, 0x8F, 0xA3),
    "t": (0x8A, 0x5A, 0x34),
}
PATCH, THREAD = 20, 4


def quilt() -> bytes:
    """A picture of a quilt: square patches with black thread between them and around the edge."""
    pitch = PATCH + THREAD
    width, height = len(PATCHES[0]) * pitch + THREAD, len(PATCHES) * pitch + THREAD
    rows = []
    for y in range(height):
        row = bytearray(b"\0")  # filter: none
        for x in range(width):
            inside = x % pitch >= THREAD and y % pitch >= THREAD
            row += bytes(DYES[PATCHES[y // pitch][x // pitch]] if inside else (0, 0, 0))
        rows.append(bytes(row))

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(b"".join(rows), 9))
        + chunk(b"IEND", b"")
    )


# --- archives -------------------------------------------------------------------------------------------------------

MONTHS = {
    # month: (mumbling auks, pied scolds), the mean of a morning
    "04-april": (12, 61),
    "05-may": (31, 58),
    "06-june": (44, 52),
    "07-july": (47, 49),
    "08-august": (53, 41),
    "09-september": (66, 20),
}


def bird_counts() -> dict[str, str]:
    """One table of mornings for each month. Single mornings go either way: it is the sums that decide."""
    tables = {}
    for number, (month, (auks, scolds)) in enumerate(MONTHS.items()):
        lines = ["day,mumbling_auk,pied_scold"]
        for day in range(1, 29, 3):
            sway = (day * 7 + number * 5) % 13 - 6
            lines.append(f"{day},{auks + sway},{scolds - sway // 2}")
        tables[month] = "\n".join(lines) + "\n"
    return tables


def letters() -> dict[str, str]:
    """Three letters between lights, disguised by the keepers' turn."""
    return {
        "letters/first.txt": _letter(
            "Weeping Rock", "Vault Sound", "14 March 1926", 3, "THE UPPER HALF OF THE PIANO HAS BEEN AT IT AGAIN"
        ),
        "letters/second.txt": _letter(
            "Vault Sound", "Weeping Rock", "2 April 1926", 4, "KINDLY PUT GINGER MARMALADE ON THE NEXT BOAT"
        ),
        "letters/third.txt": _letter(
            "Sow and Piglets", "Vault Sound", "9 April 1926", 3, "KINDLY PUT A STRONGER HINGE ON THE NEXT BOAT"
        ),
    }


def _letter(writer: str, to: str, day: str, turn: int, message: str) -> str:
    turned = "".join(chr((ord(c) - 65 + turn) % 26 + 65) if c.isalpha() else c for c in message)
    return f"From: {writer}\nTo: {to}\nDate: {day}\n\n{turned}\n"


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else DATA)
