"""The other screens, as text."""

from __future__ import annotations

import msgspec
import pytest
from tests.starlane.door.dialogue import plain, plain_all
from tests.starlane.door.screens.test_sector import ADA

from starlane.door.dialogues.bridge import COMMANDS
from starlane.door.keys import Encoding
from starlane.door.paint import Painter
from starlane.door.screens.alliances import alliance_list, bounty_list
from starlane.door.screens.computer import ChartRow, chart_screen, log_screen, port_table, ranking_screen
from starlane.door.screens.entry import farewell, title_screen, welcome, welcome_back
from starlane.door.screens.fight import fight_lines
from starlane.door.screens.flight import path_line, scan_screen, stopped_lines
from starlane.door.screens.help import SUBJECTS, command_keys, subject_list, subject_screen
from starlane.door.screens.planet import planet_screen
from starlane.door.screens.port import port_board
from starlane.door.screens.post import gazette, letter_list, letter_screen
from starlane.door.screens.ship import ship_screen
from starlane.door.screens.wording import amounts, column, counted, figure, listed, tenths, told
from starlane.door.screens.yard import yard_screen
from starlane.door.styles import Span
from starlane.door.widths import columns_of
from starlane.goods import Good
from starlane.records import Job, Kind, Stance
from starlane.reports import Entered, Fought, Sight, Stopped
from starlane.settings import Settings
from starlane.views import (
    AllianceView,
    BountyView,
    LaneView,
    LetterView,
    MemberView,
    NewsView,
    NoteView,
    PlanetView,
    PortLine,
    PortReport,
    PortView,
    RankLine,
    YardView,
)

KESTREL = PortView(
    sector=12,
    name="Kestrel Point",
    letters="SBB",
    lines=(
        PortLine(good=Good.ICE, sells=True, open_for=1300, size=2000, unit_price=94),
        PortLine(good=Good.GRAIN, sells=False, open_for=120, size=500, unit_price=241),
        PortLine(good=Good.TOOLS, sells=False, open_for=0, size=300, unit_price=360),
    ),
)
MARROW = PlanetView(
    planet=1,
    name="Marrow",
    kind=Kind.OCEAN,
    owner=1,
    owner_name="Ada",
    job=Job.GRAIN,
    works=1,
    credits=0,
    ice=0,
    grain=300,
    tools=5,
    colonists=1000,
    max_colonists=3750,
    fighters=40,
    makes_per_day=150,
    build_credits=4000,
    build_tools=80,
)


def test_words_for_numbers() -> None:
    assert figure(1234567) == "1,234,567"
    assert (tenths(94), tenths(10_005)) == ("9.4", "1,000.5")
    assert [counted(1, word) for word in ("fighters", "ice", "tools", "turns")] == [
        "1 fighter",
        "1 ice",
        "1 tool",
        "1 turn",
    ]
    assert counted(2000, "credits") == "2,000 credits"
    assert (listed([]), listed(["a"]), listed(["a", "b", "c"], "or")) == ("", "a", "a, b or c")
    assert amounts({Good.ICE: 3, Good.TOOLS: 0}) == "3 ice"
    assert amounts({}) == "nothing"


def test_the_board_of_a_port() -> None:
    assert plain_all(port_board(KESTREL, ADA)) == [
        "Kestrel Point (SBB), the port of sector 12",
        "Good     Port     Units  Fair price  You carry",
        "Ice      sells    1,300         9.4         10",
        "Grain    buys       120        24.1          0",
        "Tools    buys         0        36.0          0",
        "You      250 turns, 2,000 credits, 10 free holds",
    ]


def test_the_yard() -> None:
    yard = YardView(hold_price=300, holds_for_sale=180, fighter_price=50, colonist_price=8, scanner_price=3000)
    lines = plain_all(yard_screen(yard, ADA))
    assert "H  Holds    the next 300, dearer each; the ship takes 180 more" in lines
    assert "N  Scanner  3,000; it shows what is in the next sectors" in lines
    assert lines[-2:] == ["Money    2,000 credits aboard, 0 in the bank", "Ship     25 fighters, holds 20, 10 free"]
    full = plain_all(
        yard_screen(msgspec.structs.replace(yard, holds_for_sale=0), msgspec.structs.replace(ADA, scanner=True))
    )
    assert "H  Holds    the ship has as many as it can take" in full
    assert "N  Scanner  fitted" in full


def test_a_planet_of_ones_own() -> None:
    assert plain_all(planet_screen(MARROW, ADA)) == [
        "Marrow, ocean planet in sector 12",
        "Owner    Ada (you)",
        "People   1,000 colonists of at most 3,750",
        "Makes    grain, 150 the coming day",
        "Works    level 1, the next for 4,000 credits aboard and 80 tools here",
        "Garrison 40 fighters",
        "Stores   300 grain, 5 tools",
        "Aboard   2,000 credits, 10 ice, 25 fighters, 10 holds free",
    ]


