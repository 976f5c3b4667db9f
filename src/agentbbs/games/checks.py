"""The checks of the conformance kit: what each demands of a game, and how it looks.

A check is a generator over one visited position that yields a sentence for each fault it sees; the
first counts. An exception that escapes from a check is a fault like any other, because the contract
of `game.py` names every exception that a game may raise. `conformance.py` makes the visits.
"""

from __future__ import annotations

import unicodedata
import zlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import msgspec

from agentbbs.games import catalog
from agentbbs.games.game import NOBODY, Game, IllegalMove, MalformedPosition, Outcome, Position
from agentbbs.games.splitmix import SplitMix

SEATS: Final = 2
"""Every match of the house has two."""

MAX_MOVE_CHARS: Final = 16
"""A move is typed by people and models; the longest in sight, a chess move with a promotion, has 5."""

MAX_PLIES: Final = 10_000
"""A game without end would hold its seats for ever; the longest possible chess game has 5,898 moves a side."""

MAX_TEXT_COLUMNS: Final = 80
"""The width of a caller's terminal."""

_ODD: Final = ("", " ", "\n", "\0", "-1", "+1", "01", "1.0", "1e0", "1_0", "\uff11", "\u0661", "9" * 400)
_ODDER: Final = ("a", "h", "?", "????", "resign?", "None", "null", "{}", "[]", "\ud800", "\u202e1", "e\u0301")
"""What few games take for a move or a position: empty, blank, signed, padded, other digits, long, words, no text."""


_MOVES_AGO: Final = 8
"""So many moves of the game so far are tried again: in most games they are not legal any more."""


class Visit(msgspec.Struct, frozen=True):
    """A position under examination, `moves` the way to it.

    `twin` and `victim` come of the same moves, each played from an `initial()` of its own: one to
    compare with, one to maltreat. Game and positions are Any, because what is examined may be anything.
    """

    game: Any
    moves: tuple[str, ...]
    position: Any
    twin: Any
    victim: Any
    seed: int

    def after(self, move: str) -> Visit:
        """The visit one move on. Raises whatever the game raises."""
        position, twin, victim = self.position.play(move), self.twin.play(move), self.victim.play(move)
        seed = zlib.crc32(repr(move).encode(), self.seed & 0xFFFF_FFFF)
        return Visit(self.game, (*self.moves, move), position, twin, victim, seed)

    def random(self) -> SplitMix:
        """A generator that depends on the first seed and the moves alone, so that a check repeats exactly."""
        return SplitMix(self.seed)


def _facts(position: Any) -> str:
    """All that the contract lets one see of a position, as text that can't change with it."""
    seen = (position.ply, position.to_move, position.legal, position.outcome, position.observation())
    return repr((*seen, position.text(), position.serialise()))


def _is_line(value: object) -> bool:
    return isinstance(value, str) and value != "" and value.isprintable()


def _is_count(value: object, low: int, high: int) -> bool:
    """Whether `value` is an int, and no bool, from `low` to `high`."""
    return type(value) is int and low <= value <= high


def _names(visit: Visit) -> Iterator[str]:
    if visit.moves:
        return
    game = visit.game
    if not isinstance(game, Game):
        yield f"{type(game).__name__} has not all the members of Game"
    if not isinstance(game.aliases, tuple):
        yield f"aliases is {game.aliases!r}, not a tuple"
    names = (game.id, *game.aliases)
    for name in names:
        if not isinstance(name, str) or catalog.NAME.fullmatch(name) is None:
            yield f"the id or alias {name!r} does not match {catalog.NAME.pattern}"
    if len(set(names)) != len(names):
        yield f"a name stands twice among the id and aliases {names!r}"
    if not _is_line(game.title):
        yield f"title is {game.title!r}, not one printable line"
    if not _is_count(game.version, 1, 1 << 31):
        yield f"version is {game.version!r}, not a number from 1"


def _start(visit: Visit) -> Iterator[str]:
    if visit.moves:
        return
    position = visit.position
    if not isinstance(position, Position):
        yield f"{type(position).__name__} has not all the members of Position"
    if (position.ply, position.to_move, position.outcome) != (0, 0, None):
        yield (
            f"the initial position has ply {position.ply!r}, to_move {position.to_move!r} and "
            f"outcome {position.outcome!r}, not 0, 0 and None"
        )


def _ply(visit: Visit) -> Iterator[str]:
    if not _is_count(visit.position.ply, len(visit.moves), len(visit.moves)):
        yield f"ply is {visit.position.ply!r} after {len(visit.moves)} moves"


