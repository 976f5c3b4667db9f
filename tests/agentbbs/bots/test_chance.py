"""`random` plays every legal move about equally often."""

from __future__ import annotations

import random
from collections import Counter

from agentbbs.bots.chance import CHANCE
from agentbbs.games.c4 import C4


def test_every_legal_move_comes_about_equally_often() -> None:
    position = C4.initial()
    for move in "000000":
        position = position.play(move)
    rng = random.Random(8)
    seen = Counter(CHANCE.choose(position, rng, 1) for _ in range(6000))
    assert set(seen) == set("123456")
    assert all(900 < count < 1100 for count in seen.values())