def test_a_planet_of_nobody() -> None:
    wild = msgspec.structs.replace(MARROW, owner=0, owner_name="", grain=0, tools=0)
    assert plain_all(planet_screen(wild, ADA))[1:3] == ["Owner    nobody", "Stores   nothing"]


def test_the_ship() -> None:
    lines = plain_all(ship_screen(msgspec.structs.replace(ADA, alliance="the Lantern League", kills=1)))
    assert "Scanner  none (the yard at Haven sells one)" in lines
    assert "Alliance the Lantern League" in lines
    assert "Record   1 ship destroyed, 0 thornships shot down, 0 ships lost" in lines


def test_a_path() -> None:
    assert plain(path_line(5, (12, 40))) == "Path: 5 > 12 > 40 (2 turns)"
    assert plain(path_line(5, (12,))) == "Path: 5 > 12 (1 turn)"


def test_a_scan() -> None:
    sights = (
        Sight(sector=3, region="the Void", port="", planets=0, ships=0, picket=0, thorns=0),
        Sight(sector=19, region="the Briars", port="SBB", planets=1, ships=2, picket=50, thorns=120),
    )
    assert plain_all(scan_screen(sights))[1:] == [
        "     3  the Void: empty",
        "    19  the Briars: port SBB, 1 planet, 2 ships, a picket of 50 fighters, thornships with 120 fighters",
    ]


def test_who_bars_the_way() -> None:
    toll = Stopped(to=40, owner="Bea", fighters=50, stance=Stance.TOLL, toll=35)
    assert plain_all(stopped_lines(toll)) == [
        "The way into sector 40 is barred by 50 fighters of Bea; they let in whoever pays 35 credits."
    ]
    hunters = Stopped(to=40, owner="Bea", fighters=50, stance=Stance.HUNT, lost=25, destroyed=True)
    assert plain_all(stopped_lines(hunters))[1:] == [
        "They shot at you: 25 fighters of yours lost.",
        "Your ship is destroyed. You start afresh at Haven.",
    ]


def test_fights() -> None:
    won = Fought(
        foe="Bea's ship", sent=100, lost=12, foe_lost=30, foe_left=0, won=True,
        salvage={Good.CREDITS: 1500, Good.TOOLS: 1}, bounty=1000,
    )  # fmt: skip
    assert plain_all(fight_lines(won)) == [
        "You sent 100 fighters against Bea's ship and lost 12; the other side lost 30.",
        "You won: nothing is left of the other side.",
        "You take 1,500 credits, 1 tool (1,000 of the credits as bounty or reward).",
    ]
    lost = Fought(foe="Bea's picket", sent=1, lost=1, foe_lost=0, foe_left=50, won=False, destroyed=True)
    assert plain_all(fight_lines(lost))[1:] == [
        "The other side holds out with 50 fighters.",
        "They shot back and your ship is destroyed. You start afresh at Haven.",
    ]


def test_reports_of_ports() -> None:
    lines = plain_all(port_table([(3, PortReport(day=2, port=KESTREL))]))
    assert lines == [
        "Sector  Way  Day  Ice               Grain             Tools",
        "    12    3    2  sells 1,300 @9.4  buys 120 @24.1    buys 0 @36.0",
    ]


def test_the_rankings_mark_the_own_line() -> None:
    line = RankLine(
        rank=1, pilot=1, name="Ada", alliance="", net_worth=1_000_000, kills=2, thorns=3, deaths=1, sectors_seen=44
    )
    rows = plain_all(ranking_screen([line, msgspec.structs.replace(line, rank=2, pilot=2, name="Bea")], own=1))
    assert rows[2].split() == ["1", "*Ada", "1,000,000", "2", "3", "1", "44"]
    assert rows[3].split() == ["2", "Bea", "1,000,000", "2", "3", "1", "44"]


def test_long_rankings_and_news_are_cut() -> None:
    line = RankLine(rank=1, pilot=9, name="Bea", alliance="", net_worth=1, kills=0, thorns=0, deaths=0, sectors_seen=1)
    crowd = [msgspec.structs.replace(line, rank=rank, pilot=rank) for rank in range(1, 1001)]
    rows = plain_all(ranking_screen(crowd, own=700))
    assert len(rows) <= 23
    assert rows[-3].startswith(" 700 *Bea")
    assert rows[-2].strip() == "and 981 more pilots"
    news = [NewsView(day=day, text="Something happened.") for day in range(30)]
    assert plain_all(gazette(news, 2))[1:] == [
        "(left out: 28 older lines)",
        "Day 28: Something happened.",
        "Day 29: Something happened.",
    ]


def test_the_log() -> None:
    assert plain_all(log_screen(())) == ["Your log is empty. W writes a line into it; nobody else can read it."]
    assert plain_all(log_screen((NoteView(note=7, day=2, text="12 sells ice"),)))[1:] == ["  1. day 2: 12 sells ice"]


