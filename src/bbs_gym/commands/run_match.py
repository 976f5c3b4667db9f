"""`run-match`: several agents on one BBS, by a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bbs_gym.commands.check_lines import check_lines
from bbs_gym.commands.telling import telling
from tty_agent.commands import output
from tty_agent.commands.command_line import FAILED, SIGNALLED

if TYPE_CHECKING:
    from bbs_gym.commands.match_play import Scored
    from bbs_gym.match.settings import MatchSettings

RUNS_DIR = Path("runtime/runs")


def run_match(
    *,
    config: Annotated[Path, typer.Argument(metavar="CONFIG", help="The match, a TOML or JSON file.")],
    seed: Annotated[int | None, typer.Option("--seed", help="In place of the file's.")] = None,
    repeat: Annotated[int, typer.Option("--repeat", metavar="N", help="Play it N times, each with the next seed.")] = 1,
    max_cost: Annotated[
        float | None, typer.Option("--max-cost", metavar="USD", help="Of each match, in place of the file's.")
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option("--folder", metavar="DIR", help="For the run; with --repeat, for one folder a run in it."),
    ] = None,
    resume: Annotated[
        Path | None, typer.Option("--resume", metavar="FOLDER", help="Go on with the match there, which was killed.")
    ] = None,
    memory: Annotated[
        Path | None,
        typer.Option("--memory", metavar="DIR", help="The agents' campaign memories: read, and added to."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Check the file and show who would play what; nothing is started.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Outcome and score as one JSON object, a line a match.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No line for each event.")] = False,
) -> None:
    """Let several agents play on one BBS, against each other or side by side, and score them.

    Without a BBS in the file a private one is started for it and ended after it. The table of who did what goes to
    stdout, a line for each event to stderr. Everything is recorded in the run's folder, score.json too. The exit code
    is 0 when a match came to an end of its own, and 1 when the BBS, a provider or this machine made it void.

    \b
    Examples:
      bbs-gym run-match examples/gym/duel.toml
      bbs-gym run-match melee.toml --seed 7 --repeat 5 --max-cost 2.50
      bbs-gym run-match duel.toml --resume runtime/runs/20260131T140509-duel-1a2b3c
    """
    matches = _settings(config, seed=seed, repeat=repeat, max_cost=max_cost)
    if dry_run:
        _show_plan(matches, as_json=as_json)
        return
    if resume is not None and (repeat != 1 or folder is not None):
        raise typer.BadParameter(
            "it goes on in that folder, once: leave --repeat and --folder away", param_hint="--resume"
        )
    void = False
    for number, settings in enumerate(matches, 1):
        place = resume or _place(settings, folder, number if repeat != 1 else None)
        scored = _play(settings, place, resumes=resume is not None, memory=memory, quiet=quiet)
        _show(scored, as_json=as_json)
        void = void or scored.outcome.void
    if void:
        output.note("error: a match is void: see above what failed, mend it, and run it again")
        raise typer.Exit(FAILED)


def _settings(config: Path, *, seed: int | None, repeat: int, max_cost: float | None) -> tuple[MatchSettings, ...]:
    from bbs_gym.match.config import BadMatch, read_match, repeated, with_max_cost, with_seed  # noqa: PLC0415 - heavy
    from bbs_gym.scoring.checks import CheckFault, check_settings  # noqa: PLC0415
    from tty_agent.commands.failure import Failed  # noqa: PLC0415

    try:
        settings = read_match(config)
        check_settings(settings.checks)
        settings = settings if seed is None else with_seed(settings, seed)
        settings = settings if max_cost is None else with_max_cost(settings, max_cost)
        return repeated(settings, repeat)
    except BadMatch as fault:
        for line in fault.faults[:-1]:
            output.note(f"error: {line}")
        raise Failed(fault.faults[-1]) from fault
    except CheckFault as fault:
        raise Failed(f"{config.name}: {fault}") from fault


def _place(settings: MatchSettings, folder: Path | None, number: int | None) -> Path:
    from bbs_gym.match.run import new_match_id  # noqa: PLC0415 - not for the help

    if folder is None:
        return RUNS_DIR / new_match_id(settings.name)
    return folder if number is None else folder / f"{number:03d}"


def _play(settings: MatchSettings, folder: Path, *, resumes: bool, memory: Path | None, quiet: bool) -> Scored:
    from bbs_gym.commands.match_play import Interrupted, Progress, play  # noqa: PLC0415 - heavy, as is what follows
    from bbs_gym.match.config import BadMatch  # noqa: PLC0415
    from bbs_gym.match.journal import JournalFault  # noqa: PLC0415
    from bbs_gym.match.resume import CannotResume  # noqa: PLC0415
    from tty_agent.commands.failure import Failed  # noqa: PLC0415

    watch = None if quiet else Progress(output.note)
    try:
        with telling():
            return play(settings, folder, resume=resumes, memory=memory, watch=watch)
    except Interrupted as stopped:
        output.note(f"stopped: what was played is in {folder}")
        raise typer.Exit(SIGNALLED + stopped.number) from None
    except BadMatch as fault:
        for line in fault.faults[:-1]:
            output.note(f"error: {line}")
        raise Failed(fault.faults[-1]) from fault
    except (CannotResume, JournalFault) as fault:
        raise Failed(str(fault)) from fault


def _show(scored: Scored, *, as_json: bool) -> None:
    outcome = scored.outcome
    if as_json:
        from bbs_gym.match.manifest import plain  # noqa: PLC0415 - as above

        output.json_value(
            {"outcome": plain(outcome), "score": plain(scored.score), "score_path": str(scored.score_path)}
        )
        return
    skills = {one.agent_id: one.skill for one in scored.score.participants}
    rows = [
        (
            one.agent_id,
            one.model,
            f"{one.stop_reason}{' (void)' if one.void else ''}",
            one.decisions,
            one.validation_failures,
            one.tokens,
            f"{one.cost_usd:.4f}",
            skill.score if (skill := skills.get(one.agent_id)) is not None else None,
        )
        for one in outcome.participants
    ]
    output.table(("AGENT", "MODEL", "STOPPED", "DECISIONS", "FAILED", "TOKENS", "USD", "SCORE"), rows)
    rounds = f"{outcome.rounds} rounds, " if outcome.rounds else ""
    output.line(f"{outcome.stopped_by}: {rounds}{outcome.ticks} actions in {outcome.wall_seconds:.1f} s")
    for line in check_lines(scored.score.participants):
        output.line(line)
    if outcome.detail:
        output.note(outcome.detail)
    for one in outcome.participants:
        if one.infra_suspect:
            output.note(f"{one.agent_id}: the machine may be what was slow: {one.infra_suspect}")
    output.line(f"score: {scored.score_path}")


def _show_plan(matches: tuple[MatchSettings, ...], *, as_json: bool) -> None:
    from bbs_gym.commands.match_plan import plan  # noqa: PLC0415 - not for the help

    with telling():
        told = plan(matches)
    if as_json:
        output.json_value(told)
        return
    rows = [
        (one["agent_id"], one["alias"], one["model"], one["activity"], one["transport"], one["objective"])
        for one in told["participants"]
    ]
    output.table(("AGENT", "ALIAS", "MODEL", "PLAYS", "BY", "OBJECTIVE"), rows)
    output.line(
        f"{told['name']}: {told['scheduler']}, order {told['order']}, on {told['host']},"
        f" seed{'s' if len(told['seeds']) > 1 else ''} {', '.join(map(str, told['seeds']))}"
    )
