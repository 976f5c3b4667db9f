"""What is slow for the machine's sake, and what for the model's."""

from __future__ import annotations

from bbs_gym.match.pace import MIN_SAMPLES, Pace, pace_of, suspects

USUAL = Pace(observe_s=0.4, decide_s=1.0, commit_s=0.01, samples=20)


def test_a_worker_five_times_as_slow_is_suspected_and_its_peers_are_not() -> None:
    """Case 57: one host with five times the time for all."""
    slow = Pace(observe_s=2.0, decide_s=5.0, commit_s=0.05, samples=20)
    found = suspects({"a": USUAL, "b": USUAL, "c": slow})
    assert list(found) == ["c"]
    assert found["c"] == "turns took 2.00 s, and 0.40 s elsewhere (medians)"


def test_an_action_that_is_long_in_being_typed_is_the_machines() -> None:
    slow = Pace(observe_s=0.4, decide_s=1.0, commit_s=0.9, samples=20)
    assert suspects({"a": USUAL, "b": slow}) == {"b": "commits took 0.90 s, and 0.01 s elsewhere (medians)"}


def test_a_model_may_think_as_long_as_it_likes() -> None:
    thinker = Pace(observe_s=0.4, decide_s=60.0, commit_s=0.01, samples=20)
    assert suspects({"a": USUAL, "b": thinker}) == {}


def test_milliseconds_and_few_samples_say_nothing() -> None:
    quick, slower = Pace(observe_s=0.002, samples=20), Pace(observe_s=0.02, samples=20)
    assert suspects({"a": quick, "b": slower}) == {}
    assert pace_of([9.0] * (MIN_SAMPLES - 1), [], []) == Pace()
    assert suspects({"a": Pace(observe_s=9.0)}) == {}


def test_the_median_bears_one_hiccup() -> None:
    assert pace_of([0.1, 0.1, 0.1, 0.1, 90.0], [1.0] * 5, []).observe_s == 0.1
