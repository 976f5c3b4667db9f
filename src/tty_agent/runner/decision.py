"""One decision: the prompt goes to the model, its answer is read as an action, and one wrong answer may be repaired.

What goes wrong is told apart by whose fault it is: an answer without a valid action is the agent's (`error`), a
provider that fails is not (`fault`), and a budget that runs out while the model thinks is neither (`out_of_time`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable

import msgspec

from tty_agent.actions.action import Action
from tty_agent.actions.errors import ActionError
from tty_agent.actions.parsing import Parsed, parse
from tty_agent.actions.policy import ActionPolicy
from tty_agent.models.model import Model, ModelReply, Prompt, ProviderFault

RepairPrompt = Callable[[Prompt, ModelReply, ActionError], Prompt]
"""Makes the prompt that asks again: the prompt before, its answer, what is wrong with it."""


class Infra(msgspec.Struct, frozen=True):
    """A failure that is nobody's play: of a provider, of the connection below the terminal, of a disk."""

    kind: str
    """As in `ProviderFault`, or `connection`, `transcript`, `trace`, `pictures`, `internal`."""
    message: str
    attempts: int = 1


class Repair(msgspec.Struct, frozen=True, kw_only=True):
    """The one attempt to get a valid action after all."""

    error: str
    prompt: Prompt
    reply: ModelReply | None = None
    """None if there was none: see `fault` and `out_of_time` of the decision."""
    error_after: str | None = None


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """What came of one decision tick. At most one of `parsed`, `error` and `fault` is set; none if `out_of_time`."""

    prompt: Prompt
    parsed: Parsed | None = None
    """The answer that holds the action, as it was read."""
    error: str | None = None
    error_code: str | None = None
    reply: ModelReply | None = None
    repair: Repair | None = None
    fault: Infra | None = None
    out_of_time: bool = False
    latency_s: float = 0.0
    """All of it, as measured here."""

    @property
    def action(self) -> Action | None:
        """The action, if a valid one came."""
        return self.parsed.action if self.parsed else None

    @property
    def replies(self) -> tuple[ModelReply, ...]:
        """The answers, in order."""
        second = self.repair.reply if self.repair else None
        return tuple(reply for reply in (self.reply, second) if reply is not None)

    @property
    def input_tokens(self) -> int | None:
        """Of all calls; None if no provider said."""
        return _total(reply.usage.input_tokens for reply in self.replies)

    @property
    def output_tokens(self) -> int | None:
        """Of all calls; None if no provider said."""
        return _total(reply.usage.output_tokens for reply in self.replies)

    @property
    def cost_usd(self) -> float | None:
        """Of all calls; None if it is not known."""
        costs = [reply.cost_usd for reply in self.replies if reply.cost_usd is not None]
        return sum(costs) if costs else None


async def decide(
    model: Model,
    prompt: Prompt,
    policy: ActionPolicy,
    repair_prompt: RepairPrompt,
    *,
    clock: Callable[[], float],
    deadline: float | None = None,
) -> Decision:
    """Ask once, and once more if the answer holds no valid action. Calls that take longer than to `deadline`, a time
    of `clock`, are cancelled. Raises nothing of what is described above: it is in the Decision."""
    started = clock()
    decision = await _first(model, prompt, policy, clock, deadline)
    if isinstance(decision, _Invalid):
        decision = await _second(model, decision, policy, repair_prompt, clock, deadline)
    return msgspec.structs.replace(decision, latency_s=max(0.0, clock() - started))


class _Invalid(msgspec.Struct, frozen=True):
    prompt: Prompt
    reply: ModelReply
    error: ActionError


async def _first(
    model: Model, prompt: Prompt, policy: ActionPolicy, clock: Callable[[], float], deadline: float | None
) -> Decision | _Invalid:
    answer = await _call(model, prompt, clock, deadline)
    if not isinstance(answer, ModelReply):
        return Decision(prompt=prompt, fault=answer, out_of_time=answer is None)
    try:
        parsed = parse(answer.text, policy)
    except ActionError as error:
        return _Invalid(prompt, answer, error)
    return Decision(prompt=prompt, parsed=parsed, reply=answer)


async def _second(
    model: Model,
    invalid: _Invalid,
    policy: ActionPolicy,
    repair_prompt: RepairPrompt,
    clock: Callable[[], float],
    deadline: float | None,
) -> Decision:
    asked = repair_prompt(invalid.prompt, invalid.reply, invalid.error)
    repair = Repair(error=str(invalid.error), prompt=asked)
    decision = Decision(prompt=invalid.prompt, reply=invalid.reply, repair=repair)
    answer = await _call(model, asked, clock, deadline)
    if not isinstance(answer, ModelReply):
        return msgspec.structs.replace(decision, fault=answer, out_of_time=answer is None)
    try:
        parsed = parse(answer.text, policy)
    except ActionError as error:
        repair = msgspec.structs.replace(repair, reply=answer, error_after=str(error))
        return msgspec.structs.replace(decision, repair=repair, error=str(error), error_code=str(error.code))
    repair = msgspec.structs.replace(repair, reply=answer)
    return msgspec.structs.replace(decision, repair=repair, parsed=parsed)


async def _call(
    model: Model, prompt: Prompt, clock: Callable[[], float], deadline: float | None
) -> ModelReply | Infra | None:
    """The answer, or the provider's failure, or None if the time ran out."""
    left = None if deadline is None else max(0.0, deadline - clock())
    limit = asyncio.timeout(left)
    try:
        async with limit:
            return await model.complete(prompt)
    except ProviderFault as fault:
        return Infra(fault.kind, str(fault), fault.attempts)
    except TimeoutError:
        if limit.expired():
            return None
        raise  # an adapter that lets its own time-out out is a fault of ours


def _total(counts: Iterable[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known else None
