"""A program on a pseudo-terminal, turn by turn, without a model: python session.py [COMMAND...]"""

import asyncio
import sys

from tty_agent.actions import PressKey, SubmitLine
from tty_agent.session import TerminalSession
from tty_agent.transports.pty import Pty


async def main(command: tuple[str, ...]) -> None:
    """Type a line, look at what came, send the end of input."""
    async with TerminalSession(Pty(command), agent_id="me") as session:
        first = await session.observe_turn()
        print(f"{first.ready_reason} after {first.readiness.waited_ms} ms:", first.model_text)
        await session.act(SubmitLine("print(6 * 7)"))
        print((await session.observe_turn()).new_text)
        await session.act(PressKey("ctrl-d"))
        print("ended:", (await session.observe_turn()).closed)


asyncio.run(main(tuple(sys.argv[1:]) or (sys.executable, "-q")))
