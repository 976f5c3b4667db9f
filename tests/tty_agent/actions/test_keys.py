"""Keys by name: aliases, the bytes of both dialects, terminfo as the judge of xterm's."""

from __future__ import annotations

import re
import shutil
import subprocess

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tty_agent.actions.errors import Fault, Unencodable, UnknownKey
from tty_agent.actions.keys import KEY_NAMES, key_name, keys_for
from tty_agent.terminal.dialect import ANSI_BBS, XTERM, Encoding

BBS = keys_for(ANSI_BBS)
UNIX = keys_for(XTERM)

TERMINFO = {
    "kbs": "backspace",
    "kcbt": "backtab",
    "kcub1": "left",
    "kcud1": "down",
    "kcuf1": "right",
    "kcuu1": "up",
    "kdch1": "delete",
    "kend": "end",
    "khome": "home",
    "kich1": "insert",
    "knp": "page_down",
    "kpp": "page_up",
    **{f"kf{number}": f"f{number}" for number in range(1, 13)},
}


@pytest.mark.parametrize(
    ("written", "name"),
    [
        *(("Enter", "enter"), ("return", "enter"), ("RETURN", "enter"), ("\r", "enter"), ("\n", "enter")),
        *(("ctrl-c", "ctrl-c"), ("Ctrl+C", "ctrl-c"), ("CTRL C", "ctrl-c"), ("C-c", "ctrl-c"), ("^C", "ctrl-c")),
        *(("^c", "ctrl-c"), ("control-c", "ctrl-c"), ("\x03", "ctrl-c"), ("ctrl_c", "ctrl-c"), ("ctrlc", "ctrl-c")),
        *(("^[", "ctrl-["), ("ctrl-@", "ctrl-@"), ("ctrl-space", "ctrl-@"), ("ctrl-_", "ctrl-_"), ("^\\", "ctrl-\\")),
        *(("F1", "f1"), ("f12", "f12"), ("F 1", "f1"), ("KEY_F1", "f1"), ("<F1>", "f1")),
        *(("PageUp", "page_up"), ("pgup", "page_up"), ("PgUp", "page_up"), ("page up", "page_up")),
        *(("page-down", "page_down"), ("PgDn", "page_down"), ("next", "page_down")),
        *(("Up", "up"), ("arrow_up", "up"), ("ArrowUp", "up"), ("up arrow", "up"), ("KEY_UP", "up")),
        *(("Esc", "escape"), ("\x1b", "escape"), ("<Esc>", "escape"), ("[Escape]", "escape")),
        *(("Shift-Tab", "backtab"), ("BackTab", "backtab"), ("Tab", "tab"), ("\t", "tab")),
        *(("del", "delete"), ("^?", "delete"), ("\x7f", "delete"), ("bksp", "backspace"), ("\b", "backspace")),
        *(("space", "space"), (" ", "space"), ("Spacebar", "space"), (" enter ", "enter"), ("^", "^"), ("<", "<")),
        *(("alt-x", "alt-x"), ("Alt+X", "alt-X"), ("M-x", "alt-x"), ("meta-x", "alt-x"), ("alt-enter", "alt-enter")),
        *(("q", "q"), ("Q", "Q"), ("?", "?"), ("1", "1"), ("é", "é")),
    ],
)
def test_a_key_has_one_name_however_it_is_written(written: str, name: str) -> None:
    assert key_name(written) == name


@pytest.mark.parametrize(
    ("key", "bbs", "unix"),
    [
        ("enter", b"\r", b"\r"),
        ("backspace", b"\x08", b"\x7f"),
        ("delete", b"\x7f", b"\x1b[3~"),
        ("insert", b"\x1b[@", b"\x1b[2~"),
        ("home", b"\x1b[H", b"\x1b[H"),
        ("end", b"\x1b[K", b"\x1b[F"),
        ("page_up", b"\x1b[V", b"\x1b[5~"),
        ("page_down", b"\x1b[U", b"\x1b[6~"),
        ("up", b"\x1b[A", b"\x1b[A"),
        ("f1", b"\x1b[11~", b"\x1bOP"),
        ("f5", b"\x1b[15~", b"\x1b[15~"),
        ("f12", b"\x1b[24~", b"\x1b[24~"),
        ("backtab", b"\x1b[Z", b"\x1b[Z"),
        ("ctrl-c", b"\x03", b"\x03"),
        ("ctrl-@", b"\x00", b"\x00"),
        ("ctrl-_", b"\x1f", b"\x1f"),
        ("alt-x", b"\x1bx", b"\x1bx"),
        ("alt-X", b"\x1bX", b"\x1bX"),
        ("alt-enter", b"\x1b\r", b"\x1b\r"),
        ("é", b"\x82", "é".encode()),
        ("space", b" ", b" "),
        ("Q", b"Q", b"Q"),
    ],
)
def test_each_dialect_sends_its_own_bytes(key: str, bbs: bytes, unix: bytes) -> None:
    assert BBS.encode(key) == bbs
    assert UNIX.encode(key) == unix


