"""The strike table: closed, in its order, and explained."""

from __future__ import annotations

import pytest

from agentbbs.play.ports import StrikeKind
from agentbbs.protocol.strikes import STRIKES, StrikeRow

THE_TABLE = "timeout connection tls http status redirect too_large not_json no_move nonce illegal_move address_refused"


def test_the_rows_are_stored_by_these_names() -> None:
    assert " ".join(StrikeRow) == THE_TABLE


def test_every_row_is_explained_once_in_order() -> None:
    assert list(STRIKES) == list(StrikeRow)
    assert all(row is info.row for row, info in STRIKES.items())


def test_the_kinds_that_other_seats_have_go_by_the_same_names() -> None:
    assert {str(kind) for kind in StrikeKind} <= {str(row) for row in StrikeRow}


@pytest.mark.parametrize("row", StrikeRow)
def test_a_row_says_what_it_means_and_what_to_do(row: StrikeRow) -> None:
    for sentence in (STRIKES[row].says, STRIKES[row].remedy):
        assert sentence.strip() == sentence
        assert sentence.isprintable()
        assert "|" not in sentence  # it stands in a table of the page


def test_what_the_referee_pauses_after() -> None:
    pausing = {row for row, info in STRIKES.items() if info.transport}
    assert pausing == {StrikeRow.CONNECTION, StrikeRow.TLS, StrikeRow.HTTP, StrikeRow.STATUS}
