"""The offline referee: rules on a saved match again, from the file alone.

It plays the match through `play.match.Match` with the events and times that the file records, under the
rules version it names, and compares. `agentbbs verify-replay` prints what it finds.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from agentbbs.games import catalog
from agentbbs.games.game import NOBODY, Game, IllegalMove, Position
from agentbbs.play.match import (
    FORFEIT,
    MAX_OFFERED_CHARS,
    STRIKES,
    Aborted,
    Begun,
    DeadlinePassed,
    Disconnected,
    Faulted,
    Handed,
    Match,
    Moved,
    Phase,
    Policy,
    Resigned,
)
from agentbbs.play.ports import ARENA_TRANSPORT, FinishedMatch, Player, StrikeKind
from agentbbs.play.replay import (
    SavedMatch,
    SavedOutcome,
    SavedPly,
    SavedStrike,
    answers,
    clocks,
    digest,
    no_rules,
    positions,
    shown,
)
from agentbbs.protocol import arena_board
from agentbbs.protocol.agentgames import Termination
from agentbbs.protocol.arena import FAULTS
from agentbbs.protocol.strikes import StrikeRow
from agentbbs.ratings import elo

RATING_TOLERANCE: Final = 1e-6
"""Two machines may differ in the last digits of 10 ** x."""

TIMEOUT_TOLERANCE_MS: Final = 5
"""A seat that calls an endpoint keeps the deadline itself, by a timer that may ring that much early."""

_ROWS: Final = frozenset(map(str, StrikeRow))


def referee(saved: SavedMatch) -> tuple[str, ...]:
    """Every sentence in which the file is wrong, by playing the match again; () when it verifies.

    A seat of Agent Arena has its three strikes. The other failure policies are not in the file, and follow from
    it: a seat that forfeits by an illegal move or a timeout had one fault, a seat that forfeits by strikes had as
    many as the file shows. What the file can't show (who left, of a match that is not rated) is taken as it
    stands."""
    wrong = [*_of_itself(saved), *_of_requests(saved), *_of_ratings(saved)]
    game = catalog.GAMES.get(saved.game)
    if game is None or game.version != saved.rules:
        return (*wrong, no_rules(saved, game))
    by_rules = tuple(_of_moves(saved, game))
    if by_rules:
        return (*wrong, *by_rules)
    return (*wrong, *_of_strikes(saved, game), *_of_match(saved, game))


def _of_itself(saved: SavedMatch) -> Iterator[str]:
    """What is wrong without a look at the rules."""
    if saved.digest is not None and saved.digest != digest(saved):
        yield "the digest does not fit: the file was changed or damaged after it was saved"
    if saved.ended < saved.started:
        yield "it ended before it started"
    times = [answer.ms for answer in answers(saved)]
    if sum(times) > saved.ended - saved.started + len(times):  # each time was rounded to a ms
        yield f"the clocks ran for {sum(times)} ms, the match for {saved.ended - saved.started} ms"
    limits = clocks(saved)
    for number, ply in enumerate(saved.plies):
        if ply.ply != number:
            yield f"ply {number} is numbered {ply.ply}"
        if ply.ms > limits[ply.player]:
            yield f"ply {number} took {ply.ms} ms and was accepted, where {limits[ply.player]} ms was the limit"
    outcome = saved.outcome
    if outcome.termination is Termination.TIMEOUT and outcome.winner != NOBODY and saved.unplayed:
        limit, last = limits[1 - outcome.winner], saved.unplayed[-1]
        if last.ms < limit - 1:
            yield f"a forfeit by timeout after {last.ms} ms, where {limit} ms was the limit"


def _of_requests(saved: SavedMatch) -> Iterator[str]:
    """What is wrong with when the requests went out, and with their nonces."""
    nonces: set[str] = set()
    free_ms = 0
    for number, answer in enumerate(answers(saved)):
        if answer.nonce is not None and answer.nonce in nonces:
            yield f"the nonce {shown(answer.nonce)} stands twice: every request has its own"
        if answer.nonce is not None:
            nonces.add(answer.nonce)
        if answer.asked_ms is None:
            free_ms += answer.ms
            continue
        if answer.asked_ms + 1 + number < free_ms:  # each time was rounded to a ms
            yield f"a request went out at {answer.asked_ms} ms, before the answer that came at {free_ms} ms"
        free_ms = answer.asked_ms + answer.ms
    if free_ms > saved.ended - saved.started + 1 + len(nonces):
        yield f"the last answer came at {free_ms} ms, and the match ended at {saved.ended - saved.started} ms"


def _of_ratings(saved: SavedMatch) -> Iterator[str]:
    """What is wrong with the ratings: Elo where it is rated, as they were where it is not."""
    one, other = saved.players
    outcome = saved.outcome
    if not outcome.rated:
        for seat, player in enumerate(saved.players):
            if player.rating_before != player.rating_after:
                yield f"the match is not rated, but the rating of player {seat} changed"
        return
    if one.rating_before is None or other.rating_before is None:
        yield "a rated match without the ratings of both players"
        return
    score = {0: 1.0, 1: 0.0, NOBODY: 0.5}[outcome.winner]
    right = elo.updated(one.rating_before, other.rating_before, score)
    for seat, (player, rating) in enumerate(zip(saved.players, right, strict=True)):
        if player.rating_after is None or abs(player.rating_after - rating) > RATING_TOLERANCE:
            yield f"the rating of player {seat} should be {rating:.3f} after the match, and is {player.rating_after}"


def _of_moves(saved: SavedMatch, game: Game) -> Iterator[str]:
    """What is wrong by the rules alone; nothing after the first wrong move can be judged."""
    position = game.initial()
    for number, ply in enumerate(saved.plies):
        if position.outcome is not None:
            yield f"the game went on after it was over: its last move was ply {number - 1}, and ply {number} follows"
            return
        if ply.player != position.to_move:
            yield f"ply {number} is of player {ply.player}, where player {position.to_move} was to move"
        try:
            position = position.play(ply.move)
        except IllegalMove:
            yield f"ply {number}: {shown(ply.move)} is illegal; legal were {', '.join(position.legal)}"
            return


def _of_strikes(saved: SavedMatch, game: Game) -> Iterator[str]:
    """What is wrong with single strikes; the moves of the match are legal."""
    played = positions(saved)
    here = [ply.strikes for ply in saved.plies] + [saved.unplayed]
    for number, (position, strikes) in enumerate(zip(played, here, strict=True)):
        for strike in strikes:
            if strike.kind not in _ROWS:
                yield f"the strike at ply {number} is of no kind that there is: {shown(strike.kind)}"
            elif position.to_move != NOBODY and _is_arena(saved, position.to_move):
                yield from _of_arena_strike(strike, number, position, game, clocks(saved)[position.to_move])


def _of_arena_strike(strike: SavedStrike, number: int, position: Position, game: Game, limit_ms: int) -> Iterator[str]:
    """What is wrong with a strike of an endpoint, whose moves are called as Agent Arena calls them."""
    if strike.kind == StrikeRow.ILLEGAL_MOVE and strike.offered is None:
        yield f"the strike at ply {number} does not say which move was illegal"
    elif strike.kind == StrikeRow.ILLEGAL_MOVE and _was_legal(strike.offered or "", position, game):
        yield f"the strike at ply {number} is none: {shown(strike.offered)} was a legal move"
    elif strike.kind == StrikeRow.TIMEOUT and strike.ms < limit_ms - TIMEOUT_TOLERANCE_MS:
        yield f"the strike at ply {number} is a timeout after {strike.ms} ms, where {limit_ms} ms was the limit"


def _was_legal(offered: str, position: Position, game: Game) -> bool:
    """Whether an endpoint might have played that; one that was cut is taken to have been longer."""
    return len(offered) < MAX_OFFERED_CHARS and offered in arena_board.view(game, position).legal


def _is_arena(saved: SavedMatch, seat: int) -> bool:
    return saved.players[seat].transport == ARENA_TRANSPORT


def _of_match(saved: SavedMatch, game: Game) -> Iterator[str]:
    """What is wrong with the strikes and the end, by playing the match again; its moves are legal."""
    outcome = saved.outcome
    if outcome.winner == NOBODY and outcome.termination not in (Termination.NORMAL, Termination.SERVER):
        yield f"a match that ends by {outcome.termination} has a winner"
        return
    again = _Again(saved, game)
    for number, ply in enumerate(saved.plies):
        yield from again.strikes(ply.strikes)
        if again.match.phase is Phase.OVER:
            yield f"the match went on with ply {number} after a strike there had ended it"
            return
        again.move(ply)
    yield from again.strikes(saved.unplayed)
    again.end()
    right = again.match.finished
    if right is None:
        what = "the game is not over" if outcome.termination is Termination.NORMAL else "no strike at the end shows it"
        yield f"the termination {outcome.termination} does not fit: {what}"
    elif right.termination is not outcome.termination:
        yield f"the termination should be {right.termination}, and is {outcome.termination}"
    else:
        yield from _of_outcome(outcome, right)


def _of_outcome(said: SavedOutcome, right: FinishedMatch) -> Iterator[str]:
    """Where the outcome is not the one that the match came to; both name one termination."""
    for field in ("winner", "reason", "rated", "why"):
        is_, should = getattr(said, field), getattr(right, field)
        if is_ != should:
            yield f"`{field}` should be {shown(should)}, and is {shown(is_)}"
    if right.termination is Termination.SERVER and not (right.reason or "").startswith("void: "):
        yield f"the reason of a void match begins with 'void: ', and this is {shown(said.reason)}"


class _Again:
    """A match played again from its file, each event at the recorded time."""

    def __init__(self, saved: SavedMatch, game: Game) -> None:
        outcome = saved.outcome
        void = outcome.termination is Termination.SERVER
        one, other = (Player(None, player.name, player.transport, player.clock_ms) for player in saved.players)
        self._saved = saved
        self._policies = _policies(saved, game)
        self._at = 0.0
        self.match = Match(
            saved.match,
            game,
            (one, other),
            self._policies,
            move_timeout_ms=saved.move_timeout_ms,
            started_ms=saved.started,
            why_unrated=None if outcome.rated or void else outcome.why,
        )
        self.match.handle(Begun(self._at))

    def strikes(self, strikes: tuple[SavedStrike, ...]) -> Iterator[str]:
        """Hand over each strike as what brought it about; the sentences say which were none.

        A seat of many strikes may speak another notation than the game's own, so that an illegal move is
        put to the rules only where the first fault forfeits; and an endpoint's timeout is as its seat saw it."""
        match = self.match
        for strike in strikes:
            if match.phase is Phase.OVER:
                yield "a strike follows the end of the match"
                return
            seat, ply = match.position.to_move, match.position.ply
            self._hand(seat, strike.ms)
            if strike.kind == StrikeKind.TIMEOUT and not _is_arena(self._saved, seat):
                match.handle(DeadlinePassed(self._at, seat, ply))
            elif strike.kind == StrikeKind.ILLEGAL_MOVE and self._policies[seat] == FORFEIT:
                match.handle(Moved(self._at, seat, strike.offered or "", ply))
            else:
                match.handle(Faulted(self._at, seat, strike.kind, strike.offered))
            if match.position.ply != ply:
                yield f"the strike at ply {ply} is none: {shown(strike.offered)} was a legal move"

    def move(self, ply: SavedPly) -> None:
        """Play an accepted move."""
        seat = self.match.position.to_move
        self._hand(seat, ply.ms)
        self.match.handle(Moved(self._at, seat, ply.move, ply.ply, ply.reason, ply.nonce))

    def end(self) -> None:
        """Hand over what ended a match that no move and no strike ended."""
        outcome = self._saved.outcome
        loser = 1 - outcome.winner
        if outcome.termination is Termination.RESIGN:
            self.match.handle(Resigned(self._at, loser))
        elif outcome.termination is Termination.DISCONNECT:
            self.match.handle(Disconnected(self._at, loser))
        elif outcome.termination is Termination.SERVER:
            self.match.handle(Aborted(self._at, outcome.reason or ""))

    def _hand(self, seat: int, ms: int) -> None:
        """The seat is asked, and `ms` pass."""
        self.match.handle(Handed(self._at, seat))
        self._at += ms / 1000


def _policies(saved: SavedMatch, game: Game) -> tuple[Policy, Policy]:
    """How many faults each seat was allowed, as far as the file shows it; its moves are legal."""
    faults = [0, 0]
    position = game.initial()
    for ply in saved.plies:
        faults[position.to_move] += len(ply.strikes)
        position = position.play(ply.move)
    faults[max(0, position.to_move)] += len(saved.unplayed)
    allowed = [count + 1 for count in faults]
    ended_by, loser = saved.outcome.termination, 1 - saved.outcome.winner
    if ended_by in (Termination.ILLEGAL_MOVE, Termination.TIMEOUT):
        allowed[loser] = FORFEIT.faults
    elif ended_by is Termination.STRIKES:
        allowed[loser] = max(FORFEIT.faults, faults[loser])
    first, second = (FAULTS if _is_arena(saved, seat) else allowed[seat] for seat in (0, 1))
    return STRIKES(first), STRIKES(second)
