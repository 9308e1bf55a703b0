"""Lists of signers: whatever we accept, `ssh-keygen -Y verify` accepts; where it refuses, so do we."""

import calendar
import contextlib
import subprocess
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import thoroughness
from counted_work import no_stall
from gaia_harness.signing.allowed_signers import AllowedSigner, matches, parse_allowed_signers
from gaia_harness.signing.signers import LocalSigner, SignatureError, sign_ssh

SIGNER = LocalSigner(bytes(range(32)))
OTHER = LocalSigner(bytes(range(1, 33)))
KEY = SIGNER.public.openssh()
NOW = datetime(2026, 7, 1, 12, 0, 0, tzinfo=UTC)
SMALL = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
RSA = "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAAgQC7"


def we_accept(text: str, identity: str = "alice", namespace: str = "ns") -> bool:
    signers = parse_allowed_signers(text, local=calendar.timegm)
    return any(s.key == SIGNER.public and s.allows(identity, namespace, NOW) for s in signers)


@pytest.fixture(scope="module")
def ssh_accepts(tmp_path_factory):
    folder = tmp_path_factory.mktemp("signers")
    (folder / "sig").write_text(sign_ssh(SIGNER, "ns", b"data"))

    def accepts(text: str, identity: str = "alice") -> bool:
        (folder / "list").write_bytes(text.encode("utf-8", "surrogateescape"))
        command = [
            "ssh-keygen",
            "-Y",
            "verify",
            "-f",
            folder / "list",
            "-I",
            identity,
            "-n",
            "ns",
            "-s",
            folder / "sig",
        ]
        done = subprocess.run(
            [*command, f"-Overify-time={NOW:%Y%m%d%H%M%S}Z"],
            input=b"data", capture_output=True, check=False, env={"TZ": "UTC", "PATH": "/usr/bin:/bin"},
        )  # fmt: skip
        return done.returncode == 0

    return accepts


@pytest.mark.parametrize(
    ("text", "accepted"),
    [
        (f"alice {KEY}\n", True),
        (f"alice {KEY}", True),
        (f"alice {KEY} a comment of words\n", True),
        (f"alice {KEY}\r\n", True),
        (f"  alice   {KEY}  \n", True),
        (f"\talice\t{KEY}\n", True),
        (f"# nobody\n\n   # else\nalice {KEY}\n", True),
        (f"#alice {KEY}\n", False),
        (f"bob {KEY}\n", False),
        (f"Alice {KEY}\n", False),
        (f"bob,alice {KEY}\n", True),
        (f"al* {KEY}\n", True),
        (f"* {KEY}\n", True),
        (f"al?ce {KEY}\n", True),
        (f"al? {KEY}\n", False),
        (f"a*c*e {KEY}\n", True),
        (f"a*d*e {KEY}\n", False),
        (f"[a]lice {KEY}\n", False),
        (f"*,!alice {KEY}\n", False),
        (f"!alice,* {KEY}\n", False),
        (f"!bob {KEY}\n", False),
        (f"*,!bob {KEY}\n", True),
        (f'"alice" {KEY}\n', True),
        (f'"some body,alice" {KEY}\n', True),
        (f"alice {OTHER.public.openssh()}\n", False),
        (f"alice {OTHER.public.openssh()}\nalice {KEY}\n", True),
        (f"alice {RSA}\nalice {KEY}\n", True),
        (f'alice namespaces="ns" {KEY}\n', True),
        (f'alice namespaces="git,ns" {KEY}\n', True),
        (f'alice namespaces="n*" {KEY}\n', True),
        (f'alice NameSpaces="ns" {KEY}\n', True),
        (f'alice namespaces="git" {KEY}\n', False),
        (f'alice namespaces="n*,!ns" {KEY}\n', False),
        (f'alice namespaces="git" {KEY}\nalice {KEY}\n', True),
        (f"alice cert-authority {KEY}\n", False),
        (f'alice cert-authority,namespaces="ns" {KEY}\n', False),
        (f'alice valid-after="20260101" {KEY}\n', True),
        (f'alice valid-after="20260701120000Z" {KEY}\n', True),
        (f'alice valid-after="20260701120001Z" {KEY}\n', False),
        (f'alice valid-before="20260701120000Z" {KEY}\n', True),
        (f'alice valid-before="20260701115959Z" {KEY}\n', False),
        (f'alice valid-before="202607011201" {KEY}\n', True),
        (f'alice valid-before="202607011159Z" {KEY}\n', False),
        (f'alice valid-after="20260101UTC",valid-before="20270101" {KEY}\n', True),
        (f'alice valid-after="20250101",valid-before="20260101" {KEY}\n', False),
        (f'alice namespaces="ns",valid-after="20260101" {KEY}\n', True),
        ("", False),
        ("\n\n", False),
    ],
)
def test_ssh_keygen_says_the_same(ssh_accepts, text, accepted):
    assert ssh_accepts(text) is accepted
    assert we_accept(text) is accepted


@pytest.mark.parametrize(
    ("text", "because"),
    [
        ("alice\n", "not names"),
        ("alice junk\n", "not names"),
        (f"{KEY}\n", "not names"),
        (f"alice namespaces=ns {KEY}\n", "not an option"),
        (f"alice namespaces {KEY}\n", "not an option"),
        (f'alice namespaces="ns", {KEY}\n', "not an option"),
        (f'alice namespaces="ns" valid-after="20200101" {KEY}\n', "not names"),
        (f'alice namespaces="ns",namespaces="ns" {KEY}\n', "stands twice"),
        (f'alice valid-after="20300101",valid-before="20200101" {KEY}\n', "not after"),
        (f'alice valid-after="2020" {KEY}\n', "not a time"),
        (f'alice valid-after="20201301" {KEY}\n', "not a time"),
        (f"alice restrict {KEY}\n", "not an option"),
        (f"alice, bob {KEY}\n", "not an option"),
        (f'"alice {KEY}\n', "not names"),
        (f"alice {KEY[:-2]}\n", "cut short|base64"),
    ],
)
def test_what_ssh_keygen_refuses_is_an_error_with_its_line(ssh_accepts, text, because):
    assert not ssh_accepts(text)
    with pytest.raises(SignatureError, match=f"line 2: .*({because})"):
        parse_allowed_signers("\n" + text)


