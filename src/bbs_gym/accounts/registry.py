"""The registry of agents: a file of the operator's, in JSON or TOML, that git ignores. It holds no password.

    {"agents": [{"agent_id": "agent-001", "alias": "Agent001", "password_env": "AGENT_001_PASSWORD"}]}

In TOML each agent is a table `[[agents]]`. The fields are those of `Account`. Paths are relative to the file's folder.
Whatever is wrong is an AccountFault with the file, the agent, the field and what to do; it quotes no value but an
agent's id.
"""

from __future__ import annotations

import difflib
import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from bbs_gym.accounts.account import Account
from bbs_gym.accounts.fault import AccountFault

CONFIG_FOLDER: Final = Path("config")
FILE_NAMES: Final = ("agents.local.json", "agents.local.toml")
"""Where a registry is looked for if none is named, in that folder."""

MAX_ALIAS_CHARS: Final = 64
"""More than the user name of any BBS; Synchronet takes 25."""

RESERVED_ALIASES: Final = frozenset({"new", "guest", "game"})
"""At a BBS each of these means something else than an account."""

_AGENT_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
"""It is the name of files."""

_FILE_SUFFIXES: Final = frozenset({".jsonl", ".raw", ".sent", ".index", ".torn"})
"""Of what stands beside a trace and a transcript."""

_FIELDS: Final = tuple(field.name for field in msgspec.structs.fields(Account))


class Registry(msgspec.Struct, frozen=True, kw_only=True):
    """The agents of one file, in its order."""

    path: Path
    accounts: tuple[Account, ...]

    def account(self, agent_id: str) -> Account:
        """The account of that agent. Raises AccountFault, with near names."""
        for account in self.accounts:
            if account.agent_id == agent_id:
                return account
        known = [account.agent_id for account in self.accounts]
        near = difflib.get_close_matches(agent_id, known, n=3, cutoff=0.5) or known[:5]
        raise AccountFault(f"{self.path}: there is no agent {agent_id!r}: add it, or take one of {', '.join(near)}")


def find_registry(folder: Path = CONFIG_FOLDER) -> Path | None:
    """The registry that stands in `folder`; None if there is none. Raises AccountFault where both kinds do."""
    found = [folder / name for name in FILE_NAMES if (folder / name).exists()]
    if len(found) > 1:
        raise AccountFault(f"{found[0]} and {found[1]} are both there: remove one, or name the one that counts")
    return found[0] if found else None


def read_registry(path: Path) -> Registry:
    """Read and check it. Raises AccountFault."""
    records = _records(path, _content(path))
    accounts = tuple(_account(path, number, record) for number, record in enumerate(records, 1))
    _check_duplicates(path, accounts)
    return Registry(path=path, accounts=accounts)


def _content(path: Path) -> object:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as fault:
        raise AccountFault(f"{path}: {fault.strerror}: name the registry of your agents, or make one") from fault
    except UnicodeDecodeError:
        raise AccountFault(f"{path}: it is no text in UTF-8: save it as such") from None
    try:
        if path.suffix == ".toml":
            return tomllib.loads(text)
        return json.loads(text, object_pairs_hook=_without_repeats)
    except tomllib.TOMLDecodeError as fault:
        raise AccountFault(f"{path}: it is no TOML ({fault}): correct it there") from fault
    except json.JSONDecodeError as fault:
        where = f"line {fault.lineno}, column {fault.colno}"
        raise AccountFault(f"{path}: it is no JSON at {where} ({fault.msg}): correct it there") from None
    except _Repeated as fault:
        raise AccountFault(f"{path}: the field `{fault}` stands twice in one object: remove one") from None
    except RecursionError:
        raise AccountFault(f"{path}: it is nested without end: a registry has three levels") from None


class _Repeated(ValueError):
    """A name of a field that an object has twice."""


def _without_repeats(pairs: list[tuple[str, object]]) -> dict[str, object]:
    made: dict[str, object] = {}
    for name, value in pairs:
        if name in made:
            raise _Repeated(name)
        made[name] = value
    return made


