"""Protection: whose, and of what."""

from __future__ import annotations

import pytest

from starlane.engine.protection import newcomer, require_unprotected
from starlane.engine.refusal import Refused
from starlane.records import Pilot


def pilot(**fields: int) -> Pilot:
    return Pilot(id=1, key="name:ada", name="Ada", sector=1).with_more(**fields)


def test_a_newcomer_is_who_is_protected_and_never_lost_a_ship() -> None:
    assert newcomer(pilot(protected_until=3), today=2)
    assert not newcomer(pilot(protected_until=3), today=3)
    assert not newcomer(pilot(protected_until=3, deaths=1), today=2)


def test_who_is_protected_does_not_fight() -> None:
    with pytest.raises(Refused, match="give it up"):
        require_unprotected(pilot(protected_until=3, deaths=1), today=2)
    require_unprotected(pilot(protected_until=3), today=3)
