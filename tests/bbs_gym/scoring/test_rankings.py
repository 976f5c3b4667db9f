"""Rankings as doors print them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bbs_gym.scoring.rankings import read_ranking

TW2 = """\

  T R A D E W A R S   I I - 500T   S C O R E B O A R D

Last updated at: Mon Jan 31 2026

Player Rankings
Rank     Value      Team   Player
==== ============= ====== ================
   1         12000        Zed the Lowest
   2         31500      2 agent-002
   3        402100        agent-001

Team Rankings
Rank     Value      Team
==== ============= ======
   1         31500      2
"""

HEADED = """\
\x1b[1;33mWeekly scores\x1b[0m
 #   Realm Name        Regions   Net Worth   Score
---  ----------------  -------   ---------   -------
 1   The Iron Hold       1,204   3,400,112    88,120
 2   agent-001             312     900,007    12,004
 3   No Figures
"""


def test_trade_wars_lists_the_lowest_first_and_is_turned_round() -> None:
    found = read_ranking(TW2, "tw2")
    assert [(one.player, one.score, one.parts) for one in found] == [
        ("agent-001", 402_100.0, {}),
        ("agent-002", 31_500.0, {"team": 2.0}),
        ("Zed the Lowest", 12_000.0, {}),
    ]


def test_a_table_with_a_heading() -> None:
    found = read_ranking(HEADED, "bre")
    assert [(one.player, one.score) for one in found] == [("The Iron Hold", 88_120.0), ("agent-001", 12_004.0)]
    assert found[0].parts == {"#": 1.0, "regions": 1_204.0, "net worth": 3_400_112.0}


@pytest.mark.parametrize(
    "text",
    ["1. alice ........ 1,200\n2. bob .......... 300\n", "alice    1200\nbob  300", "#2  bob\t300\n#1  alice\t1200\n"],
)
def test_bare_rows_end_in_the_score(text: str) -> None:
    assert [(one.player, one.score) for one in read_ranking(text)] == [("alice", 1_200.0), ("bob", 300.0)]


def test_a_player_counts_once_and_prose_is_no_row() -> None:
    text = "Hear, hear: nobody has won yet.\n1  alice   10\n2  Alice   99\n"
    assert [(one.player, one.score) for one in read_ranking(text)] == [("alice", 10.0)]
    assert read_ranking("") == ()


@given(st.text(max_size=400), st.sampled_from(["", "tw2", "bre"]))
def test_any_text_is_read(text: str, game: str) -> None:
    for one in read_ranking(text, game):
        assert one.player.strip()
