"""The command line of `starlane`."""

from __future__ import annotations

import pytest

from starlane import cli


def test_an_interrupt_while_it_starts_shows_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(name: str) -> None:
        raise KeyboardInterrupt(name)

    monkeypatch.setattr(cli, "import_module", interrupted)
    assert cli.main(["play"]) == 130
