"""What a terminal received and was sent, on disk from the first byte on."""

from __future__ import annotations

from tty_agent.transcript.transcript import Transcript, TranscriptError, read_marks

__all__ = ["Transcript", "TranscriptError", "read_marks"]
