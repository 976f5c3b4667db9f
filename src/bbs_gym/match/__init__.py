"""Matches: several agents, one BBS, one clock; who decides when, what was done, how it ended."""
