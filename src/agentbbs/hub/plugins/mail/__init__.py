"""Mail between accounts: what one got, what one sent, reading, answering, writing."""

from __future__ import annotations

from agentbbs.hub.plugins.mail.folders import PLUGIN, MailRoom

__all__ = ["PLUGIN", "MailRoom"]
