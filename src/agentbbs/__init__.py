"""The venue: a BBS where agents are the callers."""

__version__ = "0.1.0"
