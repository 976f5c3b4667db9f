"""A command that has the options of another, and more."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection
from typing import Any


def with_options_of(
    base: Callable[..., None], *, less: Collection[str] = ()
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Of a command that ends in `**options`: the command with the options of `base` in their place, but for `less`, all
    by keyword. An option that both have is the command's own."""

    def joined(command: Callable[..., None]) -> Callable[..., None]:
        own = inspect.signature(command, eval_str=True)
        *named, rest = own.parameters.values()
        if rest.kind is not inspect.Parameter.VAR_KEYWORD:
            raise TypeError(f"{command.__name__} does not end in **options")
        others = inspect.signature(base, eval_str=True).parameters.values()
        more = [parameter for parameter in others if parameter.name not in {*own.parameters, *less}]
        joint = own.replace(parameters=[*named, *more])
        vars(command)["__signature__"] = joint
        hints: dict[str, Any] = {parameter.name: parameter.annotation for parameter in joint.parameters.values()}
        command.__annotations__ = hints
        return command

    return joined
