"""Hagglers against the ports of the game."""

from __future__ import annotations

import pytest

from starlane.bots.brains.admiral import survivors
from starlane.bots.brains.haggler import Haggler, Judge, Splitter, Taker
from starlane.dice import Dice
from starlane.engine.patter import opening, reply
from starlane.goods import Good
from starlane.records import Bargain
from starlane.reports import Haggle, Haggled
from starlane.rules.combat import OPEN_SPACE, fight
from starlane.rules.haggling import answer, open_bargain

ROUNDS = 400


def better_than_board(kind: type[Haggler], fair: int, *, buying: bool) -> float:
    """Thousandths of the board's price that a haggler gains on the average; without a deal it loses 2 %."""
    dice, won = Dice(3), 0.0
    for _ in range(ROUNDS):
        opened = open_bargain(dice, fair, buying=buying)
        bargain = Bargain(
            pilot=1,
            sector=1,
            good=Good.TOOLS,
            buying=buying,
            quantity=20,
            fair=fair,
            ask=opened.ask,
            reserve=opened.reserve,
            patience=opened.patience,
        )
        haggler, text, state = kind(), opening(dice, bargain, 0), Haggle.OPEN
        while state in {Haggle.OPEN, Haggle.FINAL}:
            said = Haggled(state=state, good=bargain.good, buying=buying, quantity=20, ask=bargain.ask, text=text)
            offer = bargain.ask if state is Haggle.FINAL else haggler.offer(said, fair)
            answered = answer(dice, bargain, offer)
            bargain, state, text = answered.bargain, answered.state, reply(dice, answered)
        gained = fair - bargain.ask if buying else bargain.ask - fair
        won += 1000 * gained / fair if state is Haggle.DEAL else -20
    return won / ROUNDS


@pytest.mark.parametrize("buying", [True, False])
@pytest.mark.parametrize("fair", [700, 3_000])
def test_judgement_pays(fair: int, buying: bool) -> None:
    taken, split, judged = (better_than_board(kind, fair, buying=buying) for kind in (Taker, Splitter, Judge))
    assert taken < -12
    assert split > taken + 10
    assert judged > split


@pytest.mark.parametrize(("sent", "foes"), [(25, 5), (100, 60), (1_000, 300), (20, 40)])
def test_an_admiral_knows_how_fights_go(sent: int, foes: int) -> None:
    dice = Dice(1)
    left = sum(sent - fight(dice, sent, foes, OPEN_SPACE)[0] for _ in range(ROUNDS)) / ROUNDS
    assert survivors(sent, foes) == pytest.approx(left, rel=0.1, abs=3)
