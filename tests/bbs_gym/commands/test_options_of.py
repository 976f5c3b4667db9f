"""Commands that have the options of others."""

from __future__ import annotations

import inspect
from typing import Annotated, Any

import pytest
import typer
from typer.testing import CliRunner

from bbs_gym.commands.options_of import with_options_of


def base(*, name: Annotated[str, typer.Option("--name")] = "x", loud: bool = False, many: int = 1) -> None:
    raise NotImplementedError((name, loud, many))


def test_the_others_options_stand_behind_the_own() -> None:
    found: dict[str, Any] = {}

    @with_options_of(base, less=("many",))
    def command(*, where: str = "here", name: Annotated[str, typer.Option("--name")] = "mine", **options: Any) -> None:
        found.update(options, where=where, name=name)

    assert list(inspect.signature(command).parameters) == ["where", "name", "loud"]
    app = typer.Typer()
    app.command()(command)
    done = CliRunner().invoke(app, ["--loud", "--where", "there"])
    assert done.exit_code == 0, done.output
    assert found == {"where": "there", "name": "mine", "loud": True}
    assert CliRunner().invoke(app, ["--many", "3"]).exit_code == 2


def test_a_command_that_takes_no_more_is_a_mistake() -> None:
    def command(*, where: str = "here") -> None:
        raise NotImplementedError(where)

    with pytest.raises(TypeError, match="does not end in"):
        with_options_of(base)(command)
