"""A saved match as a person reads it: one screen for each position. Pure; its texts are inert."""

from __future__ import annotations

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
    """How the position came about: the move with its time and reason, the strikes before it."""
    position: Position
    foot: tuple[str, ...]
    """Who is to move, or how the match ended."""

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
        return (*(_strike(saved, at, strike) for strike in saved.unplayed), ending(saved))
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
    lines = [_strike(saved, at - 1, strike) for strike in ply.strikes]
    lines.append(
        f"ply {at} of {len(saved.plies)}: {_who(saved, ply.player)} played {_cell(ply.move)} after {ply.ms} ms"
    )
    if ply.reason is not None:
        lines.append(f'  "{_cell(ply.reason)}"')
    return lines


def _strike(saved: SavedMatch, at: int, strike: SavedStrike) -> str:
    offered = "" if strike.offered is None else f", offered {_cell(strike.offered)!r}"
    return f"  strike at ply {at} of {len(saved.plies)}: {_cell(strike.kind)} after {strike.ms} ms{offered}"


def _who(saved: SavedMatch, seat: int) -> str:
    return f"{MARKS[seat]} {_cell(saved.players[seat].name)}"


def _cell(value: object) -> str:
    """A value as inert text; nothing for None."""
    return "" if value is None else inert(str(value))
