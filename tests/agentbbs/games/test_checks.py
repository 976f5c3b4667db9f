"""Every check of the conformance kit can fail: small faulty games, each found by the check it offends.

`Pile` is a game that keeps the contract: from a pile of seven take one or two; whoever takes the last wins.
Each faulty game is `Pile` with one thing wrong.
"""

from __future__ import annotations

import re
from typing import Any, Self, cast

import msgspec
import pytest

from agentbbs.games.c4 import C4
from agentbbs.games.checks import CHECKS, MAX_MOVE_CHARS
from agentbbs.games.conformance import Report, check
from agentbbs.games.game import NOBODY, Game, IllegalMove, MalformedPosition, Outcome, Position
from agentbbs.games.ttt import TTT

PILE = 7
GAMES = 20


class PilePosition(msgspec.Struct, frozen=True):
    """`left` of the pile after `ply` moves."""

    left: int
    ply: int

    @property
    def to_move(self) -> int:
        return self.ply % 2 if self.left else NOBODY

    @property
    def legal(self) -> tuple[str, ...]:
        return ("1", "2")[: self.left]

    @property
    def outcome(self) -> Outcome | None:
        return None if self.left else Outcome((self.ply - 1) % 2)

    def play(self, move: str) -> Self:
        if move not in self.legal:
            raise IllegalMove(move, self.legal)
        return type(self)(self.left - int(move), self.ply + 1)

    def observation(self) -> dict[str, Any]:
        return {"board": ["o"] * self.left, "toMove": self.to_move, "legal": list(self.legal)}

    def text(self) -> str:
        return f"{'o' * self.left} {self.left} left"

    def serialise(self) -> str:
        return f"{self.left} {self.ply}"


class Pile:
    """The rules, for any class of positions."""

    id = "pile"
    title = "Pile"
    aliases: tuple[str, ...] = ("last-one",)
    version = 1
    max_plies = PILE

    def __init__(self, positions: type[PilePosition] = PilePosition) -> None:
        self._positions = positions

    def initial(self) -> PilePosition:
        return self._positions(PILE, 0)

    def restore(self, text: str) -> PilePosition:
        match = re.fullmatch(r"([0-7]) ([0-7])", text)
        if match is None or not (PILE - int(match[1]) + 1) // 2 <= int(match[2]) <= PILE - int(match[1]):
            raise MalformedPosition(text)
        return self._positions(int(match[1]), int(match[2]))


def faults(game: Game) -> dict[str, str | None]:
    """The checks that `game` fails, with what they found."""
    return {result.name: result.fault for result in check(game, games=GAMES).results if not result.passed}


@pytest.mark.parametrize("game", [Pile(), TTT, C4], ids=lambda game: game.id)
def test_a_game_that_keeps_the_contract_passes(game: Game) -> None:
    report = check(game, games=GAMES)
    assert faults(game) == {}
    assert report.passed
    assert [result.name for result in report.results] == list(CHECKS)


class _Ids(Pile):
    id = "The Pile"


class _UpperAlias(Pile):
    aliases = ("Last-One",)


class _ListOfAliases(Pile):
    aliases = cast("Any", ["last-one"])


class _TwiceNamed(Pile):
    aliases = ("last-one", "pile")


class _Untitled(Pile):
    title = ""


class _Unversioned(Pile):
    version = 0


class _StartsLate(Pile):
    def initial(self) -> PilePosition:
        return self._positions(PILE - 1, 1)


class _HasNoPosition(Pile):
    def initial(self) -> PilePosition:
        raise KeyError("no such pile")


class _SecondSeatStarts(PilePosition, frozen=True):
    @property
    def to_move(self) -> int:
        return (self.ply + 1) % 2 if self.left else NOBODY


class _PlyByTwo(PilePosition, frozen=True):
    def play(self, move: str) -> Self:
        return type(self)(super().play(move).left, self.ply + 2)


class _ThirdSeat(PilePosition, frozen=True):
    @property
    def to_move(self) -> int:
        return self.ply % 3 if self.left else NOBODY


class _BoolSeat(PilePosition, frozen=True):
    @property
    def to_move(self) -> int:
        return self.ply % 2 == 1 if self.left else NOBODY


