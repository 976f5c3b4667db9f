"""Files for people from a trace or a transcript: what `bbs-gym trace png|gif|html|cast|pretty` and the scripts call.

Each `export_…` takes the path of a trace (then its decisions cut the frames, caption and mark them) or of a
transcript (then the marks beside it do, where there are any). `start` and `end` are absolute offsets into the
transcript; what lies before `start` in its session is replayed unseen. All raise RenderFault (MissingExtra among
them), TraceFault or OSError, each with a message of one line.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, TextIO

from tty_agent.render.cast import Shot, cast_lines
from tty_agent.render.control_markers import control_markers as by_name
from tty_agent.render.extra import RenderFault
from tty_agent.render.html import HtmlFrame, page_parts
from tty_agent.render.output_file import belonging_to, draft_of
from tty_agent.render.pace import cast_markers, paced
from tty_agent.render.pretty import ReadBytes, pretty_lines
from tty_agent.render.recording import Recording, is_trace, open_moment, open_recording
from tty_agent.render.replay import DEFAULT_DIALECT, Shape, cuts, moments_at, screens
from tty_agent.render.shapes import CELL_HEIGHT, CELL_WIDTH
from tty_agent.terminal.dialect import DIALECTS
from tty_agent.terminal.picture import Picture
from tty_agent.trace.records import read_trace
from tty_agent.transcript.marks import Closed, Opened

DEFAULT_DURATION_MS: Final = 500
"""Of a frame of a GIF, and of a page that plays."""
MAX_STILLS: Final = 2000
"""Frames of a GIF or a page: a longer recording is thinned evenly, or none would load it."""
MAX_GIF_PIXELS: Final = 600_000_000
"""Of all frames together: `MAX_STILLS` of 80x24. They take about a byte each while the file is made."""
MAX_PAGE_CELLS: Final = 20_000_000
"""Of all frames together: `MAX_STILLS` of 132x60. A cell takes up to some 60 bytes of the page."""


def export_png(
    source: Path | str,
    out: Path | str,
    *,
    step: int | None = None,
    offset: int | None = None,
    shape: Shape | None = None,
    cursor: bool = True,
    scale: int = 1,
) -> Picture:
    """Write a PNG of the screen at a decision, at an offset, or at the end; return what is on it."""
    from tty_agent.render.png import png_bytes  # noqa: PLC0415 - other exports need no numpy

    recording = open_moment(source, step=step, offset=offset)
    with draft_of(Path(out), sparing=belonging_to(Path(source), recording.transcript)) as draft:
        picture = next(_pictures(recording, [recording.end], shape))
        draft.write_bytes(png_bytes(picture, cursor=cursor, scale=scale))
    return picture


def export_gif(
    source: Path | str,
    out: Path | str,
    *,
    duration_ms: int = DEFAULT_DURATION_MS,
    start: int | None = None,
    end: int | None = None,
    shape: Shape | None = None,
    cursor: bool = True,
    scale: int = 1,
) -> int:
    """Write an animated GIF, `duration_ms` a frame; return how many frames were cut (equal ones become one)."""
    from tty_agent.render.gif import gif_bytes  # noqa: PLC0415 - other exports need no numpy

    recording = open_recording(source, start=start, end=end)
    with draft_of(Path(out), sparing=belonging_to(Path(source), recording.transcript)) as draft:
        pictures = _pictures(recording, cuts(recording, at_most=MAX_STILLS), shape)
        frames = list(_within(pictures, MAX_GIF_PIXELS, of_a_cell=CELL_WIDTH * CELL_HEIGHT * scale * scale))
        draft.write_bytes(gif_bytes(frames, duration_ms, cursor=cursor, scale=scale))
    return len(frames)


def export_html(
    source: Path | str,
    out: Path | str,
    *,
    duration_ms: int = DEFAULT_DURATION_MS,
    start: int | None = None,
    end: int | None = None,
    shape: Shape | None = None,
    cursor: bool = True,
) -> int:
    """Write a page with a frame a decision (or cut); return how many. Needs no extra."""
    recording = open_recording(source, start=start, end=end)
    places = cuts(recording, at_most=MAX_STILLS)
    captions = _captions(recording, places)
    pictures = _within(_pictures(recording, places, shape), MAX_PAGE_CELLS, of_a_cell=1)
    frames = (HtmlFrame(picture, caption) for picture, caption in zip(pictures, captions, strict=True))
    sparing = belonging_to(Path(source), recording.transcript)
    with draft_of(Path(out), sparing=sparing) as draft, draft.open("w", encoding="utf-8") as page:
        page.writelines(page_parts(frames, title=recording.title, duration_ms=duration_ms, cursor=cursor))
    return len(places)


def export_cast(
    source: Path | str,
    out: Path | str,
    *,
    version: int = 3,
    start: int | None = None,
    end: int | None = None,
    shape: Shape | None = None,
) -> int:
    """Write an asciicast (version 2 or 3) at the pace of the session; return how many moments. Needs no extra."""
    recording = open_recording(source, start=start, end=end)
    found = paced(recording)
    begin = found[0].wall
    at_moments = screens(recording, (one.moment for one in found), shape)
    shots = (
        Shot(max(0, round((one.wall - begin) * 1000)), screen.picture())
        for one, screen in zip(found, at_moments, strict=True)
    )
    lines = cast_lines(
        shots,
        cast_markers(recording, begin),
        version=version,
        title=recording.title,
        timestamp=int(begin) if any(isinstance(mark, Opened) for mark in recording.marks) else None,
        status=_status(recording),
    )
    sparing = belonging_to(Path(source), recording.transcript)
    with draft_of(Path(out), sparing=sparing) as draft, draft.open("w", encoding="utf-8") as cast:
        cast.writelines(lines)
    return len(found)


def export_pretty(
    trace: Path | str, out: TextIO, *, model_replies: bool = False, control_markers: bool = False
) -> None:
    """Write a trace as text, line by line as it is read. Needs no extra, and no transcript."""
    path = Path(trace)
    if not is_trace(path):
        raise RenderFault(f"{path} is no trace: give the .jsonl file of a run")
    read_bytes = _reader(path) if control_markers else None
    lines = pretty_lines(
        read_trace(path), model_replies=model_replies, control_markers=control_markers, read_bytes=read_bytes
    )
    out.writelines(line + "\n" for line in lines)


def _within(pictures: Iterator[Picture], most: int, *, of_a_cell: int) -> Iterator[Picture]:
    """The pictures, as long as all of them together are not too large. Raises RenderFault."""
    total = 0
    for picture in pictures:
        total += picture.columns * picture.rows * of_a_cell
        if total > most:
            raise RenderFault(
                "all frames together are too large for one file: choose a part with --start and --end, a smaller "
                "--scale, or --columns and --rows"
            )
        yield picture


def _pictures(recording: Recording, places: Sequence[int], shape: Shape | None) -> Iterator[Picture]:
    for screen in screens(recording, moments_at(recording, places), shape):
        yield screen.picture()


def _captions(recording: Recording, places: Sequence[int]) -> list[str]:
    """The decision that was made there, else the place; behind the last decision, that it is the end."""
    made: dict[int, list[str]] = {}
    for one in recording.decisions:
        made.setdefault(one.offset, []).append(f"step {one.step}: {one.label}")
    if made and places[-1] == recording.end:
        made.setdefault(recording.end, ["the end"])
    return ["; ".join(made.get(place, [f"byte {place}"])) for place in places]


def _status(recording: Recording) -> int:
    """How the last session of the part ended: the exit status of the program, 0 where there was none."""
    ends = [mark for mark in recording.marks if isinstance(mark, Closed) and mark.offset <= recording.end]
    return (ends[-1].code or 0) if ends else 0


def _reader(trace: Path) -> ReadBytes | None:
    """Reads the trace's transcript; None if there is none to read: then the trace must do."""
    try:
        recording = open_recording(trace, start=0, end=0)  # any part: each step says its own
    except (RenderFault, OSError):
        return None
    size = recording.transcript.stat().st_size
    names = [mark.dialect for mark in recording.marks if isinstance(mark, Opened)]
    dialect = DIALECTS.get(names[-1] if names else DEFAULT_DIALECT, DIALECTS[DEFAULT_DIALECT])

    def read(start: int, end: int) -> str | None:
        if not 0 <= start <= end:
            raise RenderFault(f"{trace} has a step with the bytes {start} to {end}: `trace show` shows what is whole")
        if end > size:
            return None
        with recording.transcript.open("rb") as file:
            file.seek(start)
            data = file.read(end - start)
        return by_name(data, dialect) if len(data) == end - start else None

    return read
