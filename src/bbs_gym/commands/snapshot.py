"""`snapshot save` and `snapshot restore`: the state of a BBS, kept by a name and put back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from bbs_gym.commands import host_choice as hosts
from tty_agent.commands import output

if TYPE_CHECKING:
    from bbs_gym.hosts.host import Snapshot

Name = Annotated[str, typer.Argument(metavar="NAME", help="Letters, digits, '.', '-' and '_'.", show_default=False)]
Json = Annotated[bool, typer.Option("--json", help="As JSON.")]


def snapshots() -> None:
    """The state of a BBS, kept and put back: the same beginning for each match.

    \b
    Example:
      bbs-gym snapshot save baseline --data /srv/agentbbs
    """


def save(
    name: Name,
    *,
    host: hosts.HostKind = "house",
    data: hosts.DataFolder = None,
    kept_in: hosts.KeptIn = None,
    as_json: Json = False,
) -> None:
    """Keep the state of a BBS under a name. Prints the hash of what is kept; equal states have equal hashes.

    The house may run meanwhile, with callers on. A Synchronet is stopped and started, and nobody may be on.

    \b
    Examples:
      bbs-gym snapshot save baseline
      bbs-gym snapshot save baseline --host synchronet
    """
    from bbs_gym.commands.telling import telling  # noqa: PLC0415 - not for the help, as is what follows
    from bbs_gym.hosts.snapshot_record import write_record  # noqa: PLC0415
    from tty_agent.commands import event_loop  # noqa: PLC0415

    with telling():
        kept = event_loop.run(hosts.chosen_host(host, data, kept_in).save(name))
        write_record(kept)
    _tell(kept, as_json=as_json)


def restore(
    name: Name,
    *,
    host: hosts.HostKind = "house",
    data: hosts.DataFolder = None,
    kept_in: hosts.KeptIn = None,
    as_json: Json = False,
) -> None:
    """Put the state of that name back, if it still is what was saved. Nobody may be on, and the house may not run.

    \b
    Example:
      bbs-gym snapshot restore baseline
    """
    from bbs_gym.commands.telling import telling  # noqa: PLC0415 - not for the help, as is what follows
    from bbs_gym.hosts.snapshot_record import read_record  # noqa: PLC0415
    from tty_agent.commands import event_loop  # noqa: PLC0415

    with telling():
        kept = read_record(hosts.host_folder(host, kept_in) / "snapshots", name)
        event_loop.run(hosts.chosen_host(host, data, kept_in).restore(kept))
    _tell(kept, as_json=as_json)


def _tell(kept: Snapshot, *, as_json: bool) -> None:
    if as_json:
        output.json_value(
            {"name": kept.name, "path": str(kept.path), "sha256": kept.sha256, "created_at": kept.created_at}
        )
    else:
        output.line(f"{kept.sha256}  {kept.path}")
