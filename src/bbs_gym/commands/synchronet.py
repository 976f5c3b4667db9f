"""`bbs-gym synchronet …`: a Synchronet of one's own from outside of play: up, down, nodes, and its doors."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeVar

import typer

from bbs_gym.commands.telling import telling
from tty_agent.commands import output

if TYPE_CHECKING:
    from bbs_gym.hosts.synchronet import SynchronetHost

_Result = TypeVar("_Result")

Data = Annotated[
    Path | None,
    typer.Option(
        "--data", help="A native Synchronet's folder, or the state of the compose service [default: runtime/sbbs]."
    ),
]
Compose = Annotated[Path, typer.Option("--compose-file", help="The compose file.")]
Dosemu = Annotated[bool, typer.Option("--dosemu", help="The compose service whose image has DOSEMU.")]
Json = Annotated[bool, typer.Option("--json", help="As JSON.")]

COMPOSE_FILE: Final = Path("deploy/compose.yaml")
FOLDER: Final = Path("runtime")
"""Takes the log and snapshots."""


def synchronet() -> None:
    """A Synchronet of your own, outside of play: a native one, or the compose service of deploy/compose.yaml.

    \b
    Example:
      bbs-gym synchronet up
    """


def up(*, data: Data = None, compose_file: Compose = COMPOSE_FILE, dosemu: Dosemu = False) -> None:
    """Start the compose service unless it runs, and wait until it takes calls.

    A native Synchronet is started by hand, or by a match, and not from here: it would end with this command.

    \b
    Examples:
      bbs-gym synchronet up
      bbs-gym synchronet up --dosemu
    """
    with telling():
        where = _run(_up(_installation(data, compose_file, dosemu=dosemu)))
    output.line(where)


def down(*, data: Data = None, compose_file: Compose = COMPOSE_FILE, dosemu: Dosemu = False) -> None:
    """Wait until its worlds are on the disk, then stop the compose service.

    \b
    Example:
      bbs-gym synchronet down
    """
    with telling():
        _run(_down(_installation(data, compose_file, dosemu=dosemu)))


def nodes(
    *, data: Data = None, compose_file: Compose = COMPOSE_FILE, dosemu: Dosemu = False, as_json: Json = False
) -> None:
    """Who is on which node, by its own book of nodes.

    \b
    Example:
      bbs-gym synchronet nodes
    """
    seats = _call(data, compose_file, dosemu=dosemu, work=lambda host: host.nodes())
    if as_json:
        output.json_value(seats)
    else:
        output.table(("node", "alias", "doing"), [(seat.node, seat.alias, seat.doing) for seat in seats])


def scores_tw2(
    *, data: Data = None, compose_file: Compose = COMPOSE_FILE, dosemu: Dosemu = False, as_json: Json = False
) -> None:
    """Scores of Trade Wars 2 as they are now, the best first.

    \b
    Example:
      bbs-gym synchronet scores-tw2 --json
    """
    scores = _call(data, compose_file, dosemu=dosemu, work=lambda host: host.scores("tw2"))
    if as_json:
        output.json_value(scores)
        return
    rows = [(at, one.player, one.score, one.parts["turns"], one.parts["sector"]) for at, one in enumerate(scores, 1)]
    output.table(("rank", "player", "score", "turns", "sector"), rows)


def reset_tw2(
    *,
    turns_per_day: Annotated[
        int | None, typer.Option(min=1, help="Of new players and new days; else as it was.")
    ] = None,
    data: Data = None,
    compose_file: Compose = COMPOSE_FILE,
    dosemu: Dosemu = False,
) -> None:
    """Make the world of Trade Wars 2 anew. Nobody may be in the door. What `make reset-js-tw2` does.

    \b
    Example:
      bbs-gym synchronet reset-tw2 --turns-per-day 500
    """
    _call(data, compose_file, dosemu=dosemu, work=lambda host: host.reset_door("tw2", turns_per_day=turns_per_day))
    output.line("Trade Wars 2 has a new world")


def grant_tw2_turns(
    player: Annotated[str, typer.Argument(help="The alias.")],
    turns: Annotated[int, typer.Argument(min=1, help="So many more, of today.")],
    *,
    data: Data = None,
    compose_file: Compose = COMPOSE_FILE,
    dosemu: Dosemu = False,
) -> None:
    """Give one player of Trade Wars 2 more turns, without a reset. The player must be out of the door.

    What `make grant-js-tw2-turns PLAYER=… TURNS=…` does.

    \b
    Example:
      bbs-gym synchronet grant-tw2-turns RLoginSmoke 30
    """
    _call(data, compose_file, dosemu=dosemu, work=lambda host: host.grant_turns("tw2", player, turns))
    output.line(f"{player} has {turns} more turns today")


def stage(
    door: Annotated[str, typer.Argument(help="tw2002, bre, …")],
    *,
    data: Annotated[Path, typer.Option("--data", help="Synchronet's folder, or the state.")] = Path("runtime/sbbs"),
    doors: Annotated[Path, typer.Option("--doors", help="Where the original files are, in a folder each.")] = Path(
        "doors"
    ),
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace files that differ; a game's state is lost.")
    ] = False,
) -> None:
    """Copy the original files of a DOS door, doors/DOOR, to where Synchronet looks for doors, xtrn/DOOR.

    What is there already stays, since a game keeps its state among its files.

    \b
    Example:
      bbs-gym synchronet stage tw2002
    """
    from bbs_gym.hosts.staging import stage_door  # noqa: PLC0415 - not for the help

    with telling():
        staged = stage_door(door, data / "xtrn", doors=doors, overwrite=overwrite)
    for name in staged.copied:
        output.line(f"copied {name}")
    for name in staged.kept:
        output.line(f"kept {name}, which differs: --overwrite replaces it")
    output.note(f"{staged.target}: {len(staged.copied)} copied, {len(staged.kept)} kept")


def _installation(data: Path | None, compose_file: Path, *, dosemu: bool) -> Any:
    from bbs_gym.hosts.synchronet_choice import choose_installation  # noqa: PLC0415 - not for the help

    return choose_installation(_settings(data), FOLDER, compose_file=compose_file, dosemu=dosemu)


def _settings(data: Path | None) -> Any:
    from bbs_gym.hosts.settings import HostSettings  # noqa: PLC0415 - not for the help

    return HostSettings(kind="synchronet", data=data)


def _call(
    data: Path | None, compose_file: Path, *, dosemu: bool, work: Callable[[SynchronetHost], Awaitable[_Result]]
) -> _Result:
    """The result of `work` with the host."""
    from bbs_gym.hosts.synchronet import SynchronetHost  # noqa: PLC0415 - not for the help

    async def call() -> _Result:
        installation = _installation(data, compose_file, dosemu=dosemu)
        return await work(SynchronetHost(_settings(data), FOLDER, installation=installation))

    with telling():
        return _run(call())


def _run(work: Coroutine[Any, Any, _Result]) -> _Result:
    from tty_agent.commands import event_loop  # noqa: PLC0415 - not for the help

    return event_loop.run(work)


async def _up(installation: Any) -> str:
    from bbs_gym.hosts.host import NotSupported  # noqa: PLC0415 - not for the help

    if not installation.restartable:
        raise NotSupported(f"{installation.root}: start a native Synchronet with its own `exec/sbbs`, or as a service")
    started = await installation.start()
    ports = ", ".join(f"{name} on 127.0.0.1:{port}" for name, port in installation.ports().items())
    return f"{'started' if started else 'ran already'}: {ports}"


async def _down(installation: Any) -> None:
    import asyncio  # noqa: PLC0415 - not for the help

    from bbs_gym.hosts.host import NotSupported  # noqa: PLC0415
    from bbs_gym.hosts.synchronet import SAVE_MARGIN_S  # noqa: PLC0415

    if not installation.restartable:
        raise NotSupported(f"{installation.root}: stop a native Synchronet as it was started")
    if await installation.running():
        wait_s = installation.settings().save_interval_s + SAVE_MARGIN_S
        output.note(f"its worlds are written within {wait_s:g} s (save_interval of ctrl/json-db.ini)")
        await asyncio.sleep(wait_s)
        await installation.stop()
