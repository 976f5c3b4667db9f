"""The state of the BBS before and after a match, kept in the run's folder, where scoring finds it when the BBS is gone.

`state/before-boards.json`, `state/after-mail.json`, `state/after-scores-starlane.json`: what `Host.export` and
`Host.scores` gave at that moment. Call `keep` with BEFORE when the accounts are there and the door is made anew, and
nobody plays yet; with AFTER when everybody is off. Letters are private: the files have mode 0600.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Awaitable, Callable, Iterable
from enum import StrEnum
from pathlib import Path
from typing import Final

import msgspec

from bbs_gym.hosts.host import Host, HostFault, Score
from bbs_gym.match.settings import MatchSettings
from tty_agent.terminal.inert import inert

FOLDER: Final = "state"

MAX_STATE_BYTES: Final = 256 * 1024 * 1024
"""Far more than a BBS of agents writes in a match; a larger file is not read into memory."""

_FILE_MODE: Final = 0o600


class Moment(StrEnum):
    """When the state was so."""

    BEFORE = "before"
    AFTER = "after"


def needed(settings: MatchSettings) -> tuple[str, ...]:
    """What of a match's BBS is exported: the boards and the mail, and each game that the match or a check names."""
    games = {settings.door.game} if settings.door else set()
    games.update(str(check.where["game"]) for check in settings.checks if "game" in check.where)
    return ("boards", "mail", *sorted(games))


def keeper(host: Host, folder: Path, settings: MatchSettings) -> Callable[[str], Awaitable[tuple[str, ...]]]:
    """What `run_match` takes as `keep`: it keeps the state that this match needs, at the moment that it is given."""

    async def keep_now(moment: str) -> tuple[str, ...]:
        return await keep(host, folder, Moment(moment), needed(settings))

    return keep_now


async def keep(host: Host, folder: Path, moment: Moment, what: Iterable[str]) -> tuple[str, ...]:
    """Write the state of now into the run's folder; of games the scores too. Files that are there stay as they are.

    Returns what could not be had, one line each: a host that lacks a thing is no reason to lose the rest. Raises
    OSError.
    """
    faults = []
    for name in what:
        if not _file(folder, moment, name).exists():
            try:
                write_kept(folder, moment, name, await host.export(name))
            except HostFault as fault:
                faults.append(f"{moment} {name}: {inert(str(fault))}")
        if name not in {"boards", "mail", "users"} and not _file(folder, moment, f"scores-{name}").exists():
            try:
                write_kept(folder, moment, f"scores-{name}", await host.scores(name))
            except HostFault as fault:
                faults.append(f"{moment} scores of {name}: {inert(str(fault))}")
    return tuple(faults)


def write_kept(folder: Path, moment: Moment, name: str, value: object) -> None:
    """Write one of the files, whole or not at all. Raises OSError."""
    place = _file(folder, moment, name)
    place.parent.mkdir(parents=True, exist_ok=True)
    draft = place.with_name(f".{place.name}.{secrets.token_hex(4)}")
    try:
        draft.touch(_FILE_MODE, exist_ok=False)
        draft.write_bytes(msgspec.json.encode(value, order="deterministic") + b"\n")
        os.replace(draft, place)  # noqa: PTH105 - as atomic as it gets
    finally:
        draft.unlink(missing_ok=True)


def read_kept(folder: Path, moment: Moment, name: str) -> object | None:
    """One of the files as plain values; None if it is not there, too large, or no JSON."""
    place = _file(folder, moment, name)
    try:
        if not place.is_file() or place.stat().st_size > MAX_STATE_BYTES:
            return None
        value: object = msgspec.json.decode(place.read_bytes())
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None  # as if it had not been kept: whoever needs it says that it is missing
    return value


def kept_scores(folder: Path, moment: Moment, game: str) -> tuple[Score, ...] | None:
    """The native scores of that moment; None if they were not kept."""
    found = read_kept(folder, moment, f"scores-{game}")
    try:
        return None if found is None else msgspec.convert(found, tuple[Score, ...])
    except msgspec.ValidationError:
        return None


def kept_ranking(folder: Path, game: str) -> str | None:
    """A ranking as text that an operator put beside the state, `state/after-ranking-GAME.txt`; None if there is
    none."""
    place = folder / FOLDER / f"{Moment.AFTER}-ranking-{_plain(game)}.txt"
    try:
        return place.read_bytes()[:MAX_STATE_BYTES].decode("utf-8", "replace") if place.is_file() else None
    except OSError:
        return None


def _file(folder: Path, moment: Moment, name: str) -> Path:
    return folder / FOLDER / f"{moment}-{_plain(name)}.json"


def _plain(name: str) -> str:
    """A name as part of a file's: nothing in it leads elsewhere."""
    return "".join(one if one.isalnum() or one in "-_" else "_" for one in name)[:80]
