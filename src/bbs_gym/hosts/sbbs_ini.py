"""What the gym needs to know of a Synchronet's configuration, read from the text of its `.ini` files.

Sections and keys are case-free, a line that begins with `;` is a comment, the first of two equal keys counts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

import msgspec

STOCK_NODES: Final = 4
"""Of a new installation."""

STOCK_SAVE_INTERVAL_S: Final = 300
"""In `json-db.ini`: so long a world may be on nobody's disk."""

STOCK_TELNET_PORT: Final = 23
STOCK_RLOGIN_PORT: Final = 513

_NUMBER: Final = re.compile(r"\s*(\d{1,9})")
_OPTION_BREAK: Final = re.compile(r"[|\s,]+")


class BbsSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Of `sbbs.ini` and `json-db.ini`."""

    telnet_port: int = STOCK_TELNET_PORT
    rlogin_port: int = STOCK_RLOGIN_PORT
    nodes: int = STOCK_NODES
    rlogin: bool = False
    """Only with `ALLOW_RLOGIN` among the options."""
    telnet: bool = True
    save_interval_s: int = STOCK_SAVE_INTERVAL_S


def read_settings(sbbs_ini: str, json_db_ini: str = "") -> BbsSettings:
    """From the texts of both files; what is not there has its stock value."""
    bbs = read_ini(sbbs_ini).get("bbs", {})
    options = {option.upper() for option in _OPTION_BREAK.split(bbs.get("options", "")) if option}
    first, last = _number(bbs, "firstnode", 1), _number(bbs, "lastnode", STOCK_NODES)
    return BbsSettings(
        telnet_port=_number(bbs, "telnetport", STOCK_TELNET_PORT),
        rlogin_port=_number(bbs, "rloginport", STOCK_RLOGIN_PORT),
        nodes=max(1, last - first + 1),
        rlogin="ALLOW_RLOGIN" in options,
        telnet="NO_TELNET" not in options,
        save_interval_s=_save_interval(json_db_ini),
    )


def read_ini(text: str) -> Mapping[str, Mapping[str, str]]:
    """Section to key to value, names in lower case; what stands before the first section is that of the name ``."""
    sections: dict[str, dict[str, str]] = {"": {}}
    current = sections[""]
    for line in text.splitlines():
        stripped = line.strip()
        if not stripped or stripped.startswith((";", "#")):
            continue
        if stripped.startswith("[") and "]" in stripped:
            current = sections.setdefault(stripped[1 : stripped.index("]")].strip().lower(), {})
            continue
        key, equals, value = stripped.partition("=")
        if equals:
            current.setdefault(key.strip().lower(), value.strip())
    return sections


def _save_interval(json_db_ini: str) -> int:
    """The longest of all sections: any of them may be the door's."""
    found = [
        _number(section, "save_interval", STOCK_SAVE_INTERVAL_S)
        for section in read_ini(json_db_ini).values()
        if "save_interval" in section
    ]
    return max(found, default=STOCK_SAVE_INTERVAL_S)


def _number(section: Mapping[str, str], key: str, otherwise: int) -> int:
    found = _NUMBER.match(section.get(key, ""))
    return int(found[1]) if found else otherwise
