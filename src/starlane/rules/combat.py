"""One battle: fighters against fighters, to the end of one side, in closed form.

The law lies between Lanchester's linear and square ones: what the winner keeps is s with s^1.5 = w^1.5 - l^1.5, w and l
the strengths of winner and loser. So a force of equal strength is spent wholly, one of four times the strength loses
about a third of what it shoots down, one of a hundred times a fifteenth: to concentrate pays, and never for nothing.
The law has no memory: to send the same fighters in portions is never better.
"""

from __future__ import annotations

from math import isqrt
from typing import Final

from starlane.dice import Dice

OPEN_SPACE: Final = 1000
"""The `defence_permille` where nothing helps the defenders."""
DEFENDERS_EDGE_PERMILLE: Final = 30
"""What defenders are stronger by everywhere: of equal forces about five attacks in fourteen succeed."""
LUCK_PERMILLE: Final = 150
"""The most that chance adds to a side's strength or takes off it: enough for surprises, too little to plan on."""
VOLLEY_LEAST_PERMILLE: Final = 50
VOLLEY_MOST_PERMILLE: Final = 100
"""Hits of one volley, in thousandths of those who shoot: hunters destroy a ship that has a fifteenth of their number,
and a stronger one gets away to think it over."""


def fight(dice: Dice, attackers: int, defenders: int, defence_permille: int) -> tuple[int, int]:
    """How many fighters each side loses, attackers first; one side loses all that it has.

    `defence_permille` is how strong a defender is for itself, in thousandths of an attacker: OPEN_SPACE or what works
    make of it. Without defenders nobody loses anything; without attackers neither.
    """
    if attackers < 1 or defenders < 1:
        return 0, 0
    attack = attackers * _luck(dice) * 1000
    defence = defenders * _luck(dice) * (defence_permille + DEFENDERS_EDGE_PERMILLE)
    if attack > defence:
        return _winners_loss(dice, attackers, attack, defence), defenders
    return attackers, _winners_loss(dice, defenders, defence, attack)


def _luck(dice: Dice) -> int:
    """Around 1000: the sum of two dice, so that the middle comes more often than the ends."""
    return 1000 - LUCK_PERMILLE + dice.between(0, LUCK_PERMILLE) + dice.between(0, LUCK_PERMILLE)


def _winners_loss(dice: Dice, fighters: int, strength: int, beaten: int) -> int:
    """What a winner of so many `fighters` loses; a part of a fighter is one by chance. Strengths are about a million a
    fighter, so that whole roots are exact enough. Below `fighters`, for a winner without fighters would be none."""
    kept = _cube_root((isqrt(strength**3) - isqrt(beaten**3)) ** 2)
    whole, part = divmod(fighters * (strength - kept), strength)
    return min(whole + (dice.below(strength) < part), fighters - 1)


def _cube_root(number: int) -> int:
    """The whole part of the cube root, by Newton's steps from above."""
    if number == 0:
        return 0
    root = 1 << -(-number.bit_length() // 3)
    while (lower := (2 * root + number // (root * root)) // 3) < root:
        root = lower
    return root


def volley(dice: Dice, shooters: int) -> int:
    """How many fighters so many `shooters`, at least 1, can hit before a ship is out of their reach."""
    return 1 + shooters * dice.between(VOLLEY_LEAST_PERMILLE, VOLLEY_MOST_PERMILLE) // 1000
