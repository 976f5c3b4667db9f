"""The pages of the help: what a pilot has to know, subject by subject, with the numbers of the game."""
