"""Schedules: fair by count, the same each time, swaps at turn boundaries alone."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.bbs_gym.campaign.campaigns import a_campaign

from bbs_gym.campaign import schedule as module
from bbs_gym.campaign.balance import balance
from bbs_gym.campaign.schedule import TooMany, make_schedule, seeds_of
from bbs_gym.campaign.settings import AgentSettings, CampaignSettings, Format, SwapSettings, TurnSettings
from bbs_gym.campaign.settings import VariantSettings as Variant

SEEDS = (792193407, 1783307994, 812683663)
"""Of a campaign of seed 0."""


@st.composite
def campaigns(draw: st.DrawFn) -> CampaignSettings:
    """Of one turn, any format."""
    agents = draw(st.integers(2, 5))
    format_ = draw(st.sampled_from(Format))
    turn = TurnSettings(
        name="t",
        format=format_,
        seeds=draw(st.integers(1, 3)),
        seats=draw(st.integers(2, agents)) if format_ is Format.MELEE else None,
    )
    variants = tuple(Variant(name=f"v{number}") for number in range(draw(st.integers(0, 2))))
    return a_campaign(agents, draw(st.integers(0, 3)), (turn,), variants=variants, seed=draw(st.integers(0, 9)))


@settings(max_examples=60, deadline=None)
@given(campaigns())
def test_it_is_balanced(campaign: CampaignSettings) -> None:
    made = make_schedule(campaign)
    competitors = balance(made)
    assert len(competitors) == len(campaign.agents) * max(1, len(campaign.models))
    assert len({one.matches for one in competitors}) == 1
    seats = {count for one in competitors for count in one.seats}
    assert len(seats) == 1
    assert {len(one.seats) for one in competitors} == {len(made.matches[0].seats)}
    if campaign.turns[0].format is Format.ROUND_ROBIN:
        assert all(one.fewest_meetings == one.most_meetings for one in competitors)
        assert len({one.rivals for one in competitors}) == 1


@settings(max_examples=60, deadline=None)
@given(campaigns())
def test_all_orders_and_variants_of_a_meeting_share_each_seed(campaign: CampaignSettings) -> None:
    made = make_schedule(campaign)
    seeds = set(seeds_of(campaign, 1))
    for met in {frozenset(match.seats) for match in made.matches}:
        ways = Counter((m.seats, m.variant, m.seed) for m in made.matches if frozenset(m.seats) == met)
        assert set(ways.values()) == {1}
        orders = {order for order, _, _ in ways}
        assert len(ways) == len(orders) * max(1, len(campaign.variants)) * len(seeds)
        assert orders == {tuple(reversed(order)) for order in orders} or len(next(iter(orders))) > 2


@settings(max_examples=60, deadline=None)
@given(campaigns())
def test_in_a_round_nobody_plays_twice_and_all_has_one_seed(campaign: CampaignSettings) -> None:
    rounds: dict[int, list[module.PlannedMatch]] = {}
    for match in make_schedule(campaign).matches:
        rounds.setdefault(match.round, []).append(match)
    for matches in rounds.values():
        assert max(Counter(seat for match in matches for seat in match.seats).values()) == 1
        assert len({(match.seed, match.variant) for match in matches}) == 1


@settings(max_examples=60, deadline=None)
@given(campaigns())
def test_an_agent_meets_all_others_and_never_itself(campaign: CampaignSettings) -> None:
    made = make_schedule(campaign)
    assert all(len({seat.agent_id for seat in match.seats}) == len(match.seats) for match in made.matches)
    if campaign.turns[0].format is not Format.SOLO:
        met = {frozenset(pair) for match in made.matches for pair in combinations([s.agent_id for s in match.seats], 2)}
        assert met == {frozenset(pair) for pair in combinations([one.agent_id for one in campaign.agents], 2)}


@settings(max_examples=30, deadline=None)
@given(campaigns())
def test_the_same_settings_give_the_same_schedule(campaign: CampaignSettings) -> None:
    again = msgspec.json.decode(msgspec.json.encode(campaign), type=CampaignSettings)
    assert make_schedule(again) == make_schedule(campaign)
    other = msgspec.structs.replace(campaign, seed=campaign.seed + 1)
    assert make_schedule(other).sha256 != make_schedule(campaign).sha256


def test_it_is_this_schedule() -> None:
    """What is on disk of a campaign that rests must still be right after a change of the code."""
    made = make_schedule(a_campaign(3, 0, (TurnSettings(name="duel", seeds=(7,)),)))
    assert [(match.match_id, *(seat.agent_id for seat in match.seats)) for match in made.matches] == [
        ("spring-00001-duel", "a2", "a3"),
        ("spring-00002-duel", "a3", "a2"),
        ("spring-00003-duel", "a1", "a3"),
        ("spring-00004-duel", "a3", "a1"),
        ("spring-00005-duel", "a1", "a2"),
        ("spring-00006-duel", "a2", "a1"),
    ]
    assert seeds_of(a_campaign(turns=(TurnSettings(name="duel", seeds=3),)), 1) == SEEDS


def test_how_often_a_match_is_tried_is_no_part_of_the_schedule() -> None:
    campaign = a_campaign()
    assert make_schedule(msgspec.structs.replace(campaign, max_tries=9)).sha256 == make_schedule(campaign).sha256
    changed = msgspec.structs.replace(campaign, match={"profile": "chat"})
    assert make_schedule(changed).sha256 != make_schedule(campaign).sha256


def test_fewer_seatings_go_on_with_each_seed() -> None:
    made = make_schedule(a_campaign(3, 0, (TurnSettings(name="t", format=Format.MELEE, seeds=6, seatings=1),)))
    assert len(made.matches) == 6
    assert all(one.seats == (2, 2, 2) for one in balance(made))


def test_models_of_melees_are_crossed_with_agents() -> None:
    made = make_schedule(a_campaign(2, 2, (TurnSettings(name="t", format=Format.MELEE),)))
    assert {frozenset((s.agent_id, s.model) for s in match.seats) for match in made.matches} == {
        frozenset({("a1", "m1"), ("a2", "m2")}),
        frozenset({("a1", "m2"), ("a2", "m1")}),
    }


def test_a_model_is_swapped_at_the_beginning_of_its_turn_and_recorded() -> None:
    turns = tuple(TurnSettings(name=name) for name in ("spring", "summer", "autumn"))
    campaign = a_campaign(2, 2, turns, swaps=(SwapSettings(turn="summer", old="m1", new="m2", agent="a1"),))
    campaign = msgspec.structs.replace(
        campaign,
        agents=(AgentSettings(agent_id="a1", models=("m1",)), AgentSettings(agent_id="a2", models=("m1",))),
    )
    made = make_schedule(campaign)
    models = {
        turn: {(s.agent_id, s.model) for match in made.matches if match.turn == turn for s in match.seats}
        for turn in (1, 2, 3)
    }
    assert models[1] == {("a1", "m1"), ("a2", "m1")}
    assert models[2] == models[3] == {("a1", "m2"), ("a2", "m1")}
    assert [(one.turn, one.agent_id, one.old, one.new) for one in made.swaps] == [(2, "a1", "m1", "m2")]


def test_too_many_matches_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_MATCHES", 5)
    with pytest.raises(TooMany, match="more than 5 matches: take fewer"):
        make_schedule(a_campaign(3))
