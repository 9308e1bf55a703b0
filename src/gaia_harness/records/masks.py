"""The format of masks, which replace secrets in what is stored, and the shortest secret they stand for."""

import re

SHORTEST_SECRET = 8
"""Shorter values ("none", "EMPTY", "2024") would blot out ordinary words and answers, and are soon guessed anyway.
Readers of what is recorded count on it: a mask stands for so many characters at least."""

MASKED = "[masked "
"""What stands for a secret begins so."""

LEAST_HIDDEN = {
    "key": SHORTEST_SECRET,
    "openai": 23,
    "huggingface": 23,
    "github": 34,
    "gitlab": 26,
    "aws": 20,
    "google": 39,
    "slack": 15,
    "stripe": 28,
    "brave": 23,
    "tavily": 21,
    "jwt": 35,
    "private_key": 43,
}
"""What a mask may say that it hides, and how many characters that has at least."""

MASK = re.compile(re.escape(MASKED) + f"({'|'.join(LEAST_HIDDEN)})]")
