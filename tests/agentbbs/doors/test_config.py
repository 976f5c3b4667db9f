"""doors.toml: what is taken, and what each mistake is told."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import pytest

from agentbbs.doors.config import FIELDS, Door, Limits, Share, WrongDoors, load_doors, parse_doors
from tty_agent.terminal.dialect import Encoding

EVERYTHING = b"""
[door.nethack]
title = "NetHack"
command = "/usr/games/nethack -u '{login}' a\\\\ b"
directory = "nethack"
dropfiles = ["DOOR32.SYS", "door.sys"]
encoding = "UTF-8"
concurrent = 4
time_limit_s = 7200
idle_limit_s = 0
hang_limit_s = 30
environment = { NETHACKOPTIONS = "color", NODE = "{node}" }
com_port = 1
readable = ["/usr/share"]
writable = ["nethack:/var/games/nethack"]
cpu_s = 60
memory_mib = 256
processes = 8
open_files = 64
file_mib = 4

[door.robots]
command = ["/usr/games/robots"]
directory = "robots"
trusted = true
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "nethack").mkdir()
    (tmp_path / "robots").mkdir()
    return tmp_path / "doors.toml"


def test_every_field_is_read(path: Path) -> None:
    nethack, robots = parse_doors(EVERYTHING, path)
    assert nethack == Door(
        id="nethack",
        title="NetHack",
        command=("/usr/games/nethack", "-u", "{login}", "a b"),
        directory=path.parent / "nethack",
        dropfiles=("DOOR32.SYS", "door.sys"),
        encoding=Encoding.UTF_8,
        concurrent=4,
        time_limit_s=7200,
        idle_limit_s=0,
        hang_limit_s=30,
        environment={"NETHACKOPTIONS": "color", "NODE": "{node}"},
        com_port=1,
        readable=(Share(Path("/usr/share"), "/usr/share"),),
        writable=(Share(path.parent / "nethack", "/var/games/nethack"),),
        limits=Limits(cpu_s=60, memory_mib=256, processes=8, open_files=64, file_mib=4),
    )
    assert robots.trusted
    assert (robots.title, robots.concurrent, robots.encoding) == ("Robots", 1, Encoding.CP437)


def test_without_a_file_there_are_no_doors(path: Path) -> None:
    assert load_doors(path) == ()