class _LegalList(PilePosition, frozen=True):
    @property
    def legal(self) -> tuple[str, ...]:
        return list(super().legal)  # type: ignore[return-value]  # the fault


class _LegalTwice(PilePosition, frozen=True):
    @property
    def legal(self) -> tuple[str, ...]:
        return super().legal + super().legal[:1]


class _LegalLong(PilePosition, frozen=True):
    @property
    def legal(self) -> tuple[str, ...]:
        return tuple(move.zfill(MAX_MOVE_CHARS + 1) for move in super().legal)


class _LegalBlank(PilePosition, frozen=True):
    @property
    def legal(self) -> tuple[str, ...]:
        return tuple(f"{move} " for move in super().legal)


class _LegalRaises(PilePosition, frozen=True):
    @property
    def legal(self) -> tuple[str, ...]:
        raise KeyError("legal")


class _StuckAtThree(PilePosition, frozen=True):
    @property
    def legal(self) -> tuple[str, ...]:
        return () if self.left == 3 else super().legal


class _RefusesTwo(PilePosition, frozen=True):
    def play(self, move: str) -> Self:
        if move == "2":
            raise IllegalMove(move, self.legal)
        return super().play(move)


class _PlaysToNothing(PilePosition, frozen=True):
    def play(self, move: str) -> Self:
        super().play(move)
        return None  # type: ignore[return-value]  # the fault


class _TrimsMoves(PilePosition, frozen=True):
    def play(self, move: str) -> Self:
        return super().play(move.strip())


class _ReadsAnyDigit(PilePosition, frozen=True):
    def play(self, move: str) -> Self:
        return super().play(str(int(move)) if move.isdecimal() and len(move) < 9 else move)


class _ValueErrorForMoves(PilePosition, frozen=True):
    def play(self, move: str) -> Self:
        if move not in self.legal:
            raise ValueError(move)
        return super().play(move)


class _MovesAfterTheEnd(PilePosition, frozen=True):
    @property
    def legal(self) -> tuple[str, ...]:
        return super().legal or ("1",)


class _SeatAfterTheEnd(PilePosition, frozen=True):
    @property
    def to_move(self) -> int:
        return self.ply % 2


class _PlaysOnAfterTheEnd(PilePosition, frozen=True):
    def play(self, move: str) -> Self:
        return self if self.left == 0 and move in ("1", "2") else super().play(move)


class _NoOutcome(PilePosition, frozen=True):
    @property
    def outcome(self) -> Outcome | None:
        return None


class _WinnerTwo(PilePosition, frozen=True):
    @property
    def outcome(self) -> Outcome | None:
        return None if self.left else Outcome(2)


class _WordForOutcome(PilePosition, frozen=True):
    @property
    def outcome(self) -> Outcome | None:
        return None if self.left else "draw"  # type: ignore[return-value]  # the fault


class _EarlyOutcome(PilePosition, frozen=True):
    @property
    def outcome(self) -> Outcome | None:
        return super().outcome if self.left != 4 else Outcome(0)


class _Short(Pile):
    max_plies = PILE - 2


class _Endless(Pile):
    max_plies = 10**9


_SHARED: list[str] = ["o"]


class _SharedBoard(PilePosition, frozen=True):
    def observation(self) -> dict[str, Any]:
        return {**super().observation(), "board": _SHARED}


class _Mutable(PilePosition, frozen=True):
    """Keeps its legal moves in a list that it hands out."""

    moves: list[str] = msgspec.field(default_factory=lambda: ["1", "2"])

    @property
    def legal(self) -> tuple[str, ...]:
        return self.moves  # type: ignore[return-value]  # the fault


class _Assignable:
    """A position whose attributes any caller can assign to."""

    def __init__(self, inner: PilePosition) -> None:
        self.inner = inner
        self.ply = inner.ply
        self.to_move = inner.to_move
        self.legal = inner.legal
        self.outcome = inner.outcome
        self.observation = inner.observation
        self.text = inner.text
        self.serialise = inner.serialise

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Assignable) and self.inner == other.inner

    def __hash__(self) -> int:
        return hash(self.inner)

    def play(self, move: str) -> _Assignable:
        return _Assignable(self.inner.play(move))


class _Loose(Pile):
    def initial(self) -> Any:
        return _Assignable(super().initial())

    def restore(self, text: str) -> Any:
        return _Assignable(super().restore(text))


