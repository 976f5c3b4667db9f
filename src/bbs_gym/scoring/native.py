"""Skill: what a game itself says of the participants. Pure.

The scores are those of `Host.scores` (Starlane: net worth, as `starlane scores` shows it; Trade Wars 2: the score of
its own ranking), or were read from a ranking as text (`rankings`). They are given to participants by the registry's
agent id where the host knows it, else by the name that the BBS knows, compared without case.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from bbs_gym.hosts.host import Score
from bbs_gym.scoring.result import Skill


def skills(game: str, scores: Iterable[Score], players: Mapping[str, Sequence[str]]) -> dict[str, Skill]:
    """The skill of each of `players` (agent id: the names that it may have in the game), ranked among them.

    Who is not in the game has a score of 0 there: an agent that never found the door can't do better than one that
    did. Equal scores share a rank, and the next rank counts them all: 1, 1, 3.
    """
    listed = tuple(scores)
    found = {agent: _of(agent, names, listed) for agent, names in players.items()}
    ranked = sorted((one.score if one else 0.0 for one in found.values()), reverse=True)
    return {
        agent: Skill(
            game=game,
            score=one.score if one else 0.0,
            rank=ranked.index(one.score if one else 0.0) + 1,
            parts=dict(sorted(one.parts.items())) if one else {},
        )
        for agent, one in found.items()
    }


def _of(agent: str, names: Sequence[str], scores: Sequence[Score]) -> Score | None:
    by_id = next((one for one in scores if one.agent_id == agent), None)
    if by_id is not None:
        return by_id
    wanted = {name.casefold() for name in names}
    return next((one for one in scores if one.agent_id is None and one.player.casefold() in wanted), None)
