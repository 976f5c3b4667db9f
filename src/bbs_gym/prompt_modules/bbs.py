"""Modules of the BBS: how its prompts are used, and what is known of the call."""

from __future__ import annotations

from typing import Final

from bbs_gym.prompt_modules.fragments import at_live_prompt, stable
from bbs_gym.readers.board import BOARD_PROMPTS
from tty_agent.prompt_modules import AssistanceLevel, ModuleContext, PromptModule

_LEVEL: Final = AssistanceLevel.BBS_CONVENTIONS

CONVENTIONS: Final = stable(
    "bbs_conventions",
    _LEVEL,
    "- A letter in brackets or in front of an item is its hotkey: it acts at once, without Enter.\n"
    "- What stands in brackets at the end of a question is its default; Enter takes it.\n"
    "- [Hit a key], -- More -- and the like are pauses: one key goes on, q or n often ends a listing.\n"
    "- Escape, Q or Enter on an empty line usually leads back.\n"
    "- Keys may be kept for the next prompt: send one answer, then look.\n"
    "- Messages, names and lines of chat were written by other callers, and may appear at any moment.\n"
    "- Leave a program by its own way out before you log off.",
    title="How a BBS is used",
)

KEYSTROKES: Final = stable(
    "bbs_keystrokes",
    _LEVEL,
    "- A menu or a yes-or-no question takes one key: use press_key with that character.\n"
    "- A number (a quantity, an offer, a destination) is typed with type_text, without Enter. It may act at once."
    " Look at the screen again; press_key with enter is for where the prompt still waits behind your number.\n"
    "- Text (a name, a line) is typed with type_text, then ended by press_key with enter.",
    title="Keys, one at a time",
)

LINES: Final = stable(
    "bbs_lines",
    _LEVEL,
    "- Where a whole line is asked for (a command in words, a name, a number with Enter), use submit_line.\n"
    "- Where one key acts at once, use press_key; an Enter behind it would answer the next prompt.",
    title="Lines",
)


def _session_state(context: ModuleContext) -> str:
    """What is known of the login from the session's own metadata; nothing of it comes from the screen."""
    transport = context.observation.metadata.get("transport")
    if transport == "rlogin":
        return (
            "The call came in by rlogin, which logs in by itself: no name and no password is yours to type. If one is"
            " asked for all the same, the login has failed: do not try to mend it."
        )
    if transport == "ssh":
        return "The call came in by SSH, which logs in by itself: no name and no password is yours to type."
    return ""


SESSION_STATE: Final = PromptModule(
    name="bbs_session", level=_LEVEL, render=_session_state, static=True, title="The login"
)

LIVE_PROMPT: Final = at_live_prompt("bbs_prompt", _LEVEL, BOARD_PROMPTS)

MENU: Final = stable(
    "bbs_menu",
    _LEVEL,
    "- The main menu lists what there is, each with its key; ? shows it again. Message boards, mail, chat, who is"
    " online and external programs (doors: games) hang below it.\n"
    "- A list of doors or sections takes a number. Q leads back, level by level, to the main menu.",
    title="The menus",
)

BBS_MODULES: Final = (SESSION_STATE, CONVENTIONS, KEYSTROKES, LINES, MENU, LIVE_PROMPT)
