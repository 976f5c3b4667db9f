"""The SDK's conversation and the venue's, wired to each other, over a match with a person: they agree in whatever
order the next join and the venue's own `queued` and `hello` come."""

from __future__ import annotations

from typing import Final

import pytest
from tests.agentbbs.play.scripted import ScriptedBot
from tests.agentbbs.play.venue import Agent, Venue
from tests.agentbbs.play.virtual_time import in_virtual_time, pass_time, turn

from agentbbs.client import Conversation, MatchResult, Phase, Turn
from agentbbs.client.events import Event, Refusal
from agentbbs.play.lobby import RETURN_PAUSE_S

MOMENTS: Final = ("before queued", "after queued", "after hello", "never")


class Sdk:
    """An agent made with the SDK, without a socket."""

    def __init__(self, venue: Venue, name: str, account: int) -> None:
        self.talk = Conversation()
        self.far = Agent(venue, name, account)
        self.events: list[Event] = []

    def says(self, frame: bytes) -> None:
        self.far.session.receive(frame)

    def hears(self) -> None:
        """What the venue wrote arrives, and each turn is answered."""
        while taken := self.far.wire.take():
            for frame in taken:
                event = self.talk.receive(frame)
                if event is not None:
                    self.events.append(event)
                if isinstance(event, Turn) and self.talk.turn is not None:
                    self.says(self.talk.move(event.legal[0]))

    def results(self) -> list[MatchResult]:
        return [event for event in self.events if isinstance(event, MatchResult)]


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("moved", [False, True])
def test_the_next_match_comes_about_whenever_the_join_is_sent(moment: str, moved: bool) -> None:
    async def work() -> None:
        venue = Venue()
        alice, bob = Sdk(venue, "alice", 1), Sdk(venue, "bob", 2)
        alice.says(alice.talk.join("ttt", humans=True))
        await turn()
        alice.hears()
        (entry,) = venue.lobby.challengeable()
        person = ScriptedBot("carol", plays=moved)
        venue.lobby.challenge(entry.key, person, move_timeout_ms=60_000)
        assert person.chair is not None
        if moved:
            alice.hears()
            await turn()
        person.chair.resign()
        queued = alice.far.wire.sent.pop()
        alice.hears()
        assert [result.why for result in alice.results()] == ["human"]
        if moment == "before queued":
            alice.says(alice.talk.join("ttt", humans=True))
        alice.far.wire.sent.append(queued)
        alice.hears()
        if moment == "after queued":
            alice.says(alice.talk.join("ttt", humans=True))
        bob.says(bob.talk.join("ttt"))
        await turn()
        await pass_time(RETURN_PAUSE_S)
        alice.hears()
        if moment == "after hello":
            alice.says(alice.talk.join("ttt", humans=True))
        while venue.playing:
            alice.hears()
            bob.hears()
        alice.hears()
        bob.hears()
        assert [result.why for result in alice.results()] == ["human", None]
        assert [result.rated for result in bob.results()] == [True]
        assert alice.talk.phase is Phase.IDLE
        assert not [event for event in (*alice.events, *bob.events) if isinstance(event, Refusal)]
        assert venue.tally.errors.total() == venue.tally.errors["not_your_turn"]

    in_virtual_time(work())
