"""Brains: what to do next, from views alone. Each draws its chances from dice of its own."""