def test_every_name_has_bytes_in_every_table_and_is_its_own_name() -> None:
    for table in (BBS, UNIX, keys_for(XTERM, application=True)):
        assert set(table.names) == set(KEY_NAMES)
        assert all(table.encode(name) == table.names[name] != b"" for name in KEY_NAMES)
    assert all(key_name(name) == name for name in KEY_NAMES)
    assert BBS.enter == UNIX.enter == b"\r"


def test_a_program_in_application_mode_gets_the_keys_of_its_terminfo_entry() -> None:
    if shutil.which("infocmp") is None:
        pytest.skip("infocmp of ncurses is not installed")
    entry = subprocess.run(["infocmp", "-1", "xterm-256color"], capture_output=True, text=True, check=False)
    if entry.returncode != 0:
        pytest.skip("terminfo has no entry xterm-256color")
    sent = dict(re.findall(r"^\t(k\w+)=(.*),$", entry.stdout, re.MULTILINE))
    table = keys_for(XTERM, application=True)
    for capability, name in TERMINFO.items():
        expected = sent[capability].replace(r"\E", "\x1b").replace("^?", "\x7f").replace("^H", "\b")
        assert table.encode(name) == expected.encode(), name


def test_the_bbs_dialect_has_no_application_mode() -> None:
    assert keys_for(ANSI_BBS, application=True) == BBS


def test_a_bbs_in_utf_8_gets_the_keys_of_a_bbs() -> None:
    table = keys_for(msgspec.structs.replace(ANSI_BBS, encoding=Encoding.UTF_8))
    assert table.encode("page_up") == b"\x1b[V"
    assert table.encode("☃") == "☃".encode()


@pytest.mark.parametrize(
    ("written", "near"), [("pgeup", "page_up"), ("entr", "enter"), ("escpe", "escape"), ("f13", "f1")]
)
def test_an_unknown_key_is_refused_with_its_likes(written: str, near: str) -> None:
    with pytest.raises(UnknownKey, match=near) as refused:
        key_name(written)
    assert refused.value.code is Fault.UNKNOWN_KEY
    assert near in refused.value.near


@pytest.mark.parametrize(
    "written", ["", "  ", "hello world", "ctrl-", "ctrl-é", "ctrl-1", "alt-", "alt-f1", "x" * 100_000, "\x85", "\u200b"]
)
def test_what_is_no_key_at_all_is_refused(written: str) -> None:
    with pytest.raises(UnknownKey) as refused:
        key_name(written)
    assert len(refused.value.message) < 300
    assert "\u200b" not in refused.value.message


@pytest.mark.parametrize(("char", "shown"), [("\x85", "U+0085"), ("\u200b", "U+200B"), ("\u2028", "U+2028")])
def test_a_character_that_is_no_key_is_shown_by_its_code_point(char: str, shown: str) -> None:
    with pytest.raises(UnknownKey, match=rf"There is no key U\+{shown.removeprefix('U+')}: "):
        key_name(char)


def test_a_blank_is_a_key_like_other_characters() -> None:
    assert (key_name("\xa0"), BBS.encode("\xa0"), UNIX.encode("\xa0")) == ("\xa0", b"\xff", b"\xc2\xa0")


def test_a_character_that_the_encoding_lacks_is_named() -> None:
    with pytest.raises(Unencodable, match=r"cp437.*U\+2603 SNOWMAN"):
        BBS.encode("☃")
    with pytest.raises(Unencodable, match=r"U\+D800"):
        UNIX.encode("\ud800")


def test_a_glyph_of_the_control_range_can_not_be_typed() -> None:
    with pytest.raises(Unencodable, match="HEART"):
        BBS.encode("♥")


@given(st.text(max_size=30))
def test_any_text_is_a_key_or_refused_and_its_name_is_stable(written: str) -> None:
    try:
        name = key_name(written)
    except UnknownKey:
        return
    assert key_name(name) == name
    try:
        assert UNIX.encode(written) == UNIX.encode(name) != b""
    except Unencodable:
        assert any("\ud800" <= char <= "\udfff" for char in written)


@given(st.sampled_from(KEY_NAMES), st.randoms(use_true_random=False))
def test_names_are_case_free(name: str, chance: object) -> None:
    mixed = "".join(char.upper() if chance.random() < 0.5 else char for char in name)  # type: ignore[attr-defined]
    assert key_name(mixed) == name
