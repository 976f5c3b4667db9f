"""What is wrong with an account or its registry."""

from __future__ import annotations


class AccountFault(ValueError):
    """The text names the file, the agent and the field, and what to do. Never holds a password."""
