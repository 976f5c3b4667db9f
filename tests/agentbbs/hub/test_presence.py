"""Who is on the board."""

from __future__ import annotations

from agentbbs.hub.presence import Presence, Present
from agentbbs.hub.text import Text, plain


class Visit:
    """A visit, as others reach it."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self.ended = ""

    def tell(self, *texts: Text) -> None:
        self.told.append(plain(texts))

    def end(self, why: str) -> None:
        self.ended = why


def present(node: int, account: int | None, name: str) -> Present:
    return Present(node, account, name, "ssh", 0, "at the main menu")


def test_who_logs_in_is_reached_and_not_among_those_who_are_in() -> None:
    presence, visit = Presence(), Visit()
    waiting = present(1, None, "(logging in)")
    presence.ring(waiting, visit)
    assert (presence.everyone(), presence.logging_in()) == ((), (waiting,))
    assert presence.is_there(waiting)
    assert presence.kick(1, "Out.")
    assert visit.ended == "Out."
    presence.arrive(present(1, 7, "alice"), visit)
    assert not presence.logging_in()
    assert not presence.is_there(waiting)


def test_everyone_by_node() -> None:
    presence = Presence()
    presence.arrive(present(2, 7, "alice"), Visit())
    presence.arrive(present(1, None, "guest"), Visit())
    presence.arrive(present(3, 7, "alice"), Visit())
    assert [one.node for one in presence.everyone()] == [1, 2, 3]
    assert [one.node for one in presence.of_account(7)] == [2, 3]
    presence.leave(2)
    presence.leave(2)
    assert [one.node for one in presence.everyone()] == [1, 3]
    assert presence.on_node(2) is None


def test_what_somebody_does() -> None:
    presence = Presence()
    presence.arrive(present(1, 7, "alice"), Visit())
    presence.set_doing(1, "in Chat")
    presence.set_doing(9, "nowhere")
    assert [one.doing for one in presence.everyone()] == ["in Chat"]


def test_a_notice_reaches_a_node_or_says_that_nobody_is_there() -> None:
    presence, alice, bob = Presence(), Visit(), Visit()
    presence.arrive(present(1, 7, "alice"), alice)
    presence.arrive(present(2, 8, "bob"), bob)
    assert presence.tell(1, "a ", "word")
    assert not presence.tell(3, "nobody")
    assert presence.broadcast("all", but=2) == 1
    assert alice.told == ["a word", "all"]
    assert not bob.told


def test_a_kick_ends_the_visit() -> None:
    presence, alice = Presence(), Visit()
    presence.arrive(present(1, 7, "alice"), alice)
    assert presence.kick(1, "Out.")
    assert alice.ended == "Out."
    assert not presence.kick(2, "Out.")
