"""The folder of a user's signing keys.

Private keys are OpenSSH's files, so that `ssh-keygen -Y`, git and ssh-agent can use the same key. In the folder:
`submit_ed25519` and `cache_ed25519` with their `.pub`, `retired/` with keys that were replaced, and `trusted`,
an allowed_signers file of people whose keys we believe in.
"""

import contextlib
import shlex
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal

import msgspec
import platformdirs

from gaia_harness.errors import UsageError
from gaia_harness.files import write_atomic
from gaia_harness.signing.allowed_signers import (
    LARGEST,
    NAMESPACE,
    AllowedSigner,
    checked_identity,
    matches,
    parse_allowed_signers,
)
from gaia_harness.signing.key_files import (
    WRITTEN_BY_US_ALONE,
    KeyExists,
    KeyFileError,
    check_folder,
    create_exclusively,
    prepare_folder,
    read_guarded,
)
from gaia_harness.signing.signers import (
    AgentSigner,
    LocalSigner,
    PassphraseError,
    PublicKey,
    SignatureError,
    Signer,
    generate_signer,
    load_private,
    public_of_private,
)

__all__ = [
    "AllowedSigner",
    "Ask",
    "KeyExists",
    "KeyFileError",
    "KeyFolder",
    "Role",
    "StoredKey",
    "keys_folder",
    "parse_allowed_signers",
    "passphrase_from",
]

Role = Literal["submit", "cache"]
"""submit: the person's key, for intents, checkpoints and packages. cache: the machine's, for cached judgments only."""

Ask = Callable[[Path], bytes | None]
"""Asks a person for the passphrase of the private key at this path; None if there is nobody to ask."""

CACHE_COMMENT = "gaia-harness-cache"
FOLDER = "GAIA_KEYS_DIR"
PASSPHRASE_FILE = "GAIA_KEY_PASSPHRASE_FILE"  # noqa: S105 - the name of a variable


class StoredKey(msgspec.Struct, frozen=True):
    """A key of ours: where its private half is, or would be, and its public half with its comment."""

    role: Role
    path: Path
    public: PublicKey
    comment: str

    @property
    def identity(self) -> str:
        """The name under which its owner signs."""
        try:
            return checked_identity(self.comment)
        except UsageError:
            raise KeyFileError(
                f"{_pub(self.path)}: the comment behind the key must be your identity; it is {self.comment[:80]!a}",
                hint=f"ssh-keygen -c -C NAME -f {shlex.quote(str(self.path))}",
            ) from None

    def allowed_signer(self) -> AllowedSigner:
        """What its owner publishes, so that others can check."""
        return AllowedSigner(self.identity, self.public, namespaces=NAMESPACE)


