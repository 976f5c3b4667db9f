"""What an adapter read from its provider, and how it becomes a ModelReply."""

from __future__ import annotations

from typing import Final

import msgspec

from tty_agent.actions.reply_objects import MAX_REPLY_CHARS
from tty_agent.models import filters
from tty_agent.models.model import ModelReply, Usage
from tty_agent.models.prices import Prices

_MAX_WORD_CHARS: Final = 200
"""Of a stop reason, which is a word; a line of the trace is not to be filled with one."""


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """One answer in the terms of its provider."""

    text: str
    """What the model said, without the reasoning that the provider delivers apart."""
    reasoning: str = ""
    usage: Usage = Usage()
    cache_write_tokens: int = 0
    """Input tokens that were written to a cache; part of `usage.input_tokens`."""
    cost_usd: float | None = None
    """As the provider says."""
    stop_reason: str | None = None
    session_id: str | None = None
    model: str | None = None
    """The model that the provider says it was, where it says so."""
    notes: tuple[str, ...] = ()


class Identity(msgspec.Struct, frozen=True, kw_only=True):
    """What is the same for every reply of a model."""

    provider: str
    model: str
    response_filter: str | None = None
    """The name of an output filter; None: the one of the model's family."""
    prices: Prices | None = None

    @property
    def filter(self) -> str:
        """The name of the output filter in force."""
        return self.response_filter or filters.filter_for(self.model)

    def reply(self, answer: Answer, *, latency_s: float, attempts: int) -> ModelReply:
        """The reply: raw text with its reasoning, filtered text, and what it cost. Of a reply that is longer than one
        is read, the end is kept, where the action should be, and the notes say so."""
        cost = answer.cost_usd
        if cost is None and self.prices is not None:
            cost = self.prices.cost_usd(answer.usage, cache_write_tokens=answer.cache_write_tokens)
        raw = _with_reasoning(answer.reasoning, answer.text)
        notes = answer.notes
        if len(raw) > MAX_REPLY_CHARS:
            notes = (*notes, f"the reply had {len(raw)} characters: the last {MAX_REPLY_CHARS} are kept")
        return ModelReply(
            raw=raw[-MAX_REPLY_CHARS:],
            text=filters.filtered(answer.text[-MAX_REPLY_CHARS:], self.filter),
            model=self.model,
            provider=self.provider,
            filter=self.filter,
            usage=answer.usage,
            cost_usd=cost,
            latency_s=latency_s,
            attempts=attempts,
            session_id=answer.session_id,
            stop_reason=answer.stop_reason and answer.stop_reason[:_MAX_WORD_CHARS],
            notes=notes,
        )


def _with_reasoning(reasoning: str, text: str) -> str:
    """The form in which local models write their thoughts before an answer; without reasoning just the text."""
    return f"<think>{reasoning}</think>\n{text}" if reasoning else text
