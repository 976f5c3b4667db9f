"""Skill: who has which native score, and which rank."""

from __future__ import annotations

from bbs_gym.hosts.host import Score
from bbs_gym.scoring.native import skills


def test_by_agent_id_then_by_name_without_case() -> None:
    scores = (
        Score(player="RLoginSmoke", agent_id="agent-001", score=900.0, parts={"ship": 400.0, "credits": 500.0}),
        Score(player="BOB", score=1_200.0),
        Score(player="a stranger", score=5_000.0),
    )
    found = skills("starlane", scores, {"agent-001": ("Alice", "agent-001"), "agent-002": ("Bob", "agent-002")})
    assert (found["agent-001"].score, found["agent-001"].rank) == (900.0, 2)
    assert list(found["agent-001"].parts) == ["credits", "ship"]
    assert (found["agent-002"].score, found["agent-002"].rank) == (1_200.0, 1)


def test_a_score_of_another_agent_is_not_taken_by_name() -> None:
    scores = (Score(player="Bob", agent_id="agent-009", score=1_200.0),)
    assert skills("starlane", scores, {"agent-002": ("Bob",)})["agent-002"].score == 0


def test_who_never_entered_is_last_and_equals_share_a_rank() -> None:
    scores = (Score(player="a", score=5.0), Score(player="b", score=5.0))
    found = skills("tw2", scores, {"a": ("a",), "b": ("b",), "c": ("c",)})
    assert [found[name].rank for name in "abc"] == [1, 1, 3]
    assert found["c"].score == 0
