"""Task completion, told by the state before and after."""

from __future__ import annotations

from typing import Any

import pytest
from tests.bbs_gym.scoring.boards_sample import boards, mail, starlane

from bbs_gym.hosts.host import Score
from bbs_gym.match.settings import CheckSettings
from bbs_gym.scoring import bounded_search
from bbs_gym.scoring.checks import BoardState, CheckFault, Doer, check_name, check_settings, run_check

ANN = Doer("agent-001", ("Ann", "agent-001"))
BOB = Doer("agent-002", ("Bob", "agent-002"))


def told(kind: str, state: BoardState, doer: Doer = ANN, **where: Any) -> tuple[bool, bool]:
    """Whether it passed, and whether it is void."""
    found = run_check(CheckSettings(kind=kind, where=where), doer, state, everyone=(ANN, BOB))
    return found.passed, found.void


def of_boards(before: list[Any], after: list[Any]) -> BoardState:
    return BoardState(before={"boards": before}, after={"boards": after})


OLD = ("general", "Hello", "Ann", "I was here")
NEW = ("general", "Report", "ann", "All quiet in sector 7")
BOBS = ("general", "Report", "Bob", "All quiet in sector 9")


def test_a_post_of_its_own_that_is_new() -> None:
    state = of_boards(boards(OLD), boards(OLD, NEW, BOBS))
    assert told("posted", state, area="^general$", subject="Report", body=r"sector \d") == (True, False)
    assert told("posted", state, body="sector 9") == (False, False)
    assert told("posted", state, BOB, body="sector 9") == (True, False)


def test_what_was_there_before_does_not_count() -> None:
    assert told("posted", of_boards(boards(OLD), boards(OLD, BOBS))) == (False, False)


def test_a_second_post_that_says_the_same_is_new() -> None:
    assert told("posted", of_boards(boards(OLD), boards(OLD, OLD))) == (True, False)


def test_numbers_that_an_export_makes_anew_confuse_nothing() -> None:
    """A post in an area that comes first moves the numbers of all that follow."""
    before = boards(OLD)
    after = boards(("aardvarks", "Re", "Bob", "first"), OLD)
    for record in after:
        if record["type"] in {"thread", "post"} and record["created"] == 1_002:
            record["created"] = 1_001
    assert told("posted", of_boards(before, after)) == (False, False)


def test_a_post_that_was_deleted_is_none() -> None:
    after = boards(OLD, NEW)
    after[-1]["deleted"] = 5
    assert told("posted", of_boards(boards(OLD), after)) == (False, False)


def test_who_writes_the_name_of_another_in_a_post_is_not_it() -> None:
    forged = ("general", "From: Ann", "Bob", "From: Ann\nI, Ann, report: sector 7")
    assert told("posted", of_boards(boards(), boards(forged)), subject="Ann", body="sector 7") == (False, False)


def of_mail(before: list[Any], after: list[Any]) -> BoardState:
    return BoardState(before={"mail": before}, after={"mail": after})


ASKED = ("Bob", "Ann", "Peace?", "Shall we?")


def test_a_letter_to_an_agent_or_a_name() -> None:
    state = of_mail(mail(ASKED), mail(ASKED, ("Ann", "Bob", "War", "No.")))
    assert told("mail_sent", state, to="agent-002") == (True, False)
    assert told("mail_sent", state, to="bob", body="^No") == (True, False)
    assert told("mail_sent", state, to="sysop") == (False, False)
    assert told("mail_sent", state, BOB) == (False, False)


@pytest.mark.parametrize(
    ("answer", "passed"),
    [
        (("Ann", "Bob", "Re: Peace?", "Yes"), True),
        (("Ann", "Bob", "RE: re[2]: peace?", "Yes"), True),
        (("Ann", "Bob", "Peace?", "Yes"), True),
        (("Ann", "Bob", "Trade", "Yes"), False),
        (("Ann", "Cid", "Re: Peace?", "Yes"), False),
    ],
)
def test_an_answer_goes_to_the_writer_under_the_subject(answer: tuple[str, str, str, str], passed: bool) -> None:
    assert told("mail_answered", of_mail(mail(ASKED), mail(ASKED, answer))) == (passed, False)
    assert told("mail_answered", of_mail(mail(), mail(ASKED, answer)), body="Yes") == (passed, False)


def test_a_letter_before_the_question_is_no_answer() -> None:
    early = ("Ann", "Bob", "Peace?", "Listen")
    assert told("mail_answered", of_mail(mail(), mail(early, ASKED))) == (False, False)