def _seats(visit: Visit) -> Iterator[str]:
    position = visit.position
    if position.outcome is None and not _is_count(position.to_move, 0, SEATS - 1):
        yield f"to_move is {position.to_move!r} before the end, not a seat from 0 to {SEATS - 1}"


def _legal(visit: Visit) -> Iterator[str]:
    legal = visit.position.legal
    if not isinstance(legal, tuple):
        yield f"legal is a {type(legal).__name__}, not a tuple"
    for move in legal:
        if not _is_line(move) or len(move) > MAX_MOVE_CHARS or move != move.strip():
            yield f"the move {move!r} is not 1 to {MAX_MOVE_CHARS} printable characters without outer spaces"
    if len(set(legal)) != len(legal):
        yield f"a move stands twice in {legal!r}"
    if not legal and visit.position.outcome is None:
        yield "no move is legal, but outcome is None"


def _play(visit: Visit) -> Iterator[str]:
    for move in visit.position.legal:
        try:
            after = visit.position.play(move)
        except IllegalMove as fault:
            yield f"{move!r} is in legal, but play raises {fault!r:.200}"
        else:
            if type(after) is not type(visit.position) and not isinstance(after, Position):
                yield f"playing {move!r} gives a {type(after).__name__}, which is no Position"


def _illegal(visit: Visit) -> Iterator[str]:
    position, rng = visit.position, visit.random()
    move = rng.choice(position.legal or ("0",))
    near = (f" {move}", f"{move} ", f"{move}\n", f"{move}\0", f"0{move}", f"+{move}", move * 2, move.swapcase())
    wide = "".join(chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char for char in move)
    noise = "".join(rng.choice("0123456789abcdefgh-x ") for _ in range(1 + rng.below(3)))
    tried = (*_ODD, *_ODDER, *near, wide, noise, *visit.moves[-_MOVES_AGO:], *visit.game.initial().legal)
    yield from _accepted(position, tried)


def _accepted(position: Any, moves: Sequence[str]) -> Iterator[str]:
    """A fault for each of `moves` that is not legal and yet not refused with IllegalMove."""
    for move in moves:
        if move in position.legal:
            continue
        try:
            position.play(move)
        except IllegalMove:
            continue
        except Exception as fault:  # any other exception is the fault looked for
            yield f"{move!r} is not in legal, and play raises {fault!r:.200} where IllegalMove is due"
        else:
            yield f"{move!r} is not in legal, but play takes it"


def _end(visit: Visit) -> Iterator[str]:
    position = visit.position
    if position.outcome is None:
        return
    if position.to_move != NOBODY:
        yield f"to_move is {position.to_move!r} after the end, not {NOBODY}"
    if position.legal != ():
        yield f"legal is {position.legal!r} after the end, not ()"
    yield from _accepted(position, visit.game.initial().legal)


def _outcome(visit: Visit) -> Iterator[str]:
    outcome = visit.position.outcome
    if outcome is None:
        return
    if not isinstance(outcome, Outcome):
        yield f"outcome is {outcome!r}, not an Outcome"
    if not _is_count(outcome.winner, NOBODY, SEATS - 1):
        yield f"the winner is {outcome.winner!r}, not -1 or a seat from 0 to {SEATS - 1}"


def _length(visit: Visit) -> Iterator[str]:
    limit = visit.game.max_plies
    if not _is_count(limit, 1, MAX_PLIES):
        yield f"max_plies is {limit!r}, not a number from 1 to {MAX_PLIES}"
    if len(visit.moves) >= limit and visit.position.outcome is None:
        yield f"the game goes on after {len(visit.moves)} plies, and max_plies is {limit}"


def _immutable(visit: Visit) -> Iterator[str]:
    position = visit.victim
    before = _facts(position)
    _vandalise(position.observation())
    if _facts(position) != before:
        yield "a caller who changes the observation changes the position"
    _vandalise(position.legal)
    if _facts(position) != before:
        yield "a caller who changes legal changes the position"
    for move in tuple(position.legal):
        position.play(move)
    if _facts(position) != before:
        yield "playing its moves changes a position"
    for name in ("ply", "to_move", "legal", "outcome"):
        try:
            setattr(position, name, getattr(position, name))
        except (AttributeError, TypeError):
            continue
        yield f"{name} of a position can be assigned to"


def _vandalise(value: Any) -> None:
    """Empty every list and dict in `value`, the innermost first."""
    if isinstance(value, dict | list):
        for inner in list(value.values() if isinstance(value, dict) else value):
            _vandalise(inner)
        value.clear()


