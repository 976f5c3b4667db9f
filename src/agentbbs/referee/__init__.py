"""Seats behind an HTTPS endpoint; the only room that dials out."""
