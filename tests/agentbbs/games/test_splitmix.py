"""SplitMix64 against the numbers that its reference code prints."""

from __future__ import annotations

from agentbbs.games.splitmix import SplitMix


def test_the_numbers_are_those_of_the_reference() -> None:
    numbers = SplitMix(1234567)
    assert [numbers.below(1 << 64) for _ in range(5)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


def test_below_stays_below_and_reaches_everything() -> None:
    numbers = SplitMix(1)
    assert {numbers.below(7) for _ in range(200)} == set(range(7))


def test_choice_reaches_every_value() -> None:
    numbers = SplitMix(2)
    assert {numbers.choice("abc") for _ in range(60)} == set("abc")


def test_a_seed_repeats_its_numbers() -> None:
    assert [SplitMix(9).below(1000) for _ in range(2)] == [SplitMix(9).below(1000) for _ in range(2)]
    assert SplitMix(9).below(1 << 64) != SplitMix(10).below(1 << 64)
