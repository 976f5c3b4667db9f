"""The sysop's pages: each shows, and changes, one thing."""
