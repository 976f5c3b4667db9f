"""`/m/ID`, where `replay_url` leads: a match that is on, or one that is over, and what may have become of others.

A finished match can be taken along: `/m/ID.json` is the file that `agentbbs verify-replay` takes, `/m/ID.SUFFIX` a
notation that its game has, `/m/ID/frames.json` what scripts step through, `/m/ID/embed` the board for other pages.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec
from aiohttp import web
from markupsafe import Markup

from agentbbs.games import catalog
from agentbbs.games.notation import GameRecord, notations
from agentbbs.play import replay
from agentbbs.play.match import Match
from agentbbs.play.replay import SavedMatch
from agentbbs.play.scene import Scene, scene
from agentbbs.play.stepping import Step, step
from agentbbs.protocol.agentgames import Termination
from agentbbs.store import history
from agentbbs.store.history import StoredMatch
from agentbbs.web import headers
from agentbbs.web.api.errors import ApiError
from agentbbs.web.drawing.board import board
from agentbbs.web.etags import etag_of, not_modified, page_etag, tagged, unchanged
from agentbbs.web.frame import render
from agentbbs.web.match_players import match_players
from agentbbs.web.pages.live import LiveMatchPages
from agentbbs.web.replay_frames import MAX_FRAMES, VERSION, ReplayFrame, ReplayFrames, how_it_ended, replay_frames
from agentbbs.web.venue_view import VenueView

REFRESH_S: Final = 5
"""How often an embedded match that is on asks again."""

STORED_S: Final = 1
"""How soon the page of a match that was just over asks again: it is stored within milliseconds."""

MAX_ID_CHARS: Final = 64
"""No id of ours is nearly as long."""

ROWS_SHOWN: Final = 300
"""Plies in the table of one page: all of any match of the games of the house."""

EMBED_PX: Final = (420, 680)
"""Width and height of the frame that the snippet has: a board of Connect 4 with its controls."""

_MAX_PLY_CHARS: Final = 6
_FOR_EVER: Final = {**headers.PAGE, "Cache-Control": "public, max-age=31536000, immutable"}
_STEPS: Final = (
    (Step.FIRST, "«", "First"),
    (Step.BACK, "←", "Previous"),
    (Step.NEXT, "→", "Next"),
    (Step.LAST, "»", "Last"),
)


class MatchPages:
    """The handlers of `/m/ID` and of what can be taken from there."""

    def __init__(self, view: VenueView) -> None:
        self._database = view.database
        self._live = view.live
        self._live_pages = LiveMatchPages(view)
        self._public_url = view.settings.public_url.rstrip("/")

    def routes(self) -> list[web.RouteDef]:
        one = "/m/{match:[^/.]+}"
        return [
            web.get(f"{one}.json", self.download),
            web.get(f"{one}.{{suffix:[a-z0-9]+}}", self.notation),
            web.get(f"{one}/frames.json", self.frames),
            web.get(f"{one}/embed", self.embed),
            web.get(one, self.show),
        ]

    async def show(self, request: web.Request) -> web.Response:
        """The page."""
        match_id = request.match_info["match"]
        match = self._live.match(match_id)
        if match is not None:
            return self._live_pages.show(request, match)
        settling = self._live.settling(match_id)
        stored = await self._stored(match_id)
        if stored is not None:
            return self._finished(request, stored)
        if settling:
            return render(request, "match_settling.html", refresh_s=STORED_S)
        return render(request, "match_missing.html", status=404)

    async def embed(self, request: web.Request) -> web.Response:
        """The board alone, for a frame in anybody's page: it says the same to every reader."""
        match_id = request.match_info["match"]
        match = self._live.match(match_id)
        if match is not None:
            return self._embedded_live(request, match)
        settling = self._live.settling(match_id)
        stored = await self._stored(match_id)
        if stored is None:
            said = "The match is over, and its result is being stored." if settling else "That match is not kept here."
            refresh_s = STORED_S if settling else None
            return self._embedded(request, "A match", said, status=200 if settling else 404, refresh_s=refresh_s)
        saved = _saved(stored)
        context = _stepper(request, stored, saved)
        replay_: ReplayFrames = context["replay"]
        said = f"This match can't be drawn here: {replay_.undrawn}" if replay_.undrawn else replay_.end.said
        return self._embedded(request, _against(saved.players[0].name, saved.players[1].name), said, **context)

    async def download(self, request: web.Request) -> web.Response:
        """The saved match, as `agentbbs verify-replay` takes it."""
        saved = _saved(await self._finished_or_404(request))
        return _file(f"{saved.match}.json", replay.encode(saved), "application/json")

    async def notation(self, request: web.Request) -> web.Response:
        """The match in a notation of its game."""
        stored = await self._stored(request.match_info["match"])
        if stored is None:
            raise web.HTTPNotFound
        saved = _saved(stored)
        for notation in notations(catalog.GAMES.get(saved.game)):
            if notation.suffix == request.match_info["suffix"] and _replays(saved):
                written = notation.write(self._record(saved))
                return _file(
                    f"{saved.match}.{notation.suffix}", written.encode("utf-8", "replace"), notation.media_type
                )
        raise web.HTTPNotFound

    async def frames(self, request: web.Request) -> web.Response:
        """Every position, for scripts. It names nobody and never changes: under its version it is kept for ever."""
        saved = _saved(await self._finished_or_404(request))
        if len(saved.plies) >= MAX_FRAMES:
            raise ApiError("not_found", f"that match has more than {MAX_FRAMES} positions: ask /m/ID?ply=N for each")
        body = msgspec.json.encode(replay_frames(saved))
        etag = etag_of(body)
        kept = _FOR_EVER if request.query.get("v") == str(VERSION) else headers.PAGE
        if not_modified(request, etag):
            return web.Response(status=304, headers={**kept, "ETag": etag})
        return web.Response(body=body, content_type="application/json", headers={**kept, "ETag": etag})

    def _finished(self, request: web.Request, stored: StoredMatch) -> web.Response:
        etag = page_etag(request, stored)
        if not_modified(request, etag):
            return unchanged(headers.PAGE, etag)
        saved = _saved(stored)
        game = catalog.GAMES.get(saved.game)
        drawn = _stepper(request, stored, saved)
        return render(
            request,
            "match.html",
            headers=tagged(headers.PAGE, etag),
            **drawn,
            title=saved.game if game is None else game.title,
            on_ladder=game is not None,
            result=how_it_ended(saved, named=True),
            rated=saved.outcome.rated,
            why=saved.outcome.why or "",
            started=saved.started,
            ended=saved.ended,
            notations=() if drawn["replay"].undrawn else notations(game),
            snippet=self._snippet(saved, "a match" if game is None else f"a match of {game.title}"),
        )

    def _embedded_live(self, request: web.Request, match: Match) -> web.Response:
        position = match.position
        drawn = scene(position)
        title = f"{match.game.title}, after {position.ply} plies"
        heading = _against(match.players[0].name, match.players[1].name)
        return self._embedded(
            request,
            heading,
            f"The match is on, after {position.ply} plies.",
            live=None if drawn is None else board(drawn, title),
            text=position.text(),
            refresh_s=REFRESH_S,
        )

    def _embedded(
        self,
        request: web.Request,
        heading: str,
        said: str,
        *,
        status: int = 200,
        refresh_s: int | None = None,
        **shown: Any,
    ) -> web.Response:
        return render(
            request,
            "match_embed.html",
            status=status,
            headers=headers.EMBEDDED,
            heading=heading,
            said=said,
            refresh_s=refresh_s,
            address=self._address(request.match_info["match"]),
            **{"replay": None, "live": None, "text": None, **shown},
        )

    def _address(self, match_id: str) -> str:
        return f"{self._public_url}/m/{match_id}"

    def _snippet(self, saved: SavedMatch, title: str) -> str:
        """HTML for somebody else's page. It names nobody, since names may be struck out."""
        width, height = EMBED_PX
        return str(
            Markup('<iframe src="{}/embed" title="{}" width="{}" height="{}" loading="lazy"></iframe>').format(
                self._address(saved.match), title, width, height
            )
        )

    def _record(self, saved: SavedMatch) -> GameRecord:
        first, second = saved.players
        return GameRecord(
            moves=tuple(ply.move for ply in saved.plies),
            players=(first.name, second.name),
            ratings=(first.rating_before, second.rating_before),
            winner=saved.outcome.winner,
            void=saved.outcome.termination is Termination.SERVER,
            termination=saved.outcome.termination.value,
            started_ms=saved.started,
            event="rated match" if saved.outcome.rated else "unrated match",
            site=self._address(saved.match),
        )

    async def _finished_or_404(self, request: web.Request) -> StoredMatch:
        stored = await self._stored(request.match_info["match"])
        if stored is None:
            raise ApiError("not_found", "no finished match has that id: one that is on, or void, has no file")
        return stored

    async def _stored(self, match_id: str) -> StoredMatch | None:
        """The stored match with just this id."""
        if len(match_id) > MAX_ID_CHARS:
            return None
        try:
            stored = await self._database.look_up(history.match, match_id)
        except (history.NoSuchMatch, history.AmbiguousMatch):
            return None
        return stored if stored.match.id == match_id else None


