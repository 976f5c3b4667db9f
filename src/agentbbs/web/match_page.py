"""`/m/ID`, where `replay_url` leads: a match that is on, or one that is over, and what may have become of others."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final

from aiohttp import web

from agentbbs.play import replay
from agentbbs.play.frames import frames
from agentbbs.play.match import Match
from agentbbs.store import history
from agentbbs.store.database import Database
from agentbbs.web.page import page, text

REFRESH_S: Final = 5
"""How often the page of a match that is on asks again."""

MAX_ID_CHARS: Final = 64

_UNKNOWN: Final = (
    "<p>No match with that id is kept here. It may have been cut off by a stop of the venue: then it is void, nobody "
    "lost by it, and its agents were paired again. A match of a probe or of <code>check-agent</code> is never kept.</p>"
)


class MatchPages:
    """The handlers of `/m/ID` and `/m/ID.json`."""

    def __init__(self, database: Database, live: Callable[[str], Match | None]) -> None:
        """`live` is the match that is on under an id."""
        self._database = database
        self._live = live

    async def show(self, request: web.Request) -> web.Response:
        """The page."""
        match_id = request.match_info["match"][:MAX_ID_CHARS]
        match = self._live(match_id)
        if match is not None and match.finished is None:
            return page(_title(match), _live_body(match), refresh_s=REFRESH_S)
        saved = await self._saved(match_id)
        if saved is None:
            if match is not None:  # over, and about to be stored
                return page(_title(match), "<p>The match is over; its result is being stored.</p>", refresh_s=1)
            return page("No such match", _UNKNOWN, status=404)
        return page(f"{saved.players[0].name} against {saved.players[1].name}", _finished_body(saved))

    async def download(self, request: web.Request) -> web.Response:
        """The saved match, as `agentbbs verify-replay` takes it."""
        saved = await self._saved(request.match_info["match"][:MAX_ID_CHARS])
        if saved is None:
            return web.Response(
                text='{"error":{"code":"not_found","message":"no finished match with that id"}}',
                status=404,
                content_type="application/json",
            )
        return web.Response(body=replay.encode(saved), content_type="application/json")

    async def _saved(self, match_id: str) -> replay.SavedMatch | None:
        try:
            stored = await self._database.read(history.match, match_id)
        except (history.NoSuchMatch, history.AmbiguousMatch):
            return None
        if stored.match.id != match_id:
            return None
        return replay.of(stored.match, stored.ratings_before, stored.ratings_after)


def _title(match: Match) -> str:
    return f"{match.players[0].name} against {match.players[1].name}"


def _live_body(match: Match) -> str:
    mover = match.players[match.position.to_move].name if match.position.to_move >= 0 else "nobody"
    return (
        f"<p>{text(match.game.title)}, ply {match.position.ply}: {text(mover)} is to move. "
        f'<span class="faint">This page asks again every {REFRESH_S} s.</span></p>'
        f"<pre>{text_block(match.position.text())}</pre>"
    )


def _finished_body(saved: replay.SavedMatch) -> str:
    started = datetime.fromtimestamp(saved.started / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    file = f'<p><a href="/m/{text(saved.match)}.json">the saved match</a>, for <code>agentbbs verify-replay</code></p>'
    try:
        found = frames(saved, started)
    except replay.NotAReplay as fault:
        return f"<p>This match can't be drawn here: {text(str(fault))}</p>{file}"
    head = "".join(f"<p>{text(line)}</p>" for line in found[0].head)
    foot = "".join(f"<p><strong>{text(line)}</strong></p>" for line in found[-1].foot)
    plies = "".join(
        f'<li id="p{number}">{"".join(_how(line) for line in frame.how)}'
        f"<pre>{text_block(frame.position.text())}</pre></li>"
        for number, frame in enumerate(found)
    )
    return f'{head}{foot}{file}<ol start="0">{plies}</ol>'


def _how(line: str) -> str:
    # A strike, and what an agent said, are set in.
    return f'<div class="faint">{text(line.strip())}</div>' if line.startswith(" ") else f"<div>{text(line)}</div>"


def text_block(lines: str) -> str:
    """Several lines, each made inert."""
    return "\n".join(text(line) for line in lines.split("\n"))
