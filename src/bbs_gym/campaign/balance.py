"""How fair a schedule is, in figures. Pure."""

from __future__ import annotations

from collections import Counter

import msgspec

from bbs_gym.campaign.schedule import PlannedSeat, Schedule


class Balance(msgspec.Struct, frozen=True, kw_only=True):
    """One competitor of a schedule."""

    agent_id: str
    model: str | None
    matches: int
    seats: tuple[int, ...]
    """How often in each seat, the first seat first."""
    rivals: int
    """Whom it meets."""
    fewest_meetings: int
    """With one of them."""
    most_meetings: int


def balance(schedule: Schedule) -> tuple[Balance, ...]:
    """Every competitor, in the order in which they come up."""
    seats: dict[PlannedSeat, Counter[int]] = {}
    met: dict[PlannedSeat, Counter[PlannedSeat]] = {}
    for match in schedule.matches:
        for place, one in enumerate(match.seats, 1):
            seats.setdefault(one, Counter())[place] += 1
            met.setdefault(one, Counter()).update(other for other in match.seats if other != one)
    return tuple(
        Balance(
            agent_id=one.agent_id,
            model=one.model,
            matches=sum(places.values()),
            seats=tuple(places[place] for place in range(1, max(places) + 1)),
            rivals=len(met[one]),
            fewest_meetings=min(met[one].values(), default=0),
            most_meetings=max(met[one].values(), default=0),
        )
        for one, places in seats.items()
    )
