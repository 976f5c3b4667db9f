"""Alliances and bounties."""

from __future__ import annotations

from collections.abc import Sequence

from starlane.door.screens.wording import column, counted, label, listed, name, title
from starlane.door.styles import Line
from starlane.settings import MAX_NAME_CHARS
from starlane.views import AllianceView, BountyView, MemberView


def alliance_list(alliances: Sequence[AllianceView], own: str) -> list[Line]:
    """All alliances with their members, the leader first."""
    if not alliances:
        return ["There is no alliance yet. F founds one."]
    lines: list[Line] = [title("Alliances")]
    for alliance in alliances:
        marks = [" (yours)"] if alliance.name == own else []
        marks += [" (you are invited: J joins)"] if alliance.invited else []
        lines.append((name(alliance.name), *marks, f", {counted(len(alliance.members), 'members')}:"))
        lines.append((label(""), listed([_member(member) for member in alliance.members])))
    return lines


def _member(member: MemberView) -> str:
    return f"{member.name} (leader)" if member.leader else member.name


def bounty_list(bounties: Sequence[BountyView]) -> list[Line]:
    """Whose head is worth how much."""
    if not bounties:
        return ["There is no bounty on anybody's head. P posts one, at Haven."]
    lines: list[Line] = [title("Bounties: whoever destroys the ship of such a pilot earns them")]
    return lines + [
        (name(column(bounty.name, MAX_NAME_CHARS)), f" {counted(bounty.credits, 'credits')}") for bounty in bounties
    ]
