"""How many may be in a door."""

from __future__ import annotations

import asyncio

import pytest

from bbs_gym.door_policy import DoorGate, DoorPolicy, DoorRefused, check_players, policy_of

LIMIT_S = 5


@pytest.mark.parametrize(
    ("game", "policy"),
    [
        ("bre", DoorPolicy.SERIALIZED),
        ("BRE", DoorPolicy.SERIALIZED),
        ("tw2", DoorPolicy.CONCURRENT),
        ("tw2002", DoorPolicy.CONCURRENT),
        ("starlane", DoorPolicy.CONCURRENT),
        ("a game that nobody knows", DoorPolicy.SERIALIZED),
    ],
)
def test_the_policy_of_a_game(game: str, policy: DoorPolicy) -> None:
    assert policy_of(game) is policy


def test_a_policy_of_ones_own() -> None:
    assert policy_of("LORD", {"lord": DoorPolicy.SINGLE}) is DoorPolicy.SINGLE


def test_a_door_of_one_player_refuses_a_match_of_several_unless_forced() -> None:
    check_players("lord", DoorPolicy.SINGLE, 1)
    check_players("lord", DoorPolicy.SINGLE, 2, forced=True)
    check_players("bre", DoorPolicy.SERIALIZED, 6)
    with pytest.raises(DoorRefused, match="lord takes one player, and 2 agents"):
        check_players("lord", DoorPolicy.SINGLE, 2)


async def test_a_concurrent_door_takes_all() -> None:
    gate = DoorGate("tw2", DoorPolicy.CONCURRENT)
    async with gate.stay(), gate.stay(), gate.stay():
        assert gate.inside == 3
    assert gate.inside == 0


async def test_a_serialized_door_takes_one_after_the_other() -> None:
    gate, order = DoorGate("bre", DoorPolicy.SERIALIZED), list[str]()

    async def visit(name: str) -> None:
        async with gate.stay(timeout_s=LIMIT_S):
            assert gate.inside == 1
            order.append(f"{name} in")
            await asyncio.sleep(0)
            order.append(f"{name} out")

    async with asyncio.TaskGroup() as group:
        for name in "abc":
            group.create_task(visit(name))
    assert order == ["a in", "a out", "b in", "b out", "c in", "c out"]


async def test_a_turn_at_a_serialized_door_is_waited_for_with_a_bound() -> None:
    gate = DoorGate("bre", DoorPolicy.SERIALIZED)
    async with gate.stay():
        with pytest.raises(DoorRefused, match=r"not free within 0\.01 s"):
            async with gate.stay(timeout_s=0.01):
                pass
    async with gate.stay():
        assert gate.inside == 1


async def test_a_door_of_one_player_refuses_the_second_at_once() -> None:
    gate = DoorGate("lord", DoorPolicy.SINGLE)
    async with gate.stay():
        with pytest.raises(DoorRefused):
            async with gate.stay():
                pass
    forced = DoorGate("lord", DoorPolicy.SINGLE, forced=True)
    async with forced.stay(), forced.stay():
        assert forced.inside == 2
