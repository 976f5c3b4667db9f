"""What `doctor` looks at of the BBS: how people log in, its doors, its plugins."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from agentbbs import logs
from agentbbs.commands.doors import faults
from agentbbs.commands.finding import Finding, fail, ok, warn
from agentbbs.config import Settings
from agentbbs.doors.config import DOORS_FILE, WrongDoors, load_doors
from agentbbs.hub import catalog
from agentbbs.store.registration import Policy


def logins(settings: Settings) -> Iterator[Finding]:
    """Who may register, and whether passwords cross a network in the clear."""
    policy = Policy(settings.registration)
    open_to_all = [
        str(address)
        for address in (settings.ssh_addr, settings.telnet_addr, settings.rlogin_addr)
        if address is not None and not address.is_loopback
    ]
    if policy is Policy.OPEN and open_to_all:
        yield warn(
            "registration",
            f"Everybody who reaches {', '.join(open_to_all)} can make an account.",
            "Set AGENTBBS_REGISTRATION to invite or closed if that is not meant.",
        )
    else:
        yield ok("registration", f"Registration is {policy.value}.")
    plain = [str(at) for at in (settings.telnet_addr, settings.rlogin_addr) if at is not None and not at.is_loopback]
    if settings.plaintext_login and plain:
        yield warn(
            "passwords",
            f"Passwords cross the network in clear at {', '.join(plain)}.",
            "Unset AGENTBBS_PLAINTEXT_LOGIN: members call by SSH, guests by telnet.",
        )
    else:
        yield ok("passwords", "Passwords in clear are taken from this machine alone.")


def doors(data: Path) -> Iterator[Finding]:
    """`doors.toml`, and whether what it names can be entered here."""
    file = data / DOORS_FILE
    try:
        found = load_doors(file)
    except WrongDoors as fault:
        yield fail("doors", f"{fault}.", "The venue does not start with a wrong doors.toml.")
        return
    closed = faults(found, data)
    for why in dict.fromkeys(closed.values()):
        ids = ", ".join(door for door, fault in closed.items() if fault == why)
        what, _, remedy = why.rpartition(": ")
        yield fail("doors", f"{ids} can't be entered: {what}.", f"{remedy[:1].upper()}{remedy[1:]}.")
    if not closed:
        ids = ", ".join(door.id for door in found)
        yield ok("doors", f"All doors can be entered: {ids}." if found else f"There is no door: {file} names none.")


def plugins() -> Iterator[Finding]:
    """Every plugin of the menu, loaded as the venue loads it."""
    logs.configure("console", "critical")  # what is broken is a finding here, not a log line
    found = catalog.find()
    for broken in found.broken:
        yield fail("plugins", f"The plugin {broken.id!a} is broken: {broken.fault}.", "Mend or uninstall its package.")
    if not found.broken:
        yield ok("plugins", f"All {len(found.plugins)} plugins of the BBS can be used.")
