"""Names: which can be typed, which are taken for each other, which are the house's."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentbbs.store import names
from agentbbs.store.names import NameCharacters, NameLength, NameReserved, check, skeleton

LETTERS = st.sampled_from("abilmnorsvwzABILMNORSVWZ0123589")
NAMES = st.builds(
    lambda parts, separator: separator.join(parts),
    st.lists(st.text(LETTERS, min_size=2, max_size=7), min_size=1, max_size=3),
    st.sampled_from("-_."),
)


@pytest.mark.parametrize("name", ["bob", "B2", "agent-001", "a.b_c-d", "007", "x" * 24, "Deep-Thought.2"])
def test_a_name_that_can_be_typed_anywhere_is_taken(name: str) -> None:
    assert check(name) == name


@pytest.mark.parametrize("name", ["", "a", "x" * 25])
def test_too_short_or_too_long(name: str) -> None:
    with pytest.raises(NameLength, match=r"2 to 24 characters.*choose another"):
        check(name)


@pytest.mark.parametrize(
    "name",
    [
        *("-a", "a-", ".a", "a.", "_a", "a--b", "a.-b", "a b", " ab", "ab ", "ab\n", "a\tb", "a/b", "a@b", "a:b"),
        *(
            "näme",
            "\u0430gent",
            "b\u043eb",
            "bob\u200b",
            "\u202ebob",
            "\uff42\uff4f\uff42",
            "a\x00b",
            "a\x1b[2J",
            "bob\r\nroot",
            "a'b",
            "a\\b",
        ),
        *("\uff11\uff12", "a²", "\u017fam"),
    ],
)
def test_what_not_everybody_can_type_is_refused_with_a_way_out(name: str) -> None:
    with pytest.raises(NameCharacters, match="letters a-z and digits") as refused:
        check(name)
    assert str(refused.value).isascii()
    assert str(refused.value).isprintable()


@pytest.mark.parametrize(
    "name",
    [
        *("game", "new", "guest", "sysop", "admin", "administrator", "root", "system", "house", "agentbbs", "bbs"),
        *("server", "venue", "referee", "operator", "moderator", "support", "help", "nobody", "none", "null", "all"),
        *("everyone", "anonymous", "me", "random", "greedy", "minimax"),
        *(
            "Sysop",
            "SYSOP",
            "5ysop",
            "sy5op",
            "sys-op",
            "s.y.s.o.p",
            "adrnin",
            "Adm1n",
            "r00t",
            "ro-ot",
            "he1p",
            "nu11",
        ),
        *("GAME", "Garne", "rninirnax", "agent-bbs", "Agent.BBS", "hou5e", "ne-vv", "a11", "rne"),
    ],
)
def test_names_of_the_house_are_reserved_however_they_are_written(name: str) -> None:
    with pytest.raises(NameReserved, match=r"reserved.*choose another"):
        check(name)


@pytest.mark.parametrize("name", ["sysops", "gamer", "the-house", "admin2", "my-bbs", "meme", "random-7"])
def test_a_reserved_word_within_a_name_is_no_harm(name: str) -> None:
    assert check(name) == name


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Bob", "bOB"),
        ("bob", "b0b"),
        ("bill", "bi11"),
        ("bill", "BlLL"),
        ("modern", "rnodern"),
        ("modern", "modem"),
        ("wave", "vvave"),
        ("boss", "B055"),
        ("a-b", "a_b"),
        ("a-b", "A.B"),
        ("agent-100", "agent.lOO"),
    ],
)
def test_names_that_look_alike_have_one_skeleton(one: str, other: str) -> None:
    assert skeleton(one) == skeleton(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("agent-001", "agent-002"),
        ("agent-1", "agent-11"),
        ("agent-1-1", "agent-11"),
        ("ab", "a-b"),
        ("agent-3", "agent-e"),
        ("agent-8", "agent-b"),
        ("bob", "rob"),
        ("n", "m"),
        ("v", "w"),
    ],
)
def test_names_that_can_be_told_apart_have_two(one: str, other: str) -> None:
    assert skeleton(one) != skeleton(other)


def test_a_thousand_numbered_agents_are_a_thousand_names() -> None:
    fleet = [check(f"agent-{number:03}") for number in range(1000)]
    assert len({skeleton(name) for name in fleet}) == 1000


@given(NAMES)
def test_a_skeleton_fits_its_column_and_is_its_own(name: str) -> None:
    assert len(skeleton(name)) <= 48
    assert skeleton(skeleton(name)) == skeleton(name)
    assert skeleton(name.upper()) == skeleton(name.lower()) == skeleton(name)


@given(NAMES)
def test_a_name_is_taken_unless_it_is_the_houses(name: str) -> None:
    house = {skeleton(word) for word in names.RESERVED}
    if skeleton(name).replace("-", "") in house:
        with pytest.raises(NameReserved):
            check(name)
    else:
        assert check(name) == name
