"""The saved match: a file that anyone can keep, and that `play.offline_referee` rules on again.

    {"format": "agentbbs-replay/2", "match": "018f…", "game": "ttt", "rules": 1,
     "players": [{"name": "ada", "transport": "webhook", "ratingBefore": 1500.0, "ratingAfter": 1516.0,
                  "clockMs": 10000}, …],
     "moveTimeoutMs": 15000, "started": 1750000000000, "ended": 1750000003120,
     "plies": [{"ply": 0, "player": 0, "move": "4", "ms": 12, "reason": null, "nonce": "7f3a…", "askedMs": 840,
                "strikes": [{"kind": "nonce", "ms": 30, "offered": "4", "detail": "`nonce` is missing",
                             "reason": "centre!", "nonce": "90c1…", "askedMs": 5}]}, …],
     "unplayed": [{"kind": "timeout", "ms": 15001, "offered": null}],
     "outcome": {"winner": 0, "termination": "timeout", "reason": "forfeit: timeout", "rated": true, "why": null},
     "digest": "sha256:…"}

Times are Unix milliseconds, `ms` is time on the mover's clock, ratings are null for a house bot. `clockMs` is a
player's own time for an answer where that is not `moveTimeoutMs`; `askedMs` is when a request went out, in ms since
the match began, and `nonce` is the request's own. These, `detail` and a strike's `reason` are null or left out where
there is none; in `agentbbs-replay/1`, which is read as before, they did not exist.

`digest` shows damage and careless edits, and no more: it is no signature, and who saves a match without one (null)
is refereed all the same. A file comes from a stranger: its texts may hold anything a JSON string can.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

from agentbbs.games import catalog
from agentbbs.games.game import NOBODY, Game, IllegalMove, Position
from agentbbs.play.match import MAX_DETAIL_CHARS, MAX_NONCE_CHARS, MAX_OFFERED_CHARS, MAX_REASON_CHARS
from agentbbs.play.ports import FinishedMatch, Player, Ply, Strike
from agentbbs.protocol.agentgames import MAX_PLY, Termination

FORMAT: Final = "agentbbs-replay/2"
"""Raised with every change of the fields or of what they mean."""

FORMAT_1: Final = "agentbbs-replay/1"
"""Without clocks of seats, requests and details of strikes; read, and no longer written."""

MAX_FILE_BYTES: Final = 4 * 1024 * 1024
"""A ply takes some 100 bytes: enough for a game of 10,000 plies with a reason each."""

_MAX_SHOWN_CHARS: Final = 40
"""How much of a text of the file a sentence repeats."""


class NotAReplay(ValueError):
    """What should be a saved match is none; the text says why."""


_Ms = Annotated[int, Meta(ge=0, le=10**10)]  # four months on one clock
_Instant = Annotated[int, Meta(ge=0, le=10**14)]  # until the year 5138
_Name = Annotated[str, Meta(min_length=1, max_length=200)]
_Id = Annotated[str, Meta(min_length=1, max_length=64)]
_Sentence = Annotated[str, Meta(max_length=MAX_REASON_CHARS)]
_Detail = Annotated[str, Meta(max_length=MAX_DETAIL_CHARS)]
_Nonce = Annotated[str, Meta(max_length=MAX_NONCE_CHARS)]
_Clock = Annotated[int, Meta(ge=1, le=10**10)]


class _Part(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """One object of the file."""


class SavedStrike(_Part, frozen=True, omit_defaults=True):
    """One failed answer, as `ports.Strike`."""

    kind: _Id
    ms: _Ms
    offered: Annotated[str, Meta(max_length=MAX_OFFERED_CHARS)] | None
    detail: _Detail | None = None
    reason: _Sentence | None = None
    nonce: _Nonce | None = None
    asked_ms: _Ms | None = None


class SavedPly(_Part, frozen=True, omit_defaults=True):
    """One accepted move of `player`, answered to the position after `ply` moves; `strikes` came before it."""

    ply: Annotated[int, Meta(ge=0, le=MAX_PLY)]
    player: Annotated[int, Meta(ge=0, le=1)]
    move: _Id
    ms: _Ms
    strikes: tuple[SavedStrike, ...]
    reason: _Sentence | None
    nonce: _Nonce | None = None
    asked_ms: _Ms | None = None


class SavedPlayer(_Part, frozen=True, omit_defaults=True):
    """Who sat in a seat; the ratings are those of this match, not of today."""

    name: _Name
    transport: _Id
    rating_before: float | None
    rating_after: float | None
    clock_ms: _Clock | None = None


class SavedOutcome(_Part, frozen=True):
    """How it ended: `winner` is a seat or -1, `why` says why it is not rated."""

    winner: Annotated[int, Meta(ge=NOBODY, le=1)]
    termination: Termination
    reason: _Sentence | None
    rated: bool
    why: _Sentence | None


class SavedMatch(_Part, frozen=True):
    """The file, as the module describes it."""

    format: str
    match: _Id
    game: _Id
    rules: Annotated[int, Meta(ge=0, le=10**6)]
    players: tuple[SavedPlayer, SavedPlayer]
    move_timeout_ms: Annotated[int, Meta(ge=1, le=10**10)]
    started: _Instant
    ended: _Instant
    plies: tuple[SavedPly, ...]
    unplayed: tuple[SavedStrike, ...]
    outcome: SavedOutcome
    digest: Annotated[str, Meta(max_length=100)] | None = None


Ratings = tuple[float | None, float | None]
"""One a seat; None for a house bot."""


def of(match: FinishedMatch, before: Ratings, after: Ratings) -> SavedMatch:
    """The file of a finished match, with the ratings that it found and left."""
    seats = _seats(match)
    saved = SavedMatch(
        format=FORMAT,
        match=match.id,
        game=match.game,
        rules=match.rules_version,
        players=(_player(match.players[0], before[0], after[0]), _player(match.players[1], before[1], after[1])),
        move_timeout_ms=match.move_timeout_ms,
        started=match.started_ms,
        ended=match.ended_ms,
        plies=tuple(_ply(number, seat, ply) for number, (ply, seat) in enumerate(zip(match.plies, seats, strict=True))),
        unplayed=_strikes(match.unplayed),
        outcome=SavedOutcome(match.winner, match.termination, match.reason, match.rated, match.why),
    )
    return msgspec.structs.replace(saved, digest=digest(saved))


def encode(saved: SavedMatch) -> bytes:
    """The file as one line of JSON, without a line end. `parse` takes it back."""
    return msgspec.json.encode(saved)


def parse(data: bytes) -> SavedMatch:
    """The saved match in `data` (UTF-8 JSON, one object). Strict: raises NotAReplay for a field that is
    missing, unknown, twice there or of the wrong type or size. Says nothing of whether it is right."""
    if len(data) > MAX_FILE_BYTES:
        raise NotAReplay(f"the file is larger than {MAX_FILE_BYTES} bytes: no saved match is")
    try:
        text = data.decode()
        found = json.loads(text, object_pairs_hook=_unique)
    except UnicodeDecodeError as fault:
        raise NotAReplay(f"not UTF-8 at byte {fault.start}") from fault
    except RecursionError as fault:
        raise NotAReplay("nested too deeply") from fault
    except NotAReplay:
        raise
    except ValueError as fault:  # malformed JSON, or an integer of over 4,300 digits
        raise NotAReplay(f"not one JSON object: {fault}") from fault
    version = found.get("format") if isinstance(found, dict) else None
    if version not in (FORMAT, FORMAT_1):
        raise NotAReplay(f"not a saved match: its `format` should be {FORMAT!r} and is {shown(version)}")
    try:
        saved = msgspec.json.decode(data, type=SavedMatch)
    except (msgspec.MsgspecError, ValueError) as fault:
        raise NotAReplay(f"not a saved match: {fault}") from fault
    if version == FORMAT_1:
        _check_1(saved)
    return saved


def clocks(saved: SavedMatch) -> tuple[int, int]:
    """The time that each seat had for an answer."""
    first, second = (player.clock_ms or saved.move_timeout_ms for player in saved.players)
    return first, second


def answers(saved: SavedMatch) -> Iterator[SavedStrike | SavedPly]:
    """Every answer in its order: of each ply the strikes that came before it, then the move, then the unplayed."""
    for ply in saved.plies:
        yield from ply.strikes
        yield ply
    yield from saved.unplayed


def digest(saved: SavedMatch) -> str:
    """`sha256:` and the hash of the lines that `_digested` gives, joined by LF, in UTF-8."""
    text = "\n".join(map(str, _digested(saved)))
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def positions(saved: SavedMatch) -> tuple[Position, ...]:
    """The initial position and the one after each ply.

    Raises NotAReplay where that can't be shown: the game is not installed, or in other rules than the
    match was played by; or a move is illegal."""
    game = catalog.GAMES.get(saved.game)
    if game is None or game.version != saved.rules:
        raise NotAReplay(no_rules(saved, game))
    found: list[Position] = [game.initial()]
    for ply in saved.plies:
        try:
            found.append(found[-1].play(ply.move))
        except IllegalMove as fault:
            raise NotAReplay(f"ply {len(found) - 1}: {fault}") from fault
    return tuple(found)


def _digested(saved: SavedMatch) -> Iterator[object]:
    """The lines of the digest: what makes the match, without the ratings (a float has many spellings)."""
    outcome = saved.outcome
    yield from (saved.format, saved.match, saved.game, saved.rules, saved.move_timeout_ms, saved.started, saved.ended)
    more = saved.format != FORMAT_1
    for player in saved.players:
        yield from (player.name, player.transport)
        if more:
            yield f"clock {player.clock_ms}"
    for answer in answers(saved):
        if isinstance(answer, SavedPly):
            yield f"ply {answer.ply} {answer.player} {answer.move} {answer.ms}"
        else:
            yield f"strike {answer.kind} {answer.ms}"
        if more:
            yield f"asked {answer.asked_ms} {json.dumps([answer.nonce, answer.reason])}"
        if more and isinstance(answer, SavedStrike):
            yield f"said {json.dumps([answer.offered, answer.detail])}"
    yield from (f"winner {outcome.winner}", f"termination {outcome.termination}", f"rated {int(outcome.rated)}")


def no_rules(saved: SavedMatch, game: Game | None) -> str:
    """Why a match can't be played again by `game`, which is what the catalog has for it."""
    if game is None:
        return f"no game {shown(saved.game)} is installed here: its rules are needed"
    return f"played by version {saved.rules} of the rules of {game.id}, and version {game.version} is installed here"


