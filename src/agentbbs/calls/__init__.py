"""What the servers and the hub know of each other: a caller's line, who is at it, and who receives it."""
