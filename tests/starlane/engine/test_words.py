"""Notices and news, and how many of them there can be."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.starlane.worlds import six_sectors

from starlane.engine.words import CHATTER_NOTICES, MAX_NOTICES, NEWS_PER_DAY, chat, news, tell
from starlane.records import NOBODY, News, Notice
from starlane.universe.universe import Universe

ADA = 1


@pytest.fixture
def universe() -> Iterator[Universe]:
    with six_sectors() as made:
        yield made


def waiting(universe: Universe) -> list[str]:
    with universe.look() as sky:
        return [notice.text for notice in sky.find(Notice, pilot=ADA)]


def test_the_oldest_notice_gives_way(universe: Universe) -> None:
    with universe.transaction() as world:
        for number in range(MAX_NOTICES + 3):
            tell(world, ADA, f"{number}")

    assert waiting(universe) == [f"{number}" for number in range(3, MAX_NOTICES + 3)]


def test_nobody_is_told_nothing(universe: Universe) -> None:
    with universe.transaction() as world:
        tell(world, NOBODY, "to no one")
        assert world.count(Notice) == 0


def test_chatter_is_not_added_to_many_notices_but_deeds_are(universe: Universe) -> None:
    with universe.transaction() as world:
        said = [chat(world, ADA, f"{number}") for number in range(CHATTER_NOTICES + 2)]
        tell(world, ADA, "Your picket is lost.")

    assert said == [True] * CHATTER_NOTICES + [False] * 2
    assert waiting(universe)[-2:] == [f"{CHATTER_NOTICES - 1}", "Your picket is lost."]


def test_a_day_has_so_much_news(universe: Universe) -> None:
    with universe.transaction() as world:
        for number in range(NEWS_PER_DAY + 2):
            news(world, f"{number}")
    with universe.look() as sky:
        lines = sky.find(News, day=0)
    assert len(lines) == NEWS_PER_DAY
    assert lines[-1].text == f"{NEWS_PER_DAY + 1}"
