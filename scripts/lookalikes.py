"""Write the audit's lookalikes.toml from Unicode's table: `python -m scripts.lookalikes confusables.txt`.

The table is https://www.unicode.org/Public/security/latest/confusables.txt. It is also in the sources of ICU
(`apt-get source icu`: source/data/unidata/confusables.txt). Needs nothing but Python; letters that Python's own
version of Unicode does not know yet are left out.
"""

import hashlib
import re
import string
import sys
import unicodedata
from pathlib import Path

FILE = Path(__file__).parents[1] / "src" / "gaia_harness" / "audit" / "judge_injection" / "lookalikes.toml"

_SMALL_CAPITAL = "LATIN LETTER SMALL CAPITAL "

TABLE = """\
# Letters that look like one of A to Z, by their codes. Written by `python -m scripts.lookalikes`: do not edit.
# confusables.txt of Unicode {version}, sha256 {sha256}
# © Unicode, Inc.; licence Unicode-3.0, see NOTICE. Letters that NFKC turns into Latin ones are not listed.
{rows}
"""


def table(confusables: bytes) -> str:
    """The file for this version of Unicode's table."""
    text = confusables.decode("utf-8-sig")
    version = re.search(r"^# Version: (\S+)$", text, re.MULTILINE)
    looks_like = {}
    for line in text.splitlines():
        source, target, *_ = [*line.partition("#")[0].split(";"), "", ""]
        if target.strip() and len(source.split()) == 1:
            looks_like[_text(source)] = _text(target)
    # в is said to look like ʙ, the small capital, which is a B to whoever reads it
    small = {}
    for letter in string.ascii_uppercase:
        try:
            capital = unicodedata.lookup(_SMALL_CAPITAL + letter)
        except KeyError:
            continue
        small[looks_like.get(capital, capital)] = letter.lower()
        looks_like[capital] = letter.lower()
    found: dict[str, list[str]] = {}
    for source, target in sorted(looks_like.items()):
        latin = small.get(target, target)
        if latin == "l" and source.isupper():
            latin = "I"  # which Unicode takes for an l
        listed = source.isalpha() and not source.isascii() and unicodedata.normalize("NFKC", source) == source
        if listed and latin in set(string.ascii_letters):
            found.setdefault(latin, []).append(f"{ord(source):X}")
    rows = [f'{latin} = "{" ".join(codes)}"' for latin, codes in sorted(found.items())]
    return TABLE.format(
        version=version[1] if version else "?", sha256=hashlib.sha256(confusables).hexdigest(), rows="\n".join(rows)
    )


def _text(codes: str) -> str:
    return "".join(chr(int(code, 16)) for code in codes.split())


if __name__ == "__main__":
    FILE.write_text(table(Path(sys.argv[1]).read_bytes()), "utf-8")
