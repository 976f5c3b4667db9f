"""What is said when the extra is missing."""

from __future__ import annotations

import sys

import pytest
from tests.tty_agent.render.picture_samples import picture_of

from tty_agent.render.extra import MissingExtra, RenderFault, render_extra
from tty_agent.render.png import png_bytes


def test_the_error_names_the_package_and_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numpy", None)
    with pytest.raises(MissingExtra, match=r"numpy: pip install 'agentbbs\[render\]'"):
        png_bytes(picture_of("x"))


def test_it_is_a_fault_of_rendering_like_others() -> None:
    with pytest.raises(RenderFault), render_extra():
        raise ModuleNotFoundError(name="PIL")
