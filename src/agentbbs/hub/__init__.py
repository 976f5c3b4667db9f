"""The BBS: a caller's terminal, the menu, and what is behind it."""
