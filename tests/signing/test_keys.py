"""The folder of keys: made once, for us alone, never overwritten, and refused when somebody else could meddle."""

import os
import shutil
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from gaia_harness.errors import UsageError
from gaia_harness.signing.keys import KeyExists, KeyFileError, KeyFolder, keys_folder, passphrase_from
from gaia_harness.signing.signers import LocalSigner, PublicKey, SignatureError, verify

SIGNER = LocalSigner(bytes(range(32)))


@pytest.fixture
def folder(tmp_path):
    return KeyFolder(tmp_path / "data" / "keys")


@pytest.fixture
def key(folder):
    return folder.create("submit", "ada@example.org")


def pub(key):
    return key.path.with_name(key.path.name + ".pub")


def refused(folder, *, because: str, hint: str | None = None) -> None:
    with pytest.raises(KeyFileError, match=because) as caught:
        folder.signer("submit", env={})
    if hint is not None:
        assert hint in (caught.value.hint or "")


def test_a_new_key_is_for_us_alone_and_signs(folder, key):
    assert stat.S_IMODE(folder.path.stat().st_mode) == 0o700
    assert stat.S_IMODE(key.path.stat().st_mode) == 0o600
    assert sorted(path.name for path in folder.path.iterdir()) == ["submit_ed25519", "submit_ed25519.pub"]
    signer = folder.signer("submit", env={})
    verify(key.public, signer.sign(b"x"), b"x")
    assert folder.stored("submit") == key
    assert key.identity == "ada@example.org"


def test_ssh_keygen_shows_the_key_with_the_identity(key):
    shown = subprocess.run(["ssh-keygen", "-l", "-f", key.path], capture_output=True, text=True, check=True).stdout
    assert shown.split() == ["256", key.public.fingerprint, "ada@example.org", "(ED25519)"]


def test_a_key_made_by_ssh_keygen_works(folder):
    folder.path.mkdir(parents=True)
    path = folder.path / "submit_ed25519"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "ada", "-f", path], check=True)
    assert folder.stored("submit").identity == "ada"
    assert folder.signer("submit", env={}).public == folder.stored("submit").public


def test_a_key_is_never_overwritten(folder, key):
    before = key.path.read_bytes()
    with pytest.raises(KeyExists, match="never overwritten") as caught:
        folder.create("submit", "bob@example.org")
    assert "--retire" in caught.value.hint
    assert key.path.read_bytes() == before


def test_a_key_of_which_only_the_public_half_is_here_is_not_overwritten(folder, key):
    key.path.unlink()
    with pytest.raises(KeyExists):
        folder.create("submit", "bob@example.org")


@pytest.mark.parametrize("name", ["submit_ed25519", "submit_ed25519.pub"])
def test_a_link_in_the_place_of_a_new_key_is_not_followed(folder, tmp_path, name):
    folder.path.mkdir(parents=True)
    (folder.path / name).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(KeyFileError, match="is a link"):
        folder.create("submit", "ada")
    assert not (tmp_path / "elsewhere").exists()


def test_the_last_step_of_making_a_key_overwrites_nothing_either(folder, tmp_path):
    """Should a file appear just after we looked, it stays."""
    from gaia_harness.signing.key_files import create_exclusively

    (tmp_path / "key").write_text("theirs")
    with pytest.raises(KeyExists):
        create_exclusively(tmp_path / "key", b"ours")
    assert (tmp_path / "key").read_text() == "theirs"
    assert [path.name for path in tmp_path.iterdir()] == ["key"]


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o620, 0o601, 0o644])
def test_a_key_that_others_can_reach_is_refused_with_the_command_to_run(folder, key, mode):
    key.path.chmod(mode)
    refused(folder, because="others can read it", hint=f"chmod 600 {key.path}")
    key.path.chmod(0o600)
    folder.signer("submit", env={})


@pytest.mark.parametrize("mode", [0o770, 0o702, 0o777])
def test_a_folder_that_others_can_change_is_refused_with_the_command_to_run(folder, key, mode):
    folder.path.chmod(mode)
    refused(folder, because="others can change it", hint=f"chmod 700 {folder.path}")
    with pytest.raises(KeyFileError, match="others can change it"):
        folder.trust("bob", SIGNER.public.openssh())


