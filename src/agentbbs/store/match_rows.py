"""A finished match as a row of `game_matches`, and back.

The plies are JSON: a list of `{"move", "ms", "strikes", "reason", "nonce", "asked_ms"}`, all but the first two left
out where a ply has none; `strikes` of a ply, like `unplayed`, is a list of `{"kind", "ms", "offered", "detail",
"reason", "nonce", "asked_ms"}`, in the same way (revisions before 0003 wrote nulls, too). Text in them is whatever a
stranger sent: lone surrogates, which no database takes, are kept as escapes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from agentbbs.play.ports import FinishedMatch, Player, Ply, Settled, Standing, Strike
from agentbbs.protocol.agentgames import Termination

COLUMNS: Final = (
    "seq",
    "id",
    "game",
    "rules_version",
    "account_0",
    "name_0",
    "transport_0",
    "rating_before_0",
    "rating_after_0",
    "clock_ms_0",
    "account_1",
    "name_1",
    "transport_1",
    "rating_before_1",
    "rating_after_1",
    "clock_ms_1",
    "plies",
    "unplayed",
    "winner",
    "termination",
    "reason",
    "rated",
    "why",
    "move_timeout_ms",
    "started_ms",
    "ended_ms",
    "line",
)
"""The columns of a row, in the order in which `row` gives them."""

_encoder = msgspec.json.Encoder()
_plies = msgspec.json.Decoder(tuple[Ply, ...])
_strikes = msgspec.json.Decoder(tuple[Strike, ...])


class InvalidMatch(ValueError):
    """A finished match that contradicts itself; a fault of whoever made it."""


def check(match: FinishedMatch) -> FinishedMatch:
    """`match` itself, if it can be stored. Raises InvalidMatch."""
    if match.rated:
        one, other = match.players
        if one.account is None or other.account is None or one.account == other.account:
            raise InvalidMatch(
                f"match {match.id} is rated, but has not two accounts: {one.account} and {other.account}"
            )
    if match.winner not in {-1, 0, 1}:
        raise InvalidMatch(f"match {match.id} was won by seat {match.winner}, which is none")
    if match.rated is not (match.why is None):
        raise InvalidMatch(f"match {match.id} must say why it is unrated, and only then: {match.why!r}")
    return match


def line(match: FinishedMatch) -> int | None:
    """63 bits that are equal for matches of the same two accounts (in whichever seats) at the same game with
    the same moves and the same winner. None for an unrated match."""
    if not match.rated:
        return None
    one, other = match.players
    winner = match.players[match.winner].account if match.winner >= 0 else None
    pair = (
        f"{one.account} {other.account}" if str(one.account) < str(other.account) else f"{other.account} {one.account}"
    )
    moves = "\n".join([ply.move for ply in match.plies])
    text = f"{match.game} {pair} {winner}\n{moves}"
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 1


def row(seq: int, match: FinishedMatch, settled: Settled) -> tuple[Any, ...]:
    """The values of `COLUMNS` for `match`, with each seat's rating before and after."""
    first, second = match.players
    before, after = settled.before, settled.after
    return (
        seq,
        match.id,
        match.game,
        match.rules_version,
        first.account,
        first.name,
        first.transport,
        _rating(before[0]),
        _rating(after[0]),
        first.clock_ms,
        second.account,
        second.name,
        second.transport,
        _rating(before[1]),
        _rating(after[1]),
        second.clock_ms,
        to_json(match.plies),
        to_json(match.unplayed),
        match.winner,
        str(match.termination),
        match.reason,
        match.rated,
        match.why,
        match.move_timeout_ms,
        match.started_ms,
        match.ended_ms,
        line(match),
    )


def from_row(values: Mapping[str, Any]) -> FinishedMatch:
    """The match in a row (by column name) of `game_matches`."""
    return FinishedMatch(
        id=values["id"],
        game=values["game"],
        rules_version=values["rules_version"],
        players=(
            Player(values["account_0"], values["name_0"], values["transport_0"], values["clock_ms_0"]),
            Player(values["account_1"], values["name_1"], values["transport_1"], values["clock_ms_1"]),
        ),
        plies=_plies.decode(values["plies"]),
        unplayed=_strikes.decode(values["unplayed"]),
        winner=values["winner"],
        termination=Termination(values["termination"]),
        reason=values["reason"],
        rated=bool(values["rated"]),
        why=values["why"],
        move_timeout_ms=values["move_timeout_ms"],
        started_ms=values["started_ms"],
        ended_ms=values["ended_ms"],
    )


def to_json(value: object) -> str:
    """`value` as JSON. Lone surrogates in its text become escapes such as `\\ud800` (with their backslash)."""
    try:
        return _encoder.encode(value).decode()
    except UnicodeEncodeError:
        return _encoder.encode(_encodable(msgspec.to_builtins(value))).decode()


def _rating(standing: Standing | None) -> float | None:
    return None if standing is None else standing.rating


def _encodable(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return {_encodable(key): _encodable(item) for key, item in value.items()}
    return [_encodable(item) for item in value] if isinstance(value, list | tuple) else value
