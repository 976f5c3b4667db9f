"""Dropfiles of the boards there are, and of none."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starlane.door.identity import DropfileFault, Identity, from_drop, from_name
from starlane.door.wire import Size


def door32(**lines: str) -> list[str]:
    """The eleven lines, some of them replaced: `line5="0"`."""
    told = ["0", "0", "38400", "AgentBBS", "17", "Ada Lovelace", "ada", "50", "42", "1", "3"]
    return _with(told, lines)


def door_sys(**lines: str) -> list[str]:
    """The 52 lines."""
    told = [
        "COM0:", "38400", "8", "3", "38400", "Y", "N", "Y", "Y", "Ada Lovelace", "London", "", "", "", "50", "12",
        "01/01/95", "2520", "42", "GR", "25", "N", "", "0", "12/31/99", "17", "Z", "0", "0", "0", "0", "01/01/70",
        "/drop", "/drop", "Sysop", "ada", "00:00", "Y", "N", "Y", "7", "0", "01/01/95", "12:00", "11:00", "32767",
        "0", "0", "0", "", "0", "0",
    ]  # fmt: skip
    assert len(told) == 52
    return _with(told, lines)


def _with(told: list[str], lines: dict[str, str]) -> list[str]:
    for name, text in lines.items():
        told[int(name.removeprefix("line")) - 1] = text
    return told


def written(folder: Path, name: str, lines: list[str], *, end: str = "\r\n", encoding: str = "cp437") -> Path:
    path = folder / name
    path.write_bytes("".join(line + end for line in lines).encode(encoding))
    return path


def test_door32_sys(tmp_path: Path) -> None:
    written(tmp_path, "DOOR32.SYS", door32())
    assert from_drop(tmp_path) == Identity(key="#17", name="ada", minutes=42, ansi=True)


def test_door_sys_of_52_lines(tmp_path: Path) -> None:
    written(tmp_path, "DOOR.SYS", door_sys())
    assert from_drop(tmp_path) == Identity(key="#17", name="ada", minutes=42, ansi=True, size=Size(80, 25))


@pytest.mark.parametrize("length", [26, 31, 35])
def test_shorter_door_sys_has_the_real_name(tmp_path: Path, length: int) -> None:
    written(tmp_path, "DOOR.SYS", door_sys()[:length])
    assert from_drop(tmp_path) == Identity(key="#17", name="Ada Lovelace", minutes=42, ansi=True, size=Size(80, 25))


def test_the_shortest_door_sys_has_a_name_and_nothing_more(tmp_path: Path) -> None:
    written(tmp_path, "DOOR.SYS", door_sys()[:10])
    assert from_drop(tmp_path) == Identity(key="name:ada lovelace", name="Ada Lovelace")


def test_door32_sys_comes_first_whatever_the_case(tmp_path: Path) -> None:
    written(tmp_path, "door.sys", door_sys(line36="other"))
    written(tmp_path, "door32.sys", door32())
    assert from_drop(tmp_path).name == "ada"


@pytest.mark.parametrize(("name", "lines"), [("drop.txt", door32()), ("node3.dat", door_sys())])
def test_a_file_of_another_name_is_known_by_its_first_line(tmp_path: Path, name: str, lines: list[str]) -> None:
    assert from_drop(written(tmp_path, name, lines)).key == "#17"


@pytest.mark.parametrize("end", ["\r\n", "\n", "\r"])
def test_line_ends_of_any_system(tmp_path: Path, end: str) -> None:
    assert from_drop(written(tmp_path, "DOOR32.SYS", door32(), end=end)).minutes == 42


def test_an_end_of_file_of_dos_ends_it(tmp_path: Path) -> None:
    path = written(tmp_path, "DOOR32.SYS", door32())
    path.write_bytes(path.read_bytes() + b"\x1a\x00\xff")
    assert from_drop(path).name == "ada"


@pytest.mark.parametrize("encoding", ["cp437", "utf-8"])
def test_names_of_either_encoding(tmp_path: Path, encoding: str) -> None:
    path = written(tmp_path, "DOOR32.SYS", door32(line7="Zoë Ñandú"), encoding=encoding)
    assert from_drop(path).name == "Zoë Ñandú"


def test_without_a_number_the_name_is_the_key(tmp_path: Path) -> None:
    for number in ("0", "-1", ""):
        path = written(tmp_path, "DOOR32.SYS", door32(line5=number, line7="Straße"))
        assert from_drop(path).key == "name:strasse"


def test_a_name_can_do_no_harm(tmp_path: Path) -> None:
    path = written(tmp_path, "DOOR32.SYS", door32(line7="A\x1b[2Jda\x07  B"))
    assert from_drop(path).name.isprintable()


@pytest.mark.parametrize(("emulation", "ansi"), [("0", False), ("1", True), ("3", True), ("", None)])
def test_emulation(tmp_path: Path, emulation: str, ansi: bool | None) -> None:
    assert from_drop(written(tmp_path, "DOOR32.SYS", door32(line10=emulation))).ansi is ansi


@pytest.mark.parametrize(("graphics", "ansi"), [("GR", True), ("gr", True), ("NG", False), ("7E", False), ("", None)])
def test_graphics(tmp_path: Path, graphics: str, ansi: bool | None) -> None:
    assert from_drop(written(tmp_path, "DOOR.SYS", door_sys(line20=graphics))).ansi is ansi


@pytest.mark.parametrize("minutes", ["-1", "32767", "99999"])
def test_a_time_that_means_no_limit(tmp_path: Path, minutes: str) -> None:
    assert from_drop(written(tmp_path, "DOOR32.SYS", door32(line9=minutes))).minutes is None


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (door32(line9="soon"), "line 9 should be a number, the minutes left"),
        (door32(line5="0x11"), "line 5 should be a number"),
        (door32(line6="", line7=" "), "line 6 should be the caller's name"),
        ([], "line 6 should be the caller's name"),
        (["\0\1\2"], "line 6 should be the caller's name"),
    ],
)
def test_a_broken_dropfile_is_one_clear_line(tmp_path: Path, lines: list[str], words: str) -> None:
    with pytest.raises(DropfileFault, match=words) as fault:
        from_drop(written(tmp_path, "DOOR32.SYS", lines))
    assert "\n" not in str(fault.value)


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(DropfileFault, match=r"no DOOR32.SYS and no DOOR.SYS"):
        from_drop(tmp_path)
    with pytest.raises(DropfileFault, match="there is no such dropfile"):
        from_drop(tmp_path / "DOOR32.SYS")


def test_a_book_is_no_dropfile(tmp_path: Path) -> None:
    path = tmp_path / "DOOR32.SYS"
    path.write_bytes(b"x" * 70_000)
    with pytest.raises(DropfileFault, match="longer than 65536 bytes"):
        from_drop(path)


@settings(max_examples=50)
@given(data=st.binary(max_size=300), name=st.sampled_from(["DOOR32.SYS", "DOOR.SYS"]))
def test_any_bytes_are_a_caller_or_a_fault(tmp_path_factory: pytest.TempPathFactory, data: bytes, name: str) -> None:
    path = tmp_path_factory.getbasetemp() / name
    path.write_bytes(data)
    try:
        caller = from_drop(path)
    except DropfileFault:
        return
    assert caller.name
    assert caller.name.isprintable()


def test_a_name_from_an_option() -> None:
    assert from_name(" Ada \x07 B ") == Identity(key="name:ada b", name="Ada B")
    assert from_name("Ada", key="bot-1").key == "bot-1"
    with pytest.raises(ValueError, match="empty"):
        from_name("\x07 ")
