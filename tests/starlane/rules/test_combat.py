"""Battles: who wins, what it costs, and that the arithmetic holds for any force."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starlane.dice import Dice
from starlane.rules.combat import OPEN_SPACE, fight, volley
from starlane.settings import MAX_AMOUNT

FORCES = st.integers(0, 20_000) | st.integers(0, 30) | st.integers(0, MAX_AMOUNT)
BATTLES = 2_000


def mean_losses(attackers: int, defenders: int, defence_permille: int = OPEN_SPACE) -> tuple[float, float]:
    dice = Dice(11)
    losses = [fight(dice, attackers, defenders, defence_permille) for _ in range(BATTLES)]
    return sum(lost for lost, _ in losses) / BATTLES, sum(lost for _, lost in losses) / BATTLES


def attacks_won(attackers: int, defenders: int, defence_permille: int = OPEN_SPACE) -> float:
    dice = Dice(12)
    return sum(fight(dice, attackers, defenders, defence_permille)[1] == defenders for _ in range(BATTLES)) / BATTLES


@given(seed=st.integers(0), attackers=FORCES, defenders=FORCES, defence=st.integers(1000, 2000))
def test_one_side_is_gone_and_the_other_keeps_some(seed: int, attackers: int, defenders: int, defence: int) -> None:
    lost, foe_lost = fight(Dice(seed), attackers, defenders, defence)
    if attackers and defenders:
        assert 0 <= lost <= attackers
        assert 0 <= foe_lost <= defenders
        assert (lost == attackers) != (foe_lost == defenders)
    else:
        assert (lost, foe_lost) == (0, 0)


def test_the_same_dice_fight_the_same_battle() -> None:
    assert fight(Dice(5), 300, 250, OPEN_SPACE) == fight(Dice(5), 300, 250, OPEN_SPACE)


@pytest.mark.parametrize("force", [10, 100, 20_000])
def test_of_equal_forces_the_defender_wins_somewhat_more_often(force: int) -> None:
    assert 0.30 < attacks_won(force, force) < 0.45


def test_works_stand_for_more_fighters() -> None:
    assert attacks_won(150, 100, OPEN_SPACE) > 0.98
    assert attacks_won(150, 100, 2 * OPEN_SPACE) < 0.02


def test_a_third_more_is_all_but_sure_and_no_more_luck_than_that() -> None:
    assert attacks_won(133, 100) > 0.9
    assert attacks_won(75, 100) < 0.05


def test_the_greater_the_force_the_less_it_loses() -> None:
    losses = [mean_losses(100 * times, 100)[0] for times in (2, 3, 4, 8, 16, 64)]
    assert losses == sorted(losses, reverse=True)
    assert 48 < losses[0] < 60
    assert 32 < losses[2] < 40
    assert losses[-1] < 10


def test_overwhelming_force_loses_next_to_nothing() -> None:
    lost, foe_lost = mean_losses(20_000, 5)
    assert lost < 0.2
    assert foe_lost == 5


def test_to_send_fighters_in_portions_is_never_better() -> None:
    at_once = mean_losses(200, 100)[0]
    dice, spent = Dice(3), 0
    for _ in range(BATTLES):
        foes = 100
        while foes:
            lost, foe_lost = fight(dice, 40, foes, OPEN_SPACE)
            spent, foes = spent + lost, foes - foe_lost
    assert spent / BATTLES > 1.5 * at_once


@given(seed=st.integers(0), shooters=st.integers(1, MAX_AMOUNT))
def test_a_volley_hits_a_tenth_at_most_and_always_something(seed: int, shooters: int) -> None:
    assert 1 <= volley(Dice(seed), shooters) <= 1 + shooters // 10
