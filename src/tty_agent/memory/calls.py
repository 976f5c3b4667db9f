"""Calls of the model for its memory: counted and limited as all its calls are, and never the end of a run."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from tty_agent.activity.budget import Meter
from tty_agent.models.model import Model, ModelReply, Prompt, ProviderFault


class MemoryCalls:
    """Asks one model within the time of one run."""

    def __init__(self, model: Model, meter: Meter, seconds: Callable[[], float]) -> None:
        self._model = model
        self._meter = meter
        self._seconds = seconds
        self.fault = ""
        """Why the latest call gave no answer; "" if it gave one."""

    async def __call__(self, prompt: Prompt) -> ModelReply | None:
        """The answer, or None if the provider failed or the run's time is over."""
        self.fault = ""
        deadline = self._meter.deadline()
        limit = asyncio.timeout(None if deadline is None else max(0.0, deadline - self._seconds()))
        try:
            async with limit:
                reply = await self._model.complete(prompt)
        except ProviderFault as fault:
            self.fault = f"{fault.kind}: {fault}"
            return None
        except TimeoutError:
            if not limit.expired():
                raise  # an adapter that lets its own time-out out is a fault of ours
            self.fault = "out of time"
            return None
        charge(self._meter, reply)
        return reply


def charge(meter: Meter, reply: ModelReply) -> None:
    """Count one answer."""
    meter.call(
        input_tokens=reply.usage.input_tokens,
        output_tokens=reply.usage.output_tokens,
        cached_tokens=reply.usage.cached_tokens,
        cost_usd=reply.cost_usd,
    )