def _stepper(request: web.Request, stored: StoredMatch, saved: SavedMatch) -> dict[str, Any]:
    """What the board and its controls show: the ply that is asked for, with the plies around it."""
    last = len(saved.plies)
    at = _asked_ply(request, last)
    begin = at - at % ROWS_SHOWN
    found = replay_frames(saved, frames=range(begin, begin + ROWS_SHOWN), drawn=range(at, at + 1))
    frame = found.frames[at - begin]
    drawn = found.scene(frame)
    return {
        "replay": found,
        "frame": frame,
        "players": match_players(stored.match, saved, found.end),
        "board": None if drawn is None else _drawing(saved, frame, drawn),
        "times": _times(saved, at),
        "steps": [
            {"word": word.value, "sign": sign, "title": title, "ply": step(at, word, last)}
            for word, sign, title in _STEPS
        ],
        "frames_url": f"/m/{saved.match}/frames.json?v={VERSION}" if 0 < last < MAX_FRAMES else None,
        "autoplay": request.query.get("autoplay") == "1",
    }


def _times(saved: SavedMatch, at: int) -> list[int | None]:
    """How long each seat took for its last move of the first `at`."""
    return [next((ply.ms for ply in reversed(saved.plies[:at]) if ply.player == seat), None) for seat in (0, 1)]


def _drawing(saved: SavedMatch, frame: ReplayFrame, drawn: Scene) -> Markup:
    game = catalog.GAMES.get(saved.game)
    return board(drawn, f"{saved.game if game is None else game.title}, the board after {frame.ply} plies")


def _asked_ply(request: web.Request, last: int) -> int:
    """The ply of the query; the last one where there is none, or what is no number."""
    asked = request.query.get("ply", "")
    if not (asked.isascii() and asked.isdigit()) or len(asked) > _MAX_PLY_CHARS:
        return last
    return min(int(asked), last)


def _saved(stored: StoredMatch) -> SavedMatch:
    return replay.of(stored.match, stored.ratings_before, stored.ratings_after)


def _replays(saved: SavedMatch) -> bool:
    """Whether its moves are legal by the rules that are here, so that a notation can tell them."""
    try:
        replay.positions(saved)
    except replay.NotAReplay:
        return False
    return True


def _against(one: str, other: str) -> str:
    return f"{one} against {other}"


def _file(name: str, content: bytes, media_type: str) -> web.Response:
    given = {**headers.PAGE, "Content-Disposition": f'attachment; filename="{name}"'}
    return web.Response(body=content, content_type=media_type, headers=given)