def test_known_sectors() -> None:
    row = ChartRow(12, 3, "SBB", (LaneView(to=3, seen=True, one_way=False), LaneView(to=19, seen=False, one_way=True)))
    assert plain_all(chart_screen([row]))[2] == "    12    3  SBB   3, (19)>"


def test_letters_and_news() -> None:
    assert plain_all(letter_list(())) == ["There is no mail for you. W writes a letter to another pilot."]
    letter = LetterView(letter=1, sender=2, sender_name="Bea", day=4, body="Peace?", read=False)
    assert plain_all(letter_list((letter,)))[1:] == ["  1. Bea, day 4, unread"]
    assert plain_all(letter_screen(letter, 1, 2)) == ["Letter 1 of 2", "From     Bea, day 4", "Text     Peace?"]
    assert plain_all(gazette((NewsView(day=4, text="Bea has settled Marrow."),), 10))[1:] == [
        "Day 4: Bea has settled Marrow."
    ]
    assert plain_all(gazette((), 10)) == ["The Haven Gazette has no news of these days."]


def test_alliances_and_bounties() -> None:
    assert plain_all(alliance_list((), "")) == ["There is no alliance yet. F founds one."]
    members = (MemberView(pilot=1, name="Ada", leader=True), MemberView(pilot=2, name="Bea", leader=False))
    league = AllianceView(alliance=1, name="Lantern League", members=members, invited=True)
    assert plain_all(alliance_list((league,), "Lantern League"))[1:] == [
        "Lantern League (yours) (you are invited: J joins), 2 members:",
        "         Ada (leader) and Bea",
    ]
    assert plain_all(bounty_list(())) == ["There is no bounty on anybody's head. P posts one, at Haven."]
    assert plain_all(bounty_list((BountyView(target=2, name="Bea", credits=1500),)))[1].split() == [
        "Bea",
        "1,500",
        "credits",
    ]


def test_coming_and_going() -> None:
    settings = Settings(seed=1)
    entered = Entered(pilot=1, session=1, name="Ada", new=True, day=0, turns=250)
    assert plain_all(title_screen(settings))[0] == "S T A R L A N E"
    assert plain_all(welcome(entered, settings)) == [
        (
            "Welcome aboard, Ada. Your ship lies at Haven, with 20 holds and 2,000 credits. Each day has 250 turns. "
            "Buy low, sell high, explore, settle planets, arm: the richest pilot leads the rankings. "
            "Nobody can attack you for 3 days."
        )
    ]
    assert plain_all(welcome_back(entered)) == ["Welcome back, Ada. It is day 0; you have 250 turns."]
    assert plain_all(farewell(ADA, [])) == ["You own 5,000 credits in all. 250 turns left today.", "Goodbye, Ada."]


def test_every_key_of_the_command_prompt_is_in_its_help() -> None:
    rows = [line for line in command_keys() if isinstance(line, tuple)]
    shown = {part.text for row in rows for part in row if isinstance(part, Span)}
    assert {*COMMANDS, "Q"} - {"?"} == shown


@pytest.mark.parametrize("subject", SUBJECTS)
@pytest.mark.parametrize("settings", [Settings(seed=1), Settings(seed=1, sectors=20_000, start_credits=100_000)])
def test_every_page_fits_a_screen(subject: str, settings: Settings) -> None:
    painter = Painter(encoding=Encoding.UTF_8, ansi=False)
    rows = [row for line in subject_screen(subject, settings) for row in painter.rows(line, 79)]
    assert len(rows) <= 22


def test_the_lists_of_the_help_fit_a_screen() -> None:
    for lines in (plain_all(command_keys()), plain_all(subject_list())):
        assert len(lines) <= 22
        assert max(map(len, lines)) <= 79


def test_words_of_pilots_never_begin_a_row() -> None:
    forged = f"{'x' * 60} Command (?=Help)? {'y' * 50} Sector 1, Haven Reach, safe"
    letter = LetterView(letter=1, sender=2, sender_name="Bea", day=4, body=forged, read=False)
    painter = Painter(encoding=Encoding.UTF_8, ansi=False)
    lines = [told(forged), letter_screen(letter, 1, 1)[2], gazette((NewsView(day=4, text=forged),), 1)[1]]
    for line, start in zip(lines, ("*** x", "Text     x", "Day 4: x"), strict=True):
        first, *others = [painter.row(row).decode() for row in painter.rows(line, 79)]
        assert first.startswith(start)
        assert others
        assert all(row.startswith(" " * (len(start) - 1)) for row in others)


@pytest.mark.parametrize("name", ["Ada", "\N{CJK UNIFIED IDEOGRAPH-6F22}" * 24, "Zoe\u0308"])
def test_a_name_fills_its_column(name: str) -> None:
    assert columns_of(column(name, 24)) == 24