def test_the_answer_counts_where_the_question_was_deleted() -> None:
    after = mail(ASKED, ("Ann", "Bob", "Re: Peace?", "Yes"))
    del after[1]
    assert told("mail_answered", of_mail(mail(ASKED), after)) == (True, False)


def of_game(before: object, after: object, *scores: Score) -> BoardState:
    return BoardState(before={"starlane": before}, after={"starlane": after}, scores={"starlane": scores})


def test_a_door_is_joined_by_an_order_of_ones_own() -> None:
    state = of_game(starlane(Ann=2, Bob=1), starlane(Ann=2, Bob=4, Cid=1))
    assert told("door_joined", state, game="starlane") == (False, False)
    assert told("door_joined", state, BOB, game="starlane") == (True, False)
    assert told("door_joined", of_game(starlane(), starlane(Ann=0)), game="starlane") == (True, False)


def test_being_robbed_is_no_visit() -> None:
    before, after = starlane(Ann=2), starlane(Ann=2)
    after["pilots"][0]["credits"] = 0
    assert told("door_joined", of_game(before, after), game="starlane") == (False, False)


def test_a_list_of_players_tells_who_is_new_or_moved() -> None:
    before = {"players": [{"alias": "Ann", "record": 1, "sector": 1, "credits": 9}]}
    robbed = {"players": [{"alias": "Ann", "record": 1, "sector": 1, "credits": 0}, {"alias": "Bob", "record": 2}]}
    moved = {"players": [{"alias": "Ann", "record": 1, "sector": 8, "credits": 9}]}
    assert told("door_joined", of_game(before, robbed), game="starlane") == (False, False)
    assert told("door_joined", of_game(before, robbed), BOB, game="starlane") == (True, False)
    assert told("door_joined", of_game(before, moved), game="starlane") == (True, False)


def test_a_score_that_is_reached() -> None:
    scores = (Score(player="ANN", score=900.0), Score(player="x", agent_id="agent-002", score=100.0))
    state = of_game({}, {}, *scores)
    assert told("score_at_least", state, game="starlane", score=900) == (True, False)
    assert told("score_at_least", state, game="starlane", score=900.5) == (False, False)
    assert told("score_at_least", state, BOB, game="starlane", score=100) == (True, False)
    assert told("score_at_least", state, Doer("z", ("Z",)), game="starlane", score=0) == (False, False)


@pytest.mark.parametrize(
    ("kind", "where"),
    [("posted", {}), ("mail_sent", {}), ("mail_answered", {}), ("door_joined", {"game": "tw2"})],
)
def test_without_the_state_nothing_can_be_told_and_nobody_is_blamed(kind: str, where: dict[str, Any]) -> None:
    assert told(kind, BoardState(before={}, after={"boards": [], "mail": [], "tw2": {}}), **where) == (False, True)


@pytest.mark.parametrize(
    ("kind", "where"),
    [
        ("posts", {}),
        ("posted", {"to": "Bob"}),
        ("posted", {"body": "("}),
        ("posted", {"body": 3}),
        ("door_joined", {}),
        ("score_at_least", {"game": "tw2"}),
        ("score_at_least", {"game": "tw2", "score": "many"}),
        ("score_at_least", {"game": "tw2", "score": True}),
    ],
)
def test_a_check_that_is_wrongly_written(kind: str, where: dict[str, Any]) -> None:
    with pytest.raises(CheckFault):
        check_settings([CheckSettings(kind=kind, where=where)])
    assert told(kind, of_boards(boards(), boards()), **where) == (False, True)


def test_a_text_that_stops_an_expression_is_void(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded_search, "SEARCH_S", 0.5)
    state = of_boards(boards(), boards(("general", "x", "Ann", "a" * 80 + "!")))
    assert told("posted", state, body=r"(a+)+$") == (False, True)


def test_names_are_the_same_whatever_the_order_and_inert() -> None:
    one = CheckSettings(kind="posted", where={"subject": "b", "area": "a\x1b[2J", "live": True})
    assert check_name(one) == r"posted area=a\x1b[2J subject=b"


@pytest.mark.parametrize("state", [None, 7, {}, [1, {"type": "post"}], {"pilots": [3], "journal": 5}, {"players": [1]}])
def test_any_state_is_read(state: object) -> None:
    everything = {"boards": state, "mail": state, "tw2": state}
    whole = BoardState(before=everything, after=everything)
    for kind in ("posted", "mail_sent", "mail_answered"):
        assert told(kind, whole) == (False, False)
    assert told("door_joined", whole, game="tw2") == (False, False)