class KeyFolder:
    """The folder in which our keys are."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def stored(self, role: Role) -> StoredKey | None:
        """The key of this role, if there is one. Needs no passphrase."""
        check_folder(self.path)
        path = self._path(role)
        private = read_guarded(path)
        line = read_guarded(_pub(path), forbidden=WRITTEN_BY_US_ALONE)
        try:
            held = None if private is None else public_of_private(private)
        except SignatureError as error:
            raise KeyFileError(f"{path}: {error.message}") from None
        if line is None:
            return None if held is None else StoredKey(role, path, held, "")
        public, comment = _read_line(line, _pub(path))
        if held is not None and held != public:
            raise KeyFileError(f"{_pub(path)}: is not the public half of {path}")
        return StoredKey(role, path, public, comment)

    def existing(self, role: Role) -> StoredKey:
        """The key of this role, or an error that says how to make one."""
        stored = self.stored(role)
        if stored is None:
            raise KeyFileError(
                f"there is no {role} key in {self.path}", hint=f"gaia keys new --role {role} --identity NAME"
            )
        return stored

    def refuse_second(self, role: Role) -> None:
        """There can be one key of a role: an error that says how to retire it, if it is there."""
        stored = self.stored(role)
        if stored is not None:
            raise KeyExists(
                f"{stored.path}: there is a {role} key already, and a key is never overwritten",
                hint=f"gaia keys new --role {role} --identity NAME --retire moves it to {self.path / 'retired'}",
            )

    def create(self, role: Role, comment: str, passphrase: bytes | None = None) -> StoredKey:
        """A new key, with its owner's identity as its comment. Nothing is ever overwritten."""
        path, signer = self._path(role), generate_signer()
        key = StoredKey(role, path, signer.public, checked_identity(comment))
        prepare_folder(self.path)
        self.refuse_second(role)  # also when only the public half is here
        create_exclusively(path, signer.private_openssh(passphrase))
        create_exclusively(_pub(path), _line(key), mode=0o644)
        return key

    def signer(self, role: Role, *, env: Mapping[str, str], ask: Ask | None = None) -> Signer:
        """Who signs with the key of this role: its file, opened by a passphrase if it needs one, or an ssh-agent."""
        stored = self.existing(role)
        private = read_guarded(stored.path)
        if private is not None:
            try:
                return load_private(private, None)
            except PassphraseError:
                pass
            except SignatureError as error:
                raise KeyFileError(f"{stored.path}: {error.message}") from None
            passphrase = passphrase_from(env)
            if passphrase is not None:
                return _opened(stored.path, private, passphrase)
        agent = _agent(stored.public, env)
        if agent is not None:
            return agent
        if private is None:
            raise KeyFileError(
                f"{stored.path}: is not there, and no ssh-agent holds the key {stored.public.fingerprint}",
                hint="ssh-add the private key, and see that SSH_AUTH_SOCK is set",
            )
        passphrase = ask(stored.path) if ask is not None else None
        if not passphrase:
            raise KeyFileError(
                f"{stored.path}: needs its passphrase",
                hint=f"ssh-add {shlex.quote(str(stored.path))}, or set {PASSPHRASE_FILE} to a file with the passphrase",
            )
        return _opened(stored.path, private, passphrase)

    def cache_signer(self, *, env: Mapping[str, str]) -> Signer:
        """The machine's own key, made on first use, also when several processes need it at once."""
        if self.stored("cache") is None:
            with contextlib.suppress(KeyExists):  # somebody else was quicker
                self.create("cache", CACHE_COMMENT)
        return self.signer("cache", env=env)

    def retire(self, role: Role) -> StoredKey | None:
        """Move the key of this role to `retired/`, so that there can be a new one; None if there is none."""
        stored = self.stored(role)
        if stored is None:
            return None
        folder = self.path / "retired"
        prepare_folder(folder)
        place = folder / f"{stored.path.name}-{stored.public.key_id[:16]}"
        if stored.path.exists() and place.exists():
            raise KeyExists(f"{place}: is there already")
        try:
            # In this order, so that after a crash at any point the same call finishes the work.
            write_atomic(_pub(place), _line(stored))
            if stored.path.exists():
                stored.path.rename(place)
            _pub(stored.path).unlink(missing_ok=True)
        except OSError as error:
            raise KeyFileError(f"{place}: cannot be written: {error.strerror}") from None
        return StoredKey(role, place, stored.public, stored.comment)

    def retired(self, role: Role) -> list[StoredKey]:
        """The keys that once had this role."""
        folder = self.path / "retired"
        check_folder(self.path)
        check_folder(folder)
        found = []
        for path in sorted(folder.glob(f"{self._path(role).name}-*.pub")):
            line = read_guarded(path, forbidden=WRITTEN_BY_US_ALONE)
            if line is not None:
                found.append(StoredKey(role, path.with_suffix(""), *_read_line(line, path)))
        return found

    def retired_public_keys(self, role: Role) -> list[PublicKey]:
        """The public halves of the keys that once had this role."""
        return [key.public for key in self.retired(role)]

    def trusted(self) -> list[AllowedSigner]:
        """The people whose keys we believe in."""
        return self._trusted()[1]

    def trust(self, identity: str, line: str) -> tuple[AllowedSigner, bool]:
        """Believe that this is the identity's key: a public key's line, or an allowed_signers line for the identity.

        Also tells whether this is new.
        """
        signer = _signer_from(checked_identity(identity), line)
        prepare_folder(self.path)
        text, known = self._trusted()
        if signer in known:
            return signer, False
        text += "" if not text or text.endswith("\n") else "\n"
        try:
            write_atomic(self.path / "trusted", f"{text}{signer.line()}\n".encode(), mode=0o600)
        except OSError as error:
            raise KeyFileError(f"{self.path / 'trusted'}: cannot be written: {error.strerror}") from None
        return signer, True

    def _trusted(self) -> tuple[str, list[AllowedSigner]]:
        check_folder(self.path)
        path = self.path / "trusted"
        data = read_guarded(path, forbidden=WRITTEN_BY_US_ALONE, largest=LARGEST) or b""
        try:
            text = data.decode()
            return text, parse_allowed_signers(text)
        except UnicodeDecodeError:
            raise KeyFileError(f"{path}: is not UTF-8") from None
        except SignatureError as error:
            raise KeyFileError(f"{path}: {error.message}") from None

    def _path(self, role: Role) -> Path:
        return self.path / f"{role}_ed25519"


