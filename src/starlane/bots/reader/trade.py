"""Ports, bargains, and the yard."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from starlane.bots.reader.text import Unreadable, last_screen, matched, number
from starlane.goods import TRADE_GOODS, Good
from starlane.reports import Haggle, Haggled
from starlane.rules.yard import COLONIST_PRICE, FIGHTER_PRICE, SCANNER_PRICE
from starlane.views import PortLine, PortReport, PortView, YardView

_CELL: Final = re.compile(r"(sells|buys) ([\d,]+) @([\d,]+)\.(\d)")


_BOARD_HEAD: Final = re.compile(r"(.+) \(([SB]{3})\), the port of sector ([\d,]+)")
_BOARD_LINE: Final = re.compile(r"(\w+) +(sells|buys) +([\d,]+) +([\d,]+)\.(\d) +[\d,]+")


def board(lines: Sequence[str]) -> PortView:
    """The board of a port."""
    screen = last_screen(lines, _BOARD_HEAD, "port")
    head = matched(_BOARD_HEAD, screen[0], "the head of the port's board")
    goods = []
    for good, text in zip(TRADE_GOODS, screen[2:], strict=False):
        found = matched(_BOARD_LINE, text, f"the port's line of {good}")
        goods.append(
            PortLine(
                good=good,
                sells=found[2] == "sells",
                open_for=number(found[3]),
                size=0,
                unit_price=10 * number(found[4]) + int(found[5]),
            )
        )
    return PortView(sector=number(head[3]), name=head[1], letters=head[2], lines=tuple(goods))


_REPORT: Final = re.compile(r" *(\d+) +(\d+) +(\d+)  ((?:sells|buys).*)")


def port_reports(lines: Sequence[str]) -> tuple[PortReport, ...]:
    """The computer's reports of ports, in the order of the sectors."""
    reports = []
    for text in lines:
        found = _REPORT.fullmatch(text)
        if found is None:
            continue
        cells = list(_CELL.finditer(found[4]))
        if len(cells) != len(TRADE_GOODS):
            raise Unreadable(f"a report of a port: {text!r}")
        goods = tuple(
            PortLine(
                good=good,
                sells=cell[1] == "sells",
                open_for=number(cell[2]),
                size=0,
                unit_price=10 * number(cell[3]) + int(cell[4]),
            )
            for good, cell in zip(TRADE_GOODS, cells, strict=True)
        )
        letters = "".join("S" if line.sells else "B" for line in goods)
        port = PortView(sector=int(found[1]), name="", letters=letters, lines=goods)
        reports.append(PortReport(day=int(found[3]), port=port))
    return tuple(sorted(reports, key=lambda report: report.port.sector))


_SAID: Final = re.compile(
    r".*(?:We'll (sell) them for|We'll (pay)|Our (last) word:|You have (bought|sold) [\d,]+ \w+ for)"
    r" ([\d,]+)(?:\.| credits\.)"
)
_BROKEN: Final = ("This talk is over; no deal.", "No deal, and no offence taken.")
_WORTH: Final = re.compile(r"By the board .+ come to ([\d,]+) credits?\.")


def haggled(lines: Sequence[str], good: Good, quantity: int, *, buying: bool) -> Haggled:
    """What the port said last."""
    for text in reversed(lines):
        if any(words in text for words in _BROKEN):
            return Haggled(state=Haggle.BROKEN, good=good, buying=buying, quantity=quantity, ask=0, text=text)
        found = _SAID.fullmatch(text)
        if found is not None:
            state = Haggle.FINAL if found[3] else Haggle.DEAL if found[4] else Haggle.OPEN
            ask = number(found[5])
            return Haggled(state=state, good=good, buying=buying, quantity=quantity, ask=ask, text=text)
    raise Unreadable("what the port says of a price")


def worth(lines: Sequence[str]) -> int:
    """What the goods of a bargain that was just opened are worth by the board."""
    for text in lines:
        found = _WORTH.fullmatch(text)
        if found is not None:
            return number(found[1])
    raise Unreadable("a bargain: no line says what it is worth by the board")


def yard(lines: Sequence[str]) -> YardView:
    """The yard's price list; what has one price for everybody is known."""
    for text in lines:
        found = re.fullmatch(r"H  Holds    the next ([\d,]+), dearer each; the ship takes ([\d,]+) more", text)
        if found is not None:
            price, room = number(found[1]), number(found[2])
            break
        if text.startswith("H  Holds    the ship has as many"):
            price, room = 0, 0
            break
    else:
        raise Unreadable("the yard's list: no line of holds")
    return YardView(
        hold_price=price,
        holds_for_sale=room,
        fighter_price=FIGHTER_PRICE,
        colonist_price=COLONIST_PRICE,
        scanner_price=SCANNER_PRICE,
    )
