"""Modules of Starlane: what its own help tells, and how its input behaves."""

from __future__ import annotations

from typing import Final

from bbs_gym.prompt_modules.facts import facts_module
from bbs_gym.prompt_modules.fragments import at_live_prompt, stable
from bbs_gym.readers.starlane import STARLANE_PROMPTS
from bbs_gym.reading import STARLANE
from tty_agent.prompt_modules import AssistanceLevel

_LEVEL: Final = AssistanceLevel.GAME_INTERFACE

ENTRY: Final = stable(
    "starlane_way_in",
    _LEVEL,
    "- From the main menu of the house's board: D (doors), then Starlane's number in the list and Enter. A key ends"
    " a pause.\n"
    "- A new pilot is asked about instructions (Y/N). The game is entered when Command (?=Help)? is there.",
    title="The way into Starlane",
)

INPUT: Final = stable(
    "starlane_input",
    _LEVEL,
    "- (A/B/C) [C]? takes one key at once: use press_key. Enter takes the key in brackets. (Y/N) [N]? likewise.\n"
    "- (0-20) [20]? takes a number and Enter: use submit_line. Enter alone takes the number in brackets.\n"
    "- (up to 24 characters): takes a line and Enter: use submit_line.\n"
    "- Command (?=Help)? takes one key at once, or the number of a sector and Enter.\n"
    "- [More] takes any key; Q shows no more of it.\n"
    "- What was typed before a prompt was shown is no answer to it: send one answer, then look.\n"
    "- A wrong key does nothing but say which are possible. What others do is told between prompts.",
    title="How Starlane takes input",
)

COMMANDS: Final = stable(
    "starlane_commands",
    _LEVEL,
    "- At Command: a number flies there; D or Enter the sector, P port, Y yard and bank (at Haven, sector 1), L land,"
    " S scan, J jettison, A attack, F fighters, C computer (path, ports that you know, charts, rankings, log), I your"
    " ship, R radio, N news, T alliances, B bounties, W waive protection, H help by subject, ? the keys, Q leave.\n"
    "- Flying along a lane, docking, landing and an attack take a turn each; nothing else does.\n"
    "- A sector's screen has a line each for port, planets, ships, lanes and, under You, turns, credits, fighters and"
    " holds. A port's letters stand for ice, grain and tools: S sells it, B buys it.\n"
    "- H has all of the rules.",
    title="Commands of Starlane",
)

LIVE_PROMPT: Final = at_live_prompt("starlane_prompt", _LEVEL, STARLANE_PROMPTS)

FACTS: Final = facts_module(STARLANE)

STRATEGY: Final = stable(
    "starlane_strategy",
    AssistanceLevel.STRATEGIC,
    "- Rank goes by all that is owned: money in full, hardware and people at half price, goods at 60% of base.\n"
    "- Look for two ports close together of which one sells what the other buys, tools before grain before ice; full"
    " ports sell cheapest and empty ones pay best. Move on when they tire.\n"
    "- A port opens a few percent worse than its board and gives way in steps: offer near the board, raise slowly, and"
    " never let greed end the talk.\n"
    "- Buy holds at Haven as long as a hold pays for itself in the days that are left.\n"
    "- Bank money at Haven, keep some fighters aboard, and claim planets with 10 colonists early: they make goods.",
    title="Playing Starlane well",
)

STARLANE_MODULES: Final = (ENTRY, INPUT, COMMANDS, FACTS, LIVE_PROMPT)
