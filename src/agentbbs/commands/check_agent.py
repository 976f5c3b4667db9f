"""`agentbbs check-agent URL`: what an agent will meet at a venue, from its owner's own machine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from agentbbs.commands import output
from agentbbs.commands.failure import Failed

if TYPE_CHECKING:
    from agentbbs.commands.agent_checkup import Checkup, Report
    from agentbbs.protocol.signing import Signer
    from agentbbs.referee.rehearsal import Rehearsed
    from agentbbs.referee.situation_check import Finding

MAX_SECRET_FILE_BYTES: Final = 4 * 1024
"""One line of at most 100 characters; more is another file."""


def check_agent(
    url: Annotated[
        str,
        typer.Argument(
            metavar="URL", help="The agent's endpoint: https://…, or http:// to localhost or a loopback address."
        ),
    ],
    game: Annotated[str, typer.Option("--game", "-g", help="The game's name, id or alias.")] = "connect4",
    bot: Annotated[str, typer.Option("--bot", "-b", help="Against whom: random, greedy or minimax.")] = "greedy",
    matches: Annotated[int, typer.Option("--matches", "-n", min=0, help="How many, the sides in turn.")] = 2,
    faults: Annotated[bool, typer.Option("--faults", help="Put the agent into odd situations, too.")] = False,
    secret_file: Annotated[
        Path | None,
        typer.Option("--secret-file", metavar="FILE", help="Sign requests with the secret in this file (whsec_…)."),
    ] = None,
    secret: Annotated[
        str | None,
        typer.Option("--secret", help="The secret. Others on this machine can see it in the process list."),
    ] = None,
    ca_file: Annotated[
        Path | None, typer.Option("--ca-file", metavar="FILE", help="Trust the authorities in this file (PEM), too.")
    ] = None,
    deadline_ms: Annotated[int, typer.Option("--deadline-ms", min=1, help="The agent's time for one answer.")] = 10_000,
    as_json: Annotated[bool, typer.Option("--json", help="The report as one JSON object on stdout.")] = False,
) -> None:
    """Check an agent of Agent Arena: the referee of a venue, the same protocol, nothing at stake.

    Plays unrated matches against a bot of the house and tells each strike with its remedy; with --faults it goes
    through odd situations (a position asked again, a short deadline, every end of a match, …) row by row. Exit
    codes: 0 it never struck, and no situation failed; 1 it did; 2 wrong call.

    \b
    Examples:
      agentbbs check-agent http://127.0.0.1:8080/
      agentbbs check-agent https://agent.example/play --faults --json
    """
    import asyncio  # noqa: PLC0415

    from agentbbs import logs  # noqa: PLC0415
    from agentbbs.commands.agent_checkup import run  # noqa: PLC0415

    logs.configure("console", "warning")
    checkup = _checkup(game, bot, matches, faults, deadline_ms, _signers(secret, secret_file))
    report = asyncio.run(run(_with_path(url), checkup, ca_file, quiet=as_json, told=_told(as_json)))
    if as_json:
        output.json_value(report.as_json())
    else:
        _sum_up(report)
    if not report.sound:
        raise typer.Exit(1)


def _checkup(game: str, bot: str, matches: int, faults: bool, deadline_ms: int, signers: tuple[Signer, ...]) -> Checkup:
    from agentbbs.bots import catalog as bots  # noqa: PLC0415
    from agentbbs.commands.agent_checkup import Checkup  # noqa: PLC0415
    from agentbbs.games import catalog as games  # noqa: PLC0415
    from agentbbs.protocol.arena_board import game_named  # noqa: PLC0415

    if not matches and not faults:
        raise typer.BadParameter("nothing to check: ask for --matches, for --faults, or for both")
    try:
        return Checkup(game_named(game), bots.find(bot).name, matches, faults, deadline_ms, signers)
    except (games.UnknownGame, bots.UnknownBot) as unknown:
        raise typer.BadParameter(str(unknown)) from unknown


def _signers(secret: str | None, file: Path | None) -> tuple[Signer, ...]:
    from agentbbs.protocol.signing import PRIVATE, PUBLIC, Scheme, Signer, WrongKey  # noqa: PLC0415

    if file is not None:
        if secret is not None:
            raise typer.BadParameter("--secret and --secret-file exclude each other")
        secret = read_secret(file)
    if secret is None:
        return ()
    if secret.startswith(PUBLIC):
        raise typer.BadParameter(
            f"{PUBLIC}… is the key that your agent checks with; requests are signed with a {PRIVATE}… key, which only "
            "the venue has: let your agent take a test secret (whsec_…) as well"
        )
    try:
        return (Signer(Scheme.ED25519 if secret.startswith(PRIVATE) else Scheme.HMAC, secret),)
    except WrongKey as fault:
        raise typer.BadParameter(f"the secret can't be used: {fault}") from fault


def read_secret(file: Path) -> str:
    """The first line of a file that holds a secret. Raises OSError, Failed."""
    with file.open("rb") as opened:
        text = opened.read(MAX_SECRET_FILE_BYTES).partition(b"\n")[0].decode("utf-8", "replace").strip()
    if not text:
        raise Failed(f"{file} is empty: put the secret (whsec_…) into its first line")
    return text


def _with_path(url: str) -> str:
    """A URL as it is typed: the slash after the host may be missing."""
    scheme, found, rest = url.partition("://")
    return f"{url}/" if found and rest and not set(rest) & set("/?#\\") else f"{scheme}{found}{rest}"


class _told:  # noqa: N801 - three functions that share whether they speak
    """Tells a person each thing as it is found; silent with --json."""

    def __init__(self, silent: bool) -> None:
        self._silent = silent

    def note(self, sentence: str) -> None:
        """A line for people."""
        output.note(sentence)

    def match(self, number: int, rehearsed: Rehearsed) -> None:
        """A match is over."""
        if not self._silent:
            for line in _match_lines(number, rehearsed):
                print(line, flush=True)

    def finding(self, finding: Finding) -> None:
        """A situation was gone through."""
        if not self._silent:
            for line in _finding_lines(finding):
                print(line, flush=True)


def _match_lines(number: int, rehearsed: Rehearsed) -> list[str]:
    from agentbbs.protocol.arena_board import SIDES, arena_name, game_named  # noqa: PLC0415
    from agentbbs.protocol.strikes import STRIKES, StrikeRow  # noqa: PLC0415

    match = rehearsed.match
    strikes = rehearsed.strikes
    opponent = match.players[1 - rehearsed.seat].name
    times = (
        "no answer" if rehearsed.p50_ms is None else f"answers {rehearsed.p50_ms} ms median, {rehearsed.max_ms} ms max"
    )
    reason = f" ({match.reason})" if match.reason else ""
    head = (
        f"match {number}: {arena_name(game_named(match.game))} as {SIDES[rehearsed.seat]} against {opponent}: "
        f"{rehearsed.outcome}{reason} in {len(match.plies)} plies, {_count(len(strikes), 'strike')}, {times}"
    )
    lines = [output.cell(head)]
    for struck in strikes:
        strike, info = struck.strike, STRIKES[StrikeRow(struck.strike.kind)]
        offered = "" if strike.offered is None else f", offered {strike.offered!r}"
        detail = "" if strike.detail is None else f": {strike.detail}"
        text = f"  strike at move {struck.move_number}: {strike.kind} after {strike.ms} ms{offered}{detail}"
        lines += [output.cell(text), output.cell(f"    remedy: {info.remedy}")]
    return lines


_MARKS: Final = {"pass": "ok  ", "note": "note", "fail": "FAIL", "skipped": "skip"}


def _finding_lines(finding: Finding) -> list[str]:
    remark = f" - {finding.remark}" if finding.remark else ""
    took = "" if finding.ms is None else f" ({finding.ms} ms)"
    lines = [output.cell(f"{_MARKS[finding.verdict]}  {finding.name}: {finding.says}{took}{remark}")]
    if finding.row is not None:
        lines.append(output.cell(f"      {finding.row}: {finding.detail}"))
        lines.append(output.cell(f"      remedy: {finding.remedy}"))
    return lines


def _sum_up(report: Report) -> None:
    parts = []
    if report.matches:
        parts.append(f"{_count(report.strikes, 'strike')} in {_count(len(report.matches), 'match', 'matches')}")
    if report.findings:
        parts.append(f"{report.failed} of {len(report.findings)} situations failed")
    output.note(f"{'sound' if report.sound else 'not sound'}: {', '.join(parts)}")
    if report.hint is not None:
        output.note(report.hint)


def _count(number: int, one: str, many: str | None = None) -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"
