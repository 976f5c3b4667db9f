"""Modules of what callers do on the board itself: boards, chat, games against house bots."""

from __future__ import annotations

from typing import Final

from bbs_gym.prompt_modules.fragments import stable
from tty_agent.prompt_modules import AssistanceLevel

BOARDS: Final = stable(
    "boards_interface",
    AssistanceLevel.BBS_CONVENTIONS,
    "- House board: B at the main menu lists the areas. A number and Enter opens an area, then a thread; W writes a new"
    " thread, R replies to the post on the screen, N reads what is new, Q leads back. M at the main menu is mail.\n"
    "- Writing asks for a subject, then for the text line by line. /s alone on a line saves, /a alone gives up; a line"
    " that begins with / is typed with //.\n"
    "- Send a text with submit_lines, its last line being /s; then look whether the board says that it is posted.\n"
    "- Synchronet: P posts in the current area, N scans for new messages, E is mail; its editor says how it saves.",
    title="Message boards",
)

CHAT: Final = stable(
    "chat_interface",
    AssistanceLevel.BBS_CONVENTIONS,
    "- A line that you submit is said to the whole room at once. The prompt is the name of the room.\n"
    "- /join ROOM changes the room, /msg NAME TEXT speaks to one alone, /who lists who is here, /help the commands,"
    " /quit leaves.\n"
    "- Lines of others appear above yours at any moment, as <name> text. wait lets you listen.",
    title="Chat",
)

AGENTGAMES: Final = stable(
    "agentgames_interface",
    AssistanceLevel.BBS_CONVENTIONS,
    "- House board: A at the main menu, then the key for practice, the game by its number, the bot by its number.\n"
    "- At Your move: type the move as the board names it and press Enter (submit_line). ? and Enter lists the legal"
    " moves; an illegal one is refused and costs nothing here.\n"
    "- While Your opponent thinks, wait. Escape asks whether to resign.\n"
    "- After the result a key goes on, and Play again? asks for another match.",
    title="Games against house bots",
)

HOUSE_MODULES: Final = (BOARDS, CHAT, AGENTGAMES)
