"""A campaign from a file, TOML or (by its name) JSON: what `campaign CONFIG` reads.

Whatever is wrong is one `BadCampaign` with a line for each wrong field: file, field, value, what to do. Paths within
are relative to the file's folder; they stay as they are written, so that the hash of a schedule is the same wherever
the folder lies.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from bbs_gym.campaign.config_checks import faults_of
from bbs_gym.campaign.settings import (
    AgentSettings,
    CampaignSettings,
    SwapSettings,
    TurnSettings,
    VariantSettings,
)
from bbs_gym.match.config_faults import Fault, shown
from bbs_gym.match.config_table import NotATable, read_table

MAX_FAULTS: Final = 20
"""More at once and nobody reads them."""

_LISTS: Final[Mapping[str, type]] = {
    "agents": AgentSettings,
    "turns": TurnSettings,
    "variants": VariantSettings,
    "swaps": SwapSettings,
}


class BadCampaign(ValueError):
    """The settings describe no campaign. `faults` has a line for each wrong field; the text is all of them."""

    def __init__(self, faults: tuple[str, ...]) -> None:
        super().__init__("; ".join(faults))
        self.faults = faults


def read_campaign(path: Path | str) -> CampaignSettings:
    """The campaign of a file, checked. Raises BadCampaign, and OSError if there is no such file."""
    file = Path(path)
    try:
        table = read_table(file, "campaign", "`name`, `agents` and `turns`")
    except NotATable as fault:
        raise BadCampaign((str(fault),)) from fault
    faults = _shape_faults(table)
    settings = None
    if not faults:
        try:
            settings = msgspec.convert(table, CampaignSettings, dec_hook=_path)
        except msgspec.ValidationError as fault:
            faults = (_told("", fault),)
        else:
            faults = faults_of(settings)
    if faults or settings is None:
        raise BadCampaign(tuple(f"{file.name}: {fault}" for fault in faults[:MAX_FAULTS]))
    return settings


def check_campaign(settings: CampaignSettings) -> None:
    """The same checks for settings that were made in Python. Raises BadCampaign."""
    if faults := faults_of(settings):
        raise BadCampaign(tuple(str(fault) for fault in faults[:MAX_FAULTS]))


def _shape_faults(table: Mapping[str, Any]) -> tuple[Fault, ...]:
    """One for each field, and for each entry of a list, that is no such."""
    known = {field.encode_name: field for field in msgspec.structs.fields(CampaignSettings)}
    faults = [
        Fault(name, f"= {shown(table[name])} means nothing", f"remove it; there are {', '.join(known)}")
        for name in table.keys() - known.keys()
    ]
    for name, field in known.items():
        if name not in table:
            if field.required:
                faults.append(Fault(name, "is missing", "add it"))
            continue
        value = table[name]
        if name in _LISTS and isinstance(value, list):
            entries = [(f"{name}[{number}]", one, _LISTS[name]) for number, one in enumerate(value)]
        else:
            entries = [(name, value, field.type)]
        for place, one, kind in entries:
            try:
                msgspec.convert(one, kind, dec_hook=_path)
            except msgspec.ValidationError as fault:
                faults.append(_told(place, fault))
    return tuple(sorted(faults, key=lambda fault: fault.place))


def _told(place: str, fault: msgspec.ValidationError) -> Fault:
    what, _, where = str(fault).partition(" - at `$")
    return Fault(f"{place}{where.rstrip('`')}".removeprefix(".") or "the file", f"is wrong: {what}", "correct it there")


def _path(kind: type[Any], value: object) -> Any:
    if kind is Path and isinstance(value, str):
        return Path(value)
    raise ValueError(f"Expected `Path`, got `{type(value).__name__}`")
