"""The command line, one file a group of commands; each imports what it needs when it runs."""