def test_a_public_half_that_others_can_change_is_refused(folder, key):
    pub(key).chmod(0o666)
    refused(folder, because="others can change it", hint=f"chmod go-w {pub(key)}")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_what_belongs_to_somebody_else_is_refused(folder, key):
    os.chown(key.path, 12345, -1)
    refused(folder, because="belongs to somebody else", hint=f"chmod 600 {key.path}")
    os.chown(key.path, 0, -1)
    os.chown(folder.path, 12345, -1)
    refused(folder, because="belongs to somebody else", hint=f"chmod 700 {folder.path}")


def test_a_linked_key_is_refused(folder, key, tmp_path):
    key.path.rename(tmp_path / "moved")
    key.path.symlink_to(tmp_path / "moved")
    refused(folder, because="is a link")


def test_a_pipe_a_folder_or_a_huge_file_in_the_place_of_a_key_is_refused(folder, key):
    key.path.unlink()
    os.mkfifo(key.path, 0o600)
    refused(folder, because="not a regular file")
    key.path.unlink()
    key.path.mkdir(mode=0o700)
    refused(folder, because="not a regular file")
    key.path.rmdir()
    with key.path.open("wb") as file:
        file.truncate(1 << 40)
    key.path.chmod(0o600)
    refused(folder, because="larger than 65536 bytes")


@pytest.mark.parametrize("data", [b"", b"garbage", b"\xff\xfe"])
def test_a_damaged_key_is_said_with_its_path(folder, key, data):
    key.path.write_bytes(data)
    refused(folder, because="submit_ed25519: not an OpenSSH private key")


def test_a_damaged_public_half_is_said_with_its_path(folder, key):
    pub(key).write_bytes(b"\xff")
    refused(folder, because="submit_ed25519.pub: is not UTF-8")
    pub(key).write_text("ssh-ed25519 AAAA ada\n")
    refused(folder, because="submit_ed25519.pub: ")


def test_halves_of_different_keys_are_refused(folder, key):
    pub(key).write_text(SIGNER.public.openssh("ada") + "\n")
    refused(folder, because="is not the public half of")


def test_a_key_without_an_identity_says_how_to_give_it_one(folder, key):
    pub(key).unlink()
    stored = folder.stored("submit")
    assert stored.public == key.public
    with pytest.raises(KeyFileError, match="must be your identity") as caught:
        _ = stored.identity
    command = caught.value.hint.replace("NAME", "eve@example.org").split()
    subprocess.run(command, check=True, capture_output=True)
    assert folder.stored("submit").identity == "eve@example.org"
    assert folder.signer("submit", env={}).public == key.public


def test_no_key_names_the_command_that_makes_one(folder):
    refused(folder, because="there is no submit key", hint="gaia keys new --role submit --identity NAME")
    assert folder.stored("submit") is None
    assert not folder.path.exists()


@pytest.mark.parametrize("name", ["", "a b", "a,b", "*", "!a", "-x", 'a"b', "a\n", "ä", "x" * 129, "#a"])
def test_a_name_that_means_something_else_in_a_list_of_signers_is_no_identity(folder, name):
    with pytest.raises(UsageError, match="not an identity"):
        folder.create("submit", name)
    assert not folder.path.exists()


# passphrases


def test_a_passphrase_is_asked_for_once_and_only_if_needed(folder):
    asked = []

    def ask(path):
        asked.append(path)
        return b"secret"

    folder.create("submit", "ada", b"secret")
    folder.signer("submit", env={}, ask=ask)
    assert asked == [folder.path / "submit_ed25519"]
    folder.cache_signer(env={})
    folder.signer("cache", env={}, ask=ask)
    assert len(asked) == 1


@pytest.mark.parametrize("answer", [None, b""])
def test_nobody_to_ask_says_the_other_ways(folder, answer):
    folder.create("submit", "ada", b"secret")
    with pytest.raises(KeyFileError, match="needs its passphrase") as caught:
        folder.signer("submit", env={}, ask=lambda path: answer)
    assert "GAIA_KEY_PASSPHRASE_FILE" in caught.value.hint


def test_a_wrong_passphrase_is_said(folder):
    folder.create("submit", "ada", b"secret")
    with pytest.raises(KeyFileError, match="submit_ed25519: the passphrase does not open"):
        folder.signer("submit", env={}, ask=lambda path: b"wrong")


