"""Ratings as pure functions of finished matches."""