@pytest.mark.parametrize(
    ("text", "because"),
    [
        (f"alice {KEY}\nbob junk\n", "line 2: not names"),
        (f'al"ice" {KEY}\n', "not names"),
        (f"alice, {KEY}\n", "empty or a very long pattern"),
        (f'alice namespaces="" {KEY}\n', "empty or a very long pattern"),
        (f'alice namespaces="a\\"b" {KEY}\n', "not"),
        (f"alice {KEY}\0\n", "control character"),
        (f"alice {KEY} \x1b[2J\n", "control character"),
        (f"alice {SMALL}\n", "small order"),
        (f"alice {KEY}=\n", "base64"),
        (f"alice{'x' * 1001} {KEY}\n", "very long pattern"),
        (f"alice {KEY} {'x' * 20_000}\n", "longer than"),
        ("#" * 1_100_000, "more than"),
    ],
)
def test_we_refuse_more_than_ssh_keygen(text, because):
    with pytest.raises(SignatureError, match=because):
        parse_allowed_signers(text)


def test_a_question_mark_stands_for_a_byte_as_in_ssh(ssh_accepts):
    for pattern, accepted in (("?", False), ("??", True), ("é", True), ("*", True)):
        assert ssh_accepts(f"{pattern} {KEY}\n", "é") is accepted
        assert we_accept(f"{pattern} {KEY}\n", "é") is accepted


def test_a_time_is_local_unless_it_says_otherwise():
    def local(fields):
        return calendar.timegm(fields) - 2 * 3600

    (signer,) = parse_allowed_signers(f'a valid-after="20260101" {KEY}', local=local)
    assert signer.valid_after == datetime(2025, 12, 31, 22, tzinfo=UTC)
    (signer,) = parse_allowed_signers(f'a valid-after="20260101Z" {KEY}', local=local)
    assert signer.valid_after == datetime(2026, 1, 1, tzinfo=UTC)


def test_a_line_comes_back():
    signer = AllowedSigner("a b,c*", SIGNER.public, "x,y", NOW, NOW + timedelta(days=1))
    assert parse_allowed_signers(signer.line()) == [signer]
    plain = AllowedSigner("ada", SIGNER.public)
    assert parse_allowed_signers(plain.line()) == [plain]
    early = AllowedSigner("ada", SIGNER.public, valid_after=datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC))
    assert parse_allowed_signers(early.line()) == [early]


PIECES = st.sampled_from(
    ["alice", "bob", "*", "!", "?", ",", '"', " ", "\t", "#", KEY, RSA, "namespaces=", '"ns"', '"git"', "valid-after=",
     "valid-before=", '"20260101Z"', '"20270101"', "cert-authority", "\r", "\n", "\\", "é"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=8))
@settings(max_examples=thoroughness.of(150))
def test_whatever_we_accept_ssh_keygen_accepts(ssh_accepts, pieces):
    text = "".join(pieces) + f" {KEY}\n"
    try:
        accepted = we_accept(text)
    except SignatureError:
        return
    if accepted:
        assert ssh_accepts(text)


@given(st.text(max_size=200), st.text('"=,-adefilnrtv0123456789Z', max_size=40))
def test_any_text_is_a_list_or_an_error_of_ours(text, options):
    for content in (text, f"alice {text} {KEY}", f"alice {options} {KEY}", f'a valid-after="{options}" {KEY}'):
        with contextlib.suppress(SignatureError):
            parse_allowed_signers(content)


def _next_month(number: int) -> int:
    """Where day 31 of a shorter month lies."""
    year, month = divmod(number // 100, 100)
    return (year + 1) * 100 + 1 if month == 12 else year * 100 + month + 1


@given(st.integers(0, 99999999), st.sampled_from(["", "Z"]))
def test_any_date_is_a_time_or_an_error_of_ours(number, zone):
    with contextlib.suppress(SignatureError):
        (signer,) = parse_allowed_signers(f'alice valid-after="{number:08d}{zone}" {KEY}')
        assert not zone or f"{signer.valid_after:%Y%m}" in (f"{number:08d}"[:6], f"{_next_month(number)}")


@given(st.text("ab*", max_size=8), st.text("ab", max_size=8))
def test_patterns_match_as_the_obvious_recursion_says(pattern, text):
    def fits(pattern, text):
        if not pattern:
            return not text
        if pattern[0] == "*":
            return fits(pattern[1:], text) or (bool(text) and fits(pattern, text[1:]))
        return bool(text) and pattern[0] in ("?", text[0]) and fits(pattern[1:], text[1:])

    assert matches(text, pattern) is fits(pattern, text)


@pytest.mark.parametrize(
    "hostile",
    [
        f'alice {"a" * 15_000}" {KEY}',
        f'alice {"a," * 7_000}" {KEY}',
        "alice " + '""' * 7_000 + '" ' + KEY,
        f"alice {' ' * 15_000}x",
        f"{'*a' * 500} {KEY}",
    ],
)
def test_no_line_stalls(hostile):
    with no_stall(), contextlib.suppress(SignatureError):
        signers = parse_allowed_signers(hostile)
        for signer in signers:
            signer.allows("a" * 128 + "b", "ns", NOW)
