"""`gaia keys`: what a person sees when they make, show, retire and trust keys."""

import os
import pty
import select
import shlex
import stat
import subprocess
import sys

import pytest

from gaia_command import command, environment, gaia
from gaia_harness.signing.keys import KeyFolder
from gaia_harness.signing.signers import LocalSigner

NEW = command("keys", "new", "--identity", "ada")
SIGNER = LocalSigner(bytes(range(32)))


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "keys"


@pytest.fixture
def keys(folder):
    def run(*args, **env):
        return gaia("keys", *args, GAIA_KEYS_DIR=str(folder), **env)

    return run


@pytest.fixture
def made(keys):
    ran = keys("new", "--identity", "ada@example.org", "--no-passphrase")
    assert ran.code == 0, ran.said
    return ran


def at_a_terminal(folder, line, *, typed: list[str]) -> tuple[int, str]:
    """Run with a terminal, and type an answer after each prompt."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execve(line[0], line, environment(GAIA_KEYS_DIR=str(folder), TERM="dumb"))
    said = ""
    try:
        while select.select([terminal], [], [], 30)[0]:
            said += os.read(terminal, 4096).decode()
            if typed and said.rstrip(" ").endswith(":"):
                os.write(terminal, typed.pop(0).encode() + b"\n")
                said += "\n"
    except OSError:  # the other end is closed
        pass
    finally:
        os.close(terminal)  # whoever still waits for an answer is hung up on
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), said


def test_a_new_key_is_described_with_the_line_to_publish(made, folder):
    key = KeyFolder(folder).stored("submit")
    assert str(folder / "submit_ed25519") in made.out
    assert key.public.fingerprint in made.out
    assert key.public.key_id in made.out
    line = f'ada@example.org namespaces="gaia-submission-v1" {key.public.openssh()}'
    assert made.out.splitlines()[-1] == line
    assert stat.S_IMODE((folder / "submit_ed25519").stat().st_mode) == 0o600


def test_ssh_keygen_verifies_by_the_published_line(made, keys, folder, tmp_path):
    (tmp_path / "allowed_signers").write_text(keys("show", "--allowed-signers").out)
    sums = b"5e88  results.jsonl\n"
    namespace = "gaia-submission-v1"
    signed = subprocess.run(
        ["ssh-keygen", "-q", "-Y", "sign", "-n", namespace, "-f", folder / "submit_ed25519"],
        input=sums, capture_output=True, check=True,
    ).stdout  # fmt: skip
    (tmp_path / "sig").write_bytes(signed)
    subprocess.run(
        ["ssh-keygen", "-Y", "verify", "-f", tmp_path / "allowed_signers", "-I", "ada@example.org", "-n", namespace,
         "-s", tmp_path / "sig"],
        input=sums, capture_output=True, check=True,
    )  # fmt: skip


def test_show_prints_the_same_again_and_only_the_line_if_asked(made, keys):
    assert keys("show").out == made.out
    assert keys("show", "--allowed-signers").out == made.out.splitlines()[-1] + "\n"


def test_a_second_key_is_refused_with_the_way_to_retire_the_first(made, keys, folder):
    ran = keys("new", "--identity", "ada@example.org", "--no-passphrase")
    assert ran.code == 1
    assert "never overwritten" in ran.err
    hint = ran.err.splitlines()[-1]
    assert hint.startswith("next:  gaia keys new --role submit --identity NAME --retire")
    assert keys("show").out == made.out


def test_nobody_is_asked_for_the_passphrase_of_a_key_that_cannot_be_made(made, keys):
    ran = keys("new", "--identity", "ada@example.org")
    assert ran.code == 1
    assert "never overwritten" in ran.err


def test_retire_moves_the_key_and_makes_another(made, keys, folder):
    first = KeyFolder(folder).stored("submit").public
    ran = keys("new", "--identity", "ada@example.org", "--no-passphrase", "--retire")
    assert ran.code == 0, ran.said
    assert ran.out.startswith(f"retired      {folder / 'retired'}/")
    assert KeyFolder(folder).stored("submit").public != first
    assert KeyFolder(folder).retired_public_keys("submit") == [first]


def test_without_a_terminal_a_passphrase_must_come_from_somewhere(keys, folder):
    ran = keys("new", "--identity", "ada")
    assert ran.code == 2
    assert "GAIA_KEY_PASSPHRASE_FILE" in ran.err
    assert "--no-passphrase" in ran.err
    assert not folder.exists()


def test_a_key_is_not_retired_when_no_other_is_made(made, keys, folder):
    assert keys("new", "--identity", "ada", "--retire").code == 2
    assert keys("show").out == made.out


def test_a_passphrase_from_a_file(keys, folder, tmp_path):
    (tmp_path / "passphrase").touch(0o600)
    (tmp_path / "passphrase").write_text("secret\n")
    ran = keys("new", "--identity", "ada", GAIA_KEY_PASSPHRASE_FILE=str(tmp_path / "passphrase"))
    assert ran.code == 0, ran.said
    private = folder / "submit_ed25519"
    assert subprocess.run(["ssh-keygen", "-y", "-P", "", "-f", private], capture_output=True, check=False).returncode
    subprocess.run(["ssh-keygen", "-y", "-P", "secret", "-f", private], capture_output=True, check=True)
    assert keys("show").code == 0


def test_a_passphrase_at_a_terminal_is_asked_for_twice_and_not_shown(folder):
    code, said = at_a_terminal(folder, NEW, typed=["open sesame", "open sesame"])
    assert code == 0, said
    assert "open sesame" not in said
    subprocess.run(
        ["ssh-keygen", "-y", "-P", "open sesame", "-f", folder / "submit_ed25519"], capture_output=True, check=True
    )


def test_passphrases_that_differ_make_no_key_yet(folder):
    code, said = at_a_terminal(folder, NEW, typed=["one", "two", "three", "three"])
    assert code == 0, said
    assert "do not match" in said
    subprocess.run(
        ["ssh-keygen", "-y", "-P", "three", "-f", folder / "submit_ed25519"], capture_output=True, check=True
    )


def test_the_passphrase_of_a_key_is_asked_for_and_not_shown(folder):
    probe = (
        "from pathlib import Path; from gaia_harness.cli.keys import ask_passphrase\n"
        "print(len(ask_passphrase(Path('the-key'))), 'characters')"
    )
    code, said = at_a_terminal(folder, [sys.executable, "-c", probe], typed=["open sesame"])
    assert code == 0, said
    assert "passphrase for the-key" in said
    assert "11 characters" in said
    assert "open sesame" not in said
    done = subprocess.run(
        [sys.executable, "-c", probe], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    assert "NoneType" in done.stderr  # nobody there to ask


def test_an_empty_passphrase_at_a_terminal_is_none(folder):
    code, said = at_a_terminal(folder, NEW, typed=["", ""])
    assert code == 0, said
    assert KeyFolder(folder).signer("submit", env={}).public


def test_a_wide_open_key_is_refused_with_the_command_that_helps(made, keys, folder):
    (folder / "submit_ed25519").chmod(0o644)
    ran = keys("show")
    assert ran.code == 1
    assert "others can read it" in ran.err
    hint = ran.err.splitlines()[-1].removeprefix("next:  ")
    subprocess.run(shlex.split(hint), check=True)
    assert keys("show").out == made.out


def test_no_key_says_how_to_make_one(keys):
    ran = keys("show")
    assert ran.code == 1
    assert "gaia keys new --role submit --identity NAME" in ran.err


def test_list_without_a_key_says_what_to_do(keys):
    ran = keys("list")
    assert (ran.code, ran.out) == (0, "")
    assert "next:  gaia keys new --identity NAME" in ran.err


@pytest.mark.parametrize("args", [[], ["--identity", "two words"], ["--identity", "*"], ["--role", "king"]])
def test_new_without_a_sensible_name_is_a_usage_error(keys, folder, args):
    ran = keys("new", "--no-passphrase", *args)
    assert ran.code == 2
    assert not folder.exists()


def test_the_machines_key_needs_no_name(keys, folder):
    ran = keys("new", "--role", "cache")
    assert ran.code == 0, ran.said
    assert "Publish" not in ran.out
    assert (folder / "cache_ed25519").exists()


def test_trust_takes_a_file_or_a_line_and_list_shows_everything(made, keys, folder, tmp_path):
    (tmp_path / "my bob.pub").write_text(SIGNER.public.openssh("whatever") + "\n")
    ran = keys("trust", "bob@example.org", tmp_path / "my bob.pub")
    assert ran.out == f"trusted: {SIGNER.public.fingerprint} is bob@example.org\n", ran.said
    assert keys("trust", "bob@example.org", SIGNER.public.openssh()).out.startswith("trusted already: ")
    published = keys("show", "--allowed-signers").out.strip()
    assert keys("trust", "ada@example.org", published).code == 0
    keys("new", "--role", "submit", "--identity", "ada@example.org", "--no-passphrase", "--retire")
    keys("new", "--role", "cache")
    rows = [line.split() for line in keys("list").out.splitlines()]
    assert [(row[0], row[2]) for row in rows] == [
        ("submit", "ada@example.org"), ("retired", "ada@example.org"), ("cache", "gaia-harness-cache"),
        ("trusted", "bob@example.org"), ("trusted", "ada@example.org"),
    ]  # fmt: skip
    assert rows[3][1] == SIGNER.public.fingerprint


def test_what_is_no_key_is_not_trusted(keys, folder, tmp_path):
    (tmp_path / "big").write_bytes(b"x" * 100_000)
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    for what in (tmp_path / "gone", tmp_path, tmp_path / "big", tmp_path / "binary", "ssh-rsa AAAAB3NzaC1yc2E"):
        ran = keys("trust", "bob", what)
        assert ran.code in (1, 2), ran.said
        assert ran.err.startswith("error: ")
    assert keys("trust", "bob smith", SIGNER.public.openssh()).code == 2
    assert keys("list").out == ""
    assert not (folder / "trusted").exists()
