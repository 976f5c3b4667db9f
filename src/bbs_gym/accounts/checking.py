"""What is wrong, or will be, with the accounts of a registry: each finding in one line with what to do."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from enum import StrEnum
from pathlib import Path

import msgspec

from bbs_gym.accounts.account import Account
from bbs_gym.accounts.fault import AccountFault
from bbs_gym.accounts.registry import Registry
from bbs_gym.accounts.secrets import password_of


class Weight(StrEnum):
    """How bad it is."""

    ERROR = "error"
    """A run of this agent can't begin."""
    WARNING = "warning"


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One thing to do."""

    weight: Weight
    agent_id: str | None
    """None: of the registry as a whole."""
    text: str


def check_accounts(registry: Registry, environment: Mapping[str, str] = os.environ) -> tuple[Finding, ...]:
    """Everything that can be found out without calling anybody; empty is good."""
    found: list[Finding] = []
    if not registry.accounts:
        found.append(_finding(Weight.WARNING, None, f"{registry.path} has no agents: add one"))
    for account in registry.accounts:
        found += _of_login(account, environment)
        found += _of_model(account, environment)
    return tuple(found)


def _of_login(account: Account, environment: Mapping[str, str]) -> Iterator[Finding]:
    who = account.agent_id
    if account.password_env is None and account.password_file is None and account.key_file is None:
        yield _finding(
            Weight.WARNING, who, "it has neither password nor key: set `password_env`, `password_file` or `key_file`"
        )
    try:
        password_of(account, environment)
    except AccountFault as fault:
        yield _finding(Weight.ERROR, who, str(fault).removeprefix(f"{who}: "))
    for field, path in (("password_file", account.password_file), ("key_file", account.key_file)):
        if path is not None:
            yield from _of_file(who, field, path)


def _of_file(who: str, field: str, path: Path) -> Iterator[Finding]:
    try:
        mode = path.stat().st_mode
    except OSError as fault:
        if field == "key_file":  # of a password's file it has been said
            yield _finding(Weight.ERROR, who, f"`{field}` {path}: {fault.strerror}: correct the path")
        return
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        yield _finding(Weight.WARNING, who, f"`{field}` {path} is open to others on this machine: chmod 600 {path}")


def _of_model(account: Account, environment: Mapping[str, str]) -> Iterator[Finding]:
    if not account.model:
        return
    from tty_agent.models.catalog import ModelConfigError, model_config  # noqa: PLC0415 - heavy

    try:
        config = model_config(account.model)
    except ModelConfigError as fault:
        yield _finding(Weight.ERROR, account.agent_id, str(fault))
        return
    variable = config.api_key_env
    if variable is not None and not environment.get(variable):
        yield _finding(
            Weight.ERROR, account.agent_id, f"`model`: the variable {variable} is not set: put the provider's key there"
        )


def _finding(weight: Weight, agent_id: str | None, text: str) -> Finding:
    return Finding(weight=weight, agent_id=agent_id, text=text)
