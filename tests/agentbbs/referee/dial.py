"""A line to endpoints that exist in the test alone: who was asked what, how many at once, and what came back."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any, Final

import msgspec

from agentbbs.protocol.arena_reply import Answer
from agentbbs.protocol.signing import Signer
from agentbbs.protocol.strikes import StrikeRow
from agentbbs.referee.endpoint_url import EndpointUrl, UrlRules, parse
from agentbbs.referee.outbound import Exchange, Headers
from agentbbs.referee.webhook_seat import Target

RULES: Final = UrlRules()
DEADLINE_MS: Final = 5_000
PUBLIC_URL: Final = "https://arena.example"

Turn = dict[str, Any]
"""A request of the referee, as JSON has it."""

Said = bytes | tuple[int, bytes] | StrikeRow
"""A body with status 200, status and body, or the row of what the transport saw."""

Behaviour = Callable[[Turn], Awaitable[Said]]


def url(text: str = "https://gremlin.example/play") -> EndpointUrl:
    """A URL that a venue takes."""
    return parse(text, RULES)


def target(
    name: str = "gremlin",
    *,
    account: int | None = 1,
    at: str = "https://gremlin.example/play",
    signers: tuple[Signer, ...] = (),
    deadline_ms: int = DEADLINE_MS,
) -> Target:
    """Whom to ask."""
    return Target(
        account=account, name=name, url=url(at), signers=signers, deadline_ms=deadline_ms, public_url=PUBLIC_URL
    )


def body(turn: Turn, **more: Any) -> bytes:
    """The right answer, but for what is said."""
    return json.dumps({"move": turn["legal"][0], "nonce": turn["nonce"]} | more).encode()


async def legal(turn: Turn) -> Said:
    """The first legal move, at once."""
    return body(turn)


class ScriptedDialler:
    """Implements `webhook_seat.Dialler`. `behave` may be changed at any time, `at` is by URL and goes before it."""

    def __init__(self, behave: Behaviour = legal) -> None:
        self.behave = behave
        self.at: dict[str, Behaviour] = {}
        self.asked: list[Turn] = []
        self.asked_at: list[float] = []
        self.urls: list[str] = []
        self.bodies: list[bytes] = []
        self.headers: list[dict[str, str]] = []
        self.calls: list[tuple[str, str]] = []
        """What went on, in order: `begins` or `ends`, and the URL."""
        self.busy: Counter[str] = Counter()
        self.most: Counter[str] = Counter()
        """The most requests that were in flight at once, by URL and by host and port."""

    async def post(self, url: EndpointUrl, body: bytes, headers: Headers, timeout_s: float) -> Exchange:
        loop = asyncio.get_running_loop()
        began = loop.time()
        turn = msgspec.json.decode(body)
        self.asked.append(turn)
        self.asked_at.append(began)
        self.urls.append(url.text)
        self.bodies.append(body)
        self.headers.append(dict(headers() if callable(headers) else headers))
        self.calls.append(("begins", url.text))
        for key in (url.text, url.authority):
            self.busy[key] += 1
            self.most[key] = max(self.most[key], self.busy[key])
        try:
            async with asyncio.timeout(timeout_s):
                said = await self.at.get(url.text, self.behave)(turn)
                if said is StrikeRow.TIMEOUT:
                    await loop.create_future()
        except TimeoutError:
            said = StrikeRow.TIMEOUT
        finally:
            self.calls.append(("ends", url.text))
            for key in (url.text, url.authority):
                self.busy[key] -= 1
        ms = round((loop.time() - began) * 1000)
        if isinstance(said, StrikeRow):
            return Exchange(None, said, f"scripted {said}", ms)
        status, content = said if isinstance(said, tuple) else (200, said)
        return Exchange(Answer(status, content), None, "", ms)
