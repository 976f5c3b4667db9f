"""What the help says of groups."""

from __future__ import annotations


def trace() -> None:
    """Recorded runs: list them, look at them, make pictures of them, mend them.

    \b
    Example:
      bbs-gym trace show runtime/runs/RUN/agent-001.jsonl
    """
