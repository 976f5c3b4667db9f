"""`runs list` and `runs show`: what is in the folders of runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tty_agent.commands import output
from tty_agent.commands.activity_choice import RUNS_DIR
from tty_agent.commands.failure import Failed

if TYPE_CHECKING:
    from bbs_gym.scoring.result import MatchScore
    from bbs_gym.scoring.runs import Run

Json = Annotated[bool, typer.Option("--json", help="As JSON.")]
RunsDir = Annotated[Path, typer.Option("--runs-dir", metavar="DIR", help="The folder with the folders of runs.")]


def runs() -> None:
    """The runs that were recorded: matches, and single agents.

    \b
    Example:
      bbs-gym runs list
    """


def list_runs(*, runs_dir: RunsDir = RUNS_DIR, as_json: Json = False) -> None:
    """List the runs, the oldest first; those that were killed or are still on, too.

    \b
    Example:
      bbs-gym runs list --runs-dir runtime/runs
    """
    from bbs_gym.scoring.runs import RunFault, read_run, run_folders  # noqa: PLC0415 - not for the help

    found: list[Run] = []
    notes: list[str] = []
    try:
        folders = run_folders(runs_dir)
    except RunFault as fault:
        raise Failed(str(fault)) from fault
    for folder in folders:
        try:
            found.append(read_run(folder))
        except RunFault as fault:
            notes.append(str(fault))
    found.sort(key=lambda run: (run.started_at, run.folder.name))
    if as_json:
        output.json_value([_told(run) for run in found])
    else:
        output.table(("RUN", "STARTED", "NAME", "SEED", "AGENTS", "VOID", "ENDED", "SCORED"), map(_row, found))
    for note in notes:
        output.note(note)


def show(
    *,
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run, or its name in --runs-dir.")],
    runs_dir: RunsDir = RUNS_DIR,
    as_json: Json = False,
) -> None:
    """Show one run: who took part, how it ended for each, its score, and what is damaged.

    \b
    Example:
      bbs-gym runs show duel-1
    """
    from bbs_gym.scoring.runs import RunFault, read_run, read_score  # noqa: PLC0415

    folder = run if run.is_dir() or len(run.parts) > 1 else runs_dir / run
    try:
        found, scored = read_run(folder), read_score(folder)
    except RunFault as fault:
        raise Failed(str(fault)) from fault
    if as_json:
        output.json_value({**_told(found), "score": scored})
        return
    output.line(f"{found.match_id}  {found.name}  seed {found.seed}")
    output.line(f"{found.started_at or 'start not recorded'}  {_ended(found)}")
    output.line()
    output.table(
        ("AGENT", "ALIAS", "MODEL", "ENDED", "DECISIONS", "FAILURES", "TOKENS", "COST USD", "SCORE", "RANK"),
        _participants(found, scored),
    )
    for one in found.participants:
        if one.detail:
            output.line(f"{one.agent_id}: {one.detail}")
        if one.infra_suspect:
            output.line(f"{one.agent_id}: the machine may have been slow: {one.infra_suspect}")
    for damage in found.faults:
        output.note(damage)
    if scored is None:
        output.note(f"not scored yet: bbs-gym score {folder}")


def _told(run: Run) -> dict[str, object]:
    import msgspec  # noqa: PLC0415

    from bbs_gym.scoring.runs import SCORE  # noqa: PLC0415

    fields = msgspec.structs.asdict(run)
    fields.pop("manifest")
    return fields | {"folder": str(run.folder), "scored": (run.folder / SCORE).is_file()}


def _row(run: Run) -> tuple[object, ...]:
    from bbs_gym.scoring.runs import SCORE  # noqa: PLC0415

    return (
        run.folder.name,
        run.started_at,
        run.name,
        run.seed,
        len(run.participants),
        sum(one.void for one in run.participants),
        _ended(run),
        "yes" if (run.folder / SCORE).is_file() else "no",
    )


def _ended(run: Run) -> str:
    if not run.finished:
        return "no end: killed or still running"
    reasons = {one.stop_reason for one in run.participants}
    return run.stopped_by or (next(iter(reasons)) if len(reasons) == 1 else "ended")


def _participants(run: Run, scored: MatchScore | None) -> list[tuple[object, ...]]:
    skill = {one.agent_id: one.skill for one in scored.participants} if scored is not None else {}
    rows: list[tuple[object, ...]] = []
    for one in run.participants:
        native = skill.get(one.agent_id)
        rows.append(
            (
                one.agent_id,
                one.alias,
                one.model,
                f"void: {one.stop_reason}" if one.void else one.stop_reason,
                one.decisions,
                one.validation_failures,
                one.tokens,
                None if one.cost_usd is None else f"{one.cost_usd:.4f}",
                native.score if native else None,
                native.rank if native else None,
            )
        )
    return rows
