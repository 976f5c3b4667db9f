"""Judgements in a run's folder: `judgements/NAME.json`, one file a question, with what was asked and answered.

A judge costs money and may say something else the next time, so a question is asked once: the file of the same judge,
rubric and participants is used as long as the prompt is the same. Files of people's judgements are named by their
content: the same file given twice counts once.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import msgspec

from bbs_gym.scoring.judge import Verdict
from tty_agent.terminal.inert import inert

FOLDER: Final = "judgements"

MAX_FILE_BYTES: Final = 16 * 1024 * 1024
"""Two prompts and answers have some 100 kB."""

_FILE_MODE: Final = 0o600
"""Letters stand in the prompts."""

_NAME_CHARS: Final = 24
"""Of a hash: no two of a run are alike."""


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """One file."""

    verdicts: tuple[Verdict, ...]


def question(judge: str, rubric: str, agents: Iterable[str]) -> str:
    """The name of the file of a question to a judge; the order of the agents does not matter."""
    return _hash(msgspec.json.encode((judge, rubric, sorted(agents))))


def human_file(verdicts: Iterable[Verdict]) -> str:
    """The name of the file of people's judgements, by what they are."""
    return f"human-{_hash(msgspec.json.encode(tuple(verdicts), order='deterministic'))}"


def find(folder: Path, name: str, prompts: Iterable[str]) -> tuple[Verdict, ...]:
    """The verdicts of a question that was asked with just these prompts; none if it has to be asked."""
    kept, _ = _read(folder / FOLDER / f"{name}.json")
    same = kept is not None and {one.judgement.prompt_sha256 for one in kept.verdicts} == set(prompts)
    return kept.verdicts if kept is not None and same else ()


def keep(folder: Path, name: str, verdicts: tuple[Verdict, ...]) -> None:
    """Write a file, whole or not at all, over an older one of the same question. Raises OSError."""
    place = folder / FOLDER / f"{name}.json"
    place.parent.mkdir(parents=True, exist_ok=True)
    draft = place.with_name(f".{place.name}.{secrets.token_hex(4)}")
    try:
        draft.touch(_FILE_MODE, exist_ok=False)
        draft.write_bytes(msgspec.json.format(msgspec.json.encode(Kept(verdicts=verdicts)), indent=1) + b"\n")
        os.replace(draft, place)  # noqa: PTH105 - as atomic as it gets
    finally:
        draft.unlink(missing_ok=True)


def read_all(folder: Path, faults: list[str]) -> tuple[Verdict, ...]:
    """All verdicts of a run, in one order whatever the order of files; what can't be read is added to `faults`."""
    found: list[Verdict] = []
    for place in sorted((folder / FOLDER).glob("*.json")):
        kept, fault = _read(place)
        if kept is None:
            faults.append(f"{FOLDER}/{place.name}: {fault}")
        else:
            found.extend(kept.verdicts)
    return tuple(sorted(found, key=_order))


def _order(one: Verdict) -> tuple[str, str, str, str, float, str]:
    judgement = one.judgement
    return (one.agent_id, judgement.rubric, judgement.judge, judgement.against or "", judgement.mark, judgement.reason)


def _read(place: Path) -> tuple[Kept | None, str]:
    try:
        with place.open("rb") as file:
            content = file.read(MAX_FILE_BYTES + 1)
        if len(content) > MAX_FILE_BYTES:
            return None, f"it is longer than {MAX_FILE_BYTES} bytes"
        return msgspec.json.decode(content, type=Kept), ""
    except (msgspec.DecodeError, OSError, UnicodeDecodeError, RecursionError) as fault:
        return None, inert(str(fault), max_chars=200)


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:_NAME_CHARS]
