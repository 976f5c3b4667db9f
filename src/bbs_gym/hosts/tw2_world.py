"""Scores of Synchronet's Trade Wars 2 from what its players have. No I/O: `scores_tw2.js` fetches the rows.

The formula is the door's own: 100 for each fighter, aboard or deployed, 500 for each hold, the credits, and cargo at
10 (ore), 20 (organics) and 35 (equipment). The list that the door shows has the best *last*, ends after ten and is as
old as the last who left; so nothing here reads it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec

from bbs_gym.hosts.host import HostFault, Score

FIGHTER: Final = 100
HOLD: Final = 500
CARGO: Final = {"ore": 10, "organics": 20, "equipment": 35}


class Tw2Player(msgspec.Struct, frozen=True, kw_only=True):
    """One row of `scores_tw2.js`."""

    record: int
    user: int
    """The number of the account."""
    alias: str
    fighters: float
    deployed: float
    holds: float
    credits: float
    cargo: list[float]
    points: float
    turns: float
    sector: int
    team: int
    killed: bool

    @property
    def score(self) -> float:
        """By the formula; a ship that was destroyed is worth nothing, where the door leaves it out."""
        if self.killed:
            return 0.0
        cargo = sum(price * held for price, held in zip(CARGO.values(), self.cargo, strict=False))
        return float(FIGHTER * (self.fighters + self.deployed) + HOLD * self.holds + self.credits + cargo)


def read_players(rows: object) -> tuple[Tw2Player, ...]:
    """The players of an answer of `scores_tw2.js`. Raises HostFault for anything else."""
    try:
        return tuple(msgspec.convert(rows, list[Tw2Player], strict=False))
    except msgspec.ValidationError as fault:
        raise HostFault(
            f"what Trade Wars 2 says of its players is not understood ({fault}): is it another version?"
        ) from (fault)


def scores_of(players: Iterable[Tw2Player], agents: Mapping[str, str]) -> tuple[Score, ...]:
    """Best first, equal ones by name. `agents` are agent ids by alias in lower case."""
    found = [_score(player, agents) for player in players]
    return tuple(sorted(found, key=lambda one: (-one.score, one.player.casefold())))


def _score(player: Tw2Player, agents: Mapping[str, str]) -> Score:
    parts: dict[str, float] = {
        "fighters": player.fighters,
        "deployed": player.deployed,
        "holds": player.holds,
        "credits": player.credits,
        **dict(zip(CARGO, player.cargo, strict=False)),
        "points": player.points,
        "turns": player.turns,
        "sector": player.sector,
        "killed": float(player.killed),
    }
    return Score(player=player.alias, agent_id=agents.get(player.alias.casefold()), score=player.score, parts=parts)


def state_of(players: Iterable[Tw2Player]) -> dict[str, Any]:
    """Plain values, for checks."""
    return {"players": [{**msgspec.to_builtins(player), "score": player.score} for player in players]}
