"""Reads allowed_signers, the file of trusted keys that ssh and git use (ssh-keygen(1), ALLOWED SIGNERS).

We read what `ssh-keygen` reads, and refuse more of it: whatever is accepted here, `ssh-keygen -Y verify` accepts.
Lines with other kinds of keys and with certificate authorities are passed over, for we check neither.
"""

import calendar
import re
import time
from collections.abc import Callable
from datetime import UTC, datetime

import msgspec

from gaia_harness.errors import UsageError
from gaia_harness.signing.signers import PublicKey, SignatureError

NAMESPACE = "gaia-submission-v1"
LARGEST = 1024 * 1024
LONGEST_LINE = 16 * 1024
LONGEST_PATTERN = 1000
OPTIONS = {"namespaces", "valid-after", "valid-before", "cert-authority"}

_OTHER_KEYS = (
    r"ssh-rsa|ssh-dss|(?:sk-)?ecdsa-sha2-[a-z0-9@.-]+|sk-ssh-ed25519@openssh\.com|ssh-[a-z0-9]+-cert-v01@openssh\.com"
)
# No two parts of this can match the same character, so that no line takes long.
_LINE = re.compile(
    r'(?:"(?P<quoted>[^"]+)"|(?P<principals>[^ \t"]+))[ \t]+'
    r'(?:(?P<options>(?:[^ \t"]|"[^"]*")+)[ \t]+)??'
    rf"(?P<kind>ssh-ed25519|{_OTHER_KEYS})[ \t]+(?P<key>[A-Za-z0-9+/=]+)(?:[ \t].*)?"
)
_OPTION = re.compile(r'([A-Za-z-]+)(?:="([^"\\]*)")?(?:,(?!$)|$)')
_TIME = re.compile(r"(\d{4})(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d)?)?(Z|UTC)?", re.ASCII | re.IGNORECASE)
LAST_MOMENT = calendar.timegm((9999, 12, 31, 23, 59, 59))

LocalTime = Callable[[tuple[int, int, int, int, int, int, int, int, int]], float]
"""Seconds since 1970 of a time in the machine's own zone, as `time.mktime` gives them."""


class AllowedSigner(msgspec.Struct, frozen=True):
    """A key, the patterns of names under which it may sign, and when and for what it may."""

    principals: str
    key: PublicKey
    namespaces: str | None = None
    valid_after: datetime | None = None
    valid_before: datetime | None = None

    def allows(self, identity: str, namespace: str, when: datetime) -> bool:
        """Whether the key may sign as this identity, for this purpose, at this time."""
        return (
            matches(identity, self.principals)
            and (self.namespaces is None or matches(namespace, self.namespaces))
            and (self.valid_after is None or when >= self.valid_after)
            and (self.valid_before is None or when <= self.valid_before)
        )

    def line(self) -> str:
        """The line for an allowed_signers file, without its newline."""
        options = [f'namespaces="{self.namespaces}"'] if self.namespaces is not None else []
        for name, moment in (("valid-after", self.valid_after), ("valid-before", self.valid_before)):
            if moment is not None:
                digits = re.sub(r"\D", "", moment.astimezone(UTC).isoformat()[:19])  # %Y would shorten an early year
                options.append(f'{name}="{digits}Z"')
        quote = '"' if re.search(r"[ \t]", self.principals) else ""
        return " ".join(filter(None, (f"{quote}{self.principals}{quote}", ",".join(options), self.key.openssh())))


def parse_allowed_signers(text: str, *, local: LocalTime = time.mktime) -> list[AllowedSigner]:
    """The Ed25519 keys in an allowed_signers file. Times without `Z` are local ones."""
    if len(text) > LARGEST:
        raise SignatureError(f"a list of signers of more than {LARGEST} characters")
    signers = []
    for number, line in enumerate(text.split("\n"), start=1):
        content = line.removesuffix("\r").strip(" \t")
        if not content or content.startswith("#"):
            continue
        try:
            signer = _parse(content, local)
        except SignatureError as error:
            raise SignatureError(f"line {number}: {error.message}") from None
        if signer is not None:
            signers.append(signer)
    return signers


