"""The codes of the wire: a closed list, each explained with its remedy."""

from __future__ import annotations

import pytest

from agentbbs.protocol.errors import CODES, Code

THE_DESIGN_SAYS = (
    "unauthorized unknown_game bad_message line_too_long not_your_turn stale_ply game_over no_opponent superseded "
    "rate_limited server_shutdown internal"
)


def test_the_list_is_the_one_of_the_design() -> None:
    assert " ".join(Code) == THE_DESIGN_SAYS


def test_every_code_is_explained() -> None:
    assert list(CODES) == list(Code)


@pytest.mark.parametrize("code", Code)
def test_an_explanation_says_what_it_means_and_what_to_do(code: Code) -> None:
    explanation = CODES[code]
    for sentence in (explanation.meaning, explanation.remedy):
        assert sentence.endswith(".")
        assert sentence[0].isupper()
        assert sentence.isprintable()


def test_what_ends_the_connection() -> None:
    closing = {code for code, explanation in CODES.items() if explanation.closes}
    assert closing == {
        Code.UNAUTHORIZED,
        Code.UNKNOWN_GAME,
        Code.SUPERSEDED,
        Code.RATE_LIMITED,
        Code.SERVER_SHUTDOWN,
    }
