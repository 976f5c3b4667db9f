"""`accounts provision`: the agents of the registry as users of a BBS."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from bbs_gym.commands import bbs_choice as bbs
from bbs_gym.commands import host_choice as hosts
from tty_agent.commands import output

if TYPE_CHECKING:
    from pathlib import Path

    from bbs_gym.accounts.registry import Registry


def provision(
    *,
    registry: bbs.RegistryFile = None,
    host: hosts.HostKind = "house",
    data: hosts.DataFolder = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would change, and change nothing.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """Make or update the users of all agents, so that they log in without a question.

    A second time changes nothing. Passwords come from where the registry says; none is shown.

    \b
    Examples:
      bbs-gym accounts provision --data /srv/agentbbs --dry-run
      bbs-gym accounts provision --host synchronet
    """
    from bbs_gym.commands.telling import telling  # noqa: PLC0415 - not for the help, as is what follows
    from tty_agent.commands import event_loop  # noqa: PLC0415

    with telling():
        read = _registry(registry)
        found = event_loop.run(hosts.chosen_host(host, data).provision(read.accounts, dry_run=dry_run))
    if as_json:
        output.json_value(found)
        return
    output.table(
        ("agent", "alias", "change", "detail"),
        [(one.agent_id, one.alias, one.change.value, one.detail) for one in found],
    )
    output.note(
        "nothing was changed" if dry_run else f"{read.path}: {len(found)} of {len(found)} are as they should be"
    )


def _registry(path: Path | None) -> Registry:
    """The one that is named, or the usual one. Raises AccountFault."""
    from bbs_gym.accounts.fault import AccountFault  # noqa: PLC0415 - not for the help, as is what follows
    from bbs_gym.accounts.registry import CONFIG_FOLDER, FILE_NAMES, find_registry, read_registry  # noqa: PLC0415

    found = path or find_registry()
    if found is None:
        raise AccountFault(f"there is no {CONFIG_FOLDER / FILE_NAMES[0]}: make one, or name another by --registry")
    return read_registry(found)
