"""What a screen of a BBS or a game says: its live prompt, and visible facts. Pure."""
