"""`starlane play` with a dialogue of its own in place of the game's: what the door does around any visit.

The end of the visit is noted in the file that the environment names as LEFT.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from starlane.cli import main
from starlane.door.console import Console
from starlane.door.identity import Identity
from starlane.universe.universe import Universe


def _visit(console: Console, universe: Universe, identity: Identity) -> None:
    console.show(f"{identity.key} is {identity.name} on {console.columns}x{console.rows}: \u2550\u2550")
    console.show(f"seed {universe.settings.seed}, {universe.settings.sectors} sectors")
    try:
        while (answer := console.command("Small (Q=Quit)? ", "QE")) != "Q":
            if answer == "E":
                raise LookupError("a fault of the game")
    finally:
        with universe.look() as sky:
            Path(os.environ["LEFT"]).write_text(f"left on day {sky.today}")


small: Any = ModuleType("starlane.door.visit")
small.visit = _visit
sys.modules["starlane.door.visit"] = small
sys.exit(main(sys.argv[1:]))
