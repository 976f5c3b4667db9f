"""`observe-turn`: what an agent would see at its first turn."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from tty_agent.commands import figures, output
from tty_agent.commands import terminal_choice as terminal


def observe_turn(
    *,
    target: terminal.Target,
    seconds: Annotated[
        float | None,
        typer.Option(
            "--seconds",
            min=0.0,
            callback=figures.seconds,
            help="Look after that time, in place of waiting for a turn.",
        ),
    ] = None,
    pretty: Annotated[bool, typer.Option("--pretty", help="The screen as it is, not normalised for a model.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="The whole observation as one JSON object.")] = False,
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
    """Connect, wait for one turn, print what is on the screen, and hang up.

    \b
    Examples:
      bbs-gym observe-turn --target pty:top
      bbs-gym observe-turn --target telnet:127.0.0.1:2323 --json
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
    look_at(choice, "observer", seconds=seconds, pretty=pretty, as_json=as_json)


def look_at(place: terminal.Place, agent_id: str, *, seconds: float | None, pretty: bool, as_json: bool) -> None:
    """The command's work, wherever that is."""
    from tty_agent.commands import event_loop  # noqa: PLC0415 - not for the help

    seen = event_loop.run(_look(place, agent_id, seconds))
    if as_json:
        output.json_value(seen)
        return
    output.block(seen.pretty_screen if pretty else seen.model_text)
    ready = seen.readiness
    row, column = seen.cursor
    prompt = f", prompt {ready.matched_prompt}" if ready.matched_prompt else ""
    closed = f", closed: {seen.closed}" if seen.closed else ""
    output.note(f"{ready.reason} after {ready.waited_ms} ms, cursor at row {row}, column {column}{prompt}{closed}")


async def _look(place: terminal.Place, agent_id: str, seconds: float | None) -> Any:
    from tty_agent.activity.profiles import SHELL_PROMPTS  # noqa: PLC0415

    async with place.session(agent_id, prompts=SHELL_PROMPTS) as session:
        return await (session.observe_turn() if seconds is None else session.observe(seconds))
