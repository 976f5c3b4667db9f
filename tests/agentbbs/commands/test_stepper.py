"""Stepping through screens by keys."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentbbs.commands.stepper import BACK, FIRST, KEYS, LAST, NEXT, QUIT, step, walk


@pytest.mark.parametrize(
    ("at", "key", "leads_to"),
    [
        (0, "\r", 1),
        (0, " ", 1),
        (0, "\x1b[C", 1),
        (9, "\n", 9),
        (3, "b", 2),
        (3, "\x1b[D", 2),
        (0, "\x7f", 0),
        (5, "g", 0),
        (5, "G", 9),
        (5, "x", 5),
        (5, "\x1b[24~", 5),
        (5, "q", None),
        (5, "\x1b", None),
    ],
)
def test_each_key_leads_somewhere(at: int, key: str, leads_to: int | None) -> None:
    assert step(at, key, 9) == leads_to


def test_no_key_means_two_things() -> None:
    keys = [*NEXT, *BACK, *FIRST, *LAST, *QUIT]
    assert len(keys) == len(set(keys))


@given(st.integers(0, 50), st.text(max_size=6), st.integers(0, 50))
def test_no_key_leads_out(at: int, key: str, more: int) -> None:
    leads_to = step(at, key, at + more)
    assert leads_to is None or 0 <= leads_to <= at + more


@pytest.mark.parametrize(
    ("keys", "shown"),
    [
        ("q", ["one"]),
        ("\r\rq", ["one", "two", "three"]),
        ("\r\r\rq", ["one", "two", "three", "three"]),
        ("Gbgq", ["one", "three", "two", "one"]),
        ("\r", ["one", "two"]),
    ],
)
def test_a_walk_shows_what_the_keys_lead_to(capsys: pytest.CaptureFixture[str], keys: str, shown: list[str]) -> None:
    """Where the keys run out, so does the terminal: that quits."""
    pressed = iter(keys)

    def read_key() -> str:
        try:
            return next(pressed)
        except StopIteration:
            raise EOFError from None

    walk(("one", "two", "three"), read_key)
    screens = capsys.readouterr().out.split("\x1b[H\x1b[2J")[1:]
    assert [screen.splitlines()[0] for screen in screens] == shown
    assert all(screen.splitlines()[-1] == KEYS for screen in screens)
