"""How long a caller may be still."""

from __future__ import annotations

from agentbbs.hub.idle import Idle


def test_three_quarters_of_the_limit_warn_and_all_of_it_hangs_up() -> None:
    idle = Idle(100, now=0)
    assert idle.next_at == 75
    assert not idle.to_warn(74)
    assert idle.to_warn(75)
    assert not idle.over(100)  # nobody was warned
    idle.warned = True
    assert idle.next_at == 100
    assert not idle.to_warn(99)
    assert not idle.over(99)
    assert idle.over(100)


def test_a_key_begins_it_anew_and_the_one_that_answers_is_no_input() -> None:
    idle = Idle(100, now=0)
    assert idle.pressed(50)
    assert idle.next_at == 125
    idle.warned = True
    assert not idle.pressed(130)
    assert idle.pressed(131)
    assert idle.next_at == 206


def test_without_a_limit_nothing_is_due() -> None:
    idle = Idle(None, now=0)
    assert idle.next_at is None
    assert not idle.to_warn(1e9)
    assert not idle.over(1e9)
