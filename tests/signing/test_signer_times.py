"""`valid-after` and `valid-before` mean the very second to us that they mean to `ssh-keygen`, in every time zone."""

import os
import subprocess
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import thoroughness
from gaia_harness.signing.allowed_signers import parse_allowed_signers
from gaia_harness.signing.signers import LocalSigner, SignatureError, sign_ssh

SIGNER = LocalSigner(bytes(range(32)))
KEY = SIGNER.public.openssh()
ZONES = [
    "UTC",
    "CET-1CEST,M3.5.0,M10.5.0/3",
    "EST5EDT,M3.2.0,M11.1.0",
    "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0",  # daylight saving of half an hour
    "IST-5:30",
    "IST-1GMT0,M10.5.0,M3.5.0/1",  # winter time is the saving one
    "America/Sao_Paulo",  # which gave it up
    "Africa/Casablanca",
    "Pacific/Apia",
]
WITHOUT_SAVING = ("UTC", "IST-5:30")
TIMES = [
    "20260101", "20260701", "20260329", "20261025", "20260701Z", "20260701z", "20260701UTC", "20260701utc",
    "202607011230", "202601011230", "202607011230Z", "20260701123045", "20260701123045Z",
    "20260329023000", "20261025023000", "20260308023000", "20261101013000",  # skipped, or there twice
    "20260231", "20240229", "20250229", "20260631Z", "20260101235960", "20260101235961Z",
    "20111230", "20111229", "20111231",
    "20370101", "20380120", "21060208Z", "99991231Z", "19700102", "19700102Z", "19700101000001Z", "19850701",
]  # fmt: skip
NO_TIMES = [
    "", "2026", "202601", "2026010112", "2026010112000", "20261301", "20260001", "20260100", "20260132",
    "202601012400", "202601012360", "20260101235962", "20260101+01", "20260101 Z", "Z", "UTC", "19691231Z",
    "19700101Z", "19700101000000Z", "00010101", "20260101UTCZ", "2026-01-01", "20260101Zulu", "19000101",
]  # fmt: skip


@pytest.fixture
def zone(request, monkeypatch):
    if "," not in request.param and "/" in request.param and not Path("/usr/share/zoneinfo", request.param).exists():
        pytest.skip("the system does not have this zone")
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield request.param
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def ssh_accepts(tmp_path):
    """At a moment, in the zone of this process; None where the time is none to `ssh-keygen`."""
    (tmp_path / "sig").write_text(sign_ssh(SIGNER, "ns", b"data"))

    def accepts(option: str, moment: datetime) -> bool | None:
        (tmp_path / "list").write_text(f"alice {option} {KEY}\n")
        done = subprocess.run(
            ["ssh-keygen", "-Y", "verify", "-f", tmp_path / "list", "-I", "alice", "-n", "ns", "-s", tmp_path / "sig",
             f"-Overify-time={moment:%Y%m%d%H%M%S}Z"],
            input=b"data", capture_output=True, check=False, env={"TZ": os.environ["TZ"], "PATH": os.environ["PATH"]},
        )  # fmt: skip
        return None if b"invalid" in done.stderr else done.returncode == 0

    return accepts


@pytest.fixture
def newer_ssh(ssh_accepts, monkeypatch):
    """Whether this `ssh-keygen` heeds daylight saving in local times, as 10.6 does and 9.2 does not.

    It also takes times before 1970. We read local times as 9.2 does: docs/verifying.md.
    """
    monkeypatch.setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3")
    return ssh_accepts('valid-after="20260701"', datetime(2026, 6, 30, 22, 0, tzinfo=UTC))


@pytest.mark.parametrize("zone", ZONES, indirect=True)
def test_the_second_is_the_same(newer_ssh, zone, ssh_accepts):
    second = timedelta(seconds=1)
    for text in TIMES if thoroughness.asked else TIMES[ZONES.index(zone) % 8 :: 8]:  # each in one zone or more
        if (zone, text) == ("Pacific/Apia", "20111230"):
            continue  # that day never was there: what mktime makes of it depends on what it was asked before
        if newer_ssh and zone not in WITHOUT_SAVING and not text.upper().endswith(("Z", "UTC")):
            continue
        (signer,) = parse_allowed_signers(f'alice valid-after="{text}" {KEY}')
        moment = signer.valid_after
        for when in (moment - second, moment):
            if when.timestamp() > 0:  # ssh-keygen takes no other time to verify at
                said = ssh_accepts(f'valid-after="{text}"', when)
                assert said is signer.allows("alice", "ns", when) is (when == moment), (zone, text, when)
        (signer,) = parse_allowed_signers(f'alice valid-before="{text}" {KEY}')
        assert signer.valid_before == moment
        if moment.year < 9999:
            assert ssh_accepts(f'valid-before="{text}"', moment + second) is False, (zone, text)
        assert ssh_accepts(f'valid-before="{text}"', moment) is True, (zone, text)


@pytest.mark.parametrize(
    ("zone", "name"), thoroughness.crossed(ZONES[:2], ["valid-after", "valid-before"]), indirect=["zone"]
)
def test_what_is_no_time_to_ssh_keygen_is_none_to_us(newer_ssh, zone, ssh_accepts, name):
    for text in NO_TIMES:
        if not (newer_ssh and text[:4] in ("0001", "1900", "1969", "1970")):
            assert not ssh_accepts(f'{name}="{text}"', datetime(2026, 7, 1, tzinfo=UTC)), text
        with pytest.raises(SignatureError, match=f"line 1: {name} is not a time"):
            parse_allowed_signers(f'alice {name}="{text}" {KEY}')


@pytest.mark.parametrize("zone", ["<-12>12"], indirect=True)
def test_the_last_moment_of_all(zone, ssh_accepts):
    """In the calendar of UTC it lies in the year 10000, which a moment of ours cannot."""
    (signer,) = parse_allowed_signers(f'alice valid-before="99991231235959" {KEY}')
    last = datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)
    assert ssh_accepts('valid-before="99991231235959"', last) is signer.allows("alice", "ns", last) is True
