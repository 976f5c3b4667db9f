"""Dialogues: what a pilot is asked, a file a subject. They send orders and show screens."""
