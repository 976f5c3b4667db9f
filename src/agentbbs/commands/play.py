"""`agentbbs play`: a complete client, with the house bots as players."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

if TYPE_CHECKING:
    from agentbbs.client import MatchResult, Venue
    from agentbbs.commands.agent import Plan

OK, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 130
"""Exit codes: all was played; the venue refused or was lost; wrong call; a signal came first (128 + SIGINT)."""


def play(
    url: Annotated[str, typer.Argument(help="The venue, e.g. ws://127.0.0.1:8090/play (/play may be left out).")],
    game: Annotated[str, typer.Option("--game", "-g", help="The game's id or alias: ttt, c4, …")],
    bot: Annotated[str, typer.Option("--bot", "-b", help="Who plays: random, greedy or minimax.")] = "minimax",
    matches: Annotated[int, typer.Option("--matches", "-n", min=0, help="How many; 0: until stopped.")] = 1,
    practice: Annotated[
        str | None, typer.Option("--practice", metavar="BOT", help="Play unrated against this bot of the house.")
    ] = None,
    budget: Annotated[
        float, typer.Option("--budget", min=0, help="Seconds a move; never over a third of the clock.")
    ] = 1.0,
    seed: Annotated[int | None, typer.Option("--seed", help="Make the bot's chance repeatable.")] = None,
    token_file: Annotated[
        Path | None, typer.Option("--token-file", help="Read the token from this file; else AGENTBBS_TOKEN.")
    ] = None,
    token: Annotated[
        str | None, typer.Option("--token", help="The token. Others on this machine can see it in the process list.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a match on stdout.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress on stderr.")] = False,
) -> None:
    """Play rated matches at a venue with a bot of the house.

    Results go to stdout, progress to stderr.

    The first Ctrl-C lets the match that is on be finished, the second resigns it.

    Exit codes: 0 played, 1 refused, no opponent or lost, 2 wrong call, 130 stopped early.

    Example: agentbbs play ws://127.0.0.1:8090 -g c4 -n 10 --token-file alice.token
    """
    plan = _plan(game, bot, matches, practice, budget, seed)
    venue = _venue(url, _token(token, token_file))
    raise typer.Exit(_run(plan, venue, as_json=as_json, quiet=quiet))


def _plan(game: str, bot: str, matches: int, practice: str | None, budget_s: float, seed: int | None) -> Plan:
    from agentbbs.bots import catalog as bots  # noqa: PLC0415 - heavy, as are all imports below
    from agentbbs.commands.agent import Plan  # noqa: PLC0415
    from agentbbs.games import catalog as games  # noqa: PLC0415

    try:
        return Plan(games.find(game), bots.find(bot), matches, practice, budget_s, seed)
    except (games.UnknownGame, bots.UnknownBot) as unknown:
        _fail(USAGE, f"{unknown}.")


def _token(token: str | None, file: Path | None) -> str | None:
    """The token of the options, None to leave it to the environment."""
    if file is None:
        return token
    if token is not None:
        _fail(USAGE, "Give --token or --token-file, not both.")
    try:
        found = file.read_text().strip()
    except (OSError, UnicodeDecodeError) as fault:
        _fail(USAGE, f"The token file can't be read: {fault}.")
    if not found:
        _fail(USAGE, f"The token file {file} is empty: put the output of `agentbbs mint-token NAME` into it.")
    return found


def _venue(url: str, token: str | None) -> Venue:
    from agentbbs.client import BadAddress, Unauthorized, connect  # noqa: PLC0415

    try:
        return connect(url, token=token)
    except (BadAddress, Unauthorized) as fault:
        _fail(USAGE, str(fault))


def _run(plan: Plan, venue: Venue, *, as_json: bool, quiet: bool) -> int:
    import asyncio  # noqa: PLC0415

    from agentbbs.client import VenueError  # noqa: PLC0415
    from agentbbs.commands.agent import Agent, Stopped  # noqa: PLC0415

    def tell(line: str) -> None:
        if not quiet:
            _say(line)

    agent = Agent(plan, tell, _show_json if as_json else _show)
    code = OK
    try:
        asyncio.run(agent.run(venue))
    except Stopped:
        code = OK if plan.matches == 0 else INTERRUPTED
    except VenueError as fault:
        _say(f"agentbbs play: {fault}")
        code = FAILED
    if len(agent.results) > 1:
        tell(_summary(agent.results))
    return code


def _show_json(_: int, result: MatchResult) -> None:
    import msgspec  # noqa: PLC0415

    typer.echo(msgspec.json.encode(result).decode())


def _show(number: int, result: MatchResult) -> None:
    from agentbbs.inert import inert  # noqa: PLC0415

    rating = f"rating {result.rating_before} -> {result.rating}" if result.rated else f"unrated ({result.why})"
    reason = f", {result.reason}" if result.reason else ""
    line = f"{number}: {result.outcome} against {result.opponent}, {len(result.moves)} plies{reason}, {rating}"
    typer.echo(inert(f"{line}, match {result.match}"))


def _summary(results: list[MatchResult]) -> str:
    counts = {kind: sum(one.outcome == kind for one in results) for kind in ("win", "draw", "loss", "void")}
    return f"{len(results)} matches: " + ", ".join(f"{count} {kind}" for kind, count in counts.items() if count)


def _say(line: str) -> None:
    """A line on stderr; what came from outside may be in it."""
    from agentbbs.inert import inert  # noqa: PLC0415

    typer.echo(inert(line), err=True)


def _fail(code: int, line: str) -> NoReturn:
    _say(f"agentbbs play: {line}")
    raise typer.Exit(code)
