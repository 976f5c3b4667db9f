"""Telnet: name and password behind the prompts that ask for them, as a person types them."""

from __future__ import annotations

from bbs_gym.hosts.host import Endpoint
from bbs_gym.login.call import Call
from bbs_gym.login.dialogue import Dialogue
from bbs_gym.login.prompts import Manners
from tty_agent.transports.telnet import Telnet


def telnet_call(alias: str, password: str | None, endpoint: Endpoint, manners: Manners) -> Call:
    """A call by telnet."""
    return Call(
        transport=Telnet(endpoint.host, endpoint.port),
        dialogue=Dialogue(manners, name=alias, has_password=password is not None),
        alias=alias,
        password=password,
    )
