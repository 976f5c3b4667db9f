"""The games of the house, and games that other packages bring by an entry point."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from agentbbs.games import catalog
from agentbbs.games.c4 import C4
from agentbbs.games.catalog import GAMES, NAME, BrokenGame, UnknownGame, find, ids
from agentbbs.games.game import Game
from agentbbs.games.ttt import TTT

Installed = Callable[..., None]

REVERSI = """
from agentbbs.games.game import Game
from agentbbs.games.ttt import TicTacToe
class Reversi(TicTacToe):
    id = {id!r}
    aliases = {aliases!r}
REVERSI = Reversi()
"""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Installed:
    """Install a package with one entry point of the group: name, value, and the source of its module."""

    def install(name: str, value: str, source: str) -> None:
        module = value.partition(":")[0]
        (tmp_path / f"{module}.py").write_text(source, encoding="utf-8")
        info = tmp_path / f"{module}-1.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1\n", encoding="utf-8")
        (info / "entry_points.txt").write_text(f"[agentbbs.games]\n{name} = {value}\n", encoding="utf-8")

    monkeypatch.syspath_prepend(tmp_path)
    fresh = catalog._Catalog((TTT, C4))
    monkeypatch.setattr(catalog, "_CATALOG", fresh)
    return install


def test_the_catalog_is_that_of_the_specification() -> None:
    assert ids() == ("ttt", "c4")
    assert dict(GAMES) == {"ttt": TTT, "c4": C4}
    assert len(GAMES) == 2


def test_the_catalog_is_read_only() -> None:
    assert isinstance(GAMES, Mapping)
    assert not hasattr(GAMES, "__setitem__")


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_a_game_is_found_by_its_id_and_every_alias_in_any_case(game: Game) -> None:
    for name in (game.id, *game.aliases):
        assert NAME.fullmatch(name)
        assert find(name) is game
        assert find(name.upper()) is game
        assert find(name.title()) is game


@pytest.mark.parametrize(
    ("alias", "game"),
    [
        ("tictactoe", TTT),
        ("tic-tac-toe", TTT),
        ("noughts-and-crosses", TTT),
        ("connect4", C4),
        ("connect-4", C4),
        ("connectfour", C4),
        ("connect-four", C4),
        ("four-in-a-row", C4),
    ],
)
def test_aliases(alias: str, game: Game) -> None:
    assert find(alias) is game


@pytest.mark.parametrize("name", ["chess", "", " ttt", "ttt ", "t", "c4\0", "x" * 70_000])
def test_an_unknown_game_gets_the_list_of_games(name: str) -> None:
    with pytest.raises(UnknownGame) as caught:
        find(name)
    assert caught.value.ids == ("ttt", "c4")
    assert caught.value.name == name
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 200


def test_an_id_that_is_no_game_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        GAMES["chess"]
    assert "chess" not in GAMES


def test_an_installed_package_adds_its_game(installed: Installed) -> None:
    installed("reversi", "their_reversi:REVERSI", REVERSI.format(id="reversi", aliases=("othello",)))
    assert find("Othello").id == "reversi"
    assert ids() == ("ttt", "c4", "reversi")


def test_the_games_of_the_house_are_found_without_a_look_at_the_packages(installed: Installed) -> None:
    installed("broken", "broken_here:GAME", "raise RuntimeError('no board')")
    assert find("ttt") is TTT
    assert find("connect4") is C4
    assert catalog._CATALOG["c4"] is C4


@pytest.mark.parametrize(
    ("name", "source", "why"),
    [
        ("chess", "raise RuntimeError('no board')", "RuntimeError: no board"),
        ("chess", "", "AttributeError"),
        ("chess", "REVERSI = 64", "is no agentbbs.games.game.Game"),
        ("chess", REVERSI.format(id="chess", aliases=()) + "REVERSI = Reversi", "name an instance"),
        ("chess", REVERSI.format(id="go", aliases=()), "calls itself 'go', not 'chess'"),
        ("ttt", REVERSI.format(id="ttt", aliases=()), "the name 'ttt' belongs to the game 'ttt'"),
        ("connect4", REVERSI.format(id="connect4", aliases=()), "the name 'connect4' belongs to the game 'c4'"),
        ("chess", REVERSI.format(id="chess", aliases=("c4",)), "the name 'c4' belongs to the game 'c4'"),
        ("chess", REVERSI.format(id="chess", aliases=("The Game",)), "'The Game' is no id or alias"),
    ],
)
def test_a_broken_or_clashing_entry_point_is_named(installed: Installed, name: str, source: str, why: str) -> None:
    module = f"theirs_{abs(hash((name, why)))}"
    installed(name, f"{module}:REVERSI", source)
    for _ in range(2):
        with pytest.raises(BrokenGame, match=why) as caught:
            ids()
        assert caught.value.entry == f"{name} = {module}:REVERSI"
        assert caught.value.entry in str(caught.value)


def test_two_packages_that_bring_one_game_clash(installed: Installed) -> None:
    installed("reversi", "one_reversi:REVERSI", REVERSI.format(id="reversi", aliases=()))
    installed("reversi", "other_reversi:REVERSI", REVERSI.format(id="reversi", aliases=()))
    with pytest.raises(BrokenGame, match="other_reversi"):
        ids()
