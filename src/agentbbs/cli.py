"""The command line: one file a group in `commands/`, composed here, and the one place where failures end.

Whatever goes wrong, people get one line on stderr, `error: what is wrong: what to do`, and scripts an exit
code: 1 failed, 2 wrong call, 130 interrupted (128 + SIGINT), 141 the reader of stdout went away (128 +
SIGPIPE). A traceback is a fault of ours.

Everything that `--help` loads is light: the modules of `commands/` import what they need when they run.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable
from typing import Any, Final, NoReturn

import typer
from typer.core import TyperGroup

from agentbbs.commands import (
    arena,
    arena_register,
    backup,
    boards,
    check_agent,
    check_game,
    db,
    demo,
    doctor,
    doors,
    fault_server,
    ladder,
    mail,
    matches,
    nodes,
    play,
    plugins,
    provision,
    ratings,
    replay,
    root,
    serve,
    snapshot,
    tokens,
    user,
    verify_replay,
    watch,
)
from agentbbs.commands.failure import Failed

FAILED: Final = 1
INTERRUPTED: Final = 130
PIPE_CLOSED: Final = 141


class CommandLine(TyperGroup):
    """The root command; `main` is where every call of it ends."""

    def main(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Run a command and exit with its code; the parameters are those of click's `Command.main`."""
        kwargs["standalone_mode"] = False
        try:
            code = super().main(*args, **kwargs)
        except typer.TyperException as fault:
            _say(fault.format_message(), "" if fault.exit_code == FAILED else _help_hint(fault))
            code = fault.exit_code
        except typer.Abort:  # the end of stdin at a prompt
            _say("stopped: nothing was changed")
            code = FAILED
        sys.exit(code if isinstance(code, int) else 0)

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was named, and turn what it raises into a line and an exit code."""
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError:
            _leave_stdout()
            raise typer.Exit(PIPE_CLOSED) from None
        except KeyboardInterrupt:
            raise typer.Exit(INTERRUPTED) from None
        except Exception as fault:
            sentence = _sentence(fault)
            if sentence is None:
                raise
            _say(sentence)
            raise typer.Exit(FAILED) from None
        return result


def _sentence(fault: Exception) -> str | None:
    """What to tell people of a failure that has its own words; None for a fault of ours."""
    from agentbbs.config import WrongSetting  # noqa: PLC0415 - only where something failed
    from agentbbs.games.game import GameError  # noqa: PLC0415

    if isinstance(fault, Failed | WrongSetting | GameError):
        return str(fault)
    if isinstance(fault, OSError) and fault.strerror:
        where = f"{fault.filename}: " if fault.filename else ""
        return f"{where}{fault.strerror}: check the name, and that you may use it"
    return None


def _help_hint(fault: typer.TyperException) -> str:
    ctx = getattr(fault, "ctx", None)
    return f" (see `{ctx.command_path if ctx else 'agentbbs'} --help`)"


def _say(sentence: str, hint: str = "") -> None:
    from tty_agent.terminal.inert import inert  # noqa: PLC0415

    if "\n" in sentence and hint:  # a group that was called without a command: its help
        typer.echo(sentence, err=True)
    else:
        typer.echo(f"error: {inert(' '.join(sentence.split()))}{hint}", err=True)


def _leave_stdout() -> None:
    """Nobody reads stdout any more: what is still buffered must not fail again when Python exits."""
    sink = os.open(os.devnull, os.O_WRONLY)
    os.dup2(sink, sys.stdout.fileno())
    os.close(sink)


def _compose() -> typer.Typer:
    """The whole command line, in the order in which the help lists it."""
    app = _group(root.root, cls=CommandLine, name="agentbbs", add_completion=True)
    app.command()(serve.serve)
    app.command()(demo.demo)
    app.command()(doctor.doctor)
    users = _group(root.users)
    users.command()(user.add)
    users.command("list")(user.list_)
    users.command()(user.set_key)
    users.command()(user.set_password)
    users.command()(user.remove)
    users.command()(provision.provision)
    app.add_typer(users, name="user")
    app.command()(tokens.mint_token)
    app.command()(tokens.revoke_token)
    app.command()(play.play)
    app.command()(ladder.ladder)
    app.command()(matches.matches)
    app.command()(replay.replay)
    app.command()(watch.watch)
    app.command()(verify_replay.verify_replay)
    standings = _group(root.ratings)
    standings.command()(ratings.rebuild)
    app.add_typer(standings, name="ratings")
    app.command()(nodes.nodes)
    message_boards = _group(root.boards)
    message_boards.command()(boards.export)
    app.add_typer(message_boards, name="boards")
    letters = _group(root.mail)
    letters.command()(mail.export)
    app.add_typer(letters, name="mail")
    entrances = _group(root.doors)
    entrances.command("list")(doors.list_)
    app.add_typer(entrances, name="doors")
    features = _group(root.plugins)
    features.command("list")(plugins.list_)
    app.add_typer(features, name="plugins")
    snapshots = _group(root.snapshots)
    snapshots.command()(snapshot.save)
    snapshots.command()(snapshot.restore)
    app.add_typer(snapshots, name="snapshot")
    app.add_typer(_arena(), name="arena")
    app.command()(backup.backup)
    app.command()(check_game.check_game)
    app.command()(check_agent.check_agent)
    app.command()(fault_server.fault_server)
    database = _group(root.database)
    database.command()(db.upgrade)
    app.add_typer(database, name="db")
    return app


def _arena() -> typer.Typer:
    """The commands of an account's endpoints."""
    endpoints = _group(root.arena)
    endpoints.command()(arena_register.register)
    endpoints.command("list")(arena.list_)
    endpoints.command()(arena.pause)
    endpoints.command()(arena.resume)
    endpoints.command()(arena.change_url)
    endpoints.command()(arena.rotate)
    endpoints.command()(arena.remove)
    endpoints.command()(arena.probe)
    return endpoints


def _group(about: Callable[..., None], **settings: Any) -> typer.Typer:
    group = typer.Typer(
        rich_markup_mode=None,  # rich takes twice as long to load as everything else together
        pretty_exceptions_enable=False,
        no_args_is_help=True,
        context_settings={"help_option_names": ["-h", "--help"]},
        **settings,
    )
    group.callback()(about)
    return group


app: Final = _compose()


def main() -> None:
    """The console script. Never returns."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that can't show a character shows its escape; it is no reason to fail.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    if any("\ud800" <= character <= "\udfff" for argument in sys.argv for character in argument):
        _say("an argument is not UTF-8: type it again in a UTF-8 terminal")
        sys.exit(2)
    app(prog_name="agentbbs")
