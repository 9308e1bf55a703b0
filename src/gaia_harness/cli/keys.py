"""`gaia keys`."""

import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gaia_harness.errors import UsageError
from gaia_harness.shortening import shorten

if TYPE_CHECKING:
    from gaia_harness.signing.keys import Role, StoredKey

ROLES = click.Choice(["submit", "cache"])


@click.group("keys")
def command() -> None:
    """Make, show and trust signing keys.

    The keys are OpenSSH keys: ssh-keygen, git and ssh-agent work with them too.
    """


@command.command("new")
@click.option("--identity", metavar="NAME", help="Under which name you sign, such as ada@example.org.")
@click.option("--role", type=ROLES, default="submit", show_default=True)
@click.option("--no-passphrase", is_flag=True, help="Keep the private key unencrypted in its file.")
@click.option("--retire", is_flag=True, help="If there is a key already, move it to retired/ first.")
def new(identity: str | None, role: "Role", no_passphrase: bool, retire: bool) -> None:
    """Make a key. One that is there is never overwritten."""
    from gaia_harness.signing.allowed_signers import checked_identity
    from gaia_harness.signing.keys import CACHE_COMMENT, keys_folder

    env = dict(os.environ)
    if identity is None and role == "submit":
        raise UsageError("under which name do you sign? --identity is missing", hint="gaia keys new --identity NAME")
    name = checked_identity(identity or CACHE_COMMENT)
    folder = keys_folder(env)
    # The passphrase is asked for first: nothing is moved when the person changes their mind.
    if not retire:
        folder.refuse_second(role)
    passphrase = None if no_passphrase or role == "cache" else _new_passphrase(env)
    old = folder.retire(role) if retire else None
    key = folder.create(role, name, passphrase)
    if old is not None:
        click.echo(f"retired      {old.path}")
    _describe(key)


@command.command("show")
@click.option("--role", type=ROLES, default="submit", show_default=True)
@click.option("--allowed-signers", is_flag=True, help="Print only the line that others need to check your signatures.")
def show(role: "Role", allowed_signers: bool) -> None:
    """Show the public half of your key."""
    from gaia_harness.signing.keys import keys_folder

    key = keys_folder(os.environ).existing(role)
    if allowed_signers:
        click.echo(key.allowed_signer().line())
    else:
        _describe(key)


@command.command("list")
def list_all() -> None:
    """List your keys, retired ones, and those you trust."""
    from gaia_harness.signing.keys import keys_folder

    folder = keys_folder(os.environ)
    if folder.stored("submit") is None:
        click.echo(f"you have no key to submit with in {folder.path}", err=True)
        click.echo("next:  gaia keys new --identity NAME", err=True)
    roles: tuple[Role, ...] = ("submit", "cache")
    for role in roles:
        key = folder.stored(role)
        if key is not None:
            click.echo(f"{role:8} {key.public.fingerprint}  {key.comment}")
        for old in folder.retired(role):
            click.echo(f"{'retired':8} {old.public.fingerprint}  {old.comment} ({role})")
    for signer in folder.trusted():
        click.echo(f"{'trusted':8} {signer.key.fingerprint}  {signer.principals}")


@command.command("trust")
@click.argument("identity")
@click.argument("key", metavar="FILE|LINE")
def trust(identity: str, key: str) -> None:
    """Believe that the public key in FILE, or on this LINE, is IDENTITY's.

    Do this with a key that you have from its owner, never with one from a package that you want to check.
    """
    from gaia_harness.signing.keys import keys_folder

    signer, added = keys_folder(os.environ).trust(identity, _key_text(key))
    click.echo(f"{'trusted' if added else 'trusted already'}: {signer.key.fingerprint} is {identity}")


def ask_passphrase(path: Path) -> bytes | None:
    """Ask the person at the terminal for the passphrase of the key at this path; None if nobody is there."""
    if not sys.stdin.isatty():
        return None
    answer: str = click.prompt(f"passphrase for {path}", hide_input=True, err=True)
    return answer.encode(errors="surrogateescape")


def _new_passphrase(env: dict[str, str]) -> bytes | None:
    from gaia_harness.signing.keys import passphrase_from

    passphrase = passphrase_from(env)
    if passphrase is not None:
        return passphrase
    if not sys.stdin.isatty():
        raise UsageError(
            "the key needs a passphrase, and there is no terminal to ask at",
            hint="set GAIA_KEY_PASSPHRASE_FILE to a file with the passphrase, or give --no-passphrase",
        )
    answer: str = click.prompt(
        "passphrase (empty for none)",
        default="",
        show_default=False,
        hide_input=True,
        confirmation_prompt=True,
        err=True,
    )
    return answer.encode(errors="surrogateescape") or None


def _key_text(key: str) -> str:
    from gaia_harness.signing.key_files import LARGEST

    if re.search(r"(ssh|ecdsa|sk)-\S+ +AAAA", key):
        return key
    try:
        with Path(key).open("rb") as file:
            data = file.read(LARGEST + 1)
        if len(data) > LARGEST:
            raise UsageError(f"{key}: larger than {LARGEST} bytes: not a public key")
        return data.decode()
    except OSError as error:
        raise UsageError(
            f"{key}: cannot be read: {error.strerror}", hint="give a .pub file, or its line in quotes"
        ) from None
    except ValueError:
        raise UsageError(f"{shorten(key, 80)}: not a public key") from None


def _describe(key: "StoredKey") -> None:
    click.echo(f"private key  {key.path}{'' if key.path.exists() else ' (not there; held by an ssh-agent)'}")
    click.echo(f"fingerprint  {key.public.fingerprint}")
    click.echo(f"key id       {key.public.key_id}")
    if key.role == "submit":
        click.echo(f"identity     {key.identity}")
        click.echo("\nPublish this line, so that others can check what you sign (allowed_signers):")
        click.echo(key.allowed_signer().line())
