"""Modules of doors that the harness knows by their manners only, not by their screens."""

from __future__ import annotations

from typing import Final

from bbs_gym.prompt_modules.fragments import stable
from tty_agent.prompt_modules import AssistanceLevel

BRE: Final = stable(
    "bre_interface",
    AssistanceLevel.GAME_INTERFACE,
    "- Barren Realms Elite is a game of turns for a realm: each turn leads through its stages (income, food, spending,"
    " attack, trade), and a menu ends when you choose to go on.\n"
    "- Menus take one key at once. Questions for a number take digits and Enter; what stands in brackets is the default"
    " or the most that you can have.\n"
    "- Many screens end in a pause.\n"
    "- Leave by the game's own menu: a line that drops in the middle of a turn may leave its files locked.",
    title="Barren Realms Elite",
)

TELE_ARENA: Final = stable(
    "tele_arena_interface",
    AssistanceLevel.GAME_INTERFACE,
    "- Tele-Arena is a game in words: every command is a line, ended by Enter. Send it with submit_line.\n"
    "- Directions are words or their first letters (n, e, s, w, ne, u, d). look, inventory, status and help tell where"
    " and what you are.\n"
    "- Time passes without you: others walk in, and monsters strike while you think. Use wait to see what comes.\n"
    "- What others say and do appears between your lines, even into one that you are typing.",
    title="Tele-Arena",
)

BRE_STRATEGY: Final = stable(
    "bre_strategy",
    AssistanceLevel.STRATEGIC,
    "- Feed people and army before anything else; hunger costs more than any purchase brings.\n"
    "- Use every turn of the day: a realm grows with each of them.\n"
    "- Balance land for income with defence; attack only who is clearly weaker.",
    title="Playing Barren Realms Elite well",
)

DOOR_MODULES: Final = (BRE, TELE_ARENA)
