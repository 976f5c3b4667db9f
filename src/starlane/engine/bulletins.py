"""What is there to read: letters, notes, the Gazette, alliances, bounties."""

from __future__ import annotations

from starlane.engine.ports import Sky
from starlane.records import NOBODY, Alliance, Bounty, Invitation, Letter, News, Note, Pilot
from starlane.views import AllianceView, BountyView, LetterView, MemberView, NewsView, NoteView


def letters(sky: Sky, pilot: Pilot) -> tuple[LetterView, ...]:
    """The pilot's box, the oldest first."""
    return tuple(
        LetterView(
            letter=letter.id,
            sender=letter.sender,
            sender_name=pilot_name(sky, letter.sender),
            day=letter.day,
            body=letter.body,
            read=letter.read,
        )
        for letter in sky.find(Letter, reader=pilot.id)
    )


def notes(sky: Sky, pilot: Pilot) -> tuple[NoteView, ...]:
    """The pilot's log, the oldest line first."""
    return tuple(NoteView(note=note.id, day=note.day, text=note.text) for note in sky.find(Note, pilot=pilot.id))


def gazette(sky: Sky, days: int) -> tuple[NewsView, ...]:
    """The news of the last `days` days, today included, the oldest first."""
    first = max(0, sky.today - days + 1)
    printed = [news for day in range(first, sky.today + 1) for news in sky.find(News, day=day)]
    return tuple(NewsView(day=news.day, text=news.text) for news in printed)


def alliances(sky: Sky, pilot: Pilot) -> tuple[AllianceView, ...]:
    """All alliances, the oldest first; of each the leader first."""
    inviting = {invitation.alliance for invitation in sky.find(Invitation, pilot=pilot.id)}
    views = []
    for alliance in sky.find(Alliance):
        members = sorted(sky.find(Pilot, alliance=alliance.id), key=lambda member: member.id != alliance.leader)
        views.append(
            AllianceView(
                alliance=alliance.id,
                name=alliance.name,
                members=tuple(
                    MemberView(pilot=member.id, name=member.name, leader=member.id == alliance.leader)
                    for member in members
                ),
                invited=alliance.id in inviting,
            )
        )
    return tuple(views)


def bounties(sky: Sky) -> tuple[BountyView, ...]:
    """What is on the heads of pilots, the most first."""
    sums: dict[int, int] = {}
    for bounty in sky.find(Bounty):
        sums[bounty.target] = sums.get(bounty.target, 0) + bounty.credits
    heads = sorted(sums.items(), key=lambda entry: (-entry[1], entry[0]))
    return tuple(BountyView(target=target, name=pilot_name(sky, target), credits=total) for target, total in heads)


def pilot_name(sky: Sky, pilot: int) -> str:
    """The name of a pilot by its number; empty for NOBODY."""
    found = None if pilot == NOBODY else sky.get(Pilot, pilot)
    return "" if found is None else found.name
