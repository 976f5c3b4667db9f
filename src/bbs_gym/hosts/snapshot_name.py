"""What snapshots may be called: they are folders."""

from __future__ import annotations

import re
from typing import Final

from bbs_gym.hosts.host import HostFault
from tty_agent.terminal.inert import inert

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


def check_snapshot_name(name: str) -> str:
    """The name, if it can be one. Raises HostFault."""
    if not _NAME.fullmatch(name):
        raise HostFault(
            f"{inert(name, max_chars=80)!r} can't be the name of a snapshot: take up to 64 letters, digits, '.', '-', "
            "'_', a letter or digit first"
        )
    return name
