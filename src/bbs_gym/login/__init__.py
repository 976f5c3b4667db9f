"""Logging in: what a screen of a BBS asks, what is answered, and a session that is in."""
