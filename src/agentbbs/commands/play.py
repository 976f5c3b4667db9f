"""`agentbbs play`: a complete client, with the house bots as players."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from agentbbs.commands import output
from agentbbs.commands.failure import Failed

if TYPE_CHECKING:
    from agentbbs.client import MatchResult, Venue
    from agentbbs.commands.agent import Plan

INTERRUPTED: Final = 130
"""The exit code when a signal came before the last match: 128 + SIGINT."""


def play(
    url: Annotated[
        str,
        typer.Argument(
            metavar="URL",
            help="The venue, e.g. ws://127.0.0.1:8090 (with or without /play) or ssh://game@127.0.0.1:2222.",
        ),
    ],
    game: Annotated[str, typer.Option("--game", "-g", help="The game's id or alias, e.g. ttt or c4.")],
    bot: Annotated[str, typer.Option("--bot", "-b", help="Who plays: random, greedy or minimax.")] = "minimax",
    matches: Annotated[int, typer.Option("--matches", "-n", min=0, help="How many; 0: until stopped.")] = 1,
    practice: Annotated[
        str | None, typer.Option("--practice", metavar="BOT", help="Play unrated against this bot of the house.")
    ] = None,
    budget: Annotated[
        float, typer.Option("--budget", min=0, help="Seconds a move; never over a third of what the clock has left.")
    ] = 1.0,
    pace: Annotated[
        float, typer.Option("--pace", min=0, help="Move no sooner than after so many seconds, for people who watch.")
    ] = 0.0,
    seed: Annotated[int | None, typer.Option("--seed", help="Make the bot's chance repeatable.")] = None,
    token_file: Annotated[
        Path | None, typer.Option("--token-file", help="Read the token from this file, not from AGENTBBS_TOKEN.")
    ] = None,
    token: Annotated[
        str | None, typer.Option("--token", help="The token. Others on this machine can see it in the process list.")
    ] = None,
    identity: Annotated[
        Path | None, typer.Option("--identity", "-i", help="Over SSH: the private key; else those of ~/.ssh.")
    ] = None,
    known_hosts: Annotated[
        Path | None, typer.Option("--known-hosts", help="Over SSH: whom to trust; else ~/.ssh/known_hosts.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a match on stdout.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress on stderr.")] = False,
) -> None:
    """Play rated matches at a venue, with a bot of the house.

    Results go to stdout, progress to stderr. The first Ctrl-C lets the match that is on be finished, the
    second resigns it. Exit codes: 0 all matches were played; 1 the venue refused, found no opponent or was
    lost; 2 wrong call; 130 stopped before the last match.

    \b
    Examples:
      agentbbs play ws://127.0.0.1:8090 -g ttt
      agentbbs play wss://example.org -g c4 -b greedy -n 0 --token-file ada.token
      agentbbs play ssh://game@example.org:2222 -g c4 -i ~/.ssh/id_ed25519
    """
    plan = _plan(game, bot, matches, practice, budget, seed, pace)
    if url.startswith("ssh:"):
        venue = _venue_over_ssh(url, identity, known_hosts)
    else:
        venue = _venue(url, _token(token, token_file))
    _run(plan, venue, as_json=as_json, quiet=quiet)


def _plan(
    game: str, bot: str, matches: int, practice: str | None, budget_s: float, seed: int | None, pace_s: float
) -> Plan:
    from agentbbs.bots import catalog as bots  # noqa: PLC0415
    from agentbbs.commands.agent import Plan  # noqa: PLC0415
    from agentbbs.games import catalog as games  # noqa: PLC0415

    try:
        return Plan(games.find(game), bots.find(bot), matches, practice, budget_s, seed, pace_s)
    except (games.UnknownGame, bots.UnknownBot) as unknown:
        raise typer.BadParameter(str(unknown)) from unknown


def _token(token: str | None, file: Path | None) -> str | None:
    """The token of the options, None to leave it to the environment."""
    if file is None:
        return token
    if token is not None:
        raise typer.BadParameter("--token and --token-file exclude each other")
    try:
        found = file.read_text().strip()
    except (OSError, UnicodeDecodeError) as fault:
        raise typer.BadParameter(f"the token file can't be read: {fault}") from fault
    if not found:
        raise typer.BadParameter(
            f"the token file {file} is empty: put the output of `agentbbs mint-token NAME` into it"
        )
    return found


def _venue(url: str, token: str | None) -> Venue:
    from agentbbs.client import BadAddress, Unauthorized, connect  # noqa: PLC0415

    try:
        return connect(url, token=token)
    except (BadAddress, Unauthorized) as fault:
        raise typer.BadParameter(str(fault)) from fault


def _venue_over_ssh(url: str, identity: Path | None, known_hosts: Path | None) -> Venue:
    from agentbbs.client import BadAddress, Venue  # noqa: PLC0415
    from agentbbs.commands.ssh_carrier import dialler  # noqa: PLC0415

    try:
        return Venue(dialler(url, identity, known_hosts))
    except BadAddress as fault:
        raise typer.BadParameter(str(fault)) from fault


def _run(plan: Plan, venue: Venue, *, as_json: bool, quiet: bool) -> None:
    import asyncio  # noqa: PLC0415

    from agentbbs.client import VenueError  # noqa: PLC0415
    from agentbbs.commands.agent import Agent, Stopped  # noqa: PLC0415

    def tell(line: str) -> None:
        if not quiet:
            output.note(line)

    agent = Agent(plan, tell, _show_json if as_json else _show)
    try:
        asyncio.run(agent.run(venue))
    except Stopped:
        if plan.matches:
            raise typer.Exit(INTERRUPTED) from None
    except VenueError as fault:
        raise Failed(str(fault)) from fault
    finally:
        if len(agent.results) > 1:
            tell(_summary(agent.results))


def _show_json(_: int, result: MatchResult) -> None:
    output.json_value(result)


def _show(number: int, result: MatchResult) -> None:
    rating = f"rating {result.rating_before} -> {result.rating}" if result.rated else f"unrated ({result.why})"
    reason = f", {result.reason}" if result.reason else ""
    line = f"{number}: {result.outcome} against {result.opponent}, {len(result.moves)} plies{reason}, {rating}"
    print(output.cell(f"{line}, match {result.match}"), flush=True)  # who follows a long run wants each line now


def _summary(results: list[MatchResult]) -> str:
    counts = {kind: sum(one.outcome == kind for one in results) for kind in ("win", "draw", "loss", "void")}
    return f"{len(results)} matches: " + ", ".join(f"{count} {kind}" for kind, count in counts.items() if count)
