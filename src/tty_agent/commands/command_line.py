"""A command line made of typer commands, and the one place where its failures end.

Whatever goes wrong, people get one line on stderr, `error: what is wrong: what to do`, and scripts an exit code: 1
failed, 2 wrong call, 129 the terminal went away (128 + SIGHUP), 130 interrupted (128 + SIGINT), 141 the reader of
stdout went away (128 + SIGPIPE), 143 told to end (128 + SIGTERM). A traceback is a fault of ours.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Callable
from typing import Any, Final, NoReturn

import typer
from typer.core import TyperGroup

FAILED: Final = 1
WRONG_CALL: Final = 2
INTERRUPTED: Final = 130
PIPE_CLOSED: Final = 141
SIGNALLED: Final = 128
"""And the number of the signal."""

_NO_ROOM: Final = frozenset({errno.ENOSPC, errno.EDQUOT})
"""The disk, or the share of it that one may use, is full."""


class CommandLine(TyperGroup):
    """The root command; `main` is where every call of it ends."""

    def main(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Run a command and exit with its code; the parameters are those of click's `Command.main`."""
        kwargs["standalone_mode"] = False
        try:
            code = super().main(*args, **kwargs)
        except typer.TyperException as fault:
            _say(fault.format_message(), "" if fault.exit_code == FAILED else self._hint(fault))
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
            raise typer.Exit(_code(fault)) from None
        return result

    def _hint(self, fault: typer.TyperException) -> str:
        ctx = getattr(fault, "ctx", None)
        return f" (see `{ctx.command_path if ctx else self.name} --help`)"


def group(about: Callable[..., None], **settings: Any) -> typer.Typer:
    """A group of commands whose help is the docstring of `about`."""
    made = typer.Typer(
        rich_markup_mode=None,  # rich takes twice as long to load as everything else together
        pretty_exceptions_enable=False,
        no_args_is_help=True,
        context_settings={"help_option_names": ["-h", "--help"]},
        **settings,
    )
    made.callback()(about)
    return made


def run(app: typer.Typer, name: str) -> None:
    """The body of a console script. Never returns."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that can't show a character shows its escape; it is no reason to fail.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    if any("\ud800" <= character <= "\udfff" for argument in sys.argv for character in argument):
        _say("an argument is not UTF-8: type it again in a UTF-8 terminal")
        sys.exit(2)
    app(prog_name=name)


def _sentence(fault: Exception) -> str | None:
    """What to tell people of a failure that has its own words; None for a fault of ours."""
    from tty_agent.commands.told_faults import TOLD_FAULTS  # noqa: PLC0415 - only where something failed

    if isinstance(fault, TOLD_FAULTS):
        return str(fault)
    if isinstance(fault, OSError) and fault.strerror:
        where = f"{fault.filename}: " if fault.filename else ""
        remedy = "make room" if fault.errno in _NO_ROOM else "check the name, and that you may use it"
        return f"{where}{fault.strerror}: {remedy}"
    return None


def _code(fault: Exception) -> int:
    from tty_agent.commands.told_faults import WRONG_CALLS  # noqa: PLC0415 - as above

    return WRONG_CALL if isinstance(fault, WRONG_CALLS) else FAILED


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
