"""What the answers of a terminal tell."""

from __future__ import annotations

import pytest

from agentbbs.calls.line import Size
from agentbbs.hub.keys import CursorReport, KeyDecoder
from agentbbs.hub.probe import Probe, told_encoding
from tty_agent.terminal.dialect import ANSI_BBS, XTERM, Dialect, Encoding
from tty_agent.terminal.events import Reply
from tty_agent.terminal.screen import Screen


@pytest.mark.parametrize(("dialect", "encoding"), [(ANSI_BBS, Encoding.CP437), (XTERM, Encoding.UTF_8)])
@pytest.mark.parametrize("size_known", [True, False])
def test_a_terminal_that_answers(dialect: Dialect, encoding: Encoding, *, size_known: bool) -> None:
    screen = Screen(132, 43, dialect)
    probe = Probe(size_known=size_known)
    for event in screen.feed(probe.question):
        assert isinstance(event, Reply)
        for report in KeyDecoder(encoding).feed(event.data):
            assert isinstance(report, CursorReport)
            probe.report(report)
    assert probe.answered
    assert probe.due == 0
    assert probe.encoding is encoding
    assert probe.size == (None if size_known else Size(132, 43))
    assert screen.text().strip() == ""
    assert screen.cursor[1] == 0


def test_an_answer_too_many_changes_nothing() -> None:
    probe = Probe(size_known=True)
    probe.report(CursorReport(1, 4))
    probe.report(CursorReport(1, 1))
    assert probe.encoding is Encoding.CP437


def test_a_size_is_brought_into_bounds() -> None:
    probe = Probe(size_known=False)
    probe.report(CursorReport(9999, 1))
    assert probe.size == Size(40, 100)


@pytest.mark.parametrize(
    ("terminal", "encoding"),
    [
        ("syncterm", Encoding.CP437),
        ("ansi", Encoding.CP437),
        ("ansi-bbs/115200", Encoding.CP437),
        ("xterm", Encoding.UTF_8),
        ("xterm-256color", Encoding.UTF_8),
        ("screen-256color", Encoding.UTF_8),
        ("linux", Encoding.UTF_8),
        ("ansi-utf8", Encoding.UTF_8),
        ("", None),
        ("vt52", None),
        ("network", None),
    ],
)
def test_names_of_terminals(terminal: str, encoding: Encoding | None) -> None:
    assert told_encoding(terminal) is encoding
