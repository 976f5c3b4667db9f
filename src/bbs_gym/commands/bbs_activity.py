"""`run-activity`, `run-routed` and `observe-turn` at a BBS beside any terminal: `--transport` in place of `--target`.

They are the commands of `tty_agent` with more options. A BBS is another place to open a session at; all else is as
there.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from bbs_gym.commands import bbs_choice as bbs
from bbs_gym.commands import routed_choice as routed
from bbs_gym.commands.options_of import with_options_of
from tty_agent.commands import activity_choice as activities
from tty_agent.commands import observe_turn as look
from tty_agent.commands import run_activity as run
from tty_agent.commands import terminal_choice as terminal

if TYPE_CHECKING:
    from tty_agent.activity.activity import ActivityProfile

Target = Annotated[
    str | None,
    typer.Option(
        "--target",
        metavar="TARGET",
        help="Any terminal: pty:COMMAND, telnet:HOST:PORT, rlogin:USER@HOST:PORT or ssh:USER@HOST:PORT.",
    ),
]

AgentId = Annotated[
    str, typer.Option("--agent-id", metavar="NAME", help="As traces name the agent, and at a BBS as the registry does.")
]

Activity = Annotated[str, typer.Option("--activity", metavar="NAME", help="The profile, of any terminal or of a BBS.")]

_OF_BBS: Final = MappingProxyType(
    {
        "registry": "--registry",
        "host": "--host",
        "port": "--port",
        "node": "--node",
        "kind": "--kind",
        "door": "--door",
    }
)
_OF_TARGET: Final = MappingProxyType(
    {
        "dialect": "--dialect",
        "user": "--user",
        "password_env": "--password-env",
        "password_file": "--password-file",
        "key_file": "--key-file",
        "terminal_type": "--terminal-type",
    }
)
"""By parameter: what means nothing to the other form, and is refused there, since nobody would notice."""

_OF_BOTH: Final = ("columns", "rows", "turn", "quiet_ms", "turn_timeout", "accept_new_host_key")


@with_options_of(run.run_activity)
def run_activity(
    *,
    target: Target = None,
    transport: bbs.TransportName = None,
    agent_id: AgentId = "agent-001",
    activity: Activity = activities.DEFAULT,
    profiles: routed.ProfilesFile = None,
    registry: bbs.RegistryFile = None,
    host: bbs.HostName = None,
    port: bbs.PortNumber = None,
    node: bbs.NodeNumber = None,
    kind: bbs.KindName = None,
    door: bbs.DoorCode = None,
    **options: Any,
) -> None:
    """Let a model use a BBS or any terminal program, one JSON action a decision, and record everything.

    At a BBS the agent is logged in before the model is asked, and without --model it is the registry's. The result
    goes to stdout, a line for each step to stderr. The exit code is 0 when the run came to an end of its own, whatever
    the agent made of it, and 1 when it broke down (no connection, no login, no model, a full disk). Ctrl-C ends it in
    order; the trace is kept.

    \b
    Examples:
      bbs-gym run-activity --activity tw2-game --transport rlogin --agent-id agent-001 --model openai:qwen3
      bbs-gym run-activity --target pty:bash --model scripted:replies.jsonl --activity shell
    """
    place = _place(target, transport, agent_id, options, _bbs_options(registry, host, port, node, kind, door))
    known = _known(profiles, activity)
    chosen = _less_terminal(options)
    run.run_at(place, known=known, registered=_model(place), activity=activity, agent_id=agent_id, **chosen)


@with_options_of(run.run_activity, less=("activity",))
def run_routed(
    *,
    route_set: routed.RouteSetName,
    target: Target = None,
    transport: bbs.TransportName = None,
    agent_id: AgentId = "agent-001",
    profiles: routed.ProfilesFile = None,
    registry: bbs.RegistryFile = None,
    host: bbs.HostName = None,
    port: bbs.PortNumber = None,
    node: bbs.NodeNumber = None,
    kind: bbs.KindName = None,
    door: bbs.DoorCode = None,
    **options: Any,
) -> None:
    """As run-activity, with the profile chosen anew at each turn: menus by one, the game behind them by another.

    Session, budget, memory and trace go on over a switch; the budget is that of the default profile unless the options
    give one. --allow, --disable, --done-when and --failed-when hold for every profile of the set.

    \b
    Examples:
      bbs-gym run-routed --route-set tw2-auto --transport rlogin --agent-id agent-001 --model openai:qwen3 \\
        --base-url http://127.0.0.1:8000/v1 --objective "explore, and make money"
      bbs-gym run-routed --route-set starlane-auto --target "pty:starlane play" --model scripted:replies.jsonl
    """
    place = _place(target, transport, agent_id, options, _bbs_options(registry, host, port, node, kind, door))
    changes = {name: options[name] or () for name in ("allow", "disable", "done_when", "failed_when")}
    routes = routed.route_set(route_set, routed.catalog(profiles), **changes)
    chosen = _less_terminal(options)
    run.run_at(place, routes=routes, registered=_model(place), activity=route_set, agent_id=agent_id, **chosen)


@with_options_of(look.observe_turn)
def observe_turn(
    *,
    target: Target = None,
    transport: bbs.TransportName = None,
    agent_id: AgentId = "agent-001",
    registry: bbs.RegistryFile = None,
    host: bbs.HostName = None,
    port: bbs.PortNumber = None,
    node: bbs.NodeNumber = None,
    kind: bbs.KindName = None,
    door: bbs.DoorCode = None,
    **options: Any,
) -> None:
    """Connect, at a BBS log in, wait for one turn, print what is on the screen, and hang up.

    \b
    Examples:
      bbs-gym observe-turn --transport rlogin --agent-id agent-001
      bbs-gym observe-turn --target pty:top
      bbs-gym observe-turn --target telnet:127.0.0.1:2323 --json
    """
    place = _place(target, transport, agent_id, options, _bbs_options(registry, host, port, node, kind, door))
    look.look_at(place, agent_id, **_less_terminal(options))


def _bbs_options(*values: Any) -> dict[str, Any]:
    return dict(zip(_OF_BBS, values, strict=True))


def _place(
    target: str | None, transport: str | None, agent_id: str, options: Mapping[str, Any], of_bbs: Mapping[str, Any]
) -> terminal.Place:
    """Where to. Raises BadParameter where that is not said once, and for options that mean nothing there."""
    if (target is None) == (transport is None):
        raise typer.BadParameter(
            "say where to: --transport for a BBS, or --target for any terminal", param_hint="--target"
        )
    if target is not None:
        _refuse(_OF_BBS, of_bbs, "a target: it is for a BBS, called by --transport")
        return terminal.TerminalChoice(
            target,
            **{name: options[name] for name in ("columns", "rows", "turn", "quiet_ms", "turn_timeout", "dialect")},
            user=options["user"],
            secret_variable=options["password_env"],
            secret_file=options["password_file"],
            key_file=options["key_file"],
            accept_new=options["accept_new_host_key"],
            terminal_type=options["terminal_type"],
        )
    assert transport is not None
    _refuse(_OF_TARGET, options, "a BBS: the agent's account has what is needed")
    return bbs.BbsChoice(
        agent_id,
        transport,
        **of_bbs,
        columns=options["columns"],
        rows=options["rows"],
        policy=terminal.turn_policy(options["turn"], options["quiet_ms"], options["turn_timeout"]),
        accept_new=options["accept_new_host_key"],
    )


def _refuse(options: Mapping[str, str], given: Mapping[str, Any], where: str) -> None:
    for name, option in options.items():
        if given[name] not in {None, False}:
            raise typer.BadParameter(f"it means nothing to {where}", param_hint=option)


def _less_terminal(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that are not about the terminal."""
    return {name: value for name, value in options.items() if name not in {*_OF_TARGET, *_OF_BOTH}}


def _model(place: terminal.Place) -> Mapping[str, Any]:
    """The model that the registry has for the agent."""
    return place.account.model if isinstance(place, bbs.BbsChoice) else {}


def _known(profiles: Path | None, activity: str) -> Mapping[str, ActivityProfile]:
    """Every profile that there is, that one among them. Raises BadParameter."""
    from bbs_gym.profiles.catalog import UnknownProfile  # noqa: PLC0415 - not for the help

    known = routed.catalog(profiles)
    try:
        known.profile(activity)
    except UnknownProfile as fault:
        raise typer.BadParameter(str(fault), param_hint="--activity") from fault
    return known.profiles
