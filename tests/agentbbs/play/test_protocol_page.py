"""The protocol page: what an agent's author needs is on it, and its prose is what the code does."""

from __future__ import annotations

import json
import re

import pytest

from agentbbs.bots.catalog import BOTS
from agentbbs.games.catalog import HOUSE
from agentbbs.games.game import Game
from agentbbs.play.protocol_page import page
from agentbbs.protocol.agentgames import REASONS, VOID_SHUTDOWN, CloseCode
from agentbbs.servers.bounded import LOGIN_TIMEOUT_S
from agentbbs.servers.gate import FAILED_LOGINS, FAILED_LOGINS_PER_S
from agentbbs.servers.websocket import HEARTBEAT_S

PAGE = page()
PROSE = " ".join(PAGE.split())


@pytest.mark.parametrize("game", HOUSE, ids=lambda game: game.id)
def test_a_game_is_told_with_its_names_its_moves_and_a_board(game: Game) -> None:
    (told,) = re.findall(rf"^\*\*`{game.id}`, .*\n\n```\n.*\n```$", PAGE, re.MULTILINE)
    rules, observation = told.split("\n\n```\n")
    assert game.title in rules
    assert all(f"`{alias}`" in rules for alias in game.aliases)
    assert "A move is" in rules
    assert "`board[" in rules
    shown = json.loads(observation.removesuffix("\n```"))
    assert set(shown) == {"board", "toMove", "legal"}
    assert str(shown["board"]).count("X") == str(shown["board"]).count("O") == 1


def test_every_way_to_end_is_told_as_it_is_sent() -> None:
    assert [reason for reason in (*REASONS.values(), VOID_SHUTDOWN) if reason and f"`{reason}`" not in PAGE] == []


def test_every_close_code_is_told() -> None:
    codes = [code for name, code in vars(CloseCode).items() if name.isupper()]
    assert [code for code in codes if f"\n| {code} |" not in PAGE] == []


@pytest.mark.parametrize(
    "sentence",
    [
        f"{FAILED_LOGINS} wrong tokens of one address, then one every {1 / FAILED_LOGINS_PER_S:g} s",
        f"silent for {HEARTBEAT_S:g} s is sent a ping",
        f"cut if nothing comes for {HEARTBEAT_S / 2:g} s more",
        f"From the connect to the session there are {LOGIN_TIMEOUT_S:g} s",
        "the house bots `{}`, `{}` and `{}`,".format(*BOTS),
    ],
)
def test_what_stands_in_prose_is_what_the_code_does(sentence: str) -> None:
    assert sentence in PROSE
