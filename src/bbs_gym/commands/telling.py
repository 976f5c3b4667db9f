"""What goes wrong with accounts, nodes and hosts, as the one line that a command ends with."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def telling() -> Iterator[None]:
    """A fault that says in its own words what to do fails the command with these."""
    from bbs_gym.accounts.fault import AccountFault  # noqa: PLC0415 - not for the help, as is what follows
    from bbs_gym.async_gym import AgentConnected  # noqa: PLC0415
    from bbs_gym.door_policy import DoorRefused  # noqa: PLC0415
    from bbs_gym.hosts.host import HostFault  # noqa: PLC0415
    from bbs_gym.nodes import NoNodeFree  # noqa: PLC0415
    from tty_agent.commands.failure import Failed  # noqa: PLC0415

    try:
        yield
    except (AccountFault, AgentConnected, DoorRefused, HostFault, NoNodeFree) as fault:
        raise Failed(str(fault)) from fault
