"""What a command ends with when it can't do its work."""

from __future__ import annotations


class Failed(Exception):
    """The command failed. The text is the one line that people see: what is wrong, then what to do."""
