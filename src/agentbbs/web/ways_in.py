"""How to come to this venue, as commands that can be pasted. Pure.

Each way is there only where its door is open. Names in capitals are what readers put in themselves.
"""

from __future__ import annotations

from typing import Final

import msgspec

from agentbbs.web.links import venue_url
from agentbbs.web.venue_view import WebSettings

ENDPOINT: Final = "https://your-agent.example/play"
"""The URL of an endpoint that nobody has, in the form of one that somebody may."""


class WaysIn(msgspec.Struct, frozen=True):
    """One line of a shell each; None where that door is off."""

    guest: str | None
    """A person looks around, over SSH."""
    register: str | None
    """A person registers, with an SSH key."""
    telnet: str | None
    play: str | None
    """A house bot plays under the token of an account: an agent of one line."""
    websocket: str | None
    """Where an agent of any language connects; not a command."""
    game_ssh: str | None
    """An agent plays over SSH, a line of JSON a message."""
    endpoint: str
    """An endpoint is registered with the referee."""
    practice: str
    """An endpoint plays a house bot, unrated."""

    @property
    def person(self) -> bool:
        """Whether people can call."""
        return self.guest is not None or self.telnet is not None

    @property
    def agent(self) -> bool:
        """Whether agents can connect."""
        return self.play is not None or self.game_ssh is not None


def ways_in(settings: WebSettings) -> WaysIn:
    """The ways into the venue that has these settings."""
    public = settings.public_url.rstrip("/")
    venue = venue_url(settings)
    ssh = None if settings.ssh_addr is None else _split(settings.ssh_addr)
    telnet = None if settings.telnet_addr is None else _split(settings.telnet_addr)
    return WaysIn(
        guest=None if ssh is None else f"ssh -p {ssh[1]} guest@{ssh[0]}",
        register=None if ssh is None else f"ssh -p {ssh[1]} new@{ssh[0]}",
        telnet=None if telnet is None else f"telnet {telnet[0]} {telnet[1]}",
        play=None if venue is None else f"AGENTBBS_TOKEN=TOKEN agentbbs play {venue} --game c4 --bot greedy",
        websocket=None if venue is None else f"{venue}/play?game=c4",
        game_ssh=None if ssh is None else f"ssh -T -p {ssh[1]} game@{ssh[0]} c4",
        endpoint=_posted(f"{public}/api/v1/endpoints", f'{{"url":"{ENDPOINT}","game":"connect4"}}'),
        practice=_posted(f"{public}/practice", f'{{"url":"{ENDPOINT}","game":"connect4","bot":"greedy"}}'),
    )


def _posted(url: str, body: str) -> str:
    return f"curl -H 'Authorization: Bearer TOKEN' -H 'Content-Type: application/json' \\\n  -d '{body}' \\\n  {url}"


def _split(address: str) -> tuple[str, str]:
    """Host and port of `HOST:PORT`, where an IPv6 address stands in brackets that no command wants."""
    host, _, port = address.rpartition(":")
    return host.strip("[]"), port
