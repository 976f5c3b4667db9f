"""Targets as people write them."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tty_agent.terminal.dialect import ANSI_BBS, XTERM
from tty_agent.transports.target import (
    Access,
    BadTarget,
    LocalProgram,
    NoSecret,
    Remote,
    dialect_for,
    open_target,
    parse_target,
)


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("pty:bash -c 'echo \"a b\"'", LocalProgram(("bash", "-c", 'echo "a b"'))),
        ("telnet:bbs.example:2323", Remote("telnet", "bbs.example", 2323)),
        ("TELNET:bbs.example", Remote("telnet", "bbs.example", 23)),
        ("telnet:[::1]:23", Remote("telnet", "::1", 23)),
        ("telnet:[fe80::1%eth0]", Remote("telnet", "fe80::1%eth0", 23)),
        ("rlogin:127.0.0.1:2513", Remote("rlogin", "127.0.0.1", 2513)),
        ("rlogin:alice@127.0.0.1:2513", Remote("rlogin", "127.0.0.1", 2513, "alice")),
        ("ssh:alice@example:2222", Remote("ssh", "example", 2222, "alice")),
        ("ssh:me@corp@example", Remote("ssh", "example", 22, "me@corp")),
        ("ssh:alice@[2001:db8::1]:22", Remote("ssh", "2001:db8::1", 22, "alice")),
    ],
)
def test_reading_a_target(text: str, target: object) -> None:
    assert parse_target(text) == target


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("bash", "is no transport"),
        ("http:example:80", "is no transport"),
        ("pty:", "no command"),
        ("pty:echo 'x", "close the quotes"),
        ("telnet:", "no host"),
        ("telnet::23", "no host"),
        ("telnet:example:", "is no port"),
        ("telnet:example:0", "is no port"),
        ("telnet:example:65536", "is no port"),
        ("telnet:example:\u0663\u0663", "is no port"),
        ("telnet:::1:23", "brackets"),
        ("telnet:[::1", "brackets"),
        ("telnet:[::1]23", "brackets"),
        ("telnet:alice@example:23", "on the screen"),
        ("ssh:@example:22", "no user before"),
        ("ssh:alice:hunter2@example:22", "holds no password"),
        ("rlogin:alice:hunter2@example:22", "holds no password"),
    ],
)
def test_a_fault_is_named_with_its_remedy(text: str, fault: str) -> None:
    with pytest.raises(BadTarget, match=fault) as error:
        parse_target(text)
    assert "hunter2" not in str(error.value)


@given(st.text(max_size=40).map(lambda tail: "telnet:" + tail) | st.text(max_size=40))
def test_any_text_is_a_target_or_a_named_fault(text: str) -> None:
    with contextlib.suppress(BadTarget):
        assert isinstance(parse_target(text), LocalProgram | Remote)


def test_the_dialect_that_is_likely_spoken() -> None:
    assert dialect_for(parse_target("telnet:h:1")) is ANSI_BBS
    assert dialect_for(parse_target("rlogin:h:1")) is ANSI_BBS
    assert dialect_for(parse_target("ssh:a@h:1")) is XTERM
    assert dialect_for(parse_target("pty:bash")) is XTERM


@pytest.mark.parametrize("text", ["telnet:h:1", "rlogin:a@h:1", "ssh:a@h:1", "pty:bash"])
def test_the_transport_of_a_target(text: str) -> None:
    transport = open_target(text)
    assert transport.name == text.partition(":")[0]
    assert transport.end is None


def test_terminal_types() -> None:
    assert open_target("rlogin:a@h:1").metadata["terminal_type"] == "ansi-bbs/115200"
    assert open_target("telnet:h:1", dialect=XTERM).metadata["terminal_type"] == "xterm-256color"
    access = Access(terminal_type="xtrn=TW2/115200")
    assert open_target("rlogin:a@h:1", access=access).metadata["terminal_type"] == "xtrn=TW2/115200"


def test_who_logs_in() -> None:
    access = Access(user="bob")
    assert open_target("rlogin:h:1", access=access).metadata["user"] == "bob"
    assert open_target("rlogin:alice@h:1", access=access).metadata["user"] == "alice"
    with pytest.raises(BadTarget, match="needs a user"):
        open_target("ssh:h:1")


def test_a_password_comes_from_the_environment_or_a_file(tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_text("hunter2\r\nsecond line\n")
    for access, environment in (
        (Access(secret_variable="PW"), {"PW": "hunter2"}),
        (Access(secret_file=file), {}),
    ):
        transport = open_target("rlogin:alice@h:1", access=access, environment=environment)
        assert transport._password == "hunter2"  # type: ignore[attr-defined]
        assert "hunter2" not in repr(transport) + repr(transport.metadata)


@pytest.mark.parametrize(
    ("access", "fault"),
    [
        (Access(secret_variable="PW"), "PW is not set"),
        (Access(secret_file=Path("/nowhere/pw")), "cannot read"),
        (Access(secret_variable="PW", secret_file=Path("pw")), "name one"),
    ],
)
def test_a_missing_password_is_a_fault(access: Access, fault: str) -> None:
    with pytest.raises(NoSecret, match=fault):
        open_target("ssh:alice@h:1", access=access, environment={})


@pytest.mark.parametrize("content", [b"", b"\nsecond", b"\xff\xfe", b"x" * 5000])
def test_a_file_that_is_no_password(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_bytes(content)
    with pytest.raises(NoSecret, match="first line"):
        open_target("ssh:alice@h:1", access=Access(secret_file=file))
