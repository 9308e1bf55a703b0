"""The work that is measured: tasks, each with five looks at a page of 20 KB and then an answer. Fictional, seeded."""

import random

TURNS = 5
PAGE = 20_000
WORDS = 45


def vocabulary() -> list[str]:
    maker = random.Random(1)
    syllables = [
        "ka",
        "lo",
        "ni",
        "fer",
        "mar",
        "tis",
        "ul",
        "en",
        "dor",
        "ska",
        "vel",
        "hav",
        "rig",
        "ost",
        "lum",
        "pra",
    ]
    words = ["".join(maker.choices(syllables, k=maker.randint(1, 4))) for _ in range(6000)]
    return (
        words
        + [
            "the",
            "of",
            "and",
            "in",
            "to",
            "a",
            "was",
            "from",
            "with",
            "by",
            "on",
            "at",
            "which",
            "who",
            "when",
            "how",
            "many",
        ]
        * 250
    )


def questions(count: int) -> dict[str, str]:
    """Questions of about the length of GAIA's."""
    maker, words = random.Random(2), vocabulary()
    return {f"bench-{number:06d}-task": " ".join(maker.choices(words, k=WORDS)) + "?" for number in range(count)}


def page(number: int, size: int = PAGE) -> str:
    """A page of text, the same for the same number."""
    maker, words = random.Random(10_000 + number), vocabulary()  # never the seed of the questions
    text = " ".join(maker.choices(words, k=size // 4))
    return text[:size]


def pages(count: int = 32, size: int = PAGE) -> list[str]:
    return [page(number, size) for number in range(count)]
