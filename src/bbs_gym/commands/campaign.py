"""`campaign`: many matches in a fair schedule, in worker processes or over Ray."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tty_agent.commands import output
from tty_agent.commands.command_line import FAILED, SIGNALLED
from tty_agent.commands.failure import Failed
from tty_agent.commands.figures import dollars

if TYPE_CHECKING:
    from bbs_gym.campaign.campaign import MakeCrew
    from bbs_gym.campaign.events import CampaignLine
    from bbs_gym.campaign.schedule import Schedule
    from bbs_gym.campaign.settings import CampaignSettings
    from bbs_gym.campaign.standing import Standing
    from bbs_gym.campaign.summary import Summary

CAMPAIGNS_DIR = Path("runtime/campaigns")

MAX_WORKERS = 1024
"""A machine that can do more is a cluster."""


def campaign(
    *,
    config: Annotated[Path, typer.Argument(metavar="CONFIG", help="The campaign, a TOML or JSON file.")],
    workers: Annotated[
        int, typer.Option("--workers", metavar="N", min=1, max=MAX_WORKERS, help="Matches at the same time.")
    ] = 1,
    ray: Annotated[
        str | None,
        typer.Option("--ray", metavar="ADDRESS", help="Play them over Ray there: auto, HOST:PORT, ray://HOST:PORT."),
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option("--folder", metavar="DIR", help=f"For the campaign; left out: {CAMPAIGNS_DIR}/ and its name."),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the campaign that was begun there.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Check the file and show the schedule; nothing is started.")
    ] = False,
    max_cost: Annotated[
        float | None,
        typer.Option("--max-cost", metavar="USD", min=0.0, callback=dollars, help="Begin no match beyond that."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The schedule or the summary as one JSON object.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No line for each match.")] = False,
) -> None:
    """Play a campaign: many matches in a fair schedule, each from a fresh BBS, each scored.

    Who meets whom, seats, order and seeds are balanced, and the same file gives the same schedule. A match that the
    machine spoils is played again, and counts for nobody if that does not help. Whatever ends the campaign, a kill too,
    --resume goes on with it; finished matches are never played again. The exit code is 0 when all were finished, and 1
    when some are void or left.

    \b
    Examples:
      bbs-gym campaign spring.toml --dry-run
      bbs-gym campaign spring.toml --workers 4 --max-cost 20
      bbs-gym campaign spring.toml --workers 64 --ray auto --resume
    """
    settings = _settings(config)
    place = folder or _place(settings)
    if dry_run:
        _show_schedule(settings, as_json=as_json)
        return
    standing = _play(
        settings,
        place,
        make_crew=_crew(workers, ray),
        base=config.parent.absolute(),
        resume=resume,
        max_cost_usd=max_cost,
        quiet=quiet,
    )
    _show(standing, place, as_json=as_json)
    if standing.left():
        output.note(f"error: {standing.left()} matches are left: go on by --resume, with a higher --max-cost")
        raise typer.Exit(FAILED)
    if standing.void:
        output.note(f"error: {len(standing.void)} matches are void: `why` of {place}/campaign.jsonl says what failed")
        raise typer.Exit(FAILED)


def _settings(config: Path) -> CampaignSettings:
    from bbs_gym.campaign.config import BadCampaign, read_campaign  # noqa: PLC0415 - not for the help

    try:
        return read_campaign(config)
    except BadCampaign as fault:
        for line in fault.faults[:-1]:
            output.note(f"error: {line}")
        raise Failed(fault.faults[-1]) from fault


def _place(settings: CampaignSettings) -> Path:
    from bbs_gym.campaign.schedule import plain_name  # noqa: PLC0415 - as above

    return CAMPAIGNS_DIR / plain_name(settings.name)


def _crew(workers: int, ray: str | None) -> MakeCrew:
    from bbs_gym.campaign.task import Crew  # noqa: PLC0415 - as above

    def make(lock: int) -> Crew:
        if ray is not None:
            from bbs_gym.campaign.ray_workers import RayCrew  # noqa: PLC0415 - an extra

            return RayCrew(ray, workers)
        from bbs_gym.campaign.workers import LocalCrew  # noqa: PLC0415

        return LocalCrew(workers, lock=lock)

    return make


def _play(settings: CampaignSettings, place: Path, *, quiet: bool, **rest: Any) -> Standing:
    import asyncio  # noqa: PLC0415 - not for the help

    from bbs_gym.campaign.campaign import run_campaign  # noqa: PLC0415 - heavy, as is what follows
    from bbs_gym.campaign.journal import CampaignFault  # noqa: PLC0415
    from bbs_gym.campaign.schedule import make_schedule  # noqa: PLC0415
    from bbs_gym.commands.signals import cancelled_by_signals  # noqa: PLC0415
    from tty_agent.commands import event_loop  # noqa: PLC0415

    stopped: list[int] = []
    watch = None if quiet else Progress(output.note, make_schedule(settings), place)

    async def run() -> Standing:
        with cancelled_by_signals(stopped):
            return await run_campaign(settings, place, rest.pop("make_crew"), watch=watch, **rest)

    try:
        with contextlib.redirect_stdout(sys.stderr):  # Ray prints what it has to say of its nodes
            return event_loop.run(run())
    except CampaignFault as fault:
        raise Failed(str(fault)) from fault
    except (asyncio.CancelledError, KeyboardInterrupt):
        output.note(f"stopped: go on by --resume; what was played is in {place}")
        raise typer.Exit(SIGNALLED + (stopped[0] if stopped else 2)) from None


class Progress:
    """The journal of a campaign as people follow it: a line an event, with how far it has come."""

    def __init__(self, tell: Callable[[str], None], schedule: Schedule, place: Path) -> None:
        from bbs_gym.campaign.journal import FILE_NAME, read_lines  # noqa: PLC0415 - not for the help
        from bbs_gym.campaign.standing import Standing  # noqa: PLC0415

        journal = place / FILE_NAME
        self._tell = tell
        self._matches = {match.match_id: match for match in schedule.matches}
        self._standing = Standing(schedule)
        if journal.exists():
            for line in read_lines(journal):
                self._standing.take(line)

    def __call__(self, line: CampaignLine) -> None:
        """Tell it."""
        self._standing.take(line)
        far, data = self._far(), line.data
        match line.event:
            case "planned":
                self._tell(f"{data['name']}: {data['matches']} matches, schedule {data['schedule_sha256'][:12]}")
            case "resumed":
                self._tell(f"goes on: {far}")
            case "model_swapped":
                self._tell(f"{data['agent_id']} plays with {data['new']} from now on, before with {data['old']}")
            case "started" if line.match is not None:
                seats = self._matches[line.match].seats
                who = " - ".join(f"{one.agent_id}{f' ({one.model})' if one.model else ''}" for one in seats)
                self._tell(f"{line.match} begins: {who}, seed {self._matches[line.match].seed}")
            case "finished":
                self._tell(f"{line.match} finished ({data['stopped_by']}); {far}")
            case "requeued" | "void":
                again = "is played anew" if line.event == "requeued" else "is void"
                self._tell(f"{line.match} {again}: {data.get('why', '')}; {far}")
            case "stopped":
                self._tell(f"stopped ({data['why']}): {far}")
            case _:
                self._tell(f"completed: {far}")

    def _far(self) -> str:
        standing = self._standing
        void = f", {len(standing.void)} void" if standing.void else ""
        running = f", {len(standing.running)} on" if standing.running else ""
        return f"{len(standing.finished)} of {len(self._matches)} finished{void}{running}, USD {standing.cost_usd:.4f}"


def _show_schedule(settings: CampaignSettings, *, as_json: bool) -> None:
    from bbs_gym.campaign.balance import balance  # noqa: PLC0415 - not for the help
    from bbs_gym.campaign.schedule import make_schedule  # noqa: PLC0415

    schedule = make_schedule(settings)
    even = balance(schedule)
    if as_json:
        output.json_value({"schedule": schedule, "balance": even})
        return
    rows = [
        (
            match.number,
            settings.turns[match.turn - 1].name,
            match.round,
            match.variant,
            match.seed,
            " - ".join(f"{one.agent_id}{f' ({one.model})' if one.model else ''}" for one in match.seats),
        )
        for match in schedule.matches
    ]
    output.table(("MATCH", "TURN", "ROUND", "VARIANT", "SEED", "SEATS"), rows)
    output.line()
    output.table(
        ("AGENT", "MODEL", "MATCHES", "IN EACH SEAT", "RIVALS", "MEETINGS WITH EACH"),
        [
            (
                one.agent_id,
                one.model,
                one.matches,
                " ".join(map(str, one.seats)),
                one.rivals,
                f"{one.fewest_meetings}-{one.most_meetings}"
                if one.fewest_meetings != one.most_meetings
                else str(one.most_meetings),
            )
            for one in even
        ],
    )
    for swap in schedule.swaps:
        output.line(f"turn {settings.turns[swap.turn - 1].name}: {swap.agent_id} from {swap.old} to {swap.new}")
    output.line(f"{len(schedule.matches)} matches, schedule {schedule.sha256}")


def _show(standing: Standing, place: Path, *, as_json: bool) -> None:
    from bbs_gym.campaign.summary import summarize, write_summary  # noqa: PLC0415 - not for the help

    summary = summarize(standing, place)
    written = write_summary(summary, place)
    if as_json:
        output.json_value(summary)
        return
    _show_scores(summary)
    void = f", {len(summary.void)} void" if summary.void else ""
    output.line(
        f"{summary.finished} of {summary.matches} matches finished{void}, {summary.spoilt} attempts spoilt,"
        f" USD {summary.cost_usd:.4f}"
    )
    for match_id in summary.unscored:
        output.note(f"{match_id} has no score: bbs-gym score {place / 'matches' / match_id}")
    output.line(f"summary: {written}")


def _show_scores(summary: Summary) -> None:
    from bbs_gym.scoring.plots import told  # noqa: PLC0415

    rows = [
        (
            row.name,
            row.runs,
            row.void,
            "  ".join(f"{game} {told(interval)}" for game, interval in row.skill.items()),
            told(row.rank),
            told(row.passed),
            told(row.cost_usd),
        )
        for row in summary.scores.by_model
    ]
    output.table(("MODEL", "RUNS", "VOID", "SCORE", "RANK", "CHECKS PASSED", "COST USD"), rows)
