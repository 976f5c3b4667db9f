"""Screens to views: what the game shows in lines of text, read as a person would. Pure.

The lines are whole: the terminal must be wide enough that none is broken. What can't be read raises Unreadable.
"""

from starlane.bots.reader.flight import barred, chart, fought, notes, path, sights
from starlane.bots.reader.planet import planet
from starlane.bots.reader.sector import sector
from starlane.bots.reader.ship import pilot
from starlane.bots.reader.text import Unreadable, number
from starlane.bots.reader.trade import board, haggled, port_reports, worth, yard

__all__ = [
    "Unreadable",
    "barred",
    "board",
    "chart",
    "fought",
    "haggled",
    "notes",
    "number",
    "path",
    "pilot",
    "planet",
    "port_reports",
    "sector",
    "sights",
    "worth",
    "yard",
]
