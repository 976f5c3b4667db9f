"""Rules only: the contract of a game, one file a game, and the catalog."""