def _records(path: Path, content: object) -> Sequence[object]:
    if not isinstance(content, dict) or not isinstance(content.get("agents"), list):
        raise AccountFault(f'{path}: it has no list `agents`: write {{"agents": [{{"agent_id": …, "alias": …}}]}}')
    if unknown := sorted(set(content) - {"agents"}):
        raise AccountFault(f"{path}: `{unknown[0]}` means nothing beside `agents`: remove it")
    records: list[object] = content["agents"]
    return records


def _account(path: Path, number: int, record: object) -> Account:
    where = f"{path}: agent {number}"
    if not isinstance(record, dict):
        raise AccountFault(f"{where}: it is no object: write its fields, `agent_id` and `alias` first")
    if isinstance(record.get("agent_id"), str):
        where = f"{path}: {record['agent_id']!r}"
    _check_fields(where, record)
    try:
        account = msgspec.convert(record, Account, dec_hook=_path)
    except msgspec.ValidationError as fault:
        said = str(fault).replace(" - at `$.", ", in `")
        raise AccountFault(f"{where}: {said}: correct it") from None
    check_agent_id(where, account.agent_id)
    check_alias(where, account.alias)
    if account.password_env is not None and account.password_file is not None:
        raise AccountFault(f"{where}: `password_env` and `password_file` are both set: leave one away")
    return msgspec.structs.replace(
        account,
        password_file=_beside(path, account.password_file),
        key_file=_beside(path, account.key_file),
    )


def _check_fields(where: str, record: Mapping[str, Any]) -> None:
    for name in record:
        if name == "password":
            raise AccountFault(
                f"{where}: `password` has no place here: put it into a variable or a file, and name that by "
                "`password_env` or `password_file`"
            )
        if name not in _FIELDS:
            near = difflib.get_close_matches(name, _FIELDS, n=1) or [", ".join(_FIELDS)]
            raise AccountFault(f"{where}: `{name}` is no field of an agent: write {near[0]}, or remove it")
    for name in ("agent_id", "alias"):
        if name not in record:
            raise AccountFault(f"{where}: `{name}` is missing: add it")


def check_agent_id(where: str, agent_id: str) -> None:
    """Raise AccountFault for an id that can't be the name of files."""
    if not _AGENT_ID.fullmatch(agent_id):
        raise AccountFault(
            f"{where}: `agent_id` is up to 100 letters, digits, dots, dashes and underscores: correct it"
        )
    if taken := _FILE_SUFFIXES.intersection(Path(agent_id).suffixes):
        raise AccountFault(f"{where}: `agent_id` has {min(taken)} in it, as other agents' files have: leave it away")


def check_alias(where: str, alias: str) -> None:
    """Raise AccountFault for a name that no BBS would take for an account's."""
    if not alias.strip() or alias != alias.strip() or not alias.isprintable() or len(alias) > MAX_ALIAS_CHARS:
        raise AccountFault(
            f"{where}: `alias` is up to {MAX_ALIAS_CHARS} printable characters, without blanks at its ends: correct it"
        )
    if alias.casefold() in RESERVED_ALIASES or alias[0] in "!*":
        raise AccountFault(
            f"{where}: `alias` means something else at a BBS (new, guest, game, ! and * before): choose another"
        )


def _check_duplicates(path: Path, accounts: Sequence[Account]) -> None:
    for field in ("agent_id", "alias"):
        seen: dict[str, str] = {}
        for account in accounts:
            value = str(getattr(account, field)).casefold()
            if value in seen:
                raise AccountFault(
                    f"{path}: {account.agent_id!r}: `{field}` is that of {seen[value]!r} too (case does not count): "
                    "give each its own"
                )
            seen[value] = account.agent_id


def _path(kind: type, value: object) -> Path:
    """msgspec: a value for a field of a type that it does not know, of which there is one."""
    if kind is Path and isinstance(value, str) and value:
        return Path(value)
    raise ValueError("Expected the path of a file")


def _beside(path: Path, named: Path | None) -> Path | None:
    return None if named is None else path.parent / named.expanduser()
