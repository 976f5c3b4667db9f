"""`trace pretty|png|gif|html|cast`: a run for people to look at."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tty_agent.commands import output
from tty_agent.commands.failure import Failed

if TYPE_CHECKING:
    from tty_agent.render.replay import Shape

Source = Annotated[
    Path, typer.Argument(metavar="FILE", help="The .jsonl file of a run, or a transcript of raw terminal bytes.")
]
Out = Annotated[
    Path | None, typer.Option("--out", "-o", metavar="FILE", help="Where to; left out: beside FILE, by its name.")
]
Start = Annotated[int | None, typer.Option("--start", metavar="BYTE", min=0, help="Absolute offset: begin there.")]
End = Annotated[int | None, typer.Option("--end", metavar="BYTE", min=0, help="Absolute offset: end there.")]
Columns = Annotated[int | None, typer.Option("--columns", min=20, max=500, help="As recorded.")]
Rows = Annotated[int | None, typer.Option("--rows", min=5, max=500, help="As recorded.")]
DialectName = Annotated[str | None, typer.Option("--dialect", metavar="ansi-bbs|xterm", help="As recorded.")]
Scale = Annotated[int, typer.Option("--scale", min=1, max=8, help="Each pixel so many times as wide and high.")]
DurationMs = Annotated[int, typer.Option("--duration-ms", min=10, max=600_000, help="How long a frame stays.")]

DURATION_MS = 500


def pretty(
    *,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The .jsonl file of a run.")],
    model_replies: Annotated[
        bool, typer.Option("--model-replies", help="What the model answered, reasoning and all.")
    ] = False,
    control_markers: Annotated[
        bool, typer.Option("--control-markers", help="What the program wrote, control characters by name.")
    ] = False,
) -> None:
    """Print a trace as text: each screen with what was done there.

    \b
    Example:
      bbs-gym trace pretty runtime/runs/RUN/agent-001.jsonl --model-replies
    """
    from tty_agent.render.export import export_pretty  # noqa: PLC0415 - not for the help

    export_pretty(file, sys.stdout, model_replies=model_replies, control_markers=control_markers)


def png(
    *,
    file: Source,
    out: Out = None,
    step: Annotated[
        int | None, typer.Option("--step", metavar="N", min=1, help="As the agent saw it at that step.")
    ] = None,
    offset: Annotated[
        int | None, typer.Option("--offset", metavar="BYTE", min=0, help="After that byte of the transcript.")
    ] = None,
    cursor: Annotated[bool, typer.Option("--cursor/--no-cursor", help="Show the cursor.")] = True,
    scale: Scale = 1,
    columns: Columns = None,
    rows: Rows = None,
    dialect: DialectName = None,
) -> None:
    """Write a picture of the screen: at a step, at a byte, or at the end.

    \b
    Example:
      bbs-gym trace png runtime/runs/RUN/agent-001.jsonl --step 42 -o step-42.png
    """
    from tty_agent.render.export import export_png  # noqa: PLC0415

    name = f"-{step}" if step is not None else ""
    place = _named(out, ".png") or file.with_name(f"{file.stem}{name}.png")
    shape = _shape(file, columns, rows, dialect)
    export_png(file, place, step=step, offset=offset, shape=shape, cursor=cursor, scale=scale)
    output.line(str(place))


def gif(
    *,
    file: Source,
    out: Out = None,
    duration_ms: DurationMs = DURATION_MS,
    start: Start = None,
    end: End = None,
    cursor: Annotated[bool, typer.Option("--cursor/--no-cursor", help="Show the cursor.")] = True,
    scale: Scale = 1,
    columns: Columns = None,
    rows: Rows = None,
    dialect: DialectName = None,
) -> None:
    """Write an animated picture with a frame for each decision.

    \b
    Example:
      bbs-gym trace gif runtime/runs/RUN/agent-001.jsonl --duration-ms 300
    """
    from tty_agent.render.export import export_gif  # noqa: PLC0415

    place = _named(out, ".gif") or file.with_suffix(".gif")
    shape = _shape(file, columns, rows, dialect)
    export_gif(file, place, duration_ms=duration_ms, start=start, end=end, shape=shape, cursor=cursor, scale=scale)
    output.line(str(place))


def html(
    *,
    file: Source,
    out: Out = None,
    duration_ms: DurationMs = DURATION_MS,
    start: Start = None,
    end: End = None,
    cursor: Annotated[bool, typer.Option("--cursor/--no-cursor", help="Show the cursor.")] = True,
    columns: Columns = None,
    rows: Rows = None,
    dialect: DialectName = None,
) -> None:
    """Write a web page with a frame for each decision.

    \b
    Example:
      bbs-gym trace html runtime/runs/RUN/agent-001.jsonl -o run.html
    """
    from tty_agent.render.export import export_html  # noqa: PLC0415

    place = out or file.with_suffix(".html")
    shape = _shape(file, columns, rows, dialect)
    export_html(file, place, duration_ms=duration_ms, start=start, end=end, shape=shape, cursor=cursor)
    output.line(str(place))


def cast(
    *,
    file: Source,
    out: Out = None,
    version: Annotated[int, typer.Option("--format", metavar="2|3", min=2, max=3, help="asciicast 2 or 3.")] = 3,
    start: Start = None,
    end: End = None,
    columns: Columns = None,
    rows: Rows = None,
    dialect: DialectName = None,
) -> None:
    """Write a recording for asciinema players, with a marker at each decision.

    \b
    Example:
      bbs-gym trace cast runtime/runs/RUN/agent-001.jsonl -o run.cast
    """
    from tty_agent.render.export import export_cast  # noqa: PLC0415

    place = out or file.with_suffix(".cast")
    export_cast(file, place, version=version, start=start, end=end, shape=_shape(file, columns, rows, dialect))
    output.line(str(place))


def _named(out: Path | None, suffix: str) -> Path | None:
    if out is not None and out.suffix.lower() not in {"", suffix}:
        raise typer.BadParameter(f"{out.name} is written as {suffix}: name it so", param_hint="--out")
    return out


def _shape(file: Path, columns: int | None, rows: int | None, dialect: str | None) -> Shape:
    """What to replay on. Raises Failed for a file of plain text, which no terminal wrote, if no option says how it is
    to be shown."""
    from tty_agent.render.recording import is_plain_text  # noqa: PLC0415
    from tty_agent.render.replay import Shape  # noqa: PLC0415
    from tty_agent.terminal.dialect import DIALECTS  # noqa: PLC0415

    if dialect is not None and dialect not in DIALECTS:
        raise typer.BadParameter(f"{dialect!r} is none of {', '.join(DIALECTS)}", param_hint="--dialect")
    told = any(one is not None for one in (columns, rows, dialect))
    if not told and is_plain_text(file):
        raise Failed(
            f"{file} is plain text, no trace and no transcript: give the .jsonl or .raw file of a run; what a terminal"
            " wrote all the same needs --dialect"
        )
    return Shape(columns=columns, rows=rows, dialect=dialect)
