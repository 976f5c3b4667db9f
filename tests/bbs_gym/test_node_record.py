"""What is known of a session's node."""

from __future__ import annotations

import pytest

from bbs_gym.node_record import NodeRecord


@pytest.mark.parametrize(
    ("requested", "allocated", "observed", "mismatch"),
    [
        (None, None, None, False),
        (1, 1, 1, False),
        (1, 1, None, False),
        (1, 1, 2, True),
        (1, None, 2, True),
        (None, 3, 2, True),
        (1, 2, 2, False),
        (None, None, 2, False),
    ],
)
def test_is_a_mismatch_where_the_board_shows_another_node(
    requested: int | None, allocated: int | None, observed: int | None, *, mismatch: bool
) -> None:
    assert NodeRecord(requested=requested, allocated=allocated, observed=observed).mismatch is mismatch
