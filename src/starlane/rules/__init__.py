"""The arithmetic of the game: pure functions of numbers and dice, each with the reason for its formula."""
