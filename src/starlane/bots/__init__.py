"""Players by program: brains that see views and give orders, and the two ways in which they play."""
