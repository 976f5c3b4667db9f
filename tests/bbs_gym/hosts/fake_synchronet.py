"""A Synchronet for tests: a folder like a native one, its jsexec a fake under node, or a stub that a test writes."""

from __future__ import annotations

import json
import shlex
import shutil
from pathlib import Path
from typing import Any, Final

import pytest

FAKE: Final = Path(__file__).with_name("jsexec_fake.js")
NODE: Final = shutil.which("node")

needs_node = pytest.mark.skipif(NODE is None, reason="node is not installed: our jsexec scripts can't be run")

TODAY: Final = "2026:11:30"

SBBS_INI: Final = """; what the page docs/synchronet.md recommends
[Global]
Interface = 127.0.0.1
[BBS]
TelnetPort = 2323
RLoginPort = 2513
FirstNode = 1
LastNode = 8
Options = XTRN_MINIMIZED | ALLOW_RLOGIN | NO_HOST_LOOKUP
"""

DOOR_FILES: Final = {
    "tw2.js": "",
    "filename.js": "function fname(name) { return startup_path + name; }",
    "gamesettings.js": """
        function GameSettings() {
            this.DB = "tw2"; this.MaxPlayers = 3; this.TurnsPerDay = 30; this.MaintLastRan = "2000:01:01";
            this.save = function () {
                var kept = { TurnsPerDay: this.TurnsPerDay, MaintLastRan: this.MaintLastRan };
                db.write("tw2", "settings", kept, LOCK_WRITE);
            };
            try { db = new JSONClient("localhost", 10088); } catch (fault) { db = undefined; }
        }""",
    "sector_map.js": "var sector_map = [1, 2, 3, 4];",
    "ports_map.js": "var ports_init = [1, 2];",
    "players.js": """
        var wanted = user == undefined ? 0 : user.number;
        function ResetAllPlayers() {
            if (this.uifc) { throw new Error("it draws windows"); }
            writeln("Creating players");
            var made = [{ Excuse: "counts from 1" }];
            for (var at = 0; at < Settings.MaxPlayers; at++) { made.push({ UserNumber: wanted, Sector: 0 }); }
            db.write(Settings.DB, "players", made, LOCK_WRITE);
        }""",
    "planets.js": "function ResetAllPlanets() { db.write(Settings.DB, 'planets', [{}], LOCK_WRITE); }",
    "messages.js": "function ResetAllMessages() { db.write(Settings.DB, 'radio', [], LOCK_WRITE); }",
    "teams.js": "function InitializeTeams() { db.write(Settings.DB, 'teams', [], LOCK_WRITE); }",
    "sectors.js": """
        function InitializeSectors() {
            db.write(Settings.DB, "sectors", [{}].concat(sector_map.map(function () { return {}; })), LOCK_WRITE);
        }""",
    "ports.js": """
        function InitializePorts() {
            if (Commodities.length !== 3) { throw new Error("no goods"); }
            db.write(Settings.DB, "ports", [{}].concat(ports_init), LOCK_WRITE);
        }""",
    "maint.js": "function InitializeCabal() { db.write(Settings.DB, 'cabals', [{}], LOCK_WRITE); }",
    "computer.js": "",
    "input.js": "",
}
"""A door in miniature: files, functions and expected globals as those of the real one, and nothing of its game."""


class FakeSynchronet:
    """The folder and the world behind it."""

    def __init__(self, root: Path, **world: Any) -> None:
        """A tree in `root`, with Trade Wars 2 if the world has a `tw2`."""
        self.root = root
        for folder in ("ctrl", "data/user", "exec", "xtrn/tw2", "mods", "text"):
            (root / folder).mkdir(parents=True, exist_ok=True)
        (root / "ctrl" / "sbbs.ini").write_text(SBBS_INI)
        (root / "ctrl" / "json-db.ini").write_text("save_interval = 10\n")
        for name, text in DOOR_FILES.items():
            (root / "xtrn" / "tw2" / name).write_text(text)
        self.world_file = root / "world.json"
        self.world_file.write_text(json.dumps({"root": str(root), "today": TODAY, **world}))
        self.jsexec(
            f'exec {shlex.quote(NODE or "node")} {shlex.quote(str(FAKE))} {shlex.quote(str(self.world_file))} "$@"'
        )

    @property
    def world(self) -> Any:
        """As the last script left it."""
        return json.loads(self.world_file.read_text())

    def change(self, **parts: Any) -> None:
        """Set parts of the world."""
        self.world_file.write_text(json.dumps(self.world | parts))

    def jsexec(self, body: str) -> None:
        """Make `exec/jsexec` a shell script with that body."""
        self.program("jsexec", body)

    def program(self, name: str, body: str) -> None:
        """Make `exec/NAME` a shell script with that body."""
        path = self.root / "exec" / name
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)


def node_in_door(user: int, *, code_aux: int = 3, action: int = 8) -> dict[str, int]:
    """A node whose user runs an external program."""
    return {"status": 3, "useron": user, "action": action, "aux": code_aux, "connection": 65534, "misc": 0}


def free_node() -> dict[str, int]:
    """A node that waits; the last user's number stays there."""
    return {"status": 0, "useron": 1, "action": 0, "aux": 0, "connection": 0, "misc": 0}
