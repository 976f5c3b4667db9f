"""The pages of a caller's profile: each shows, and changes, one thing."""
