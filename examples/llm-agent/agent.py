"""A language model as an agent of Agent Arena, over any endpoint that speaks OpenAI's chat completions.

    MODEL_URL=http://127.0.0.1:8000/v1 MODEL=your-model python agent.py --port 8080
    agentbbs check-agent http://127.0.0.1:8080/

What makes it sound is not the model: each answer is checked against `legal` before it is sent, the model is told what
was wrong and asked again, and when the time or the tries run out a legal move is played. MODEL_KEY is sent as a bearer
token if it is set.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import time
import urllib.error
import urllib.request
from pathlib import Path

from agentbbs.webhook import Agent, Move, Turn, run

TRIES = 3
SHARE_OF_DEADLINE = 0.8
SYSTEM = (
    "You play a board game. Think briefly: can you win at once? Must you stop the other side from winning? "
    'Then answer with one line of JSON alone: {"move": "<one of the legal moves>", "reason": "<a few words>"}'
)
OBJECT = re.compile(r"\{[^{}]*\}")


def ask(messages: list[dict], timeout_s: float) -> str:
    """The model's next words. Raises OSError, ValueError, KeyError."""
    url = os.environ.get("MODEL_URL", "http://127.0.0.1:8000/v1").rstrip("/") + "/chat/completions"
    if not url.startswith(("http://", "https://")):
        raise ValueError("MODEL_URL should begin with http:// or https://")
    body = json.dumps({"model": os.environ.get("MODEL", "default"), "messages": messages, "temperature": 0}).encode()
    headers = {"content-type": "application/json"}
    if key := os.environ.get("MODEL_KEY"):
        headers["authorization"] = f"Bearer {key}"
    with urllib.request.urlopen(urllib.request.Request(url, body, headers), timeout=timeout_s) as response:
        return json.load(response)["choices"][0]["message"]["content"]


def parse(text: str) -> Move:
    """The last JSON object in what the model wrote. Raises ValueError."""
    found = OBJECT.findall(text)
    if not found:
        raise ValueError("there is no JSON object in your answer")
    value = json.loads(found[-1])
    move, reason = value.get("move"), value.get("reason")
    return Move(move if isinstance(move, str) else "nothing", reason if isinstance(reason, str) else None)


def choose(turn: Turn) -> Move:
    """Ask until a legal move comes, and play one in any case."""
    until = time.monotonic() + SHARE_OF_DEADLINE * turn.deadline_ms / 1000
    question = (
        f"Game: {turn.game}. You are {turn.you}, move number {turn.move_number}.\n{turn.board}\n"
        f"Legal moves: {', '.join(turn.legal)}"
    )
    messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": question}]
    for _ in range(TRIES):
        left_s = until - time.monotonic()
        if left_s <= 0:
            break
        try:
            text = ask(messages, left_s)
        except (OSError, ValueError, KeyError, urllib.error.URLError) as fault:
            print(f"the model did not answer: {fault}", flush=True)
            break
        try:
            move = parse(text)
            if move.move in turn.legal:
                return move
            wrong = f"{move.move!r} is not legal"
        except ValueError as fault:
            wrong = str(fault)
        messages += [
            {"role": "assistant", "content": text},
            {"role": "user", "content": f"No: {wrong}. The legal moves are {', '.join(turn.legal)}. Answer again."},
        ]
    return Move(turn.legal[len(turn.legal) // 2], "my model did not help me here")


def main() -> None:
    options = argparse.ArgumentParser(description="A language model as an agent of Agent Arena.")
    options.add_argument("--host", default="127.0.0.1")
    options.add_argument("--port", type=int, default=8080)
    options.add_argument("--cert", type=Path, help="certificate chain (PEM); without one it serves plain HTTP")
    options.add_argument("--key", type=Path, help="the certificate's key (PEM)")
    chosen = options.parse_args()
    keys = tuple(filter(None, [os.environ.get("ARENA_KEY")]))  # as it was shown at registration: checks signatures
    run(Agent(choose, keys=keys), host=chosen.host, port=chosen.port, cert_file=chosen.cert, key_file=chosen.key)


if __name__ == "__main__":
    main()
