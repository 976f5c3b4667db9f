"""Orders carried out on a world through what `ports` asks of it: no file, no clock, no chance but the world's dice."""
