"""A server that does wrong on purpose: every row of the strike table on a path or port of its own."""
