"""A saved match as a person reads it: one screen for each position. Pure text, made inert."""

from __future__ import annotations

from typing import Final

from agentbbs.commands.output import cell, moment
from agentbbs.games.game import NOBODY, Position
from agentbbs.play.replay import SavedMatch, SavedStrike, positions

MARKS: Final = ("X", "O")
"""Player 0 and player 1, as boards show them."""

_SHOWN_RATING: Final = "{name} ({rating:.0f})"


def frames(saved: SavedMatch) -> tuple[str, ...]:
    """The initial position and the one after each ply, each with who, what, how long and why; the last one
    says how the match ended. Raises NotAReplay where the positions can't be shown."""
    found = positions(saved)
    return tuple(_frame(saved, at, position) for at, position in enumerate(found))


def _frame(saved: SavedMatch, at: int, position: Position) -> str:
    lines = [
        f"{cell(saved.game)}  {cell(saved.match)}  {moment(saved.started)}",
        "   ".join(f"{MARKS[seat]} {seated(saved, seat)}" for seat in (0, 1)),
        "",
        *_how(saved, at),
        "",
        *position.text().splitlines(),
        "",
    ]
    if at == len(saved.plies):
        lines += [*(_strike(saved, at, strike) for strike in saved.unplayed), ending(saved)]
    elif position.to_move != NOBODY:
        lines.append(f"{_who(saved, position.to_move)} to move")
    return "\n".join(lines)


def seated(saved: SavedMatch, seat: int) -> str:
    """A player with the rating it came with, if it has one."""
    player = saved.players[seat]
    name = cell(player.name)
    return name if player.rating_before is None else _SHOWN_RATING.format(name=name, rating=player.rating_before)


def ending(saved: SavedMatch) -> str:
    """How the match ended, and what that did to the ratings."""
    outcome = saved.outcome
    if outcome.winner != NOBODY:
        text = f"{_who(saved, outcome.winner)} wins"
    else:
        text = "void" if outcome.termination == "server" else "draw"
    if outcome.reason is not None:
        text += f" ({cell(outcome.reason)})"
    if not outcome.rated:
        return f"{text}; not rated: {cell(outcome.why)}"
    changes = [
        f"{cell(player.name)} {player.rating_before:.0f} -> {player.rating_after:.0f}"
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
    lines.append(f"ply {at} of {len(saved.plies)}: {_who(saved, ply.player)} played {cell(ply.move)} after {ply.ms} ms")
    if ply.reason is not None:
        lines.append(f'  "{cell(ply.reason)}"')
    return lines


def _strike(saved: SavedMatch, at: int, strike: SavedStrike) -> str:
    offered = "" if strike.offered is None else f", offered {cell(strike.offered)!r}"
    return f"  strike at ply {at} of {len(saved.plies)}: {cell(strike.kind)} after {strike.ms} ms{offered}"


def _who(saved: SavedMatch, seat: int) -> str:
    return f"{MARKS[seat]} {cell(saved.players[seat].name)}"