def matches(text: str, patterns: str) -> bool:
    """Whether one of the patterns fits and none with a `!` does, as in ssh_config(5)."""
    found = False
    for pattern in patterns.split(","):
        if _fits(_bytes(text), _bytes(pattern.removeprefix("!"))):
            if pattern.startswith("!"):
                return False
            found = True
    return found


def checked_identity(name: str) -> str:
    """A name that stands for itself alone in an allowed_signers file, and that `ssh-keygen -I` takes."""
    if not re.fullmatch(r"[A-Za-z0-9_.@+:/=~%-]{1,128}", name) or name.startswith("-"):
        raise UsageError(
            f"not an identity: {name[:80]!a}",
            hint="letters, digits and the characters _ . @ + : / = ~ % - only, such as ada@example.org",
        )
    return name


def _parse(line: str, local: LocalTime) -> AllowedSigner | None:
    if len(line) > LONGEST_LINE:
        raise SignatureError(f"longer than {LONGEST_LINE} characters")
    if not line.replace("\t", " ").isprintable():
        raise SignatureError("has a control character")
    parts = _LINE.fullmatch(line)
    if parts is None:
        raise SignatureError("not names, options and a key")
    options = _options(parts["options"] or "")
    if parts["kind"] != "ssh-ed25519":
        return None
    key = PublicKey.from_openssh(f"ssh-ed25519 {parts['key']}")
    if "cert-authority" in options:
        return None
    after, before = _moment(options, "valid-after", local), _moment(options, "valid-before", local)
    if after and before and before <= after:
        raise SignatureError("valid-before is not after valid-after")
    return AllowedSigner(
        principals=_patterns(parts["quoted"] or parts["principals"], "the names"),
        key=key,
        namespaces=_patterns(options["namespaces"], "the namespaces") if "namespaces" in options else None,
        valid_after=after,
        valid_before=before,
    )


def _options(text: str) -> dict[str, str]:
    options: dict[str, str] = {}
    at = 0
    while at < len(text):
        found = _OPTION.match(text, at)
        name = found[1].lower() if found else ""
        takes_value = name != "cert-authority"
        if found is None or name not in OPTIONS or takes_value is (found[2] is None):
            raise SignatureError(f"not an option: {text[at : at + 80]!a}")
        if name in options:
            raise SignatureError(f"the option {name} stands twice")
        options[name] = found[2] or ""
        at = found.end()
    return options


def _patterns(text: str, what: str) -> str:
    if not all(0 < len(pattern.removeprefix("!")) <= LONGEST_PATTERN for pattern in text.split(",")):
        raise SignatureError(f"{what} have an empty or a very long pattern")
    return text


def _moment(options: dict[str, str], name: str, local: LocalTime) -> datetime | None:
    """A time as `ssh-keygen` reads it, day 31 of any month and second 60 included: they run over into the next."""
    if name not in options:
        return None
    found = _TIME.fullmatch(options[name])
    try:
        if found is None:
            raise ValueError
        year, month, day, hour, minute, second = (int(part or 0) for part in found.groups()[:6])
        if not (1 <= month <= 12 and 1 <= day <= 31 and hour <= 23 and minute <= 59 and second <= 61):
            raise ValueError
        # the last 0 is for standard time: ssh-keygen never takes daylight saving time into account
        fields = (year, month, day, hour, minute, second, 0, 0, 0)
        seconds = calendar.timegm(fields) if found[7] else int(local(fields))
        if seconds <= 0:
            raise ValueError
        return datetime.fromtimestamp(min(seconds, LAST_MOMENT), UTC)
    except (ValueError, OverflowError):
        raise SignatureError(f"{name} is not a time: {options[name][:80]!a}") from None


def _bytes(text: str) -> str:
    """A character per byte, for `?` stands for one byte."""
    return text.encode("utf-8", "surrogatepass").decode("latin-1")


def _fits(text: str, pattern: str) -> bool:
    """`*` for anything and `?` for one character, in time that grows with the product of the lengths at most."""
    at = star = behind = 0
    starred, place = False, 0
    while at < len(text):
        if place < len(pattern) and pattern[place] == "*":
            starred, star, behind = True, place, at
            place += 1
        elif place < len(pattern) and pattern[place] in ("?", text[at]):
            place, at = place + 1, at + 1
        elif starred:
            behind += 1
            place, at = star + 1, behind
        else:
            return False
    return not pattern[place:].strip("*")
