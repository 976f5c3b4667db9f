from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tty_agent.models.virtual_pauses import Pauses

from tty_agent.models.model import ProviderFault
from tty_agent.models.retries import NO_RETRIES, Attempted, Retry, Retrying, RetryPolicy


def script(*steps: str | ProviderFault) -> Callable[[], Awaitable[str]]:
    left = list(steps)

    async def once() -> str:
        step = left.pop(0)
        if isinstance(step, ProviderFault):
            raise step
        return step

    return once


def busy(retry_after_s: float | None = None) -> ProviderFault:
    return ProviderFault("rate_limited", "busy", retryable=True, retry_after_s=retry_after_s)


async def test_an_answer_at_once_takes_one_attempt_and_no_pause() -> None:
    pauses = Pauses()
    assert await pauses.retrying().call(script("yes")) == Attempted("yes", 1, 0.0)
    assert pauses.taken == []


async def test_pauses_grow_up_to_the_longest() -> None:
    pauses = Pauses()
    policy = RetryPolicy(max_attempts=6, first_delay_s=1, growth=3, max_delay_s=10)
    attempted = await pauses.retrying(policy).call(script(busy(), busy(), busy(), busy(), "yes"))
    assert attempted.attempts == 5
    assert pauses.taken == [1, 3, 9, 10]


@given(st.integers(1, 30), st.floats(0, 1, exclude_max=True))
def test_the_lot_only_shortens_a_pause_and_by_its_share(failed: int, draw: float) -> None:
    policy = RetryPolicy(jitter=0.25)
    longest = policy.delay_s(failed, 0.0)
    assert longest * 0.75 <= policy.delay_s(failed, draw) <= longest <= policy.max_delay_s


async def test_each_retry_is_told_before_its_pause() -> None:
    pauses = Pauses()
    told: list[Retry] = []
    retrying = Retrying(RetryPolicy(max_attempts=3), sleep=pauses.sleep, draw=pauses.draw, told=told.append)
    with pytest.raises(ProviderFault):
        await retrying.call(script(busy(), busy(), busy()))
    assert told == [Retry(2, 3, 1.0, "busy"), Retry(3, 3, 2.0, "busy")]


async def test_the_last_fault_is_raised_with_the_number_of_attempts() -> None:
    pauses = Pauses()
    with pytest.raises(ProviderFault) as caught:
        await pauses.retrying(RetryPolicy(max_attempts=3)).call(script(busy(), busy(), busy(), "too late"))
    assert caught.value.attempts == 3
    assert len(pauses.taken) == 2


async def test_a_fault_that_stays_is_not_repeated() -> None:
    pauses = Pauses()
    with pytest.raises(ProviderFault) as caught:
        await pauses.retrying().call(script(ProviderFault("unauthorized", "no"), "never"))
    assert caught.value.attempts == 1
    assert pauses.taken == []


async def test_no_retries_means_none() -> None:
    pauses = Pauses()
    with pytest.raises(ProviderFault):
        await pauses.retrying(NO_RETRIES).call(script(busy(), "never"))
    assert pauses.taken == []


async def test_the_provider_is_left_alone_for_as_long_as_it_asks() -> None:
    pauses = Pauses()
    await pauses.retrying().call(script(busy(17.0), busy(0.0), "yes"))
    assert pauses.taken == [17.0, 2.0]


async def test_a_provider_that_asks_for_too_long_a_pause_is_given_up() -> None:
    pauses = Pauses()
    with pytest.raises(ProviderFault):
        await pauses.retrying(RetryPolicy(max_retry_after_s=60)).call(script(busy(61.0), "never"))
    assert pauses.taken == []


async def test_no_attempt_starts_after_the_time_to_give_up() -> None:
    pauses = Pauses()
    policy = RetryPolicy(max_attempts=99, first_delay_s=30, max_delay_s=30, give_up_after_s=100)
    with pytest.raises(ProviderFault) as caught:
        await pauses.retrying(policy).call(script(*[busy() for _ in range(99)]))
    assert pauses.taken == [30, 30, 30]
    assert caught.value.attempts == 4


async def test_slow_attempts_count_towards_the_time_to_give_up() -> None:
    pauses = Pauses()

    async def slow() -> str:
        await pauses.sleep(250)
        raise busy()

    with pytest.raises(ProviderFault) as caught:
        await pauses.retrying(RetryPolicy(give_up_after_s=300)).call(slow)
    assert caught.value.attempts == 2


async def test_latency_is_of_the_attempt_that_succeeded() -> None:
    pauses = Pauses()
    faults = [busy()]

    async def once() -> str:
        await pauses.sleep(2.5)
        if faults:
            raise faults.pop()
        return "yes"

    assert (await pauses.retrying().call(once)).latency_s == 2.5


async def test_what_is_no_fault_of_the_provider_passes_through() -> None:
    async def once() -> str:
        raise KeyError("a mistake of ours")

    with pytest.raises(KeyError):
        await Pauses().retrying().call(once)


@pytest.mark.parametrize(
    "settings",
    [{"max_attempts": 0}, {"jitter": 1.5}, {"jitter": -0.1}, {"first_delay_s": -1}, {"growth": 0.5}],
)
def test_policies_that_make_no_sense_are_refused(settings: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        RetryPolicy(**settings)  # type: ignore[arg-type]
