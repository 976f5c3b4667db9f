"""A world out of a seed: map, ports, planets and the Thorn, the same bit for bit on any machine."""
