"""What README and docs/ say: their commands with the output shown, their sections, the names they put in backticks."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
DOCS = ROOT / "docs"
PAGES = (
    README,
    *sorted(DOCS.glob("*.md")),
    *sorted((DOCS / "decisions").glob("*.md")),
    ROOT / "conformance" / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "SECURITY.md",
    ROOT / "examples" / "README.md",
)

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_COMMENT = re.compile(r"\s+# .*")


@dataclass(frozen=True)
class Shown:
    """A command as a page shows it, and the output below it; None where none is shown."""

    page: Path
    block: int
    command: str
    output: tuple[str, ...] | None


def text_of(page: Path) -> str:
    return page.read_text("utf-8")


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def fenced(text: str, language: str) -> list[str]:
    """The contents of the fenced blocks of one language."""
    return [body for found, body in _FENCE.findall(text) if found == language]


def without_fences(text: str) -> str:
    return _FENCE.sub("", text)


def shown_commands(page: Path) -> list[Shown]:
    """Every command in a console block, without its comment."""
    found = []
    for number, block in enumerate(fenced(text_of(page), "console")):
        command, output = "", []
        for line in [*block.splitlines(), "$ "]:
            if not line.startswith("$ "):
                output.append(line)
                continue
            if command:
                found.append(Shown(page, number, command, tuple(output) or None))
            command, output = _COMMENT.sub("", line[2:]).strip(), []
    return found


def spans(text: str) -> list[str]:
    """What stands in backticks outside blocks; a span may go over the end of a line."""
    return [" ".join(span.split()) for span in re.findall(r"`([^`]+)`", without_fences(text))]


def sections(page: Path) -> dict[str, str]:
    """The text below each second-level heading; what stands before the first is below the empty one."""
    first, *others = re.split(r"^## (.*)\n", text_of(page), flags=re.MULTILINE)
    return {"": first, **dict(zip(others[::2], others[1::2], strict=True))}


def rows(text: str) -> list[list[str]]:
    """The cells of every table row; a bar that is escaped belongs to its cell."""
    lines = [line for line in text.splitlines() if line.startswith("|") and not line.startswith("|---")]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]


def matches(shown: tuple[str, ...], said: str) -> bool:
    """Whether output is as shown: `…` stands for the rest of a word or line, a line of its own for any lines."""
    parts = [
        r"(?:[^\n]*\n)*?" if line.strip() == "…" else re.escape(line).replace("…", r"[^\n]*") + r"\n" for line in shown
    ]
    return re.fullmatch("".join(parts), said) is not None
