"""The command line `starlane`, a file a group of commands. Light to import: a door must start at once."""
