"""`agentbbs user …`: accounts, their SSH keys and passwords."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from agentbbs.commands import output
from agentbbs.commands.failure import Failed
from agentbbs.commands.opened import store

if TYPE_CHECKING:
    from agentbbs.store.bans import Ban
    from agentbbs.store.keys import PublicKey

MAX_KEY_FILE_BYTES: Final = 64 * 1024
"""A public key is one line of well under 4 KiB; anything larger is another file."""

MAX_PASSWORD_FILE_BYTES: Final = 4 * 1024
"""One line; far more than a password may have, so that a wrong file is told from a long password."""

PasswordFile = Annotated[
    Path | None, typer.Option("--password-file", metavar="FILE", help="A password: the first line of a file.")
]

Name = Annotated[str, typer.Argument(help="The account's name.", show_default=False)]


def add(
    name: Name,
    key: Annotated[
        Path | None, typer.Option("--key", metavar="FILE", help="An SSH public key (.pub); '-' reads stdin.")
    ] = None,
    password: Annotated[
        bool, typer.Option("--password", help="Ask for a password; read one line where stdin is no terminal.")
    ] = False,
    password_file: PasswordFile = None,
    sysop: Annotated[bool, typer.Option("--sysop", help="An operator of the BBS.")] = False,
) -> None:
    """Make an account.

    A key lets it in over SSH, a token (`agentbbs mint-token`) over WebSocket, a password at the BBS.

    \b
    Examples:
      agentbbs user add ada --key ~/.ssh/id_ed25519.pub
      agentbbs user add bob --password
    """
    if password and password_file is not None:
        raise Failed("--password asks for one and --password-file brings one: give one of the two")
    if key == Path("-") and password:
        raise Failed("stdin can't hold both the key and the password: give the key as a file")
    public_key = None if key is None else _read_key(key)
    password_hash = _password(password_file) if password or password_file is not None else None
    from agentbbs.store import accounts, keys  # noqa: PLC0415

    with store(make=True) as database, database.begin() as conn:
        now_ms = output.now_ms()
        account = accounts.add(conn, name, sysop=sysop, now_ms=now_ms)
        if public_key is not None:
            keys.add(conn, account.id, public_key, now_ms=now_ms)
        if password_hash is not None:
            accounts.set_password_hash(conn, account.id, password_hash)
    output.note(f"made the account {name}")


def list_(
    as_json: Annotated[bool, typer.Option("--json", help="A JSON array on stdout.")] = False,
) -> None:
    """List the accounts.

    \b
    Example:
      agentbbs user list --json
    """
    from agentbbs.store import accounts, bans, keys, tokens  # noqa: PLC0415

    with store() as database, database.connect() as conn:
        found = accounts.all_accounts(conn)
        banned = {ban.account: ban for ban in bans.in_force(conn, now_ms=output.now_ms())}
        keys_of = {account.id: keys.of_account(conn, account.id) for account in found}
        tokens_of = {account.id: tokens.of_account(conn, account.id) for account in found}
    rows = [
        {
            "account": account.id,
            "name": account.name,
            "sysop": account.sysop,
            "password": account.password_hash is not None,
            "keys": [key.fingerprint for key in keys_of[account.id]],
            "tokens": [
                {"prefix": token.prefix, "created": token.created_ms, "lastUsed": token.last_used_ms}
                for token in tokens_of[account.id]
                if token.revoked_ms is None
            ],
            "created": account.created_ms,
            "banned": _ban(banned.get(account.id)),
        }
        for account in found
    ]
    if as_json:
        output.json_list(rows)
        return
    now_ms = output.now_ms()
    shown = []
    for row, account in zip(rows, found, strict=True):
        valid = [token for token in tokens_of[account.id] if token.revoked_ms is None]
        used = [token.last_used_ms for token in valid if token.last_used_ms is not None]
        shown.append(
            (
                account.name,
                "yes" if account.sysop else "",
                "yes" if row["password"] else "",
                len(keys_of[account.id]),
                len(valid),
                output.ago(max(used), now_ms) if used else "never",
                output.moment(account.created_ms),
                banned[account.id].reason if account.id in banned else "",
            )
        )
    output.table(("NAME", "SYSOP", "PASSWORD", "KEYS", "TOKENS", "TOKEN USED", "CREATED", "BANNED FOR"), shown)


def set_password(
    name: Name,
    password_file: PasswordFile = None,
) -> None:
    """Give an account a password for the BBS, in place of the one it has.

    Asks for it twice, reads one line where stdin is no terminal, or takes it from a file.

    \b
    Example:
      agentbbs user set-password ada
    """
    from agentbbs.store import accounts  # noqa: PLC0415

    with store() as database:
        with database.connect() as conn:
            account = accounts.find(conn, name)
        password_hash = _password(password_file)
        with database.begin() as conn:
            accounts.set_password_hash(conn, account.id, password_hash)
    output.note(f"{account.name} has a new password")


def set_key(
    name: Name,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="An SSH public key (.pub); '-' reads stdin.")],
) -> None:
    """Give an account an SSH key, in place of those it has.

    \b
    Example:
      agentbbs user set-key ada ~/.ssh/id_ed25519.pub
    """
    from agentbbs.store import accounts, keys  # noqa: PLC0415

    public_key = _read_key(file)
    with store() as database, database.begin() as conn:
        account = accounts.find(conn, name)
        keys.remove_all(conn, account.id)
        keys.add(conn, account.id, public_key, now_ms=output.now_ms())
    output.note(f"{account.name} has the key {public_key.fingerprint}")


def remove(
    name: Name,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Remove an account: its tokens and keys end, its matches stay.

    The name stays taken, so that nobody can be mistaken for it. A venue that runs learns of it at once.

    \b
    Example:
      agentbbs user remove ada --yes
    """
    from agentbbs.store import accounts  # noqa: PLC0415

    with store() as database:
        with database.connect() as conn:
            account = accounts.find(conn, name)
        if not yes and not confirm(f"Remove the account {account.name}? Its name can't be used again."):
            raise Failed("nothing was removed")
        with database.begin() as conn:
            accounts.remove(conn, account.name, now_ms=output.now_ms())
    output.note(f"removed the account {account.name}; its matches stay")


