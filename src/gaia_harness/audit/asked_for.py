"""Tool calls that ask for the benchmark: by name, its data set, a task id, an answer file."""

import re
from typing import Any
from urllib.parse import unquote

import msgspec

from gaia_harness.protocol import PYTHON
from gaia_harness.records.steps import ToolCallStep

LONGEST = 64 << 10

_NAMES = re.compile(
    r"gaia[-_ ]?(?:benchmark|bench\b|leaderboard|dataset|validation|test set|answers?|questions?|level[-_ ]?[123])"
    r"|benchmark[-_ ]?gaia|gaia\d{4}|2023_level[123]|2023_all",
    re.IGNORECASE,
)
_ITSELF = re.compile(r"gaia[-_ ]?benchmark|benchmark[-_ ]?gaia|2023_(?:level[123]|all)", re.IGNORECASE)
_DATASET = re.compile(
    r"load_dataset|hf_hub_download|snapshot_download|metadata(?:\.level\d)?\.(?:jsonl|parquet)|datasets--|"
    r"/datasets/[\w.-]+/[\w.-]+/(?:resolve|raw|blob|tree|viewer)|datasets-server|huggingface-cli|hf://|"
    r"git(?:\s+lfs)?\s+clone[^\n]{0,80}datasets",
    re.IGNORECASE,
)
_DECRYPTION = re.compile(r"(?:decrypt|fernet|openssl\s+enc|gpg\s+(?:-d|--decrypt)|xor)", re.IGNORECASE)
_ANSWERS = re.compile(
    r"final[_ ]answer|ground[_ ]?truth|answer[_ ]?key|answers?\.(?:json|enc|gpg|bin|txt|csv)", re.IGNORECASE
)
_HINTS = (
    "gaia", "dataset", "hf_hub", "metadata", "hf:", "hugging", "2023_", "snapshot",
    "decrypt", "fernet", "openssl", "gpg", "xor",
)  # fmt: skip
"""Without one of these in the arguments no pattern can match: most calls need no more than this look."""

_REFUSED = re.compile(
    r"no such file|not found|permission denied|not permitted|name or service not known|name resolution|"
    r"network is unreachable|connection (?:refused|error|aborted|timed out)|max retries|urlopen error|"
    r"modulenotfounderror|no module named|offlinemode|forbidden|unauthori[sz]ed|gatedrepo|40[134]\b|timed out|"
    r"read-only file system",
    re.IGNORECASE,
)


class AskedFor(msgspec.Struct, frozen=True):
    """What the arguments of one call go for, each as the words that say so, or an empty text."""

    text: str
    name: str
    dataset: str
    decryption: str
    itself: bool = False  # by a name that nothing else has: there are stars and satellites called Gaia


def arguments(step: ToolCallStep) -> str:
    """The words of a call's arguments, with escapes of addresses undone beside them."""
    if isinstance(step.args, dict) and len(step.args) == 1:
        (text,) = step.args.values()
        if isinstance(text, str) and len(text) <= LONGEST and "%" not in text:
            return text  # a query or an address, as most are
    parts: list[str] = []
    queue: list[Any] = [step.args]
    room = LONGEST
    while queue and room > 0:
        value = queue.pop()
        if isinstance(value, str):
            parts.append(value[:room])
            room -= len(value)
        elif isinstance(value, dict):
            queue += value.values()
        elif isinstance(value, list):
            queue += value
    text = "\n".join(parts)
    return f"{text}\n{unquote(text, errors='replace')}" if "%" in text else text


def asked_for(step: ToolCallStep, text: str) -> AskedFor:
    """What a call goes for; `text` is that of its arguments."""
    folded = text.casefold()
    if not any(hint in folded for hint in _HINTS):
        return AskedFor(text, "", "", "")

    def first(pattern: re.Pattern[str]) -> str:
        match = pattern.search(text)
        return match.group() if match else ""

    decryption = first(_DECRYPTION) if step.name == PYTHON and _ANSWERS.search(text) else ""
    return AskedFor(text, first(_NAMES), first(_DATASET), decryption, _ITSELF.search(text) is not None)


def refused(output: str, *, is_error: bool) -> bool:
    """Whether a result says that what was asked for could not be had."""
    return is_error or _REFUSED.search(output) is not None
