"""What an agent sees at its turn, as a value."""

from __future__ import annotations

from enum import StrEnum

import msgspec

OBSERVATION_SCHEMA_VERSION = 1
"""Raised when a field is renamed, removed or changes its meaning; a new field does not raise it."""


class ReadyReason(StrEnum):
    """Why a turn was declared ready."""

    STABLE = "stable"
    """The screen did not change for as long as the policy asks; or not at all, if the turn's limit is sooner."""
    PROMPT = "prompt"
    """A prompt was recognised and the policy lets that end the turn sooner."""
    PERIODIC_REGION = "periodic_region"
    """The screen is stable but for a region that changes again and again: a clock, a spinner."""
    BLANK = "blank"
    """Nothing is on the screen, and nothing came for as long as the policy waits for something."""
    TIMEOUT = "timeout"
    """The hard limit of the turn passed, and the screen had changed and was not still again for as long as asked."""
    CLOSED = "closed"
    """The connection is gone; what is on the screen is the last there will be."""


class Highlight(msgspec.Struct, frozen=True):
    """The item of a menu that the program marks by colour. Rows and columns count from 0."""

    row: int
    column: int
    text: str


class Readiness(msgspec.Struct, frozen=True, kw_only=True):
    """When and why a turn became ready. Times in ms, as measured on the clock that the observer was fed."""

    reason: ReadyReason
    policy: str
    """The name of the policy that decided: `fixed`, `adaptive`."""
    waited_ms: int
    """From the start of the turn to the decision."""
    stable_ms: int
    """Since the last visible change outside of a periodic region."""
    byte_quiet_ms: int
    """Since the last byte of any kind; since the start of the turn if none came."""
    threshold_ms: int
    """The quiet time that the policy asked for at the end."""
    timeout_ms: int = 0
    """The hard limit that was in force: the turn's, or what the run had left. `detail` says which."""
    bytes_read: int
    """Bytes of this turn."""
    first_byte_ms: int | None = None
    """From the input, or the start of a turn without one, to the first byte after it; None if nothing came."""
    matched_prompt: str | None = None
    """The name of the prompt pattern that matches the row of the cursor."""
    periodic_rows: tuple[int, ...] = ()
    """Rows that hold a periodic region."""
    mid_sequence: bool = False
    """A control sequence or a character had arrived only in part."""
    detail: str = ""
    """One line for a person."""


class Observation(msgspec.Struct, frozen=True, kw_only=True):
    """One turn. The names are those of the specification."""

    agent_id: str
    pretty_screen: str
    """The screen as it is: `rows` lines, blanks at their ends removed."""
    model_text: str
    """The same, normalised for a model: no blank rows at the end, no control characters, the highlight marked."""
    new_text: str
    """What the program wrote since the last turn, as plain text, the newest end of it if it is long."""
    cursor: tuple[int, int]
    """Row, column, from 0."""
    columns: int
    rows: int
    stable_ms: int
    byte_quiet_ms: int
    matched_prompt: str | None
    ready_reason: ReadyReason
    transcript_path: str | None
    transcript_byte_start: int
    transcript_byte_end: int
    """Absolute offsets into the transcript: what came since the last turn."""
    bytes_read: int
    timestamp: str
    """ISO 8601, UTC, with milliseconds."""
    readiness: Readiness
    highlighted: Highlight | None = None
    title: str = ""
    bells: int = 0
    """BELs since the last turn."""
    closed: str | None = None
    """Why the connection is gone, in words; None while it is there."""
    screen_png: str | None = None
    """Path of a picture of the screen, where the run asks for pictures."""
    metadata: dict[str, object] = {}
    """What the transport and the caller know: `transport`, `requested_node`, …"""
    schema_version: int = OBSERVATION_SCHEMA_VERSION
