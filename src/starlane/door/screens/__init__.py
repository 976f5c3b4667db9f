"""Screens: views and reports in, lines out. Nothing here reads or asks anything."""
