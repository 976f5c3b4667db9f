"""A local program on a pseudo-terminal of its own.

The program leads a session whose controlling terminal is the pseudo-terminal, so job control, window sizes and
hang-ups reach it as at a real one. Its environment is built from a short list of variables: nothing that the
harness knows (keys of model providers, say) is handed to a program that a model controls.

A small shell script opens the terminal in the child, which is what makes it the controlling one on Linux; no Python
code runs between fork and exec. The event loop watches the terminal and the process; no thread, no polling.
"""

from __future__ import annotations

import asyncio
import errno
import os
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from tty_agent.terminal.dialect import ANSI_BBS, XTERM, Dialect, Encoding
from tty_agent.transports.child_process import ChildProcess
from tty_agent.transports.inbox import Inbox
from tty_agent.transports.pseudo_terminal import PseudoTerminal, set_size
from tty_agent.transports.transport import CannotConnect, End, EndKind

LAST_WORDS_S: Final = 0.25
"""How long output is still read after the program ended, when something it left behind holds the terminal open."""
EXIT_WAIT_S: Final = 1.0
"""How long a program that let go of its terminal has to end before that counts as the end."""
TERM: Final = {ANSI_BBS.name: "pcansi", XTERM.name: "xterm-256color"}
"""The terminfo entry a dialect is nearest to, of those that every system has; `ansi-bbs` is in few."""

INHERITED: Final = ("PATH", "HOME", "USER", "LOGNAME", "SHELL", "TZ", "TMPDIR")
"""The variables that a program gets from ours."""

_TAKE_TERMINAL: Final = ': <>"$0" && exec "$@"'


def environment_for(dialect: Dialect, ours: Mapping[str, str], **more: str) -> dict[str, str]:
    """What a program on a terminal of that dialect finds in its environment: `INHERITED`, TERM, the locale, `more`."""
    kept = {name: ours[name] for name in INHERITED if name in ours}
    locale = "C.UTF-8" if dialect.encoding is Encoding.UTF_8 else "C"
    return kept | {"TERM": TERM.get(dialect.name, "ansi"), "LANG": locale} | more


