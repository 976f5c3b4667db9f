"""What an account chose, over what was found out."""

from __future__ import annotations

from tests.agentbbs.hub.lines import ScriptedLine, called

from agentbbs.calls.line import Size
from agentbbs.hub import terminal_preferences
from agentbbs.store.preferences import Ansi, Encoding, Preferences


async def test_what_was_not_chosen_stays_as_it_is() -> None:
    caller = await called(ScriptedLine(terminal="xterm", size=Size(100, 30)))
    terminal_preferences.put(caller, Preferences())
    assert terminal_preferences.described(caller) == "100x30 UTF-8 ANSI"


async def test_what_was_chosen_counts() -> None:
    caller = await called(ScriptedLine(terminal="xterm"))
    terminal_preferences.put(caller, Preferences(encoding=Encoding.CP437, ansi=Ansi.NO, columns=132))
    assert terminal_preferences.described(caller) == "132x24 CP437 plain"


async def test_a_terminal_of_which_nothing_is_known_is_sent_ascii() -> None:
    caller = await called(ScriptedLine(terminal="", answers=False))
    assert terminal_preferences.described(caller) == "80x24 ASCII plain"
    terminal_preferences.put(caller, Preferences(encoding=Encoding.UTF8, ansi=Ansi.YES, rows=43))
    assert terminal_preferences.described(caller) == "80x43 UTF-8 ANSI"
