"""The bundled door game: trading and combat between callers, in a universe of its own."""
