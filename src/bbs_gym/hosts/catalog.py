"""The hosts that there are, by the kind that a configuration names."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bbs_gym.hosts.host import Host, HostFault
from tty_agent.terminal.inert import inert

if TYPE_CHECKING:
    from bbs_gym.hosts.settings import HostSettings

KINDS: Final = ("house", "synchronet")


def make_host(settings: HostSettings, folder: Path) -> Host:
    """The host of the settings, not started. It keeps what it makes in `folder`: that of a run, or one for itself.

    Raises HostFault for a kind that there is not.
    """
    match settings.kind:
        case "house":
            from bbs_gym.hosts.house import HouseHost  # noqa: PLC0415 - each kind loads what it needs

            return HouseHost(settings, folder)
        case "synchronet":
            from bbs_gym.hosts.synchronet import SynchronetHost  # noqa: PLC0415

            return SynchronetHost(settings, folder)
    near = difflib.get_close_matches(settings.kind, KINDS, n=1)
    remedy = f"did you mean {near[0]}?" if near else f"there are {' and '.join(KINDS)}"
    raise HostFault(f"there is no kind of host {inert(settings.kind, max_chars=40)!r}: {remedy}")
