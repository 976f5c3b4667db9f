"""What `agentbbs doctor` finds: one sentence each, with a remedy where something is to be done."""

from __future__ import annotations

from enum import StrEnum

import msgspec


class Level(StrEnum):
    """OK: as it should be. WARN: works, or passes by itself. FAIL: somebody has to do something."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


class Finding(msgspec.Struct, frozen=True):
    """One finding: what was looked at (`check`), the sentence, and what to do."""

    check: str
    level: Level
    sentence: str
    remedy: str | None = None


def ok(check: str, sentence: str) -> Finding:
    """All is well."""
    return Finding(check, Level.OK, sentence)


def warn(check: str, sentence: str, remedy: str) -> Finding:
    """It works, but."""
    return Finding(check, Level.WARN, sentence, remedy)


def fail(check: str, sentence: str, remedy: str) -> Finding:
    """This is why it does not work."""
    return Finding(check, Level.FAIL, sentence, remedy)
