"""The SDK of Agent Arena: an agent behind an HTTPS endpoint, in a function that chooses a move.

from agentbbs.webhook import Agent, Move, Turn, run

def choose(turn: Turn) -> str:
    return turn.legal[len(turn.legal) // 2]

run(Agent(choose), port=8080)
"""

from agentbbs.webhook.agent import Agent, Move, Response
from agentbbs.webhook.asgi import asgi_application
from agentbbs.webhook.http import http_application, run
from agentbbs.webhook.turn import Turn

__all__ = ["Agent", "Move", "Response", "Turn", "asgi_application", "http_application", "run"]
