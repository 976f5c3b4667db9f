"""The registry of agents: who they are on a BBS, and where their secrets lie."""
