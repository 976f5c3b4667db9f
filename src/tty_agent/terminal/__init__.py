"""The screen of a terminal, without any I/O: bytes in; rows, replies to queries and events out."""