def keys_folder(env: Mapping[str, str]) -> KeyFolder:
    """The folder that `GAIA_KEYS_DIR` names, or the one in the user's data directory."""
    if env.get(FOLDER):
        return KeyFolder(Path(env[FOLDER]))
    return KeyFolder(platformdirs.user_data_path("gaia-harness") / "keys")


def passphrase_from(env: Mapping[str, str]) -> bytes | None:
    """The passphrase in the file that `GAIA_KEY_PASSPHRASE_FILE` names; None if it names none."""
    if not env.get(PASSPHRASE_FILE):
        return None
    path = Path(env[PASSPHRASE_FILE])
    data = read_guarded(path)
    if data is None:
        raise KeyFileError(f"{path}: is not there", hint=f"{PASSPHRASE_FILE} must name a file with the passphrase")
    passphrase = data.removesuffix(b"\n").removesuffix(b"\r")
    if not passphrase:
        raise KeyFileError(f"{path}: holds no passphrase")
    return passphrase


def _pub(path: Path) -> Path:
    return path.with_name(f"{path.name}.pub")


def _line(key: StoredKey) -> bytes:
    return f"{key.public.openssh(key.comment)}\n".encode()


def _read_line(data: bytes, path: Path) -> tuple[PublicKey, str]:
    try:
        line = data.decode().strip()
        public = PublicKey.from_openssh(line)
    except UnicodeDecodeError:
        raise KeyFileError(f"{path}: is not UTF-8") from None
    except SignatureError as error:
        raise KeyFileError(f"{path}: {error.message}") from None
    return public, "".join(line.split(" ", 2)[2:])


def _opened(path: Path, private: bytes, passphrase: bytes) -> LocalSigner:
    try:
        return load_private(private, passphrase)
    except SignatureError as error:
        raise KeyFileError(f"{path}: {error.message}") from None


def _agent(public: PublicKey, env: Mapping[str, str]) -> AgentSigner | None:
    if not env.get("SSH_AUTH_SOCK"):
        return None
    signer = AgentSigner(Path(env["SSH_AUTH_SOCK"]), public)
    try:
        return signer if signer.ready() else None
    except SignatureError:  # an agent that is gone is no agent
        return None


def _signer_from(identity: str, line: str) -> AllowedSigner:
    line = line.strip()
    if line.startswith("ssh-ed25519 "):
        return AllowedSigner(identity, PublicKey.from_openssh(line), namespaces=NAMESPACE)
    signers = parse_allowed_signers(line)
    if len(signers) != 1:
        raise SignatureError("not one Ed25519 public key", hint="a line such as: ssh-ed25519 AAAA… ada@example.org")
    (given,) = signers
    if not matches(identity, given.principals):
        raise SignatureError(f"the line is for {given.principals[:80]!a}, not for {identity!a}")
    if given.namespaces is not None and not matches(NAMESPACE, given.namespaces):
        raise SignatureError(f"the line is not for submissions: its namespaces are {given.namespaces[:80]!a}")
    return AllowedSigner(identity, given.key, NAMESPACE, given.valid_after, given.valid_before)
