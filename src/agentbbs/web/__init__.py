"""Pages for people who look before they read."""