def _determinism(visit: Visit) -> Iterator[str]:
    if visit.twin != visit.position or _facts(visit.twin) != _facts(visit.position):
        yield "the same moves, played again, lead to another position"


def _observation(visit: Visit) -> Iterator[str]:
    position = visit.position
    shown = position.observation()
    if not isinstance(shown, dict) or list(shown) != ["board", "toMove", "legal"]:
        yield f"the observation is not a dict of board, toMove and legal in that order: {shown!r:.200}"
    if msgspec.json.decode(msgspec.json.encode(shown)) != shown:
        yield f"the observation holds values that JSON has not: {shown!r:.200}"
    if shown["toMove"] != position.to_move or shown["legal"] != list(position.legal):
        yield f"toMove and legal of the observation are not those of the position: {shown!r:.200}"


def _text(visit: Visit) -> Iterator[str]:
    text = visit.position.text()
    if not isinstance(text, str) or not text.strip():
        yield f"text is {text!r:.80}, not a board"
    if text.endswith("\n"):
        yield "text ends with LF"
    for line in text.split("\n"):
        if not line.isprintable():
            yield f"a line of text holds a character that can't be printed: {line!r:.100}"
        columns = sum(2 if unicodedata.east_asian_width(char) in "FW" else 1 for char in line)
        if columns > MAX_TEXT_COLUMNS:
            yield f"a line of text takes {columns} columns, over {MAX_TEXT_COLUMNS}: {line!r:.100}"


def _serialise(visit: Visit) -> Iterator[str]:
    position, text = visit.position, visit.position.serialise()
    if not _is_line(text):
        yield f"serialise gives {text!r:.100}, not one printable line"
    restored = visit.game.restore(text)
    if restored != position or _facts(restored) != _facts(position):
        yield f"restore gives another position than was serialised as {text!r:.200}"
    if position.legal:
        move = visit.random().choice(position.legal)
        if _facts(restored.play(move)) != _facts(position.play(move)):
            yield f"{move!r} leads elsewhere from the restored position: {text!r:.200} lost something"


def _restore(visit: Visit) -> Iterator[str]:
    text, rng = visit.position.serialise(), visit.random()
    if not _is_line(text):
        return
    here, there = rng.below(len(text)), rng.below(len(text))
    low, high = min(here, there), max(here, there)
    near = (f" {text}", f"{text} ", f"{text}\n", text[:here], text * 2, text.swapcase(), text[:here] + text[here + 1 :])
    swapped = text[:low] + text[high] + text[low + 1 : high] + text[low] + text[high + 1 :]
    changed = text[:here] + rng.choice(text + "0123456789-/. xX") + text[here + 1 :]
    odd = () if visit.moves else (*_ODD, *_ODDER)
    for tried in (*odd, *near, swapped if low != high else text, changed):
        try:
            restored = visit.game.restore(tried)
        except MalformedPosition:
            continue
        except Exception as fault:  # any other exception is the fault looked for
            yield f"restore of {tried!r:.200} raises {fault!r:.200} where MalformedPosition is due"
        else:
            if restored.serialise() != tried:
                yield f"restore takes {tried!r:.200} for {restored.serialise()!r:.200}"
            if (restored.outcome is None) != (restored.legal != ()):
                yield f"restore takes {tried!r:.200}, a position that is neither on nor over"


Check = Callable[[Visit], Iterator[str]]

CHECKS: Final[dict[str, tuple[str, Check]]] = {
    "names": ("id, aliases, title and version are well formed", _names),
    "start": ("the initial position has ply 0, seat 0 to move and no outcome", _start),
    "ply": ("ply counts the moves played", _ply),
    "seats": ("before the end, to_move is a seat", _seats),
    "legal": ("legal is a tuple of different short printable moves, not empty before the end", _legal),
    "play": ("every legal move can be played", _play),
    "illegal": ("every other string raises IllegalMove", _illegal),
    "end": ("after the end to_move is -1, legal is () and play raises IllegalMove", _end),
    "outcome": ("outcome is None before the end, then an Outcome with a seat or -1", _outcome),
    "length": ("no game is longer than max_plies", _length),
    "immutable": ("nothing that a caller does changes a position", _immutable),
    "determinism": ("the same moves lead to the same position", _determinism),
    "observation": ("the observation is JSON: board, toMove and legal, as the position has them", _observation),
    "text": ("text is printable, at most 80 columns wide, without a final LF", _text),
    "serialise": ("restore undoes serialise at every ply", _serialise),
    "restore": ("restore takes nothing but what serialise writes, and raises MalformedPosition", _restore),
}
"""Every check: its name, what it demands of a game, and how it looks."""
