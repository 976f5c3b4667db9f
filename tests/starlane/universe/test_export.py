"""An export has everything but what a running game keeps to itself."""

from __future__ import annotations

import msgspec
from tests.starlane.worlds import enroll, pilot, place, six_sectors

from starlane.goods import Good
from starlane.orders import Ask, Dock, Jot
from starlane.records import KEYS, Bargain
from starlane.universe.export import exported


def test_everything_is_in_it() -> None:
    with six_sectors() as universe:
        ada = enroll(universe, "ada")
        universe.perform(ada, Jot(body="remember"))
        with universe.look() as sky:
            whole = msgspec.json.decode(msgspec.json.encode(exported(sky)))
        assert whole["format"] == "starlane-universe"
        assert whole["settings"]["seed"] == 7
        assert whole["day"] == 0
        assert whole["pilots"] == [msgspec.to_builtins(pilot(universe, ada))]
        assert len(whole["sectors"]) == 6
        assert len(whole["planets"]) == 3
        assert whole["notes"][0]["text"] == "remember"
        assert whole["journal"][1] == {
            "seq": 2,
            "day": 0,
            "pilot": 1,
            "session": 1,
            "order": {"do": "jot", "body": "remember"},
        }
        assert {"flow": "grant", "good": "credits", "amount": 2000} in whole["flows"]
        assert len([value for value in whole.values() if isinstance(value, list)]) == len(KEYS) + 1


def test_what_a_port_would_settle_for_is_not() -> None:
    with six_sectors() as universe:
        ada = enroll(universe, "ada")
        place(universe, ada, sector=5)
        universe.perform(ada, Dock())
        universe.perform(ada, Ask(good=Good.ICE, quantity=10))
        with universe.look() as sky:
            assert sky.count(Bargain) == 1
            whole = msgspec.json.decode(msgspec.json.encode(exported(sky)))
        (bargain,) = whole["bargains"]
        assert bargain["quantity"] == 10
        assert not {"reserve", "patience"} & set(bargain)
        assert "dice" not in whole
