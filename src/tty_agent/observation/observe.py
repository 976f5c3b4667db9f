"""Puts an observation together from what the parts of a session know."""

from __future__ import annotations

from collections.abc import Mapping

from tty_agent.observation.highlight import highlight
from tty_agent.observation.model_text import model_text
from tty_agent.observation.observation import Observation, Readiness
from tty_agent.terminal.screen import Screen


def observation_of(
    screen: Screen,
    readiness: Readiness,
    *,
    agent_id: str,
    timestamp: str,
    new_text: str = "",
    transcript_path: str | None = None,
    transcript_byte_start: int = 0,
    transcript_byte_end: int = 0,
    bells: int = 0,
    closed: str | None = None,
    screen_png: str | None = None,
    metadata: Mapping[str, object] | None = None,
) -> Observation:
    """What the agent sees now.

    `timestamp` is ISO 8601 in UTC with milliseconds; `bells` counts since the last turn (`screen.bells` counts
    since the start). `bytes_read` is the span of the transcript.
    """
    picture = screen.picture()
    marked = highlight(picture, prompted=readiness.matched_prompt is not None)
    lines = screen.lines()
    return Observation(
        agent_id=agent_id,
        pretty_screen="\n".join(lines),
        model_text=model_text(picture, marked, lines),
        new_text=new_text,
        cursor=screen.cursor,
        columns=screen.columns,
        rows=screen.rows,
        stable_ms=readiness.stable_ms,
        byte_quiet_ms=readiness.byte_quiet_ms,
        matched_prompt=readiness.matched_prompt,
        ready_reason=readiness.reason,
        transcript_path=transcript_path,
        transcript_byte_start=transcript_byte_start,
        transcript_byte_end=transcript_byte_end,
        bytes_read=transcript_byte_end - transcript_byte_start,
        timestamp=timestamp,
        readiness=readiness,
        highlighted=marked,
        title=screen.title,
        bells=bells,
        closed=closed,
        screen_png=screen_png,
        metadata=dict(metadata or {}),
    )
