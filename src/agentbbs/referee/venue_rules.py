"""What a venue with certain settings dials: one answer for the venue itself and for the commands beside it."""

from __future__ import annotations

from agentbbs.config import Settings
from agentbbs.referee.endpoint_url import UrlRules
from agentbbs.referee.outbound import OutboundRules


def rules_of(settings: Settings) -> OutboundRules:
    """The rules that `settings` ask for."""
    arena = settings.arena
    return OutboundRules(url=UrlRules(ports=arena.ports, loopback=arena.dev), ca_file=arena.ca_file)
