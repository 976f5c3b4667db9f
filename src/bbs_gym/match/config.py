"""A match from a file, TOML or (by its name) JSON: what `run-match CONFIG` reads, and the options that override it.

Whatever is wrong is one `BadMatch` with a line for each wrong field: file, field, value, what to do. Paths within are
relative to the file's folder.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import msgspec

from bbs_gym.match.config_checks import faults_of, with_faults_of
from bbs_gym.match.config_shapes import MAX_FAULTS, shape_faults
from bbs_gym.match.config_table import NotATable, read_table
from bbs_gym.match.settings import MatchSettings

MAX_REPEATS: Final = 1000
"""Of one call: what takes longer is a campaign."""

MAX_USD: Final = 1e6

_PATHS_OF_MODELS: Final = ("replies_file", "session_file")
_PATHS_OF_SETTINGS: Final = ("pictures",)


class BadMatch(ValueError):
    """The settings describe no match. `faults` has a line for each wrong field; the text is all of them."""

    def __init__(self, faults: tuple[str, ...]) -> None:
        super().__init__("; ".join(faults))
        self.faults = faults


def read_match(path: Path | str) -> MatchSettings:
    """The match of a file, checked. Raises BadMatch, and OSError if there is no such file."""
    file = Path(path)
    try:
        table = read_table(file, "match", "`name` and `participants`")
    except NotATable as fault:
        raise BadMatch((str(fault),)) from fault
    settings, faults = shape_faults(table)
    if settings is not None:
        settings = placed(settings, file.parent)
    faults = with_faults_of(faults, settings)
    if faults or settings is None:
        raise BadMatch(tuple(f"{file.name}: {fault}" for fault in faults[:MAX_FAULTS]))
    return settings


def check_match(settings: MatchSettings) -> None:
    """The same checks for settings that were made in Python. Raises BadMatch."""
    if faults := faults_of(settings):
        raise BadMatch(tuple(str(fault) for fault in faults))


def with_seed(settings: MatchSettings, seed: int) -> MatchSettings:
    """`--seed`: another seed of the match, and of its door where that has none of its own."""
    return msgspec.structs.replace(settings, seed=seed)


def with_max_cost(settings: MatchSettings, usd: float) -> MatchSettings:
    """`--max-cost`: what the match may cost at most. Raises BadMatch."""
    if not 0 < usd <= MAX_USD:
        raise BadMatch((f"--max-cost is {usd:g}: give a number above 0, up to {MAX_USD:.0f} USD",))
    budgets = msgspec.structs.replace(settings.budgets, max_cost_usd=usd)
    return msgspec.structs.replace(settings, budgets=budgets)


def repeated(settings: MatchSettings, times: int) -> tuple[MatchSettings, ...]:
    """`--repeat`: the match so many times, each with a seed of its own: the match's, the next, and so on. Raises
    BadMatch."""
    if not 1 <= times <= MAX_REPEATS:
        raise BadMatch((f"--repeat is {times}: give 1 to {MAX_REPEATS}, or run a campaign",))
    return tuple(with_seed(settings, settings.seed + number) for number in range(times))


def placed(settings: MatchSettings, folder: Path) -> MatchSettings:
    """With its paths relative to the file's folder."""

    def at(path: Path | str) -> str:
        return str(folder / path)

    def models(model: dict[str, Any]) -> dict[str, Any]:
        paths = {name: at(model[name]) for name in _PATHS_OF_MODELS if isinstance(model.get(name), str)}
        return model | paths

    host = settings.host
    if host.data is not None:
        host = msgspec.structs.replace(host, data=folder / host.data)
    pictures = {
        name: at(settings.settings[name]) for name in _PATHS_OF_SETTINGS if isinstance(settings.settings.get(name), str)
    }
    return msgspec.structs.replace(
        settings,
        participants=tuple(msgspec.structs.replace(one, model=models(one.model)) for one in settings.participants),
        accounts=folder / settings.accounts if settings.accounts is not None else None,
        profiles=folder / settings.profiles if settings.profiles is not None else None,
        host=host,
        settings=settings.settings | pictures,
    )
