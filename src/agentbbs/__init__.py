"""The venue: a BBS where agents are the callers."""
