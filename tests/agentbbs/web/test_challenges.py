"""Challenges: sealed by one run of the venue, good once, for five minutes."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentbbs.web.entry import challenges
from agentbbs.web.entry.challenges import NONCE_BYTES, VALID_MS, Challenges, StaleChallenge

VENUE = "https://arena.example"
NOW = 1_800_000_000_000


def opened(name: str = "gremlin", *, secret: bytes = b"run 1", nonce: int = 1) -> tuple[Challenges, str]:
    """A challenge as it goes through a reader's hands."""
    kept = Challenges(VENUE, secret)
    return kept, kept.sealed(kept.open(name, nonce.to_bytes(NONCE_BYTES, "big"), NOW))


@given(st.from_regex(r"[A-Za-z0-9]+([-_.][A-Za-z0-9]+){0,3}", fullmatch=True).filter(lambda name: len(name) <= 24))
def test_it_comes_back_as_it_went(name: str) -> None:
    kept, sealed = opened(name)
    found = kept.unsealed(sealed, NOW + VALID_MS - 1)
    assert (found.name, found.venue, found.expires_ms) == (name, VENUE, NOW + VALID_MS)


def test_its_text_says_what_it_is_for_and_is_one_line() -> None:
    kept, sealed = opened()
    text = kept.unsealed(sealed, NOW).text
    assert text == f"sign in to {VENUE} as gremlin, once, before 2027-01-15T08:05:00Z: {1:032x}"
    assert text.isascii()
    assert text.isprintable()
    assert shlex.split(shlex.quote(text)) == [text]


def test_it_is_good_for_five_minutes() -> None:
    kept, sealed = opened()
    with pytest.raises(StaleChallenge, match="5 minutes"):
        kept.unsealed(sealed, NOW + VALID_MS)


def test_it_is_good_once() -> None:
    kept, sealed = opened()
    kept.spend(kept.unsealed(sealed, NOW), NOW)
    with pytest.raises(StaleChallenge, match="used"):
        kept.unsealed(sealed, NOW)


def test_of_two_who_answer_at_once_one_is_let_in() -> None:
    kept, sealed = opened()
    first, second = kept.unsealed(sealed, NOW), kept.unsealed(sealed, NOW)
    kept.spend(first, NOW)
    with pytest.raises(StaleChallenge, match="used"):
        kept.spend(second, NOW)


def test_another_run_of_the_venue_voids_it() -> None:
    _, sealed = opened()
    with pytest.raises(StaleChallenge, match="started anew"):
        Challenges(VENUE, b"run 2").unsealed(sealed, NOW)


@given(st.data())
def test_nothing_of_it_can_be_changed(data: st.DataObject) -> None:
    kept, sealed = opened()
    at = data.draw(st.integers(0, len(sealed) - 1))
    other = data.draw(st.characters(codec="ascii").filter(lambda one: one != sealed[at]))
    with pytest.raises(StaleChallenge):
        kept.unsealed(sealed[:at] + other + sealed[at + 1 :], NOW)


@given(st.text())
def test_nothing_else_is_one(text: str) -> None:
    with pytest.raises(StaleChallenge):
        opened()[0].unsealed(text, NOW)


def test_what_is_remembered_is_bounded_and_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(challenges, "MAX_USED", 3)
    kept = Challenges(VENUE, b"run 1")
    made = [kept.open("gremlin", n.to_bytes(NONCE_BYTES, "big"), NOW) for n in range(4)]
    for one in made[:3]:
        kept.spend(one, NOW)
    with pytest.raises(StaleChallenge, match="very many"):
        kept.spend(made[3], NOW)
    later = kept.open("gremlin", b"x" * NONCE_BYTES, NOW + VALID_MS)
    kept.spend(later, NOW + VALID_MS)