class _PlaysInPlace(PilePosition, frozen=True):
    seen: list[str] = msgspec.field(default_factory=list)

    def play(self, move: str) -> Self:
        after = super().play(move)
        self.seen.append(move)
        return after

    def text(self) -> str:
        return f"{super().text()} {len(self.seen)} looked at"


class _Numbered(Pile):
    """Every game has another number."""

    _number = 0

    def initial(self) -> PilePosition:
        self._number += 1
        return _NumberedPosition(PILE, 0, self._number)


class _NumberedPosition(PilePosition, frozen=True):
    number: int = 0

    def play(self, move: str) -> Self:
        return msgspec.structs.replace(self, left=super().play(move).left, ply=self.ply + 1)

    def text(self) -> str:
        return f"game {self.number}: {super().text()}"


class _ObservedOutOfOrder(PilePosition, frozen=True):
    def observation(self) -> dict[str, Any]:
        return dict(reversed(super().observation().items()))


class _ObservedLess(PilePosition, frozen=True):
    def observation(self) -> dict[str, Any]:
        return {"board": [], "legal": list(self.legal)}


class _ObservedWrongTurn(PilePosition, frozen=True):
    def observation(self) -> dict[str, Any]:
        return {**super().observation(), "toMove": 0}


class _ObservedTuple(PilePosition, frozen=True):
    def observation(self) -> dict[str, Any]:
        return {**super().observation(), "board": ("o",)}


class _ObservedNan(PilePosition, frozen=True):
    def observation(self) -> dict[str, Any]:
        return {**super().observation(), "board": float("nan")}


class _ObservedSet(PilePosition, frozen=True):
    def observation(self) -> dict[str, Any]:
        return {**super().observation(), "board": {1: object()}}


class _TextWithLf(PilePosition, frozen=True):
    def text(self) -> str:
        return super().text() + "\n"


class _TextWide(PilePosition, frozen=True):
    def text(self) -> str:
        return "\uff50\uff49\uff4c\uff45" * 14


class _TextWithEscape(PilePosition, frozen=True):
    def text(self) -> str:
        return f"\x1b[1m{super().text()}"


class _TextEmpty(PilePosition, frozen=True):
    def text(self) -> str:
        return ""


class _SerialisedOnTwoLines(PilePosition, frozen=True):
    def serialise(self) -> str:
        return f"{self.left}\n{self.ply}"


class _ForgetsThePly(Pile):
    def restore(self, text: str) -> PilePosition:
        return self._positions(super().restore(text).left, (PILE - int(text[0]) + 1) // 2)


class _LosesHistory(PilePosition, frozen=True):
    """Two twos in a row end the game; the text does not tell whether the last move was one."""

    last: str = ""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _LosesHistory) and (self.left, self.ply) == (other.left, other.ply)

    def __hash__(self) -> int:
        return hash((self.left, self.ply))

    def play(self, move: str) -> Self:
        left = 0 if move == self.last == "2" else super().play(move).left
        return type(self)(left, self.ply + 1, move)


class _RestoresWithSpaces(Pile):
    def restore(self, text: str) -> PilePosition:
        return super().restore(text.strip())


class _RestoresAnything(Pile):
    def restore(self, text: str) -> PilePosition:
        try:
            return super().restore(text)
        except MalformedPosition:
            return self.initial()


class _ValueErrorForTexts(Pile):
    def restore(self, text: str) -> PilePosition:
        left, ply = text.split()
        return self._positions(int(left), int(ply))


class _RestoresTheImpossible(Pile):
    """Takes a position in which more is left than the pile held, and which is neither on nor over."""

    def restore(self, text: str) -> PilePosition:
        match = re.fullmatch(r"([0-9]) ([0-9])", text)
        if match is None:
            raise MalformedPosition(text)
        return _Impossible(int(match[1]), int(match[2]))


class _Impossible(PilePosition, frozen=True):
    def __eq__(self, other: object) -> bool:
        return isinstance(other, PilePosition) and self.serialise() == other.serialise()

    def __hash__(self) -> int:
        return hash(self.serialise())

    @property
    def legal(self) -> tuple[str, ...]:
        return () if self.left > PILE else super().legal


