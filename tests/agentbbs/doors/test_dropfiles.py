"""Dropfiles against files written by hand from the formats' descriptions."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentbbs.doors.config import Dropfile
from agentbbs.doors.dropfiles import DropfileFacts, caller_name, dropfile

FACTS = DropfileFacts(
    board="House of Agents",
    software="AgentBBS 1.0",
    sysop="Rick Greer",
    node=3,
    record=27,
    handle="agent smith",
    location="Lewisville, Tx.",
    security=50,
    calls=1456,
    now=datetime(2026, 11, 30, 19, 5, 7, tzinfo=UTC),
    last_call=datetime(2026, 3, 14, 8, 30, tzinfo=UTC),
    ansi=True,
    columns=80,
    rows=24,
    time_left_s=7565,
    folder="/drop",
)

DOOR32_SYS = [
    "0", "0", "38400", "AgentBBS 1.0", "27", "agent smith", "agent smith", "50", "126", "1", "3",
]  # fmt: skip

DOOR_SYS = [
    "COM0:", "38400", "8", "3", "38400", "Y", "N", "Y", "Y",
    "agent smith", "Lewisville, Tx.", "", "", "", "50", "1456", "03/14/26", "7565", "126", "GR", "24", "N",
    "", "0", "12/31/99", "27", "Z", "0", "0", "0", "0",
    "01/01/70", "/drop", "/drop", "Rick Greer", "agent smith", "00:00", "Y", "N", "Y", "7", "0",
    "03/14/26", "19:05", "08:30", "32767", "0", "0", "0", "", "0", "0",
]  # fmt: skip

DORINFO1_DEF = [
    "House of Agents", "Rick", "Greer", "COM0", "38400 BAUD,N,8,1", "0",
    "agent", "smith", "Lewisville, Tx.", "1", "50", "126", "-1",
]  # fmt: skip

CHAIN_TXT = [
    "27", "agent smith", "agent smith", "", "21", "M", "0", "03/14/26", "80", "24", "50", "0", "0", "1", "0", "7565",
    "/drop", "/drop", "node.log", "KB", "0", "House of Agents", "Rick Greer", "68707", "0", "0", "0", "0", "0", "8N1",
    "38400", "0",
]  # fmt: skip

GOLDEN = {
    Dropfile.DOOR32_SYS: DOOR32_SYS,
    Dropfile.DOOR_SYS: DOOR_SYS,
    Dropfile.DORINFO1_DEF: DORINFO1_DEF,
    Dropfile.CHAIN_TXT: CHAIN_TXT,
}
LINES = {Dropfile.DOOR32_SYS: 11, Dropfile.DOOR_SYS: 52, Dropfile.DORINFO1_DEF: 13, Dropfile.CHAIN_TXT: 32}


@pytest.mark.parametrize("kind", Dropfile)
def test_a_dropfile_is_what_its_format_says(kind: Dropfile) -> None:
    golden = "".join(line + "\r\n" for line in GOLDEN[kind])
    assert dropfile(kind, FACTS) == golden.encode("ascii")
    assert len(GOLDEN[kind]) == LINES[kind]


def test_a_door_on_a_com_port_is_told_of_it() -> None:
    facts = msgspec.structs.replace(FACTS, com_port=1)
    assert dropfile(Dropfile.DOOR32_SYS, facts).split(b"\r\n")[:3] == [b"1", b"1", b"38400"]
    assert dropfile(Dropfile.DOOR_SYS, facts).startswith(b"COM1:\r\n38400\r\n")
    assert dropfile(Dropfile.DORINFO1_DEF, facts).split(b"\r\n")[3] == b"COM1"
    chain = dropfile(Dropfile.CHAIN_TXT, facts).split(b"\r\n")
    assert (chain[14], chain[19], chain[20]) == (b"1", b"38400", b"1")


def test_a_first_caller_without_ansi() -> None:
    facts = msgspec.structs.replace(FACTS, last_call=None, ansi=False, security=255)
    assert dropfile(Dropfile.DOOR_SYS, facts).split(b"\r\n")[16:20] == [b"11/30/26", b"7565", b"126", b"NG"]
    assert dropfile(Dropfile.DOOR32_SYS, facts).split(b"\r\n")[9] == b"0"
    assert dropfile(Dropfile.CHAIN_TXT, facts).split(b"\r\n")[12:14] == [b"1", b"0"]


def test_numbers_fit_the_doors_of_the_time() -> None:
    facts = msgspec.structs.replace(FACTS, time_left_s=86_400, calls=100_000)
    door_sys = dropfile(Dropfile.DOOR_SYS, facts).split(b"\r\n")
    assert (door_sys[15], door_sys[17], door_sys[18]) == (b"32767", b"32767", b"1440")


def test_a_name_in_cp437_is_its_bytes() -> None:
    facts = msgspec.structs.replace(FACTS, handle="J\u00fcrgen", location="Z\u00fcrich")
    assert dropfile(Dropfile.DOOR_SYS, facts).split(b"\r\n")[9:11] == [b"J\x81rgen", b"Z\x81rich"]


def test_names_that_cp437_can_not_spell_stay_apart() -> None:
    one = msgspec.structs.replace(FACTS, handle="\u0418\u0432\u0430\u043d", record=1)
    two = msgspec.structs.replace(FACTS, handle="\u041e\u043b\u0435\u0433", record=2)
    assert dropfile(Dropfile.DOOR32_SYS, one).split(b"\r\n")[6] == b"???? #1"
    assert dropfile(Dropfile.DOOR32_SYS, two).split(b"\r\n")[6] == b"???? #2"


def test_a_name_of_one_word_has_an_empty_last_name() -> None:
    assert dropfile(Dropfile.DORINFO1_DEF, msgspec.structs.replace(FACTS, handle="bob")).split(b"\r\n")[6:8] == [
        b"bob",
        b"",
    ]


def test_a_long_name_is_cut_and_keeps_its_number() -> None:
    facts = msgspec.structs.replace(FACTS, handle="a" * 200)
    assert caller_name(facts) == "a" * 48 + " #27"


@pytest.mark.parametrize("kind", Dropfile)
@given(handle=st.text(max_size=80), location=st.text(max_size=80), sysop=st.text(max_size=20), board=st.text())
def test_no_text_forges_a_line(kind: Dropfile, handle: str, location: str, sysop: str, board: str) -> None:
    facts = msgspec.structs.replace(FACTS, handle=handle, location=location, sysop=sysop, board=board)
    data = dropfile(kind, facts)
    lines = data.split(b"\r\n")
    assert len(lines) == LINES[kind] + 1
    assert lines[-1] == b""
    assert not {*range(0x20), 0x7F}.intersection(b"".join(lines))
    assert all(len(line) <= 80 for line in lines)


def test_a_line_end_in_a_name_is_shown() -> None:
    facts = msgspec.structs.replace(FACTS, handle="bob\r\n255\x1a")
    assert dropfile(Dropfile.DOOR32_SYS, facts).split(b"\r\n")[6] == rb"bob\r\n255\x1a"
