"""What holds for every test."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from typing import Any

import hypothesis
import pytest
import structlog

# A busy machine makes any example slow now and then; what a test says does not hang on it.
hypothesis.settings.register_profile("house", deadline=None)
hypothesis.settings.load_profile("house")

_configure = structlog.configure

# Whoever runs the tests in the background may have these ignored, and programs that tests start would inherit it.
signal.signal(signal.SIGHUP, signal.SIG_DFL)
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def logs_can_be_captured(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Commands set the logs up for their process. A test undoes that, and no logger is kept that would not hear of it:
    else a later `capture_logs` in the same process would capture nothing."""
    before = structlog.get_config()

    def configure(*args: Any, **settings: Any) -> None:
        _configure(*args, **settings | {"cache_logger_on_first_use": False})

    monkeypatch.setattr(structlog, "configure", configure)
    yield
    _configure(**before)
