"""Which terminal a command is to use, from its options to a session that can be opened."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Final, Protocol

import typer

from tty_agent.commands.figures import seconds

if TYPE_CHECKING:
    from tty_agent.observer.readiness import PromptPattern, TurnPolicy
    from tty_agent.session.session import TerminalSession

COLUMNS, ROWS = 80, 24
MIN_COLUMNS, MIN_ROWS, MAX_SIDE = 20, 5, 500
"""The screen is at least 20x5; beyond 500 nobody reads it."""

DIALECTS: Final = ("ansi-bbs", "xterm")
TURNS: Final = ("fixed", "adaptive")

_PLACE: Final = "Terminal"
_LOGIN: Final = "Login"

_ACCESS: Final = MappingProxyType(
    {
        "user": ("--user", {"rlogin", "ssh"}),
        "secret_variable": ("--password-env", {"rlogin", "ssh"}),
        "secret_file": ("--password-file", {"rlogin", "ssh"}),
        "key_file": ("--key-file", {"ssh"}),
        "accept_new": ("--accept-new-host-key", {"ssh"}),
        "terminal_type": ("--terminal-type", {"telnet", "rlogin", "ssh"}),
    }
)
"""By setting of `Access`: its option, and the transports that know it. One that means nothing to the target is a
mistake that nobody would notice, so it is refused."""

Target = Annotated[
    str,
    typer.Option(
        "--target",
        metavar="TARGET",
        help="pty:COMMAND, telnet:HOST:PORT, rlogin:USER@HOST:PORT or ssh:USER@HOST:PORT.",
    ),
]
DialectName = Annotated[
    str | None,
    typer.Option(
        "--dialect",
        metavar="|".join(DIALECTS),
        help="What the terminal speaks; left out: ansi-bbs for telnet and rlogin, xterm for pty and ssh.",
    ),
]
Columns = Annotated[int, typer.Option("--columns", min=MIN_COLUMNS, max=MAX_SIDE, help="Width of the screen.")]
Rows = Annotated[int, typer.Option("--rows", min=MIN_ROWS, max=MAX_SIDE, help="Height of the screen.")]
TurnName = Annotated[str, typer.Option("--turn", metavar="|".join(TURNS), help="How the end of a turn is told.")]
QuietMs = Annotated[
    int | None,
    typer.Option("--quiet-ms", min=1, max=60_000, help="Fixed turns: how long the screen must be still; 350."),
]
TurnTimeout = Annotated[
    float | None,
    typer.Option(
        "--turn-timeout", metavar="SECONDS", min=0.05, callback=seconds, help="The longest a turn may take; 15."
    ),
]
User = Annotated[str | None, typer.Option("--user", help="The user, where the target names none.")]
PasswordEnv = Annotated[
    str | None, typer.Option("--password-env", metavar="NAME", help="The environment variable with the password.")
]
PasswordFile = Annotated[
    Path | None, typer.Option("--password-file", metavar="FILE", help="A file whose first line is the password.")
]
KeyFile = Annotated[Path | None, typer.Option("--key-file", metavar="FILE", help="SSH: the private key.")]
AcceptNew = Annotated[
    bool, typer.Option("--accept-new-host-key", help="SSH: trust a host that is not known yet, and remember it.")
]
TerminalType = Annotated[
    str | None, typer.Option("--terminal-type", metavar="NAME", help="What the other side is told; by the dialect.")
]


class Place(Protocol):
    """Where a command is to work: a target, or whatever another package knows to open a session at."""

    def session(
        self, agent_id: str, *, transcript: Path | None = None, prompts: Sequence[PromptPattern] = ()
    ) -> TerminalSession:
        """The session, not open yet."""
        ...

    def told(self) -> dict[str, Any]:
        """What a trace tells of it: no secret, nor where one is."""
        ...


class TerminalChoice:
    """A `Place`: the options that say where to connect and how to look at it, read and checked. Raises BadParameter."""

    def __init__(
        self,
        target: str,
        *,
        dialect: str | None = None,
        columns: int = COLUMNS,
        rows: int = ROWS,
        turn: str = "fixed",
        quiet_ms: int | None = None,
        turn_timeout: float | None = None,
        **access: Any,
    ) -> None:
        """`access` as in `transports.target.Access`; None and False are not set."""
        from tty_agent.terminal.dialect import DIALECTS as KNOWN  # noqa: PLC0415 - not for the help
        from tty_agent.transports.target import Access, BadTarget, dialect_for, parse_target  # noqa: PLC0415

        self.target = target
        self.columns, self.rows = columns, rows
        self._access = Access(**access)
        try:
            parsed = parse_target(target)
        except BadTarget as fault:
            raise typer.BadParameter(str(fault), param_hint="--target") from fault
        name = dialect or dialect_for(parsed).name
        _check_access(getattr(parsed, "transport", "pty"), access)
        self.dialect = KNOWN[_one_of("--dialect", name, tuple(KNOWN))]
        self.turn: TurnPolicy = turn_policy(turn, quiet_ms, turn_timeout)

    def session(
        self, agent_id: str, *, transcript: Path | None = None, prompts: Sequence[PromptPattern] = ()
    ) -> TerminalSession:
        """The session, not open yet. Raises BadTarget, NoSecret, TranscriptError."""
        from tty_agent.session.session import TerminalSession  # noqa: PLC0415 - heavy
        from tty_agent.transcript.transcript import Transcript  # noqa: PLC0415
        from tty_agent.transports.target import open_target  # noqa: PLC0415

        transport = open_target(self.target, dialect=self.dialect, access=self._access, environment=os.environ)
        return TerminalSession(
            transport,
            agent_id=agent_id,
            dialect=self.dialect,
            columns=self.columns,
            rows=self.rows,
            transcript=Transcript(transcript) if transcript else None,
            policy=self.turn,
            prompts=prompts,
        )

    def told(self) -> dict[str, Any]:
        """What a trace tells of it: no secret, nor where one is."""
        import msgspec  # noqa: PLC0415

        return {
            "target": self.target,
            "dialect": self.dialect.name,
            "columns": self.columns,
            "rows": self.rows,
            "turn": msgspec.to_builtins(self.turn),
        }


def _check_access(transport: str, access: Mapping[str, Any]) -> None:
    for setting, value in access.items():
        option, known = _ACCESS[setting]
        if value not in {None, False} and transport not in known:
            raise typer.BadParameter(f"it means nothing to a {transport} target: leave it away", param_hint=option)


def _one_of(option: str, value: str, known: Sequence[str]) -> str:
    if value not in known:
        raise typer.BadParameter(f"{value!r} is none of {', '.join(known)}", param_hint=option)
    return value


def turn_policy(name: str, quiet_ms: int | None, timeout_s: float | None) -> TurnPolicy:
    """The policy that `--turn`, `--quiet-ms` and `--turn-timeout` describe. Raises BadParameter."""
    import msgspec  # noqa: PLC0415

    from tty_agent.observer.readiness import Adaptive, Fixed  # noqa: PLC0415

    policy: TurnPolicy = Adaptive() if _one_of("--turn", name, TURNS) == "adaptive" else Fixed()
    if quiet_ms is not None:
        if not isinstance(policy, Fixed):
            raise typer.BadParameter("an adaptive turn finds its own; use --turn fixed", param_hint="--quiet-ms")
        policy = msgspec.structs.replace(policy, quiet_s=quiet_ms / 1000)
    return policy if timeout_s is None else msgspec.structs.replace(policy, timeout_s=timeout_s)
