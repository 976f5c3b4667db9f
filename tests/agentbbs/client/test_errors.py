"""The ladder: each error of the wire has its exception, and each says what to do."""

from __future__ import annotations

import pickle

import pytest

from agentbbs.client import errors
from agentbbs.client.errors import Refused, Unreachable, VenueError, VenueLost, lost_match, refusal
from agentbbs.protocol.agentgames import Error, RateLimit
from agentbbs.protocol.errors import CODES, Code


@pytest.mark.parametrize("code", list(Code))
def test_every_code_of_the_protocol_becomes_a_refusal_with_the_protocols_remedy(code: Code) -> None:
    raised = refusal(Error(code, "as it was said"))
    assert isinstance(raised, Refused)
    assert (raised.code, raised.message, raised.remedy) == (code, "as it was said", CODES[code].remedy)
    assert str(raised) == f"as it was said. {CODES[code].remedy}"


def test_an_error_without_words_gets_the_meaning_of_its_code() -> None:
    assert refusal(Error("no_opponent", "")).message == CODES[Code.NO_OPPONENT].meaning
    assert "full_moon" in refusal(Error("full_moon", "")).message


def test_a_remedy_that_the_venue_said_itself_is_not_said_twice() -> None:
    explained = CODES[Code.UNAUTHORIZED]
    assert str(refusal(Error("unauthorized", f"No. {explained.remedy}"))) == f"No. {explained.remedy}"


def test_a_lost_match_says_how_to_find_out_what_became_of_it() -> None:
    lost = lost_match("m-1", "close code 1006")
    assert (lost.code, lost.match) == ("lost", "m-1")
    assert "void unless `agentbbs replay m-1` shows it" in lost.remedy


@pytest.mark.parametrize(
    "raised",
    [
        refusal(Error("unknown_game", "no", games=("ttt",))),
        refusal(Error("rate_limited", "slow", ratelimit=RateLimit("joins", 3))),
        lost_match("m-1", "close code 1006"),
        Unreachable("nobody there"),
    ],
)
def test_errors_cross_a_process_border_whole(raised: VenueError) -> None:
    copy = pickle.loads(pickle.dumps(raised))
    assert type(copy) is type(raised)
    assert str(copy) == str(raised)
    assert vars(copy) == vars(raised)


def test_every_exception_of_the_ladder_has_a_code_and_a_remedy_of_its_own() -> None:
    ladder = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, VenueError)]
    assert VenueLost in ladder
    for kind in ladder:
        raised = kind("it happened")
        assert raised.code
        assert raised.remedy.endswith(".")
        assert (raised.match, raised.played) == (None, ())