FAULTY: list[tuple[str, Any]] = [
    ("names", _Ids()),
    ("names", _UpperAlias()),
    ("names", _ListOfAliases()),
    ("names", _TwiceNamed()),
    ("names", _Untitled()),
    ("names", _Unversioned()),
    ("start", _StartsLate()),
    ("start", _HasNoPosition()),
    ("start", _SecondSeatStarts),
    ("ply", _PlyByTwo),
    ("seats", _ThirdSeat),
    ("seats", _BoolSeat),
    ("legal", _LegalList),
    ("legal", _LegalTwice),
    ("legal", _LegalLong),
    ("legal", _LegalBlank),
    ("legal", _LegalRaises),
    ("legal", _StuckAtThree),
    ("play", _RefusesTwo),
    ("play", _PlaysToNothing),
    ("illegal", _TrimsMoves),
    ("illegal", _ReadsAnyDigit),
    ("illegal", _ValueErrorForMoves),
    ("end", _MovesAfterTheEnd),
    ("end", _SeatAfterTheEnd),
    ("end", _PlaysOnAfterTheEnd),
    ("legal", _NoOutcome),
    ("outcome", _WinnerTwo),
    ("outcome", _WordForOutcome),
    ("end", _EarlyOutcome),
    ("length", _Short()),
    ("length", _Endless()),
    ("immutable", _SharedBoard),
    ("immutable", _Mutable),
    ("immutable", _Loose()),
    ("immutable", _PlaysInPlace),
    ("determinism", _Numbered()),
    ("observation", _ObservedOutOfOrder),
    ("observation", _ObservedLess),
    ("observation", _ObservedWrongTurn),
    ("observation", _ObservedTuple),
    ("observation", _ObservedNan),
    ("observation", _ObservedSet),
    ("text", _TextWithLf),
    ("text", _TextWide),
    ("text", _TextWithEscape),
    ("text", _TextEmpty),
    ("serialise", _SerialisedOnTwoLines),
    ("serialise", _ForgetsThePly()),
    ("serialise", _LosesHistory),
    ("restore", _RestoresWithSpaces()),
    ("restore", _RestoresAnything()),
    ("restore", _ValueErrorForTexts()),
    ("restore", _RestoresTheImpossible()),
]


@pytest.mark.parametrize(("name", "faulty"), FAULTY, ids=lambda value: getattr(value, "__name__", type(value).__name__))
def test_each_fault_is_found_by_the_check_that_it_offends(name: str, faulty: Any) -> None:
    game = Pile(faulty) if isinstance(faulty, type) else faulty
    assert name in faults(game)


def test_every_check_is_shown_to_fail() -> None:
    assert {name for name, _ in FAULTY} == set(CHECKS)


@pytest.mark.parametrize(
    ("faulty", "name", "fault", "moves"),
    [
        (_RefusesTwo, "play", "'2' is in legal, but play raises", ()),
        (_PlyByTwo, "ply", "ply is 2 after 1 moves", ("1",)),
        (_ThirdSeat, "seats", "to_move is 2 before the end, not a seat from 0 to 1", ("1", "1")),
        (_StuckAtThree, "legal", "no move is legal, but outcome is None", ("2", "2")),
        (_WinnerTwo, "outcome", "the winner is 2, not -1 or a seat from 0 to 1", ("1", "2", "2", "2")),
        (_TrimsMoves, "illegal", "is not in legal, but play takes it", ()),
        (_ValueErrorForMoves, "illegal", "play raises ValueError", ()),
        (_TextWide, "text", "takes 112 columns, over 80", ()),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_a_fault_comes_with_the_fewest_moves_that_show_it(
    faulty: type[PilePosition], name: str, fault: str, moves: tuple[str, ...]
) -> None:
    (result,) = [result for result in check(Pile(faulty), games=GAMES).results if result.name == name]
    assert result.fault is not None
    assert fault in result.fault
    assert result.moves is not None
    assert len(result.moves) == len(moves)
    if name != "outcome":
        assert result.moves == moves


def test_a_game_without_an_initial_position_fails_every_check() -> None:
    report: Report = check(_HasNoPosition())
    assert report.positions == 0
    assert not any(result.passed for result in report.results)


def test_positions_of_the_house_satisfy_the_protocol() -> None:
    for game in (TTT, C4):
        assert isinstance(game, Game)
        assert isinstance(game.initial(), Position)
