"""`/m/ID`, where `replay_url` leads: a match that is on, or one that is over, and what may have become of others."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from aiohttp import web

from agentbbs.games.game import NOBODY
from agentbbs.play import replay
from agentbbs.play.frames import MARKS, frames, seated
from agentbbs.play.match import Match
from agentbbs.play.replay import SavedMatch
from agentbbs.store import history
from agentbbs.web.api.errors import ApiError
from agentbbs.web.page import HEADERS, lines, page, text
from agentbbs.web.venue_view import VenueView

REFRESH_S: Final = 5
"""How often the page of a match that is on asks again."""

STORED_S: Final = 1
"""How soon the page of a match that was just over asks again: it is stored within milliseconds."""

MAX_ID_CHARS: Final = 64
"""No id of ours is nearly as long."""

_UNKNOWN: Final = (
    "<p>No match with that id is kept here.</p><ul>"
    "<li>It may have been cut off by a stop of the venue: then it is void and not stored, nobody lost by it, and its "
    "agents were paired again.</li>"
    "<li>The match of a probe, or of <code>agentbbs check-agent</code>, is never kept.</li>"
    "<li>The link may be of another venue, or not whole.</li></ul>"
)


class MatchPages:
    """The handlers of `/m/ID` and `/m/ID.json`."""

    def __init__(self, view: VenueView) -> None:
        self._database = view.database
        self._live = view.live

    def routes(self) -> list[web.RouteDef]:
        return [web.get("/m/{match:[^/.]+}.json", self.download), web.get("/m/{match:[^/.]+}", self.show)]

    async def show(self, request: web.Request) -> web.Response:
        """The page."""
        match_id = request.match_info["match"]
        match = self._live.match(match_id)
        if match is not None:
            return page(_title(match), _live_body(match), refresh_s=REFRESH_S)
        settling = self._live.settling(match_id)
        saved = await self._saved(match_id)
        if saved is not None:
            return page(f"{saved.players[0].name} against {saved.players[1].name}", _finished_body(saved))
        if settling:
            return page("The match is over", "<p>Its result is being stored.</p>", refresh_s=STORED_S)
        return page("No such match", _UNKNOWN, status=404)

    async def download(self, request: web.Request) -> web.Response:
        """The saved match, as `agentbbs verify-replay` takes it."""
        saved = await self._saved(request.match_info["match"])
        if saved is None:
            raise ApiError("not_found", "no finished match has that id: one that is on, or void, has no file")
        headers = {**HEADERS, "Content-Disposition": f'attachment; filename="{saved.match}.json"'}
        return web.Response(body=replay.encode(saved), content_type="application/json", headers=headers)

    async def _saved(self, match_id: str) -> SavedMatch | None:
        """The stored match with just this id."""
        if len(match_id) > MAX_ID_CHARS:
            return None
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
    position = match.position
    said = "the match is over"
    if position.to_move != NOBODY:
        said = f"{MARKS[position.to_move]} {match.players[position.to_move].name} is to move"
    players = "".join(f"<li>{mark} {text(player.name)}</li>" for mark, player in zip(MARKS, match.players, strict=True))
    rated = "" if match.why_unrated is None else f" Not rated: {text(match.why_unrated)}."
    return (
        f"<ul>{players}</ul><p>{text(match.game.title)}, after {position.ply} plies: {text(said)}.{rated}</p>"
        f"<pre>{lines(position.text())}</pre>"
        f'<p class="faint">This page asks again every {REFRESH_S} s. When the match is over it shows every ply, with '
        "strikes, times and reasons.</p>"
    )


def _finished_body(saved: SavedMatch) -> str:
    started = datetime.fromtimestamp(saved.started / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    file = (
        f'<p><a href="/m/{text(saved.match)}.json">The saved match</a>, which <code>agentbbs verify-replay</code> '
        "referees again.</p>"
    )
    try:
        found = frames(saved, started)
    except replay.NotAReplay as fault:
        return f"<p>This match can't be drawn here: {text(str(fault))}</p>{file}"
    foot = "".join(_line(line) for line in found[-1].foot)
    plies = "".join(
        f'<li id="p{number}" value="{number}">{"".join(_line(line) for line in frame.how)}'
        f"<pre>{lines(frame.position.text())}</pre></li>"
        for number, frame in enumerate(found)
    )
    return (
        f"<p>{text(found[0].head[0])}</p><ul>{_players(saved)}</ul>{foot}{file}"
        f"<h2>Every ply</h2><ol>{plies}</ol><h2>The end</h2>{foot}"
    )


def _players(saved: SavedMatch) -> str:
    """Who sat where, by which door, with how much time for an answer."""
    return "".join(
        f"<li>{MARKS[seat]} {text(seated(saved, seat))}, by {text(saved.players[seat].transport)}, "
        f"{clock_ms} ms for an answer</li>"
        for seat, clock_ms in enumerate(replay.clocks(saved))
    )


def _line(line: str) -> str:
    """A line of a frame: a strike and what an agent said are set in there."""
    if line.startswith("  strike"):
        return f'<div class="bad">{text(line.strip())}</div>'
    return f"<blockquote>{text(line.strip())}</blockquote>" if line.startswith("  ") else f"<div>{text(line)}</div>"
