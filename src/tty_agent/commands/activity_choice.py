"""What an agent is to do and how far it may go, from the options of a command to values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from tty_agent.commands.figures import dollars, seconds

if TYPE_CHECKING:
    from tty_agent.activity.activity import ActivityProfile, Budget, PromptLayout, PromptMode

DEFAULT: Final = "stability-only"
RUNS_DIR: Final = Path("runtime/runs")
PICTURES_DIR: Final = Path("runtime/observations")

Activity = Annotated[str, typer.Option("--activity", metavar="NAME", help="The profile: stability-only or shell.")]
Objective = Annotated[str, typer.Option("--objective", metavar="TEXT", help="The goal of the run.")]
MaxTicks = Annotated[
    int | None, typer.Option("--max-ticks", metavar="N", min=1, help="Decisions; by the profile, mostly 50.")
]
MaxSeconds = Annotated[
    float | None,
    typer.Option(
        "--max-seconds", min=0.1, callback=seconds, help="Time for the whole run; by the profile, mostly 900."
    ),
]
MaxFailures = Annotated[
    int | None, typer.Option("--max-failures", metavar="N", min=1, help="Decisions without a valid action; 5.")
]
MaxTokens = Annotated[
    int | None, typer.Option("--max-tokens", metavar="N", min=1, help="Input and output tokens together.")
]
MaxCost = Annotated[
    float | None,
    typer.Option("--max-cost", metavar="USD", min=0.0, callback=dollars, help="As far as the cost is known."),
]
DoneWhen = Annotated[
    list[str] | None, typer.Option("--done-when", metavar="REGEX", help="The run is done when a row matches.")
]
FailedWhen = Annotated[
    list[str] | None, typer.Option("--failed-when", metavar="REGEX", help="The run failed when a row matches.")
]
Allow = Annotated[
    list[str] | None, typer.Option("--allow", metavar="ACTION", help="An action besides those of the profile.")
]
Disable = Annotated[
    list[str] | None, typer.Option("--disable", metavar="ACTION", help="An action that is not to be used.")
]
PromptModeName = Annotated[
    str | None,
    typer.Option(
        "--prompt-mode",
        metavar="stateless_full|stateful_delta",
        help="All of the context at each decision, or what is new; left out: by the model.",
    ),
]
PromptLayoutName = Annotated[
    str, typer.Option("--prompt-layout", metavar="timeline_first|cache_friendly", help="The order of a full prompt.")
]
AgentId = Annotated[str, typer.Option("--agent-id", metavar="NAME", help="As traces name the agent.")]
RunId = Annotated[str | None, typer.Option("--run-id", metavar="NAME", help="Left out: by time and activity.")]
RunsDir = Annotated[
    Path, typer.Option("--runs-dir", metavar="FOLDER", help="Trace and transcript go to RUN/ in there.")
]
TranscriptPath = Annotated[
    Path | None,
    typer.Option("--transcript", metavar="FILE", help="In place of RUN/AGENT.raw; a file that is there is added to."),
]
CampaignMemory = Annotated[
    Path | None, typer.Option("--campaign-memory", metavar="FILE", help="What the agent knows from run to run.")
]
Png = Annotated[bool, typer.Option("--png", help="Show the model pictures of the screen too.")]


def profile(
    name: str,
    *,
    allow: Iterable[str] = (),
    disable: Iterable[str] = (),
    done_when: Iterable[str] = (),
    failed_when: Iterable[str] = (),
    known: Mapping[str, ActivityProfile] | None = None,
) -> ActivityProfile:
    """The profile of that name, of `known` or else of the generic ones, as the options change it. Raises
    BadParameter."""
    import msgspec  # noqa: PLC0415 - not for the help, as all that follows

    from tty_agent.activity.completion import DONE, FAILED, screen_shows  # noqa: PLC0415
    from tty_agent.activity.profiles import GENERIC_PROFILES  # noqa: PLC0415
    from tty_agent.commands.bounded_check import bounded  # noqa: PLC0415

    profiles = GENERIC_PROFILES if known is None else known
    if name not in profiles:
        raise typer.BadParameter(f"{name!r} is none of {', '.join(profiles)}", param_hint="--activity")
    chosen = profiles[name]
    policy = chosen.policy
    wanted, gone = _actions("--allow", allow), _actions("--disable", disable)
    if both := sorted(set(wanted) & set(gone)):
        raise typer.BadParameter(f"{both[0]} is allowed by --allow as well: leave one away", param_hint="--disable")
    more = [action for action in dict.fromkeys(wanted) if action not in policy.allowed]
    policy = msgspec.structs.replace(policy, allowed=(*policy.allowed, *more))
    with _faults_of("--failed-when"):
        checks = [bounded(screen_shows(one, FAILED), pattern=one, option="--failed-when") for one in failed_when]
    with _faults_of("--done-when"):
        checks += [bounded(screen_shows(one, DONE), pattern=one, option="--done-when") for one in done_when]
    with _faults_of("--disable"):
        policy = policy.without(gone)
    return msgspec.structs.replace(chosen, policy=policy, completion=(*checks, *chosen.completion))


def budget(chosen: ActivityProfile, limits: Mapping[str, Any]) -> Budget:
    """The profile's budget, with the limits that are not None in place of its own."""
    import msgspec  # noqa: PLC0415

    given = {name: limit for name, limit in limits.items() if limit is not None}
    return msgspec.structs.replace(chosen.budget, **given)


def prompt_mode(name: str | None, *, stateful: bool) -> PromptMode | None:
    """The mode of that name, for a model that keeps its session or not. Raises BadParameter."""
    from tty_agent.activity.activity import PromptMode  # noqa: PLC0415

    mode = None if name is None else PromptMode(_one_of("--prompt-mode", name, PromptMode))
    if mode is PromptMode.STATEFUL_DELTA and not stateful:
        raise typer.BadParameter(
            "stateful_delta needs a model that keeps its session: codex, claude or scripted with --stateful",
            param_hint="--prompt-mode",
        )
    return mode


def prompt_layout(name: str) -> PromptLayout:
    """The layout of that name. Raises BadParameter."""
    from tty_agent.activity.activity import PromptLayout  # noqa: PLC0415

    return PromptLayout(_one_of("--prompt-layout", name, PromptLayout))


@contextmanager
def _faults_of(option: str) -> Iterator[None]:
    """A ValueError is a mistake in that option."""
    try:
        yield
    except ValueError as fault:
        raise typer.BadParameter(str(fault), param_hint=option) from fault


def _actions(option: str, names: Iterable[str]) -> list[Any]:
    from tty_agent.actions.action import ActionName  # noqa: PLC0415

    return [ActionName(_one_of(option, name, ActionName)) for name in names]


def _one_of(option: str, name: str, known: Iterable[str]) -> str:
    names = [str(one) for one in known]
    if name not in names:
        raise typer.BadParameter(f"{name!r} is none of {', '.join(names)}", param_hint=option)
    return name
