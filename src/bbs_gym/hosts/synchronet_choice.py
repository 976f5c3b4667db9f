"""Which Synchronet the settings of a host name: a native tree, the compose service, or one of somebody else's."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bbs_gym.hosts.synchronet_compose import COMPOSE_FILE, DOS_SERVICE, SERVICE, STATE, SynchronetCompose
from bbs_gym.hosts.synchronet_installation import Installation
from bbs_gym.hosts.synchronet_tree import LOOPBACK, SynchronetTree

if TYPE_CHECKING:
    from bbs_gym.hosts.settings import HostSettings

LOG: Final = "synchronet.log"
"""In the host's folder: what a BBS that we start prints."""


def choose_installation(
    settings: HostSettings,
    folder: Path,
    *,
    compose_file: Path = COMPOSE_FILE,
    dosemu: bool = False,
    environment: Mapping[str, str] = os.environ,
) -> Installation | None:
    """The installation of `settings`; None: it is somebody else's.

    `data` with `exec/jsexec` in it is a native tree; any other `data` is the state of the compose service. Without
    `data`, an `address` is somebody else's BBS, else `SBBSCTRL` names a native tree, else it is `runtime/sbbs`.
    `dosemu` takes the compose service with DOSEMU. Nothing is started. Raises HostFault.
    """
    data = settings.data
    if data is None and settings.address is not None:
        return None
    if data is None and not dosemu and environment.get("SBBSCTRL"):
        data = Path(environment["SBBSCTRL"]).parent
    host, ports = settings.address or LOOPBACK, settings.ports or None
    if data is not None and (data / "exec" / "jsexec").exists():
        return SynchronetTree(data, log=folder / LOG, host=host, ports=ports)
    service = DOS_SERVICE if dosemu else SERVICE
    return SynchronetCompose(data or STATE, compose_file=compose_file, service=service, host=host, ports=ports)
