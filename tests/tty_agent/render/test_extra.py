"""What is said when the extra is missing."""

from __future__ import annotations

import sys

import pytest
from tests.tty_agent.render.picture_samples import picture_of

from tty_agent.render.extra import MissingExtra, RenderFault, check_extra, render_extra
from tty_agent.render.png import png_bytes


def test_the_error_names_the_package_and_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numpy", None)
    with pytest.raises(MissingExtra, match=r"numpy: pip install 'agentbbs\[render\]'"):
        png_bytes(picture_of("x"))


@pytest.mark.parametrize("package", ["numpy", "PIL", "pyansilove"])
def test_it_can_be_looked_for_before_a_picture_is_made(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    check_extra()
    for name in [name for name in sys.modules if name.partition(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtra, match=package):
        check_extra()


def test_it_is_a_fault_of_rendering_like_others() -> None:
    with pytest.raises(RenderFault), render_extra():
        raise ModuleNotFoundError(name="PIL")
