"""The record of a run: one line of JSON a decision."""

from __future__ import annotations

from tty_agent.trace.index import TraceFile
from tty_agent.trace.records import DecisionRecord, EventRecord, Header, TraceFault, read_trace
from tty_agent.trace.writer import TraceWriter

__all__ = ["DecisionRecord", "EventRecord", "Header", "TraceFault", "TraceFile", "TraceWriter", "read_trace"]