def test_a_passphrase_comes_from_a_private_file(folder, tmp_path):
    folder.create("submit", "ada", b" secret ")
    file = tmp_path / "passphrase"
    file.touch(0o600)
    env = {"GAIA_KEY_PASSPHRASE_FILE": str(file)}
    for ending in (b"", b"\n", b"\r\n"):
        file.write_bytes(b" secret " + ending)
        assert passphrase_from(env) == b" secret "
    file.chmod(0o644)
    with pytest.raises(KeyFileError, match="others can read it") as caught:
        folder.signer("submit", env=env)
    assert caught.value.hint == f"chmod 600 {file}"
    file.chmod(0o600)
    assert folder.signer("submit", env=env).public == folder.stored("submit").public


def test_a_missing_or_empty_passphrase_file_is_said(tmp_path):
    env = {"GAIA_KEY_PASSPHRASE_FILE": str(tmp_path / "passphrase")}
    with pytest.raises(KeyFileError, match="is not there"):
        passphrase_from(env)
    (tmp_path / "passphrase").touch(0o600)
    with pytest.raises(KeyFileError, match="holds no passphrase"):
        passphrase_from(env)
    assert passphrase_from({}) is None


# the machine's own key


def test_the_cache_key_is_made_on_first_use_and_kept(folder):
    first = folder.cache_signer(env={})
    assert stat.S_IMODE((folder.path / "cache_ed25519").stat().st_mode) == 0o600
    assert folder.cache_signer(env={}).public == first.public
    assert folder.stored("submit") is None


