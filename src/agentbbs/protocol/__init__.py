"""The wire: messages as typed values, and the table of what may follow what."""
