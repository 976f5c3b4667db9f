"""A configuration as a table: a file, TOML or (by its name) JSON, read whole. What its fields mean is for others."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import msgspec

from bbs_gym.match.config_faults import shown

MAX_CONFIG_BYTES: Final = 1024 * 1024
"""A roster of hundreds with their scripts; a larger file is something else."""


class NotATable(ValueError):
    """The file holds no table; the text is the line that people get."""


def read_table(file: Path, what: str, fields: str) -> dict[str, Any]:
    """The table in `file`. `what` it should be (`match`) and `fields` that it must have are for the faults.

    Raises NotATable, and OSError if there is no such file.
    """
    with file.open("rb") as opened:
        content = opened.read(MAX_CONFIG_BYTES + 1)
    if len(content) > MAX_CONFIG_BYTES:
        raise NotATable(f"{file.name} is larger than {MAX_CONFIG_BYTES} bytes: give the file of a {what}")
    kind = "JSON" if file.suffix == ".json" else "TOML"
    read: Callable[[str], Any] = msgspec.json.decode if kind == "JSON" else tomllib.loads
    try:
        table = read(content.decode("utf-8-sig"))
    except UnicodeDecodeError as fault:
        raise NotATable(f"{file.name}: byte {fault.start} is no UTF-8: save it as such") from fault
    except (msgspec.DecodeError, tomllib.TOMLDecodeError, RecursionError) as fault:
        raise NotATable(f"{file.name}: it is no {kind} ({fault}): correct it there") from fault
    if not isinstance(table, dict):
        raise NotATable(f"{file.name}: it is {shown(table)}: write an object with {fields}")
    return table
