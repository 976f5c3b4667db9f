"""Boards as SVG."""

from __future__ import annotations

from collections import Counter
from xml.etree.ElementTree import Element, fromstring

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentbbs.games.c4 import C4
from agentbbs.games.game import Position
from agentbbs.games.ttt import TTT
from agentbbs.play.scene import Scene, scene
from agentbbs.web.drawing.board import board, described

from .html import valid_fragment

HOSTILE = '"><script>alert(1)</script>'


def drawn(*moves: str, game: object = TTT) -> Scene:
    position: Position = (C4 if game is C4 else TTT).initial()
    before: Position | None = None
    for move in moves:
        position, before = position.play(move), position
    found = scene(position, before)
    assert found is not None
    return found


def svg(found: Scene, title: str = "a board") -> Element:
    """The drawing, once it has passed the checks of a page."""
    text = board(found, title)
    valid_fragment(text)
    return fromstring(text)


def classes(root: Element) -> Counter[str]:
    return Counter(one.attrib["class"] for one in root.iter() if "class" in one.attrib)


def test_marks_differ_in_shape() -> None:
    found = classes(svg(drawn("4", "0")))
    assert (found["mark-x"], found["mark-o"], found["cell"], found["label"]) == (1, 1, 9, 7)
    assert (found["last"], found["fresh"], found["kept"]) == (1, 1, 1)


def test_discs_lie_in_a_rack_and_carry_signs() -> None:
    found = classes(svg(drawn(*"0101010", game=C4)))
    assert (found["disc-x"], found["disc-o"], found["sign"], found["hole"]) == (4, 3, 7, 42)
    assert found["won"] == 4
    assert found["label"] == 7, "the columns have their numbers"


def test_the_last_move_is_where_it_was_played() -> None:
    last = next(one for one in svg(drawn("4", "2")).iter() if one.get("class") == "last")
    assert (last.get("x"), last.get("y")) == ("203", "3")


def test_who_does_not_see_it_hears_it() -> None:
    root = svg(drawn("4", "0"), title="Tic-Tac-Toe, the board after 2 plies")
    assert root.get("role") == "img"
    names = (root.get("aria-labelledby") or "").split()
    said = [one.text for name in names for one in root.iter() if one.get("id") == name]
    assert said == [
        "Tic-Tac-Toe, the board after 2 plies",
        "Row 1: O empty empty. Row 2: empty X empty. Row 3: empty.",
    ]


def test_two_boards_of_a_page_have_ids_of_their_own() -> None:
    found = drawn("4")
    valid_fragment(board(found, "one", name="one") + board(found, "two", name="two"))


def test_texts_of_strangers_stay_texts() -> None:
    found = msgspec.structs.replace(
        drawn("4"),
        cells=(*["<b>"] * 8, ""),
        names=(HOSTILE,) * 9,
        column_labels=(HOSTILE,) * 3,
        row_labels=(HOSTILE,) * 3,
    )
    root = svg(found, title=HOSTILE)
    assert {one.tag for one in root.iter()} <= {"svg", "title", "desc", "g", "rect", "text"}
    assert "<b>" in [one.text for one in root.iter("text")]


def test_labels_have_room() -> None:
    found = msgspec.structs.replace(drawn("4"), column_labels=("a", "b", "c"), row_labels=("3", "2", "1"))
    root = svg(found)
    assert root.get("viewBox") == "0 0 344 344"
    assert described(found).startswith("Row 3: ")


@settings(deadline=None)
@given(
    st.integers(1, 5).flatmap(
        lambda columns: st.builds(
            Scene,
            st.just(columns),
            st.just(2),
            st.lists(st.text(max_size=3), min_size=2 * columns, max_size=2 * columns).map(
                lambda marks: tuple(mark if mark.isprintable() else "" for mark in marks)
            ),
            style=st.sampled_from(("grid", "discs")),
            fresh=st.lists(st.integers(0, 2 * columns - 1), unique=True).map(tuple),
        )
    )
)
def test_any_scene_is_a_drawing(found: Scene) -> None:
    root = svg(found)
    letters = [one.text for one in root.iter("text") if one.get("class") == "letter"]
    assert letters == [mark for mark in found.cells if mark not in {"", "X", "O"}]
    assert all(float(one.attrib["font-size"]) > 0 for one in root.iter("text"))


@pytest.mark.parametrize("game", [TTT, C4])
def test_it_carries_no_style_of_its_own(game: object) -> None:
    for one in svg(drawn("0", game=game)).iter():
        assert not {"style", "fill", "stroke", "onclick"} & set(one.attrib)
