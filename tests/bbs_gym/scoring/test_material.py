"""What a judge reads of a participant."""

from __future__ import annotations

from pathlib import Path

from tests.bbs_gym.scoring.boards_sample import a_trace, boards, mail

from bbs_gym.scoring.checks import BoardState, Doer
from bbs_gym.scoring.material import excerpts
from bbs_gym.scoring.rubric import Source

ANN = Doer("agent-001", ("Ann",))
STATE = BoardState(
    before={"boards": boards(("general", "old", "Ann", "before")), "mail": mail(("Bob", "Ann", "q", "What now?"))},
    after={
        "boards": boards(
            ("general", "old", "Ann", "before"),
            ("general", "news", "Bob", "Who is there?"),
            ("general", "re", "Ann", "I am."),
            answers={3: 2},
        ),
        "mail": mail(("Bob", "Ann", "q", "What now?"), ("Ann", "Bob", "Re: q", "Nothing.")),
    },
)


def test_what_is_new_and_its_own_with_what_it_answers(tmp_path: Path) -> None:
    trace = a_trace(tmp_path, "agent-001", "hello", "bye")
    found = excerpts(STATE, ANN, [trace], tuple(Source))
    assert [(one.source, one.text, one.answers) for one in found] == [
        (Source.POSTS, "I am.", "Who is there?"),
        (Source.LETTERS, "Nothing.", "What now?"),
        (Source.CHAT, "hello", ""),
        (Source.CHAT, "bye", ""),
    ]


def test_only_the_sources_that_were_asked_for(tmp_path: Path) -> None:
    trace = a_trace(tmp_path, "agent-001", "hello")
    assert [one.source for one in excerpts(STATE, ANN, [trace], (Source.LETTERS,))] == [Source.LETTERS]


def test_what_is_typed_elsewhere_is_no_talk(tmp_path: Path) -> None:
    trace = a_trace(tmp_path, "agent-001", "m 7", profile="starlane-game")
    assert excerpts(BoardState(before={}, after={}), ANN, [trace, tmp_path / "missing.jsonl"], tuple(Source)) == ()
