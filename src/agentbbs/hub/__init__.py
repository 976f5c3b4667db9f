"""The BBS: a caller's terminal, the front desk, the menu, and what is behind it.

A server hands a call to the `Board` (`board.py`), which gives it a node (`nodes.py`), finds out who it is
(`front_desk.py`), tells the others (`presence.py`) and leads it through the menu (`menu.py`) into plugins
(`plugin.py` is their contract, `catalog.py` finds them, `plugins/` holds the house's own). Whatever is shown goes
through a `Caller` (`caller.py`), which no text can make do anything but show text (`text.py`).
"""