def test_many_who_need_the_cache_key_at_once_get_the_same(tmp_path):
    probe = (
        "import sys; from pathlib import Path; from gaia_harness.signing.keys import KeyFolder\n"
        "folder = KeyFolder(Path(sys.argv[1])); print('ready', flush=True); sys.stdin.readline()\n"
        "print(folder.cache_signer(env={}).public.key_id)"
    )
    running = [
        subprocess.Popen(
            [sys.executable, "-c", probe, tmp_path / "keys"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _ in range(4)
    ]
    for each in running:
        assert each.stdout.readline() == "ready\n"
    with ThreadPoolExecutor(len(running)) as pool:
        answers = list(pool.map(lambda each: each.communicate("go\n")[0], running))
    assert set(answers) == {KeyFolder(tmp_path / "keys").stored("cache").public.key_id + "\n"}
    assert sorted(path.name for path in (tmp_path / "keys").iterdir()) == ["cache_ed25519", "cache_ed25519.pub"]


# retired keys


def test_a_retired_key_makes_room_and_is_remembered(folder, key):
    old = folder.retire("submit")
    assert folder.stored("submit") is None
    assert old.path.parent == folder.path / "retired"
    assert stat.S_IMODE(old.path.stat().st_mode) == 0o600
    new = folder.create("submit", "ada@example.org")
    assert new.public != key.public
    assert folder.retired_public_keys("submit") == [key.public]
    assert folder.retired_public_keys("cache") == []
    folder.retire("submit")
    assert set(folder.retired_public_keys("submit")) == {key.public, new.public}
    assert folder.retired("submit")[0].comment == "ada@example.org"


def test_there_is_nothing_to_retire(folder):
    assert folder.retire("cache") is None
    assert folder.retired_public_keys("cache") == []


def test_a_key_that_an_agent_holds_can_be_retired(folder, key):
    key.path.unlink()
    folder.retire("submit")
    assert folder.stored("submit") is None
    assert folder.retired_public_keys("submit") == [key.public]


def test_retiring_goes_on_where_a_crash_stopped_it(folder, key, tmp_path):
    shutil.copytree(folder.path, tmp_path / "before")
    folder.retire("submit")
    shutil.copy(tmp_path / "before" / "submit_ed25519.pub", folder.path)  # as if the last step had not been made
    folder.retire("submit")
    assert folder.stored("submit") is None
    assert folder.retired_public_keys("submit") == [key.public]


def test_retiring_overwrites_no_private_key(folder, key, tmp_path):
    shutil.copytree(folder.path, tmp_path / "before")
    retired = folder.retire("submit")
    retired.path.write_bytes(b"theirs")
    for path in (tmp_path / "before").iterdir():
        shutil.copy(path, folder.path)
    with pytest.raises(KeyExists):
        folder.retire("submit")
    assert retired.path.read_bytes() == b"theirs"


# whom we trust


def test_trusted_keys_are_kept_once(folder):
    signer, added = folder.trust("bob@example.org", SIGNER.public.openssh("some comment") + "\n")
    assert added
    assert folder.trusted() == [signer]
    assert signer.principals == "bob@example.org"
    assert not folder.trust("bob@example.org", SIGNER.public.openssh())[1]
    assert folder.trust("bob2@example.org", SIGNER.public.openssh())[1]
    assert len(folder.trusted()) == 2
    assert stat.S_IMODE((folder.path / "trusted").stat().st_mode) == 0o600


def test_ssh_keygen_reads_whom_we_trust(folder, key, tmp_path):
    folder.trust("ada@example.org", key.public.openssh())
    (tmp_path / "data.txt").write_text("data")
    subprocess.run(
        ["ssh-keygen", "-q", "-Y", "sign", "-n", "gaia-submission-v1", "-f", key.path, tmp_path / "data.txt"],
        check=True, capture_output=True,
    )  # fmt: skip
    found = subprocess.run(
        ["ssh-keygen", "-Y", "find-principals", "-f", folder.path / "trusted", "-s", tmp_path / "data.txt.sig"],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    assert found.stdout == "ada@example.org\n"


def test_a_published_line_can_be_trusted_as_it_is(folder, key, tmp_path):
    signer, _ = KeyFolder(tmp_path / "other").trust("ada@example.org", key.allowed_signer().line())
    assert signer == key.allowed_signer()
    line = f'ada namespaces="gaia-*",valid-before="20300101Z" {key.public.openssh()}'
    assert KeyFolder(tmp_path / "other").trust("ada", line)[0].line() == (
        f'ada namespaces="gaia-submission-v1",valid-before="20300101000000Z" {key.public.openssh()}'
    )


@pytest.mark.parametrize(
    ("line", "because"),
    [
        (f"eve {SIGNER.public.openssh()}", "is for 'eve'"),
        (f'bob namespaces="git" {SIGNER.public.openssh()}', "not for submissions"),
        (f"bob cert-authority {SIGNER.public.openssh()}", "not one Ed25519"),
        (f"bob {SIGNER.public.openssh()}\nbob {SIGNER.public.openssh()}", "not one Ed25519"),
        ("ssh-rsa AAAA", "not names"),
        ("", "not one Ed25519"),
        (SIGNER.public.openssh() + "\n" + SIGNER.public.openssh(), "not one line"),
        ("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "small order"),
    ],
)
def test_a_line_that_is_not_the_identitys_key_is_not_trusted(folder, line, because):
    with pytest.raises(SignatureError, match=because):
        folder.trust("bob", line)
    assert folder.trusted() == []


def test_a_hand_written_list_without_a_last_newline_is_kept(folder):
    folder.path.mkdir(parents=True)
    (folder.path / "trusted").write_text(f"# mine\neve {SIGNER.public.openssh()}")
    folder.trust("bob", SIGNER.public.openssh())
    assert [signer.principals for signer in folder.trusted()] == ["eve", "bob"]
    assert (folder.path / "trusted").read_text().startswith("# mine\n")


@pytest.mark.parametrize("data", [b"bob junk\n", b"\xff\n", b"\0"])
def test_a_damaged_list_is_said_and_not_rewritten(folder, data):
    folder.path.mkdir(parents=True)
    (folder.path / "trusted").write_bytes(data)
    with pytest.raises(KeyFileError, match="trusted: "):
        folder.trust("bob", SIGNER.public.openssh())
    assert (folder.path / "trusted").read_bytes() == data


def test_a_list_that_others_can_change_is_refused(folder):
    folder.trust("bob", SIGNER.public.openssh())
    (folder.path / "trusted").chmod(0o662)
    with pytest.raises(KeyFileError, match="others can change it"):
        folder.trusted()


# where


def test_the_folder_is_the_users_or_the_one_named(tmp_path):
    assert keys_folder({"GAIA_KEYS_DIR": str(tmp_path)}).path == tmp_path
    assert keys_folder({}).path.parts[-2:] == ("gaia-harness", "keys")


@pytest.mark.parametrize("place", ["file/keys", "x" * 300])
def test_a_place_where_no_folder_can_be_is_an_error_of_ours(tmp_path, place):
    (tmp_path / "file").touch()
    folder = KeyFolder(tmp_path / place)
    for action in (
        lambda: folder.create("submit", "ada"),
        lambda: folder.signer("submit", env={}),
        lambda: folder.cache_signer(env={}),
        lambda: folder.trusted(),
        lambda: folder.retired("submit"),
    ):
        with pytest.raises(KeyFileError):
            action()


def test_public_keys_compare_by_value():
    assert PublicKey(SIGNER.public.raw) == SIGNER.public
    assert len({PublicKey(SIGNER.public.raw), SIGNER.public}) == 1
