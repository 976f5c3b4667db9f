"""A saved match as a person reads it: one screen for each position. Pure; its texts are inert."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import msgspec

from agentbbs.games.game import NOBODY, Position
from agentbbs.play.replay import SavedMatch, SavedStrike, positions
from tty_agent.terminal.inert import inert

MARKS: Final = ("X", "O")
"""Player 0 and player 1, as boards show them."""

_SHOWN_RATING: Final = "{name} ({rating:.0f})"


class Frame(msgspec.Struct, frozen=True):
    """One screen of a match, its texts line by line."""

    head: tuple[str, ...]
    """Which match it is, and who plays."""
    how: tuple[str, ...]
    """How the position came about: the strikes before the move, the move with its time and reason. A strike, and
    what an agent said, are set in."""
    position: Position
    foot: tuple[str, ...]
    """Who is to move, or the strikes after the last move and how the match ended."""

    def text(self) -> str:
        """The whole as one text, the board drawn by the game."""
        return "\n".join([*self.head, "", *self.how, "", *self.position.text().splitlines(), "", *self.foot])


def frames(saved: SavedMatch, started: str) -> tuple[Frame, ...]:
    """The initial position and the one after each ply, each with who, what, how long and why; the last one
    says how the match ended. `started` is the time of its start, in words. Raises NotAReplay where the positions
    can't be shown."""
    head = (
        f"{_cell(saved.game)}  {_cell(saved.match)}  {started}",
        "   ".join(f"{MARKS[seat]} {seated(saved, seat)}" for seat in (0, 1)),
    )
    return tuple(
        Frame(head, tuple(_how(saved, at)), position, _foot(saved, at, position))
        for at, position in enumerate(positions(saved))
    )


def _foot(saved: SavedMatch, at: int, position: Position) -> tuple[str, ...]:
    if at == len(saved.plies):
        return (*_strikes(saved, at, position.to_move, saved.unplayed), ending(saved))
    return () if position.to_move == NOBODY else (f"{_who(saved, position.to_move)} to move",)


def seated(saved: SavedMatch, seat: int) -> str:
    """A player with the rating it came with, if it has one."""
    player = saved.players[seat]
    name = _cell(player.name)
    return name if player.rating_before is None else _SHOWN_RATING.format(name=name, rating=player.rating_before)


def ending(saved: SavedMatch) -> str:
    """How the match ended, and what that did to the ratings."""
    outcome = saved.outcome
    if outcome.winner != NOBODY:
        text = f"{_who(saved, outcome.winner)} wins"
    else:
        text = "void" if outcome.termination == "server" else "draw"
    if outcome.reason is not None:
        text += f" ({_cell(outcome.reason)})"
    if not outcome.rated:
        return f"{text}; not rated: {_cell(outcome.why)}"
    changes = [
        f"{_cell(player.name)} {player.rating_before:.0f} -> {player.rating_after:.0f}"
        for player in saved.players
        if player.rating_before is not None and player.rating_after is not None
    ]
    return f"{text}; {', '.join(changes)}"


def _how(saved: SavedMatch, at: int) -> list[str]:
    """How the position came about."""
    if at == 0:
        return [f"start; {len(saved.plies)} plies follow"]
    ply = saved.plies[at - 1]
    lines = list(_strikes(saved, at - 1, ply.player, ply.strikes))
    lines.append(
        f"ply {at} of {len(saved.plies)}: {_who(saved, ply.player)} played {_cell(ply.move)} after {ply.ms} ms"
    )
    if ply.reason is not None:
        lines.append(f'  "{_cell(ply.reason)}"')
    return lines


def _strikes(saved: SavedMatch, at: int, seat: int, strikes: tuple[SavedStrike, ...]) -> Iterator[str]:
    """The strikes of a seat at one position, each with what was wrong, and below it what the agent said."""
    who = "" if seat == NOBODY else f" of {_who(saved, seat)}"
    for strike in strikes:
        text = f"  strike{who} at ply {at}: {_cell(strike.kind)} after {strike.ms} ms"
        if strike.asked_ms is not None:
            text += f", asked at {strike.asked_ms / 1000:.3f} s"
        if strike.offered is not None:
            text += f", offered {_cell(strike.offered)!r}"
        if strike.detail is not None:
            text += f": {_cell(strike.detail)}"
        yield text
        if strike.reason is not None:
            yield f'  "{_cell(strike.reason)}"'


def _who(saved: SavedMatch, seat: int) -> str:
    return f"{MARKS[seat]} {_cell(saved.players[seat].name)}"


def _cell(value: object) -> str:
    """A value as inert text; nothing for None."""
    return "" if value is None else inert(str(value))
