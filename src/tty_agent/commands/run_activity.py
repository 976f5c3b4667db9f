"""`run-activity`: one agent at one terminal program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from tty_agent.commands import activity_choice as activities
from tty_agent.commands import model_choice as model_options
from tty_agent.commands import output
from tty_agent.commands import terminal_choice as terminal
from tty_agent.commands.command_line import FAILED, SIGNALLED

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tty_agent.activity.activity import ActivityProfile
    from tty_agent.activity.routes import RouteSet
    from tty_agent.commands.activity_run import RunRequest
    from tty_agent.prompts.prompts import DecisionPrompt
    from tty_agent.runner.result import RunResult


def run_activity(
    *,
    target: terminal.Target,
    model: model_options.Spec = None,
    activity: activities.Activity = activities.DEFAULT,
    objective: activities.Objective = "",
    max_ticks: activities.MaxTicks = None,
    max_seconds: activities.MaxSeconds = None,
    max_failures: activities.MaxFailures = None,
    max_tokens: activities.MaxTokens = None,
    max_cost: activities.MaxCost = None,
    done_when: activities.DoneWhen = None,
    failed_when: activities.FailedWhen = None,
    allow: activities.Allow = None,
    disable: activities.Disable = None,
    prompt_mode: activities.PromptModeName = None,
    prompt_layout: activities.PromptLayoutName = "timeline_first",
    agent_id: activities.AgentId = "agent-001",
    run_id: activities.RunId = None,
    runs_dir: activities.RunsDir = activities.RUNS_DIR,
    transcript: activities.TranscriptPath = None,
    campaign_memory: activities.CampaignMemory = None,
    png: activities.Png = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Connect, look once, print the exact first prompt; ask no model.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="The result as one JSON object.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No line for each step.")] = False,
    model_config: model_options.ConfigFile = None,
    base_url: model_options.BaseUrl = None,
    api_key_env: model_options.ApiKeyEnv = None,
    response_filter: model_options.ResponseFilter = None,
    temperature: model_options.Temperature = None,
    answer_tokens: model_options.AnswerTokens = None,
    extra_body: model_options.ExtraBody = None,
    stateful: model_options.Stateful = False,
    session_file: model_options.SessionFile = None,
    loop: model_options.Loop = False,
    dialect: terminal.DialectName = None,
    columns: terminal.Columns = terminal.COLUMNS,
    rows: terminal.Rows = terminal.ROWS,
    turn: terminal.TurnName = "fixed",
    quiet_ms: terminal.QuietMs = None,
    turn_timeout: terminal.TurnTimeout = None,
    user: terminal.User = None,
    password_env: terminal.PasswordEnv = None,
    password_file: terminal.PasswordFile = None,
    key_file: terminal.KeyFile = None,
    accept_new_host_key: terminal.AcceptNew = False,
    terminal_type: terminal.TerminalType = None,
) -> None:
    """Let a model use a terminal program, one JSON action a decision, and record everything.

    The result goes to stdout, a line for each step to stderr. The exit code is 0 when the run came to an end of its
    own, whatever the agent made of it, and 1 when it broke down (no connection, no model, a full disk). Ctrl-C ends
    it in order; the trace is kept.

    \b
    Examples:
      bbs-gym run-activity --target pty:bash --model scripted:replies.jsonl --activity shell
      bbs-gym run-activity --target pty:nethack --model openai:qwen3 --base-url http://127.0.0.1:8000/v1 \\
        --objective "reach the second level" --max-ticks 200
    """
    choice = terminal.TerminalChoice(
        target,
        dialect=dialect,
        columns=columns,
        rows=rows,
        turn=turn,
        quiet_ms=quiet_ms,
        turn_timeout=turn_timeout,
        user=user,
        secret_variable=password_env,
        secret_file=password_file,
        key_file=key_file,
        accept_new=accept_new_host_key,
        terminal_type=terminal_type,
    )
    run_at(
        choice,
        model=model,
        activity=activity,
        objective=objective,
        max_ticks=max_ticks,
        max_seconds=max_seconds,
        max_failures=max_failures,
        max_tokens=max_tokens,
        max_cost=max_cost,
        done_when=done_when,
        failed_when=failed_when,
        allow=allow,
        disable=disable,
        prompt_mode=prompt_mode,
        prompt_layout=prompt_layout,
        agent_id=agent_id,
        run_id=run_id,
        runs_dir=runs_dir,
        transcript=transcript,
        campaign_memory=campaign_memory,
        png=png,
        dry_run=dry_run,
        as_json=as_json,
        quiet=quiet,
        model_config=model_config,
        base_url=base_url,
        api_key_env=api_key_env,
        response_filter=response_filter,
        temperature=temperature,
        answer_tokens=answer_tokens,
        extra_body=extra_body,
        stateful=stateful,
        session_file=session_file,
        loop=loop,
    )


def run_at(
    place: terminal.Place,
    *,
    known: Mapping[str, ActivityProfile] | None = None,
    routes: RouteSet | None = None,
    registered: Mapping[str, Any] | None = None,
    model: str | None,
    activity: str,
    objective: str,
    max_ticks: int | None,
    max_seconds: float | None,
    max_failures: int | None,
    max_tokens: int | None,
    max_cost: float | None,
    done_when: list[str] | None,
    failed_when: list[str] | None,
    allow: list[str] | None,
    disable: list[str] | None,
    prompt_mode: str | None,
    prompt_layout: str,
    agent_id: str,
    run_id: str | None,
    runs_dir: Path,
    transcript: Path | None,
    campaign_memory: Path | None,
    png: bool,
    dry_run: bool,
    as_json: bool,
    quiet: bool,
    model_config: Path | None,
    base_url: str | None,
    api_key_env: str | None,
    response_filter: str | None,
    temperature: float | None,
    answer_tokens: int | None,
    extra_body: str | None,
    stateful: bool,
    session_file: str | None,
    loop: bool,
) -> None:
    """The command's work, wherever that is: its options but those of the terminal. `known`: the profiles that there
    are, in place of the generic ones. `routes`: the profile is chosen by these anew at each turn, as they are, and
    `activity` is their name. `registered`: the settings of the model, where the options name none."""
    from tty_agent.commands import activity_run  # noqa: PLC0415 - heavy, as is what follows
    from tty_agent.runner.record import RunIdentity  # noqa: PLC0415
    from tty_agent.runner.settings import RunSettings  # noqa: PLC0415

    chosen = model_options.model_choice(
        model,
        model_config,
        registered=registered or {},
        base_url=base_url,
        api_key_env=api_key_env,
        response_filter=response_filter,
        temperature=temperature,
        max_tokens=answer_tokens,
        extra_body=extra_body,
        stateful=stateful,
        session_file=session_file,
        loop=loop,
    )
    profile = (
        routes.default
        if routes is not None
        else activities.profile(
            activity,
            allow=allow or (),
            disable=disable or (),
            done_when=done_when or (),
            failed_when=failed_when or (),
            known=known,
        )
    )
    limits = {
        "max_decision_ticks": max_ticks,
        "max_wall_seconds": max_seconds,
        "max_validation_failures": max_failures,
        "max_tokens": max_tokens,
        "max_cost_usd": max_cost,
    }
    request = activity_run.RunRequest(
        profile=routes or profile,
        sessions=place.session,
        model=chosen,
        identity=RunIdentity(run_id=run_id or activity_run.new_run_id(activity), agent_id=agent_id),
        settings=RunSettings(
            run_objective=objective,
            budget=activities.budget(profile, limits),
            prompt_mode=activities.prompt_mode(prompt_mode, stateful=chosen.stateful),
            prompt_layout=activities.prompt_layout(prompt_layout),
            pictures=activities.PICTURES_DIR if png else None,
            config={"terminal": place.told(), "model": model_options.told(chosen)},
        ),
        runs_dir=runs_dir,
        transcript_path=transcript,
        campaign=campaign_memory,
    )
    perform(request, dry_run=dry_run, as_json=as_json, quiet=quiet)


def perform(request: RunRequest, *, dry_run: bool, as_json: bool, quiet: bool) -> None:
    """Play the run and show its result, or with `dry_run` its first prompt. Raises typer.Exit with the exit code of a
    run that broke down or was stopped."""
    from tty_agent.commands.activity_run import first_prompt  # noqa: PLC0415

    if dry_run:
        _show_prompt(first_prompt(request), as_json=as_json)
    else:
        _run(request, as_json=as_json, quiet=quiet)


def _run(request: Any, *, as_json: bool, quiet: bool) -> None:
    from tty_agent.commands.activity_run import Interrupted, play  # noqa: PLC0415
    from tty_agent.commands.progress import Progress  # noqa: PLC0415
    from tty_agent.commands.remedies import remedy  # noqa: PLC0415
    from tty_agent.runner.result import Outcome  # noqa: PLC0415

    progress = None if quiet else Progress(request.settings.budget.max_decision_ticks)
    try:
        result = play(request, progress, progress.retried if progress else None)
    except Interrupted as stopped:
        if stopped.result is not None:
            _show(stopped.result, as_json=as_json)
        raise typer.Exit(SIGNALLED + stopped.number) from None
    _show(result, as_json=as_json)
    if result.outcome == Outcome.INFRA:
        what_to_do = remedy(result.infra, request.model) if result.infra else ""
        output.note(f"error: {result.detail}{': ' if what_to_do else ''}{what_to_do}")
        raise typer.Exit(FAILED)


def _show(result: RunResult, *, as_json: bool) -> None:
    if as_json:
        output.json_value(result)
        return
    spent = result.spent
    if result.infra is None:
        output.line(f"{result.outcome}: {result.detail}")
    else:  # stderr says what failed, and what to do
        output.line(f"{result.outcome}: {result.infra.kind}; nothing that the agent did")
    output.line(
        f"{result.steps} steps, {spent.validation_failures} without a valid action, {spent.wall_seconds:.1f} s,"
        f" {spent.tokens} tokens" + (f", ${spent.cost_usd:.4f}" if spent.cost_usd else "")
    )
    output.line(f"trace: {result.trace_path}")
    if result.transcript_path:
        output.line(f"transcript: {result.transcript_path}")


def _show_prompt(asked: DecisionPrompt, *, as_json: bool) -> None:
    prompt = asked.prompt
    if as_json:
        shown = {"kind": asked.kind, "system": prompt.system, "user": prompt.user, "schema": prompt.schema}
        output.json_value(shown)
        return
    import msgspec  # noqa: PLC0415

    schema = msgspec.json.format(msgspec.json.encode(prompt.schema), indent=2).decode()
    for title, text in (("system", prompt.system), ("user", prompt.user), ("schema", schema)):
        output.line(f"===== {title} =====")
        output.block(text.rstrip("\n"))
