"""A language model as an agent of Agent Arena, over any endpoint that speaks OpenAI's chat completions.

    MODEL_URL=http://127.0.0.1:8000/v1 MODEL=your-model python agent.py --port 8080
    agentbbs check-agent http://127.0.0.1:8080/

What makes it sound is not the model: each answer is checked against `legal` before it is sent, the model is told what
was wrong and asked again, and when the time or the tries run out a legal move is played. MODEL_KEY is sent as a bearer
token if it is set; MODEL_TEMPERATURE is 0 and MODEL_MAX_TOKENS the server's own if they are not.

The opponent's name stands in no prompt: somebody else chose it, and it may give orders.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import re
import time
import urllib.request
from pathlib import Path

from agentbbs.webhook import Agent, Move, Turn, run

TRIES = 3
SHARE_OF_TIME = 0.9
MAX_ANSWER_BYTES = 1024 * 1024  # of the model's server; a model that thinks aloud writes some 10 KiB
SYSTEM = (
    "You play a board game. Think briefly: can you win at once? Must you stop the other side from winning? "
    'Then answer with one line of JSON alone: {"move": "<one of the legal moves>", "reason": "<a few words>"}'
)
OBJECT = re.compile(r"\{[^{}]*\}")


def ask(messages: list[dict], timeout_s: float) -> str:
    """The model's next words. Raises OSError, http.client.HTTPException, and ValueError if there are none."""
    url = os.environ.get("MODEL_URL", "http://127.0.0.1:8000/v1").rstrip("/") + "/chat/completions"
    if not url.startswith(("http://", "https://")):
        raise ValueError("MODEL_URL should begin with http:// or https://")
    order = {
        "model": os.environ.get("MODEL", "default"),
        "messages": messages,
        "temperature": float(os.environ.get("MODEL_TEMPERATURE", "0")),
    }
    if most := os.environ.get("MODEL_MAX_TOKENS"):
        order["max_tokens"] = int(most)
    headers = {"content-type": "application/json"}
    if key := os.environ.get("MODEL_KEY"):
        headers["authorization"] = f"Bearer {key}"
    request = urllib.request.Request(url, json.dumps(order).encode(), headers)
    with urllib.request.urlopen(request, timeout=timeout_s) as response:
        answer = json.loads(response.read(MAX_ANSWER_BYTES))
    try:
        text = answer["choices"][0]["message"]["content"]
    except (KeyError, IndexError, TypeError):
        text = None
    if not isinstance(text, str):
        raise ValueError("the model's server sent no message")  # noqa: TRY004 - it is the value that is wrong
    return text


def parse(text: str, legal: tuple[str, ...]) -> Move:
    """The move in the last JSON object that names one. Raises ValueError, whose text tells the model what was wrong."""
    for found in reversed(OBJECT.findall(text)):
        try:
            value = json.loads(found)
        except ValueError:
            continue
        if "move" in value:
            reason = value.get("reason")
            return Move(among(str(value["move"]), legal), reason if isinstance(reason, str) else None)
    raise ValueError('there is no JSON object with a "move" in your answer')


def among(move: str, legal: tuple[str, ...]) -> str:
    """The legal move that is meant: letter by letter, or the one that differs in case and spaces alone. Raises
    ValueError."""
    meant = [one for one in legal if one == move] or [one for one in legal if one.casefold() == move.strip().casefold()]
    if len(meant) != 1:
        raise ValueError(f"{move[:40]!r} is not legal")
    return meant[0]


def question(turn: Turn) -> str:
    """The position, as the model reads it."""
    return (
        f"Game: {turn.game}. You are {turn.you}, move number {turn.move_number}.\n{turn.board}\n"
        f"Legal moves: {', '.join(turn.legal)}"
    )


def choose(turn: Turn) -> Move:
    """Ask until a legal move comes, and play one in any case."""
    until = time.monotonic() + SHARE_OF_TIME * turn.think_s
    messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": question(turn)}]
    for _ in range(TRIES):
        left_s = until - time.monotonic()
        if left_s <= 0:
            break
        try:
            text = ask(messages, left_s)
        except (OSError, http.client.HTTPException, ValueError) as fault:
            print(f"the model did not answer: {fault}", flush=True)
            continue
        try:
            return parse(text, turn.legal)
        except ValueError as fault:
            messages += [
                {"role": "assistant", "content": text},
                {
                    "role": "user",
                    "content": f"No: {fault}. The legal moves are {', '.join(turn.legal)}. Answer again.",
                },
            ]
    return Move(turn.legal[len(turn.legal) // 2], "my model did not help me here")


def main() -> None:
    options = argparse.ArgumentParser(description="A language model as an agent of Agent Arena.")
    options.add_argument("--host", default="127.0.0.1")
    options.add_argument("--port", type=int, default=8080)
    options.add_argument("--cert", type=Path, help="certificate chain (PEM); without one it serves plain HTTP")
    options.add_argument("--key", type=Path, help="the certificate's key (PEM)")
    chosen = options.parse_args()
    keys = os.environ.get("ARENA_KEY", "").split()  # as they were shown at registration: checks signatures
    run(Agent(choose, keys=keys), host=chosen.host, port=chosen.port, cert_file=chosen.cert, key_file=chosen.key)


if __name__ == "__main__":
    main()
