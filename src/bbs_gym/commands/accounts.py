"""`accounts list` and `accounts check`: the registry of agents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from bbs_gym.commands import bbs_choice as bbs
from tty_agent.commands import output
from tty_agent.commands.command_line import FAILED

if TYPE_CHECKING:
    from pathlib import Path

    from bbs_gym.accounts.registry import Registry

Json = Annotated[bool, typer.Option("--json", help="As JSON.")]


def accounts() -> None:
    """The agents and their accounts on a BBS.

    \b
    Example:
      bbs-gym accounts check
    """


def list_accounts(*, registry: bbs.RegistryFile = None, as_json: Json = False) -> None:
    """List the agents of the registry, without any secret.

    \b
    Example:
      bbs-gym accounts list --registry config/agents.local.json
    """
    from bbs_gym.accounts.secrets import source_of  # noqa: PLC0415 - not for the help

    read = _read(registry)
    rows = [
        {
            "agent_id": account.agent_id,
            "alias": account.alias,
            "password": source_of(account),
            "key_file": str(account.key_file) if account.key_file is not None else None,
            "model": _model(account.model),
        }
        for account in read.accounts
    ]
    if as_json:
        output.json_value(rows)
        return
    output.table(("agent", "alias", "password", "key", "model"), [tuple(row.values()) for row in rows])


def check(*, registry: bbs.RegistryFile = None, as_json: Json = False) -> None:
    """Check the registry: ids, aliases, where passwords and keys are, models. Nobody is called.

    A line for each finding; the exit code is 1 if one of them keeps an agent from playing.

    \b
    Example:
      bbs-gym accounts check
    """
    from bbs_gym.accounts.checking import Weight, check_accounts  # noqa: PLC0415 - not for the help

    read = _read(registry)
    found = check_accounts(read)
    if as_json:
        output.json_value(found)
    else:
        for finding in found:
            who = f"{finding.agent_id}: " if finding.agent_id is not None else ""
            output.line(f"{finding.weight}: {who}{finding.text}")
        count = len(read.accounts)
        output.note(
            f"{read.path}: {count} agent{'s' * (count != 1)}, {len(found) or 'no'} finding{'s' * (len(found) != 1)}"
        )
    if any(finding.weight is Weight.ERROR for finding in found):
        raise typer.Exit(FAILED)


def _read(path: Path | None) -> Registry:
    from bbs_gym.accounts.fault import AccountFault  # noqa: PLC0415 - not for the help, as is what follows
    from bbs_gym.accounts.registry import FILE_NAMES, find_registry, read_registry  # noqa: PLC0415
    from bbs_gym.commands.telling import telling  # noqa: PLC0415

    with telling():
        found = path or find_registry()
        if found is None:
            raise AccountFault(f"there is no config/{FILE_NAMES[0]}: make one, or name another by --registry")
        return read_registry(found)


def _model(settings: dict[str, object]) -> str:
    """`openai:qwen3`; of other settings nothing."""
    return ":".join(str(settings[name]) for name in ("provider", "model") if settings.get(name))
