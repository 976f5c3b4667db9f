"""`score`: what runs are worth, as `score.json` in each, and side by side."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bbs_gym.commands.check_lines import check_lines
from tty_agent.commands import model_choice as model_options
from tty_agent.commands import output
from tty_agent.commands.command_line import FAILED
from tty_agent.commands.failure import Failed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bbs_gym.scoring.human import HumanJudgement
    from bbs_gym.scoring.result import MatchScore
    from bbs_gym.scoring.rubric import Rubric
    from bbs_gym.scoring.table import Row, Table
    from tty_agent.models.catalog import ModelConfig

Folders = Annotated[
    list[Path], typer.Argument(metavar="FOLDER...", help="Folders of runs, or folders with runs in them.")
]
JudgeSpec = Annotated[
    str | None, typer.Option("--judge", metavar="MODEL", help=f"Who judges: {model_options.FORMS}. Needs --rubric.")
]
JudgeConfig = Annotated[
    Path | None, typer.Option("--judge-config", metavar="FILE", help="A TOML or JSON file with all settings of it.")
]
Rubrics = Annotated[
    list[Path] | None,
    typer.Option("--rubric", metavar="FILE", help="A TOML or JSON file; may be given more than once."),
]
HumanFile = Annotated[
    Path | None, typer.Option("--human", metavar="FILE", help="Judgements of people, a JSON or CSV file.")
]
HtmlFile = Annotated[Path | None, typer.Option("--html", metavar="FILE", help="The comparison as a web page.")]


def score(
    *,
    folders: Folders,
    html: HtmlFile = None,
    judge: JudgeSpec = None,
    judge_config: JudgeConfig = None,
    rubric: Rubrics = None,
    human: HumanFile = None,
    base_url: model_options.BaseUrl = None,
    api_key_env: model_options.ApiKeyEnv = None,
    response_filter: model_options.ResponseFilter = None,
    temperature: model_options.Temperature = None,
    as_json: Annotated[bool, typer.Option("--json", help="Scores and table as one JSON object.")] = False,
) -> None:
    """Score runs: native scores, declared checks, judgements. Each gets a score.json; then they are compared.

    What the match kept of the BBS is used, so the BBS need not run. A judge is asked what it was not asked before.

    \b
    Examples:
      bbs-gym score runtime/runs/duel-1
      bbs-gym score runtime/runs --html scores.html
      bbs-gym score runtime/runs/talk-1 --judge openai:MODEL --base-url http://127.0.0.1:8000/v1 --rubric polite.toml
    """
    from bbs_gym.scoring.table import compare  # noqa: PLC0415 - not for the help
    from tty_agent.commands import event_loop  # noqa: PLC0415

    config = _judge(
        judge,
        judge_config,
        rubric or [],
        base_url=base_url,
        api_key_env=api_key_env,
        response_filter=response_filter,
        temperature=temperature,
    )
    rubrics, rows = _read_questions(rubric or [], human)
    scores = event_loop.run(_scores(_runs(folders), config, rubrics, rows))
    table = compare(scores)
    if html is not None:
        _write_page(html, table)
    if as_json:
        output.json_value({"scores": scores, "table": table})
    else:
        _show(scores, table)
    for one in scores:
        for fault in (*one.extra.get("faults", ()), *one.extra.get("unjudged", ())):
            output.note(f"{one.match_id}: {fault}")
    if any(one.extra.get("unjudged") for one in scores):
        output.note("what the judge did not answer is asked again by the same command")
        raise typer.Exit(FAILED)


async def _scores(
    folders: Sequence[Path], config: ModelConfig | None, rubrics: Sequence[Rubric], human: Sequence[HumanJudgement]
) -> list[MatchScore]:
    from bbs_gym.scoring.judge import Judge  # noqa: PLC0415
    from bbs_gym.scoring.runs import RunFault  # noqa: PLC0415
    from bbs_gym.scoring.score_run import score_run  # noqa: PLC0415
    from tty_agent.models.catalog import make_model  # noqa: PLC0415

    model = make_model(config) if config is not None else None
    try:
        judges = [Judge(model, one) for one in rubrics] if model is not None else []
        return [await score_run(folder, judges=judges, human=human) for folder in folders]
    except RunFault as fault:
        raise Failed(str(fault)) from fault
    finally:
        if model is not None:
            await model.close()


def _runs(folders: Sequence[Path]) -> list[Path]:
    from bbs_gym.scoring.runs import RunFault, run_folders  # noqa: PLC0415

    found: dict[Path, Path] = {}
    for folder in folders:
        try:
            runs = run_folders(folder)
        except RunFault as fault:
            raise Failed(str(fault)) from fault
        if not runs:
            raise Failed(f"{folder} has no run in it: give the folder of a run, or one with folders of runs")
        found.update((one.resolve(), one) for one in runs)
    return list(found.values())


def _judge(spec: str | None, config_file: Path | None, rubrics: Sequence[Path], **settings: Any) -> ModelConfig | None:
    """Who judges. Raises BadParameter; a judge without a question, and a question without a judge, are mistakes."""
    if spec is None and config_file is None:
        given = [f"--{name.replace('_', '-')}" for name, value in settings.items() if value is not None]
        for option in (*(["--rubric"] if rubrics else ()), *given):
            raise typer.BadParameter("it needs a judge: give --judge MODEL or --judge-config FILE", param_hint=option)
        return None
    if not rubrics:
        raise typer.BadParameter("a judge needs a question: give --rubric FILE", param_hint="--judge")
    try:
        return model_options.model_choice(spec, config_file, **settings)
    except typer.BadParameter as fault:
        hint = str(fault.param_hint or "--model").replace("--model", "--judge")
        raise typer.BadParameter(fault.message.replace("--model", "--judge"), param_hint=hint) from fault


def _read_questions(
    rubrics: Sequence[Path], human: Path | None
) -> tuple[tuple[Rubric, ...], tuple[HumanJudgement, ...]]:
    from bbs_gym.scoring.human import HumanFault, read_human  # noqa: PLC0415
    from bbs_gym.scoring.rubric import RubricFault, read_rubric  # noqa: PLC0415

    try:
        return tuple(read_rubric(path) for path in rubrics), read_human(human) if human is not None else ()
    except RubricFault as fault:
        raise typer.BadParameter(str(fault), param_hint="--rubric") from fault
    except HumanFault as fault:
        raise typer.BadParameter(str(fault), param_hint="--human") from fault


def _write_page(place: Path, table: Table) -> None:
    from bbs_gym.scoring.html import score_page  # noqa: PLC0415

    draft = place.with_name(f".{place.name}.{secrets.token_hex(4)}")
    try:
        draft.write_text(score_page(table, title=f"Scores of {table.runs} runs"), "utf-8")
        draft.replace(place)
    finally:
        draft.unlink(missing_ok=True)
    output.note(f"page: {place}")


def _show(scores: Sequence[MatchScore], table: Table) -> None:
    from bbs_gym.scoring.html import summary  # noqa: PLC0415

    for one in scores if len(scores) == 1 else ():
        _participants(one)
    output.line(summary(table))
    output.line()
    output.table(("MODEL", *_HEADER), [(row.name, *_figures(row)) for row in table.by_model])
    output.line()
    output.table(("AGENT", *_HEADER), [(row.name, *_figures(row)) for row in table.by_agent])


_HEADER = ("RUNS", "VOID", "SUSPECT", "SCORE", "RANK", "CHECKS PASSED", "MARKS", "COST USD")


def _figures(row: Row) -> tuple[object, ...]:
    from bbs_gym.scoring.plots import told  # noqa: PLC0415

    score = "  ".join(f"{game} {told(interval)}" for game, interval in row.skill.items())
    marks = "  ".join(f"{mark} {told(interval)}" for mark, interval in row.marks.items())
    return row.runs, row.void, row.suspect, score, told(row.rank), told(row.passed), marks, told(row.cost_usd)


def _participants(one: MatchScore) -> None:
    output.line(f"{one.match_id}  {one.name}  seed {one.seed}")
    output.table(
        ("AGENT", "MODEL", "ENDED", "SCORE", "RANK", "DECISIONS"),
        [
            (
                each.agent_id,
                each.model,
                f"void: {each.stop_reason}" if each.void else each.stop_reason,
                each.skill.score if each.skill else None,
                each.skill.rank if each.skill else None,
                each.decisions,
            )
            for each in one.participants
        ],
    )
    for line in check_lines(one.participants):
        output.line(line)
    for each in one.participants:
        for judged in each.judgements:
            against = f" against {judged.against}" if judged.against else ""
            doubt = ", the orders disagree" if judged.swapped_agree is False else ""
            output.line(f"{each.agent_id}  {judged.mark:g}{against}  {judged.rubric} by {judged.judge}{doubt}")
    output.line()
