"""`smoke`: log in, look, log off."""

from __future__ import annotations

import json

import pytest
from tests.bbs_gym.commands.bbs_app import Shell, shell
from tests.bbs_gym.fake_bbs import LOG_OFF, fake_bbs
from tests.bbs_gym.login.dialogues import HOUSE_TELNET, HOUSE_WAY_IN, PASSWORD, Says

__all__ = ["shell"]


def test_by_telnet(shell: Shell) -> None:
    with fake_bbs((*HOUSE_TELNET, *LOG_OFF)) as board:
        screen, note = shell("smoke", "--transport", "telnet", "--port", board.port, "--node", 1)
    assert screen.rstrip().endswith("Main menu:")
    assert "alice by telnet: logged in after" in note
    assert "node 2" in note
    assert "node 1 was wanted" in note
    raw = shell.folder / "runtime" / "transcripts" / "agent-001.raw"
    assert b"Main menu" in raw.read_bytes()


def test_as_json(shell: Shell) -> None:
    with fake_bbs((*HOUSE_WAY_IN, *LOG_OFF), rlogin=True) as board:
        found = json.loads(shell("smoke", "--port", board.port, "--kind", "house", "--json")[0])
    assert found["node"]["observed"] == 2
    assert found["observation"]["metadata"]["alias"] == "alice"


def test_a_login_that_fails(shell: Shell) -> None:
    script = (*HOUSE_TELNET[:2], Says(b"\r\nUnknown user\r\nLogin: "))
    with fake_bbs(script) as board:
        _, error = shell("smoke", "--transport", "telnet", "--port", board.port, code=1)
    assert error == "error: the BBS knows no alice: provision the account, or correct its alias\n"
    assert PASSWORD.encode() not in board.heard[0]


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (("--agent-id", "agent-003"), 1, "there is no agent 'agent-003'"),
        (("--agent-id", "agent-002"), 1, "agent-002: the environment variable NO_SUCH_VARIABLE is not set"),
        (("--transport", "pigeon"), 2, "--transport: 'pigeon' is none of telnet, rlogin, ssh"),
        (("--kind", "wildcat"), 2, "--kind: 'wildcat' is none of house, synchronet"),
        (("--transport", "telnet", "--door", "TW2"), 2, "--door: only rlogin leads straight into a door"),
        (("--registry", "nowhere.json"), 1, "nowhere.json: No such file"),
        (("--port", "1"), 1, "nothing listens at 127.0.0.1 port 1"),
    ],
)
def test_a_call_that_can_not_be(shell: Shell, arguments: tuple[str, ...], code: int, told: str) -> None:
    assert told in shell("smoke", *arguments, code=code)[1]


def test_a_door(shell: Shell) -> None:
    with fake_bbs((Says(b"S T A R L A N E\r\n"),), rlogin=True) as board:
        screen, note = shell("smoke", "--port", board.port, "--door", "starlane", "--kind", "house")
    assert "S T A R L A N E" in screen
    assert "node not shown" in note
    assert board.greetings[0][2] == b"xtrn=starlane/115200"
