"""House agents, by strength."""
