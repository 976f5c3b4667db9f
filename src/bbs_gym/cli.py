"""The command line `bbs-gym`: the commands for any terminal, and those for a BBS.

Everything that `--help` loads is light: the modules of commands import what they need when they run.
"""

from __future__ import annotations

from typing import Annotated, Final

import typer

from bbs_gym.commands import (
    accounts,
    bbs_activity,
    campaign,
    provision,
    run_match,
    runs,
    score,
    smoke,
    snapshot,
    synchronet,
)
from tty_agent.commands import root, trace_renders, trace_show
from tty_agent.commands.command_line import CommandLine, group, run


def _version(asked: bool) -> None:  # noqa: FBT001 - as typer calls it
    """Show the version and exit, if asked for."""
    if asked:
        from importlib.metadata import version  # noqa: PLC0415 - only where it is asked for

        typer.echo(f"bbs-gym {version('agentbbs')}")
        raise typer.Exit


def _about(
    *,
    show_version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """BBS Gym: language models at terminal programs and at a BBS, everything recorded.

    \b
    Example:
      bbs-gym run-activity --target pty:bash --model scripted:replies.jsonl --activity shell
    """


def _compose() -> typer.Typer:
    """The whole command line, in the order in which the help lists it."""
    app = group(_about, cls=CommandLine, name="bbs-gym", add_completion=True)
    app.command()(smoke.smoke)
    app.command()(bbs_activity.observe_turn)
    app.command()(bbs_activity.run_activity)
    app.command()(bbs_activity.run_routed)
    app.command()(run_match.run_match)
    app.command()(campaign.campaign)
    agents = group(accounts.accounts)
    agents.command("list")(accounts.list_accounts)
    agents.command()(accounts.check)
    agents.command()(provision.provision)
    app.add_typer(agents, name="accounts")
    kept = group(snapshot.snapshots)
    kept.command()(snapshot.save)
    kept.command()(snapshot.restore)
    app.add_typer(kept, name="snapshot")
    app.command()(score.score)
    finished = group(runs.runs)
    finished.command("list")(runs.list_runs)
    finished.command()(runs.show)
    app.add_typer(finished, name="runs")
    board = group(synchronet.synchronet)
    for command in (
        synchronet.up,
        synchronet.down,
        synchronet.nodes,
        synchronet.scores_tw2,
        synchronet.reset_tw2,
        synchronet.grant_tw2_turns,
        synchronet.stage,
    ):
        board.command()(command)
    app.add_typer(board, name="synchronet")
    traces = group(root.trace)
    traces.command()(trace_show.show)
    traces.command()(trace_renders.pretty)
    traces.command()(trace_renders.png)
    traces.command()(trace_renders.gif)
    traces.command()(trace_renders.html)
    traces.command()(trace_renders.cast)
    traces.command()(trace_show.recover)
    app.add_typer(traces, name="trace")
    return app


app: Final = _compose()


def main() -> None:
    """The console script. Never returns."""
    run(app, "bbs-gym")
