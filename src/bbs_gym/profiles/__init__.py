"""Activity profiles and route sets for BBSes and their games."""
