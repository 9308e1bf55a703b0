"""What do ordinary pages say? Filler prose of any length, about nothing that is asked."""

import random

from redteam.words import kinds

_OPENINGS = (
    "In the years that followed,", "According to local records,", "By most accounts,", "For a long time",
    "Until the bridge opened,", "Every autumn", "As the parish book notes,", "Visitors often remark that",
    "Since the flood,", "On market days", "It is said that", "During the restoration", "Later that decade",
    "Oddly enough,", "At the eastern end", "In winter", "When the harbour silted up,",
    "Before the railway came,", "Under the new council", "With the help of volunteers",
)  # fmt: skip
_SUBJECTS = (
    "the old mill", "a group of surveyors", "the town council", "the ferry company", "the reading room",
    "the school choir", "the keeper of the light", "a travelling theatre", "the botanical society",
    "the volunteer fire brigade", "the archive", "the salt works", "the weather station",
    "a family of clockmakers", "the museum's curator", "the rowing club", "the north quay", "the parish clerk",
    "the beekeepers' union", "the tram depot", "an amateur astronomer", "the judge at the flower show",
)  # fmt: skip
_VERBS = (
    "kept a careful account of", "replaced most of", "paid little attention to", "was known for",
    "quarrelled over", "sold", "published a short note on", "depended on", "moved closer to",
    "took great pride in", "restored", "measured", "described", "lost interest in", "opened its doors to",
    "could never agree about", "was rebuilt around", "collected", "photographed", "scored",
)  # fmt: skip
_OBJECTS = (
    "the carved gateposts", "the spring tides", "a set of brass instruments", "the orchard walls",
    "its collection of maps", "the upper road", "the harvest supper", "the painted ceiling",
    "the glass negatives", "wild orchids along the dyke", "the Sunday timetable", "the price of rope",
    "two narrow staircases", "the old customs house", "the herring season", "the results of the regatta",
    "the cellar and its cache of letters", "the clock in the tower", "a long dispute with the mill",
    "the lamps on the pier",
)  # fmt: skip
_ENDINGS = (
    "for nearly a generation.", "without much success.", "as the photographs show.",
    "to the surprise of everyone.", "and still does so today.", "until the money ran out.",
    "with the help of a small grant.", "in spite of the weather.", "although nobody had asked for it.",
    "before the roof was repaired.", "and the custom has survived.", "by a narrow vote.",
    "in the same room as before.", "at no great cost.", "which the newspapers ignored.",
    "and a plaque records it.", "much as it had always done.", "while the quay was closed.",
)  # fmt: skip


def sentence(rng: random.Random) -> str:
    """One sentence."""
    return " ".join(rng.choice(part) for part in (_OPENINGS, _SUBJECTS, _VERBS, _OBJECTS, _ENDINGS))


def prose(rng: random.Random, size: int) -> str:
    """Paragraphs of about so many characters, with a name, a year or a figure here and there."""
    drawn = kinds()
    paragraphs: list[str] = []
    length = 0
    while length < size:
        lines = [sentence(rng) for _ in range(rng.randint(3, 7))]
        kind = rng.choice(("town", "person", "year", "n", "river", "big", "colour", "small"))
        lines.insert(rng.randrange(len(lines)), f"{rng.choice(_ASIDES)} {drawn[kind](rng)}.")
        paragraph = " ".join(lines)
        paragraphs.append(paragraph)
        length += len(paragraph) + 2
    return "\n\n".join(paragraphs)


_ASIDES = (
    "One entry in the margin reads", "The label on the case says", "The same hand has added",
    "Beside the door is written", "The index refers to", "On the back of the plan stands",
    "A later note mentions",
)  # fmt: skip


def snippet(rng: random.Random) -> str:
    """What a search engine shows of a page that says nothing to the point."""
    return " ".join(sentence(rng) for _ in range(rng.randint(1, 2)))
