"""The participants of a match, resolved: who they are, what they may do and are told, and what they may use up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from bbs_gym.accounts.account import Account
from bbs_gym.hosts.host import Transport
from bbs_gym.match.config import BadMatch
from bbs_gym.match.objective import ALONE, fill
from bbs_gym.match.settings import MatchSettings, ParticipantSettings
from bbs_gym.match.wiring import Wiring, with_profiles
from bbs_gym.profiles.user_file import ProfileFileError
from tty_agent.actions.action import ActionName
from tty_agent.activity.activity import ActivityProfile, Budget
from tty_agent.activity.routes import Route, RouteSet
from tty_agent.models.catalog import ModelConfig, ModelConfigError, model_config

Activity = ActivityProfile | RouteSet


class Entrant(msgspec.Struct, frozen=True, kw_only=True):
    """One participant, ready to be connected."""

    account: Account
    model: ModelConfig
    activity: Activity
    objective: str
    transport: Transport
    node: int | None
    budget: Budget
    """Its own; time and cost are the match's."""

    @property
    def agent_id(self) -> str:
        """Of the account."""
        return self.account.agent_id

    @property
    def profiles(self) -> tuple[ActivityProfile, ...]:
        """Every profile that can be active, the one it begins with first."""
        if isinstance(self.activity, RouteSet):
            every = self.activity.profiles()
            first = self.activity.default
            return (first, *(profile for name, profile in every.items() if name != first.name))
        return (self.activity,)


def resolve(settings: MatchSettings, accounts: Mapping[str, Account], wiring: Wiring) -> tuple[Entrant, ...]:
    """The roster, in its order. Raises BadMatch with each participant that can't be resolved, or for a wrong file of
    profiles; OSError if there is no such file."""
    try:
        wiring = with_profiles(wiring, settings.profiles)
    except ProfileFileError as fault:
        raise BadMatch((str(fault),)) from fault
    made: list[Entrant] = []
    faults: list[str] = []
    aliases = {one.agent_id: _alias(accounts, one.agent_id) for one in settings.participants}
    for number, one in enumerate(settings.participants):
        try:
            made.append(_entrant(settings, one, accounts, aliases, wiring))
        except (ValueError, LookupError) as fault:
            faults.append(f"participants[{number}] ({one.agent_id}): {fault.args[0] if fault.args else fault}")
    if faults:
        raise BadMatch(tuple(faults))
    return tuple(made)


def without(activity: Activity, disabled: Iterable[str]) -> Activity:
    """The activity less some actions, in the policy and so in the schema that is shown. Raises ValueError if none is
    left."""
    gone = tuple(ActionName(name) for name in disabled)
    if not gone:
        return activity
    if isinstance(activity, ActivityProfile):
        return _limited(activity, gone)
    limited = {name: _limited(profile, gone) for name, profile in activity.profiles().items()}
    routes = tuple(Route(route.name, route.matches, limited[route.profile.name]) for route in activity.routes)
    return RouteSet(activity.name, limited[activity.default.name], routes)


def _limited(profile: ActivityProfile, gone: tuple[ActionName, ...]) -> ActivityProfile:
    try:
        return msgspec.structs.replace(profile, policy=profile.policy.without(gone))
    except ValueError as fault:
        names = ", ".join(gone)
        raise ValueError(f"{profile.name} has no action left without {names}: disable fewer") from fault


def _alias(accounts: Mapping[str, Account], agent_id: str) -> str:
    return accounts[agent_id].alias if agent_id in accounts else agent_id


def _entrant(
    settings: MatchSettings,
    one: ParticipantSettings,
    accounts: Mapping[str, Account],
    aliases: Mapping[str, str],
    wiring: Wiring,
) -> Entrant:
    if one.agent_id not in accounts:
        raise ValueError("it has no account: add it to the registry, or name another agent")
    account = accounts[one.agent_id]
    table = one.model or account.model
    if not table:
        raise ValueError("it has no model: give `model`, here or in the registry")
    rivals = [alias for agent_id, alias in aliases.items() if agent_id != one.agent_id]
    built_in = {
        "agent_id": one.agent_id,
        "alias": account.alias,
        "match": settings.name,
        "rivals": ", ".join(rivals) or ALONE,
    }
    return Entrant(
        account=account,
        model=_model(table),
        activity=without(_activity(settings, one, wiring), settings.disabled_actions),
        objective=fill(one.objective if one.objective is not None else settings.objective, one.variables | built_in),
        transport=one.transport or settings.transport,
        node=one.node,
        budget=Budget(
            max_decision_ticks=settings.budgets.max_decision_ticks,
            max_wall_seconds=None,
            max_validation_failures=settings.budgets.max_validation_failures,
            max_tokens=settings.budgets.max_tokens,
            max_cost_usd=None,
        ),
    )


def _model(table: dict[str, Any]) -> ModelConfig:
    try:
        return model_config(table)
    except ModelConfigError as fault:
        raise ValueError(str(fault)) from fault


def _activity(settings: MatchSettings, one: ParticipantSettings, wiring: Wiring) -> Activity:
    own = one.profile is not None or one.route_set is not None
    profile, route_set = (one.profile, one.route_set) if own else (settings.profile, settings.route_set)
    if route_set is not None:
        return wiring.route_set(route_set)
    if profile is None:
        raise ValueError("it has no activity: name a profile or a route_set")
    return wiring.profile(profile)
