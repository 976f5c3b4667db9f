"""Which profiles a command is to use, from its options to values: those that are built in, and a user's."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tty_agent.commands import activity_choice

if TYPE_CHECKING:
    from bbs_gym.profiles.catalog import Catalog
    from tty_agent.activity.routes import RouteSet

RouteSetName = Annotated[
    str,
    typer.Option("--route-set", metavar="NAME", help="tw2-auto, bbs-auto, starlane-auto, or one of --profiles."),
]
ProfilesFile = Annotated[
    Path | None,
    typer.Option("--profiles", metavar="FILE", help="A TOML file with profiles and route sets of your own."),
]


def catalog(profiles_file: Path | None) -> Catalog:
    """The built-in profiles, and those of the file. Raises BadParameter and OSError."""
    from bbs_gym.profiles.catalog import BUILT_IN  # noqa: PLC0415 - not for the help
    from bbs_gym.profiles.user_file import ProfileFileError  # noqa: PLC0415
    from bbs_gym.profiles.user_profiles import read_user_catalog  # noqa: PLC0415

    if profiles_file is None:
        return BUILT_IN
    try:
        return read_user_catalog(profiles_file)
    except ProfileFileError as fault:
        raise typer.BadParameter(str(fault), param_hint="--profiles") from fault


def route_set(
    name: str,
    known: Catalog,
    *,
    allow: Iterable[str] = (),
    disable: Iterable[str] = (),
    done_when: Iterable[str] = (),
    failed_when: Iterable[str] = (),
) -> RouteSet:
    """The route set of that name, each of its profiles as the options change it. Raises BadParameter."""
    import msgspec  # noqa: PLC0415 - as above

    from bbs_gym.profiles.catalog import UnknownProfile  # noqa: PLC0415

    try:
        routes = known.route_set(name)
    except UnknownProfile as fault:
        raise typer.BadParameter(str(fault), param_hint="--route-set") from fault
    every = routes.profiles()
    changed = {
        one: activity_choice.profile(
            one,
            allow=allow,
            disable=disable,
            done_when=done_when,
            failed_when=failed_when,
            known=every,
        )
        for one in every
    }
    return msgspec.structs.replace(
        routes,
        default=changed[routes.default.name],
        routes=tuple(msgspec.structs.replace(route, profile=changed[route.profile.name]) for route in routes.routes),
    )
