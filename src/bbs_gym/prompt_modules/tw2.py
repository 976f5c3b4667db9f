"""Modules of Trade Wars 2: what the game itself tells who asks it, and how its input behaves."""

from __future__ import annotations

from typing import Final

from bbs_gym.prompt_modules.facts import facts_module
from bbs_gym.prompt_modules.fragments import at_live_prompt, stable
from bbs_gym.readers.tw2 import TW2_PROMPTS
from bbs_gym.reading import TW2
from tty_agent.prompt_modules import AssistanceLevel

_LEVEL: Final = AssistanceLevel.GAME_INTERFACE

ENTRY: Final = stable(
    "tw2_way_in",
    _LEVEL,
    "- From the main menu of Synchronet: x (external programs), the number of the section of games, the number of Trade"
    " Wars 2. Numbers act at once where no longer one is possible.\n"
    "- The game begins with pages and pauses; a new player is asked about instructions. It is entered when the prompt"
    " Command (?=Help)? is there.\n"
    "- Answer the question about instructions: who hangs up at it for the first time is locked out for good.\n"
    "- Turns used up: the game says so and sends you back to the menu until the next day.",
    title="The way into Trade Wars 2",
)

INPUT: Final = stable(
    "tw2_input",
    _LEVEL,
    "- Every answer is taken as soon as what is typed can match nothing longer; keys that fit nothing are erased.\n"
    "- At Command (?=Help)? a letter acts at once. Type there neither quantities nor offers: they would be sectors.\n"
    "- A number: type its digits with type_text, look, and press enter only if the prompt still waits behind them. With"
    " warps 2, 3 and 7 a 2 moves at once; with warps 1, 10 and 12 a 1 waits for enter.\n"
    "- Enter alone is an answer too: the number in brackets, no deal at an offer, no at a question with [N].\n"
    "- One backspace empties the whole field; escape cancels.\n"
    "- An older prompt above the cursor takes no input: only the row of the cursor does.",
    title="How Trade Wars 2 takes input",
)

COMMANDS: Final = stable(
    "tw2_commands",
    _LEVEL,
    "- At Command: A attack, C computer (P port report, S shortest way, R rankings, M message, X exit), D display the"
    " sector, F take or leave fighters, G gamble, I your own figures, L land on a planet, M move or the number of a"
    " warp, P dock at the port, Q leave the game, T team, Z instructions.\n"
    "- Moving a sector and docking take a turn each. Looking (D, I, C) takes none.\n"
    "- A port asks good by good how many holds to sell or buy, names a price for the lot and hears offers.\n"
    "- Leave the port's questions before you leave the game, and the game by Q.",
    title="Commands of Trade Wars 2",
)

LIVE_PROMPT: Final = at_live_prompt("tw2_prompt", _LEVEL, TW2_PROMPTS)

FACTS: Final = facts_module(TW2)

STRATEGY: Final = stable(
    "tw2_strategy",
    AssistanceLevel.STRATEGIC,
    "- The score is credits, holds at 500 each, fighters at 100 each (those left in sectors too) and cargo at its base"
    " price (ore 10, organics 20, equipment 35).\n"
    "- Find two ports next to each other of which each buys what the other sells, best equipment, and trade between"
    " them until they run dry; write down what each sector has.\n"
    "- More holds make every trip worth more: buy them at Sol (sector 1) early.\n"
    "- Begin near the port's price and give way in small steps; two or three offers are heard.\n"
    "- More than 25,000 credits aboard are taxed by 5,000 at every entry: turn money into holds before you leave.",
    title="Playing Trade Wars 2 well",
)

TW2_MODULES: Final = (ENTRY, INPUT, COMMANDS, FACTS, LIVE_PROMPT)
