"""BBS policy over tty_agent: accounts, nodes, doors, matches, campaigns and scores."""