class Pty:
    """One run of one program. `environment` is all that it gets; None: `environment_for` the dialect."""

    name = "pty"

    def __init__(
        self,
        command: Sequence[str],
        *,
        dialect: Dialect = XTERM,
        environment: Mapping[str, str] | None = None,
        directory: str | os.PathLike[str] | None = None,
    ) -> None:
        if not command:
            raise ValueError("the command is empty: name a program")
        self.dialect = dialect
        self._command = tuple(command)
        self._environment = dict(environment_for(dialect, os.environ) if environment is None else environment)
        self._directory = Path(directory) if directory is not None else None
        self._inbox = Inbox(self._pause, self._resume)
        self._terminal: PseudoTerminal | None = None
        self._process: ChildProcess | None = None
        self._foreground: int | None = None
        """The group in the foreground when we hung up."""
        self._last_words: asyncio.TimerHandle | None = None

    @property
    def metadata(self) -> dict[str, object]:
        """As the contract says."""
        return {
            "transport": self.name,
            "command": list(self._command),
            "terminal_type": self._environment.get("TERM", ""),
        }

    @property
    def end(self) -> End | None:
        """As the contract says."""
        return self._inbox.end

    async def open(self, columns: int, rows: int) -> None:
        """Start the program. Raises CannotConnect."""
        if self._directory is not None and not self._directory.is_dir():
            raise CannotConnect(f"there is no folder {self._directory} to run {self._command[0]} in")
        program = self._program()
        if program is None:
            raise CannotConnect(f"there is no program {self._command[0]}: install it, or give its path")
        try:
            self._start(program, columns, rows)
        except OSError as error:
            hint = ": raise the limit of open files (ulimit -n)" if error.errno == errno.EMFILE else ""
            raise CannotConnect(f"cannot start {self._command[0]}: {error.strerror}{hint}") from error

    async def read(self) -> bytes:
        """As the contract says."""
        return await self._inbox.take()

    async def room(self) -> None:
        """As the contract says."""
        if self._terminal is not None and self._inbox.end is None:
            await self._terminal.room()

    async def write(self, data: bytes) -> None:
        """As the contract says."""
        if self._terminal is not None and self._inbox.end is None:
            await self._terminal.write(data)

    async def resize(self, columns: int, rows: int) -> None:
        """As the contract says; the kernel sends SIGWINCH to whoever is in the foreground."""
        if self._terminal is not None and self._inbox.end is None:
            self._terminal.resize(columns, rows)

    async def close(self) -> None:
        """Hang up, and end the program's groups by SIGHUP, SIGTERM and SIGKILL, each given its time; reap it. If it
        is cancelled, the next call goes on with that."""
        self._inbox.finish(End(EndKind.HUNG_UP, "we hung up"))
        if self._last_words is not None:
            self._last_words.cancel()
        terminal, self._terminal = self._terminal, None
        if terminal is not None:
            self._foreground = terminal.foreground_group()
            terminal.close()
        if self._process is not None:
            await self._process.end(self._foreground)
            self._process = None  # its numbers may be another's from now on

    def _program(self) -> str | None:
        """The file to run: a path is one from the folder that the program will run in."""
        name = self._command[0]
        if os.sep in name and self._directory is not None:
            name = str(self._directory.absolute() / name)
        return shutil.which(name, path=self._environment.get("PATH"))

    def _start(self, program: str, columns: int, rows: int) -> None:
        ours, theirs = os.openpty()
        try:
            set_size(ours, columns, rows)
            child = subprocess.Popen(  # noqa: S603 - running what the caller names is the purpose
                ["/bin/sh", "-c", _TAKE_TERMINAL, os.ttyname(theirs), program, *self._command[1:]],
                stdin=theirs,
                stdout=theirs,
                stderr=theirs,
                start_new_session=True,
                env=self._environment,
                cwd=self._directory,
            )
        except BaseException:
            os.close(ours)
            raise
        finally:
            os.close(theirs)
        self._terminal = PseudoTerminal(ours, self._inbox, self._hung_up)
        self._process = ChildProcess(child, self._exited)

    def _pause(self) -> None:
        if self._terminal is not None:
            self._terminal.watch(reading=False)

    def _resume(self) -> None:
        if self._terminal is not None:
            self._terminal.watch(reading=True)

    def _hung_up(self) -> None:
        """Nobody holds the other end of the terminal any more: the program ended, or is about to, or hides."""
        if self._process is None or self._process.code is not None:
            self._finish()
        else:
            self._after(EXIT_WAIT_S)

    def _exited(self) -> None:
        """The program ended; what it wrote may still be on its way."""
        if self._terminal is None or self._terminal.hung_up:
            self._finish()
        else:
            self._after(LAST_WORDS_S)

    def _after(self, seconds: float) -> None:
        if self._last_words is not None:
            self._last_words.cancel()
        self._last_words = asyncio.get_running_loop().call_later(seconds, self._finish)

    def _finish(self) -> None:
        if self._last_words is not None:
            self._last_words.cancel()
        if self._terminal is not None:
            self._terminal.drain()
            self._terminal.watch(reading=False)
        code = self._process.code if self._process is not None else None
        self._inbox.finish(_end_of(code))


def _end_of(code: int | None) -> End:
    if code is None:
        return End(EndKind.EOF, "the program let go of its terminal")
    if code >= 0:
        return End(EndKind.EXITED, f"the program ended with exit status {code}", code)
    try:
        name = signal.Signals(-code).name
    except ValueError:  # a real-time signal
        name = f"signal {-code}"
    return End(EndKind.EXITED, f"the program was ended by {name}", code)