def confirm(question: str) -> bool:
    """Whether a person at the terminal says yes. Raises Failed where there is no terminal."""
    if not sys.stdin.isatty():
        raise Failed("this asks first, and stdin is no terminal: add --yes")
    return typer.confirm(question, err=True)


def _read_key(file: Path) -> PublicKey:
    """The key in `file`, or on stdin for `-`."""
    from agentbbs.store import keys  # noqa: PLC0415

    if file == Path("-"):
        data = sys.stdin.buffer.read(MAX_KEY_FILE_BYTES)
    else:
        with file.open("rb") as opened:
            data = opened.read(MAX_KEY_FILE_BYTES)
    try:
        return keys.parse(data.decode("utf-8", "replace"))
    except keys.KeyFault as fault:
        raise Failed(f"{file}: {fault}") from fault


def _ban(ban: Ban | None) -> dict[str, object] | None:
    return None if ban is None else {"reason": ban.reason, "until": ban.until_ms}


def _password(file: Path | None) -> str:
    """The hash of a password that is the first line of a file, is typed twice without echo, or is read from stdin
    where that is no terminal."""
    from agentbbs.store import passwords  # noqa: PLC0415

    if file is not None:
        with file.open(encoding="utf-8") as opened:
            password = opened.read(MAX_PASSWORD_FILE_BYTES).partition("\n")[0].rstrip("\r")
    elif sys.stdin.isatty():
        password = typer.prompt("Password", hide_input=True, confirmation_prompt=True, err=True)
    else:
        password = sys.stdin.readline().rstrip("\r\n")
    try:
        return passwords.hash_password(password)
    except passwords.PasswordFault as fault:
        raise Failed(str(fault)) from fault
