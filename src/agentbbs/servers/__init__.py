"""Bytes to sessions and back, nothing else: one file a transport."""