def _seats(match: FinishedMatch) -> list[int]:
    """Who made each move. Where the rules are not at hand, or forbid a move, the seats are taken to
    alternate from there: a match is saved as it stands, and it is for the referee to rule on it."""
    game = catalog.GAMES.get(match.game)
    position = game.initial() if game is not None and game.version == match.rules_version else None
    seats: list[int] = []
    for number, ply in enumerate(match.plies):
        if position is not None and ply.move in position.legal:
            seats.append(position.to_move)
            position = position.play(ply.move)
        else:
            seats.append(number % 2)
            position = None
    return seats


def _player(player: Player, before: float | None, after: float | None) -> SavedPlayer:
    return SavedPlayer(player.name, player.transport, before, after, player.clock_ms)


def _ply(number: int, seat: int, ply: Ply) -> SavedPly:
    return SavedPly(
        number, seat, ply.move, ply.ms, _strikes(ply.strikes), ply.reason, nonce=ply.nonce, asked_ms=ply.asked_ms
    )


def _strikes(strikes: tuple[Strike, ...]) -> tuple[SavedStrike, ...]:
    return tuple(
        SavedStrike(
            strike.kind,
            strike.ms,
            strike.offered,
            detail=strike.detail,
            reason=strike.reason,
            nonce=strike.nonce,
            asked_ms=strike.asked_ms,
        )
        for strike in strikes
    )


def _check_1(saved: SavedMatch) -> None:
    """Raises NotAReplay for a file of the first version that has what came with the second."""
    parts: list[tuple[msgspec.Struct, tuple[str, ...]]] = [(player, ("clock_ms",)) for player in saved.players]
    for answer in answers(saved):
        new = ("nonce", "asked_ms") if isinstance(answer, SavedPly) else ("detail", "reason", "nonce", "asked_ms")
        parts.append((answer, new))
    for part, names in parts:
        for name in names:
            if getattr(part, name) is not None:
                field = next(field.encode_name for field in msgspec.structs.fields(part) if field.name == name)
                raise NotAReplay(f"not a saved match: {FORMAT_1} has no `{field}` there")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise NotAReplay(f"the key {shown(key)} stands twice in one object")
        found[key] = value
    return found


def shown(value: object) -> str:
    """A value of the file in a sentence: quoted and cut."""
    return repr(value[:_MAX_SHOWN_CHARS] if isinstance(value, str) else value)[: _MAX_SHOWN_CHARS * 2]
