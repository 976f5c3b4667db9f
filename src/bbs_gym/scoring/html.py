"""The comparison of runs as one web page that needs nothing else: no script, no font, no picture from anywhere.

Every text that came from outside (names of models, agents, matches, checks, rubrics) is made inert and escaped. The
page follows the reader's choice of light or dark.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from bbs_gym.scoring.plots import PlotPoint, PlotRow, interval_plot, told
from bbs_gym.scoring.result import Interval
from bbs_gym.scoring.table import Row, Table
from tty_agent.terminal.inert import inert

MAX_TEXT_CHARS: Final = 200
"""Of a name in the page."""

_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'"

_STYLE: Final = """\
:root{color-scheme:light dark;--page:#fff;--text:#1b1f24;--quiet:#59636e;--line:#d1d9e0;--mean:#0b57d0;--point:#7aa7e8;
--mark:#b3541e}
@media (prefers-color-scheme:dark){:root{--page:#14171b;--text:#e4e8ec;--quiet:#9aa4af;--line:#333b44;--mean:#8ab4f8;
--point:#4a6fa5;--mark:#e8a06b}}
body{background:var(--page);color:var(--text);font:15px/1.5 system-ui,sans-serif;margin:2em auto;padding:0 1em;
max-width:75em}
h1{font-size:1.5em}h2{font-size:1.15em;margin-top:2em}
p.quiet,figcaption{color:var(--quiet)}
.wide{overflow-x:auto}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}
th,td{border-bottom:1px solid var(--line);padding:.3em .8em .3em 0;text-align:left;vertical-align:top}
th{white-space:nowrap}
td.number{text-align:right;white-space:nowrap}
figure{margin:1em 0}
svg{width:100%;height:auto;font:12px system-ui,sans-serif}
.label{fill:var(--text)}.tick{fill:var(--quiet)}
.grid{stroke:var(--line)}.range{stroke:var(--mean);stroke-width:2}.mean{fill:var(--mean)}
.point{fill:var(--point);stroke:var(--point);opacity:.8}.point.marked{fill:none;stroke:var(--mark);stroke-width:1.5}
"""


def score_page(table: Table, *, title: str = "Scores") -> str:
    """The whole page."""
    heading = _text(title)
    parts = [
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{html.escape(_POLICY)}">',
        '<meta name="viewport" content="width=device-width,initial-scale=1">',
        f"<title>{heading}</title>",
        f"<style>\n{_STYLE}</style></head>",
        f"<body>\n<h1>{heading}</h1>",
        f'<p class="quiet">{_text(summary(table))}</p>',
        _rows("Models", table.by_model),
        *_plots(table),
        *_meetings(table),
        _differences(table),
        _agreements(table),
        _rows("Agents", table.by_agent),
        f'<p class="quiet">{_text(_notes(table))}</p>',
        "</body></html>",
    ]
    return "\n".join(part for part in parts if part) + "\n"


def summary(table: Table) -> str:
    """How much there is, and what was left out, in one line."""
    told_runs = (
        f"{table.runs} run{'s' if table.runs != 1 else ''} over {table.seeds} seed{'s' if table.seeds != 1 else ''}"
    )
    unfinished = f", {table.unfinished} without an end" if table.unfinished else ""
    left_out = f"{table.void} void participant{'s' if table.void != 1 else ''} left out"
    suspect = f"; {table.suspect} marked: the machine may have been slow" if table.suspect else ""
    return f"{told_runs}{unfinished}; {left_out}{suspect}."


def _notes(table: Table) -> str:
    return (
        f"Ranges hold the true value with {table.level:.0%}: of means by bootstrap over the runs, of shares by Wilson's"
        " formula. A range of one run can't be told. A hollow point is a run whose machine may have been slow."
    )


def _rows(title: str, rows: Sequence[Row]) -> str:
    if not rows:
        return ""
    columns: list[tuple[str, Callable[[Row], str]]] = [
        ("Name", lambda row: row.name),
        ("Runs", lambda row: str(row.runs)),
        ("Void", lambda row: str(row.void)),
        ("Suspect", lambda row: str(row.suspect)),
    ]
    columns.extend((game, _of("skill", game)) for game in _keys(row.skill for row in rows))
    columns.append(("Rank", lambda row: told(row.rank)))
    columns.append(("Checks passed", lambda row: told(row.passed)))
    columns.extend((mark, _of("marks", mark)) for mark in _keys(row.marks for row in rows))
    columns.extend(
        (
            ("Decisions", lambda row: told(row.decisions)),
            ("No valid action", lambda row: told(row.failure_rate)),
            ("Cost in USD", lambda row: told(row.cost_usd)),
            ("Tokens", lambda row: told(row.tokens)),
        )
    )
    cells = [[show(row) for _, show in columns] for row in rows]
    return f"<h2>{_text(title)}</h2>\n{_table([name for name, _ in columns], cells)}"


def _of(part: str, key: str) -> Callable[[Row], str]:
    return lambda row: told(getattr(row, part).get(key))


def _keys(found: Iterable[Mapping[str, Interval]]) -> list[str]:
    return sorted({key for one in found for key in one})


def _plots(table: Table) -> list[str]:
    parts = []
    for game in _keys(row.skill for row in table.by_model):
        plot = interval_plot(f"Score in {game}", [_skill_row(table, row, game) for row in table.by_model])
        parts.append(_figure(plot, f"Score in {game}: each run, and the mean with its range."))
    for check in _keys(row.checks for row in table.by_model):
        rows = [PlotRow(label=row.name, interval=row.checks.get(check)) for row in table.by_model]
        plot = interval_plot(f"Share that passed: {check}", rows, bounds=(0.0, 1.0))
        parts.append(_figure(plot, f"Share that passed the check {check}."))
    for mark in _keys(row.marks for row in table.by_model):
        rows = [PlotRow(label=row.name, interval=row.marks.get(mark)) for row in table.by_model]
        parts.append(_figure(interval_plot(f"Mark: {mark}", rows, bounds=(0.0, 1.0)), f"Mark by {mark}, 0 to 1."))
    rows = [PlotRow(label=row.name, interval=row.cost_usd) for row in table.by_model]
    parts.append(_figure(interval_plot("Cost", rows, zero=True), "Cost of a run in USD, where it is known."))
    return parts


def _skill_row(table: Table, row: Row, game: str) -> PlotRow:
    points = tuple(
        PlotPoint(
            point.value,
            f"{point.match_id}, seed {point.seed}: {point.value:g}" + (", suspect" if point.suspect else ""),
            point.suspect,
        )
        for point in table.points
        if point.name == row.name and point.game == game
    )
    return PlotRow(label=row.name, interval=row.skill.get(game), points=points)


def _meetings(table: Table) -> list[str]:
    parts = []
    for one in table.meetings:
        cells = [
            [each.name, str(each.meetings), f"{each.wins:g}", told(each.rate), told(each.strength)]
            for each in one.strengths
        ]
        parts.append(f"<h2>{_text(f'Who beat whom: {one.by}')}</h2>")
        parts.append(_table(["Name", "Meetings", "Wins", "Share won", "Strength"], cells))
        rows = [PlotRow(label=each.name, interval=each.strength) for each in one.strengths]
        parts.append(_figure(interval_plot(f"Strength: {one.by}", rows), "Strength by the model of Bradley and Terry."))
    return parts


def _differences(table: Table) -> str:
    if not table.differences:
        return ""
    cells = [[f"{one.first} less {one.second}", one.game, told(one.difference)] for one in table.differences]
    return f"<h2>Differences over the same seeds</h2>\n{_table(['Models', 'Game', 'Difference'], cells)}"


def _agreements(table: Table) -> str:
    if not table.agreements:
        return ""
    cells = [[one.judge, one.rubric, told(one.swapped), told(one.with_people)] for one in table.agreements]
    return f"<h2>Judges</h2>\n{_table(['Judge', 'Rubric', 'Both orders agree', 'People agree'], cells)}"


def _figure(plot: str, caption: str) -> str:
    return f"<figure>{plot}<figcaption>{_text(caption)}</figcaption></figure>" if plot else ""


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    head = "".join(f'<th scope="col">{_text(name)}</th>' for name in header)
    body = "\n".join(
        f'<tr><th scope="row">{_text(row[0])}</th>'
        + "".join(f'<td class="number">{_text(cell)}</td>' for cell in row[1:])
        + "</tr>"
        for row in rows
    )
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table></div>'


def _text(text: str) -> str:
    return html.escape(inert(text, max_chars=MAX_TEXT_CHARS))