def test_a_file_is_loaded(path: Path) -> None:
    path.write_bytes(EVERYTHING)
    assert [door.id for door in load_doors(path)] == ["nethack", "robots"]


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ("title = 3", "field title = 3 is wrong: it should be 1 to 40 printable"),
        ('title = "a\\u001bb"', "field title = 'a\\x1bb' is wrong"),
        ('command = ""', "field command = '' is wrong: it should be a program"),
        ("command = [1]", "field command is wrong"),
        ('command = "a \'b"', "No closing quotation; it should be a program"),
        ('command = "a {home}"', "{home} is not known; it should be a program"),
        ('directory = "nowhere"', "there is no folder"),
        (
            'directory = "."',
            "field directory = '.' is wrong: it holds the venue's own data: make a folder for the door",
        ),
        ('directory = "/"', "field directory = '/' is wrong: it holds the venue's own data"),
        ('directory = "nethack/.."', "it holds the venue's own data"),
        ('dropfiles = ["PCBOARD.SYS"]', "field dropfiles is wrong: it should be a list of DOOR32.SYS, DOOR.SYS"),
        ('encoding = "latin-1"', 'field encoding = \'latin-1\' is wrong: it should be "cp437" or "utf-8"'),
        ("concurrent = 0", "field concurrent = 0 is wrong: it should be callers at once from 1 to 255, such as 1"),
        ("concurrent = true", "field concurrent = True is wrong"),
        ("time_limit_s = 0", "field time_limit_s = 0 is wrong: it should be seconds from 1 to 86400, such as 3600"),
        ('time_limit_s = "1h"', "field time_limit_s = '1h' is wrong"),
        ("idle_limit_s = -1", "such as 600, or 0 for none"),
        ('environment = { "A B" = "x" }', "'A B' is not a variable with a text"),
        ("environment = { A = 1 }", "'A' is not a variable with a text"),
        ('trusted = "yes"', "field trusted = 'yes' is wrong: it should be true"),
        ("com_port = 9", "or 0 for the local console"),
        ('readable = ["nowhere:/x"]', "there is no"),
        ('writable = ["nethack:relative"]', "field writable is wrong"),
        ('writable = ["nethack:/a/../../etc"]', "field writable is wrong"),
        ('writable = ["nethack:/"]', "field writable is wrong"),
        ("memory_mib = 1", "MiB from 16 to"),
        ("tme_limit_s = 5", "field 'tme_limit_s' is unknown: did you mean time_limit_s?"),
        ("zzz = 5", "field 'zzz' is unknown: there are title, command"),
    ],
)
def test_a_mistake_names_file_door_field_and_remedy(path: Path, table: str, told: str) -> None:
    field = table.partition(" ")[0]
    needed = {"command": 'command = "x"', "directory": 'directory = "nethack"'}
    lines = [line for name, line in needed.items() if name != field]
    with pytest.raises(WrongDoors) as caught:
        parse_doors("\n".join(["[door.game]", *lines, table]).encode(), path)
    message = str(caught.value)
    assert message.startswith(f"{path}: door 'game': field ")
    assert told in message
    assert message.isprintable()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (b"[door.game", "correct the TOML there"),
        (b"\xff", "byte 0 is not UTF-8"),
        (b"[doors.game]", "'doors' is unknown: each door is a table [door.ID]"),
        (b"door = 1", "'door' is no table"),
        (b"[door]\ngame = 1", "door 'game' is no table: write [door.game]"),
        (b"[door.'Big Game']", "its id should be 1 to 24 of a-z"),
        (b'[door.game]\ndirectory = "."', "field command is missing: it should be a program"),
        (b'[door.game]\ncommand = "x"', "field directory is missing: it should be the folder"),
        (b"[door.game]\n[door.game]", "correct the TOML there"),
    ],
)
def test_a_broken_file_is_told(path: Path, text: bytes, told: str) -> None:
    with pytest.raises(WrongDoors, match=r"doors\.toml") as caught:
        parse_doors(text, path)
    assert told in str(caught.value)


def test_a_file_that_is_no_list_of_doors_is_not_read_whole(path: Path) -> None:
    path.write_bytes(b"#" * (1024 * 1024 + 1))
    with pytest.raises(WrongDoors, match="is it the right file"):
        load_doors(path)


def test_a_folder_instead_of_the_file_is_told(path: Path) -> None:
    path.mkdir()
    with pytest.raises(WrongDoors, match="can't be read"):
        load_doors(path)


def test_the_tables_of_the_manual_are_taken(tmp_path: Path) -> None:
    manual = (Path(__file__).parents[3] / "docs" / "doors.md").read_text()
    tables = [textwrap.dedent(block) for block in re.findall(r"^ *```toml\n(.*?)```", manual, re.DOTALL | re.MULTILINE)]
    for folder in re.findall(r'"(doors/[a-z0-9/]+)[":]', manual):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
    doors = [door.id for table in tables for door in parse_doors(table.encode(), tmp_path / "doors.toml")]
    assert doors == ["guess", "robots", "hangman", "nethack", "bre", "tw2002"]


def test_the_manual_names_every_field_with_its_default() -> None:
    manual = (Path(__file__).parents[3] / "docs" / "doors.md").read_text()
    door = Door(id="x", title="X", command=("x",), directory=Path())
    for field in FIELDS:
        row = next(line for line in manual.splitlines() if line.startswith("|") and f"`{field}`" in line.split("|")[1])
        default = getattr(door.limits if field in Limits.__struct_fields__ else door, field)
        if isinstance(default, int) and not isinstance(default, bool):
            assert row.split("|")[2].strip() == str(default)


def test_every_field_says_what_it_should_be() -> None:
    assert all(field.expected for field in FIELDS.values())
    assert set(FIELDS) >= {*Limits.__struct_fields__}
    assert {*Door.__struct_fields__} - {"id", "limits"} <= set(FIELDS)
