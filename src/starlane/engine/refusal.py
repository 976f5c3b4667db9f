"""An order that can't be carried out."""

from __future__ import annotations


class Refused(Exception):
    """The order changes nothing; the text is one plain sentence for the pilot: what is in the way, and what to do."""


class Superseded(Exception):
    """The pilot has entered once more from elsewhere; this session is over."""
