"""The writer of finished matches: one thread that commits whatever has gathered.

`record` hands a match over and returns at once. The thread takes all that wait, commits them in the order in
which they came (`ledger.py`), and has the event loop call every `settled` of the batch in one go, so that no
player is told a result that is not on disk.

What happens when writing fails, in one place:

- Everybody who waits is told None, once: no rating is invented, and nobody waits for a disk.
- The matches are kept in order and tried again, after 0.1 s, then twice as long each time, up to 5 s.
- An error may come although the commit succeeded. So every second try asks first which matches are stored,
  and leaves those out; none is counted twice.
- If it is not the database that is at fault but the batch (a constraint, a value that can't be stored), the
  batch is tried once more as a whole and then match by match. One that fails alone is logged in full, kept in
  `set_aside`, and holds nobody up.
- On `close` there is a limit to the tries; what is not stored by then is logged in full.
"""

from __future__ import annotations

import asyncio
import queue
import threading
import time
from collections.abc import Callable, Sequence
from typing import Final

import structlog
from sqlalchemy import Connection
from sqlalchemy.exc import (
    DataError,
    DBAPIError,
    IntegrityError,
    InterfaceError,
    ProgrammingError,
    SQLAlchemyError,
)

from agentbbs.play.ports import FinishedMatch, Settled
from agentbbs.store import careers_fold, repeats
from agentbbs.store.database import BUSY_TIMEOUT_MS, Database, DatabaseFault
from agentbbs.store.ledger import Ledger, stored_ids
from agentbbs.store.match_rows import to_json

MAX_BATCH: Final = 512
"""Matches a transaction: about 40 ms, the longest that anybody else who writes should have to wait."""

GATHER_S: Final = 0.008
"""The least time between the starts of two commits. A match that comes after a pause is committed at once;
under load twice as many share a commit as without, at two thirds of the cost."""

FIRST_RETRY_S: Final = 0.1
"""A lock that somebody holds a moment too long is gone by then."""

MAX_RETRY_S: Final = 5.0
"""How soon we notice that there is room on the disk again."""

FOLD_MATCHES: Final = 1000
"""How many matches are left to `repeats.fold` and `careers_fold.fold` at most: 2 ms for who reads a ladder."""

FOLD_AT_ONCE: Final = 256
"""Of careers, matches a transaction: 20 ms where each is of other accounts. What waits is stored before the next."""

FOLD_REST_S: Final = 0.02
"""Between two of them while nothing waits, so that others who write get their turn."""

IDLE_S: Final = 1.0
"""After this long without a match the rest is folded."""

_log = structlog.get_logger(__name__)


class _Entry:
    """A match that waits; `settled` is None once it has been called."""

    __slots__ = ("match", "settled")

    def __init__(self, match: FinishedMatch, settled: Callable[[Settled | None], None]) -> None:
        self.match = match
        self.settled: Callable[[Settled | None], None] | None = settled


class MatchWriter:
    """Stores finished matches (`play.ports.MatchLog`). Call `start`, and `await close(…)` at the end.

    The counts are written by the thread and may be read from any: `commits`, `committed_matches`,
    `commit_seconds` (their sum), `commit_failures`, `largest_batch`.
    """

    def __init__(self, database: Database, loop: asyncio.AbstractEventLoop, *, gather_s: float = GATHER_S) -> None:
        self._database = database
        self._loop = loop
        self._gather_s = gather_s
        self._queue: queue.SimpleQueue[_Entry | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="agentbbs-match-writer", daemon=True)
        self._closing = threading.Event()
        self._deadline = 0.0
        self._ended = False
        self._ledger = Ledger()
        self._conn: Connection | None = None
        self._doubtful = False
        self._last_start = 0.0
        self._unfolded = FOLD_MATCHES
        self._careers_left = False
        self._recorded = 0
        self._done = 0
        self.healthy = True
        """False from the first write that the database refused until the next that succeeds."""
        self.set_aside: list[FinishedMatch] = []
        """Matches that can't be stored, whatever is tried; they are in the log in full."""
        self.commits = 0
        self.committed_matches = 0
        self.commit_seconds = 0.0
        self.commit_failures = 0
        self.largest_batch = 0

    def start(self) -> None:
        """Start the thread. Call once, after `Database.upgrade`."""
        self._thread.start()

    @property
    def pending(self) -> int:
        """Matches handed over that are neither stored nor set aside."""
        return self._recorded - self._done

    def record(self, match: FinishedMatch, settled: Callable[[Settled | None], None]) -> None:
        """Take `match`; see `play.ports.MatchLog.record`. Raises RuntimeError after `close`."""
        if self._closing.is_set():
            raise RuntimeError("the writer is closed: record every match before")
        self._recorded += 1
        self._queue.put(_Entry(match, settled))

    async def close(self, timeout_s: float) -> int:
        """Store what is left, trying for at most `timeout_s` seconds, and end the thread. When it returns, every
        `settled` has been called. Returns how many matches could not be stored (each is in the log in full)."""
        if self._thread.is_alive():
            self._deadline = time.monotonic() + timeout_s
            self._closing.set()
            self._queue.put(None)
            # One try may wait for a lock as long as the database's own patience lasts.
            await asyncio.to_thread(self._thread.join, timeout_s + 2 * BUSY_TIMEOUT_MS / 1000)
            if self._thread.is_alive():
                _log.error("match_writer_stuck", pending=self.pending)
        return self.pending

    def _run(self) -> None:
        waiting: list[_Entry] = []
        try:
            while self._take(waiting):
                self._write_out(waiting)
            self._fold()
            self._fold_careers()
        except BaseException:
            self.healthy = False
            _log.exception("match_writer_died", pending=self.pending)
            raise
        finally:
            self._disconnect()

    def _take(self, waiting: list[_Entry]) -> bool:
        """Wait for matches and take all that have gathered; False once the writer is closed and none is left."""
        while not waiting and not self._ended:
            rest = FOLD_REST_S if self._careers_left else IDLE_S if self._unfolded else None
            try:
                entry = self._queue.get(timeout=rest)
            except queue.Empty:
                if not self._careers_left:
                    self._fold()
                self._fold_careers()
                continue
            if entry is None:
                self._ended = True
            else:
                waiting.append(entry)
                self._pace()
        self._drain(waiting)
        return bool(waiting)

    def _pace(self) -> None:
        rest = self._last_start + self._gather_s - time.monotonic()
        if rest > 0 and not self._closing.is_set():
            time.sleep(rest)

    def _drain(self, waiting: list[_Entry]) -> None:
        while True:
            try:
                entry = self._queue.get_nowait()
            except queue.Empty:
                return
            if entry is None:
                self._ended = True
            else:
                waiting.append(entry)

    def _write_out(self, waiting: list[_Entry]) -> None:
        """Store all of `waiting`, however long it takes."""
        retry_s = FIRST_RETRY_S
        while waiting:
            stored = self._attempt(waiting[:MAX_BATCH])
            if stored:
                del waiting[:stored]
                retry_s = FIRST_RETRY_S
                continue
            self._tell([(entry, None) for entry in waiting])
            if self._closing.is_set() and time.monotonic() >= self._deadline:
                _log.error("matches_lost", matches=[to_json(entry.match) for entry in waiting])
                waiting.clear()
                self._ended = True
                return
            _log.error("matches_wait", waiting=len(waiting), retry_s=retry_s)
            if self._closing.wait(retry_s):
                time.sleep(FIRST_RETRY_S)
            retry_s = min(2 * retry_s, MAX_RETRY_S)
            self._drain(waiting)

    def _attempt(self, batch: Sequence[_Entry]) -> int:
        """Store `batch`; returns how many of its first matches are dealt with: all, or 0 if the database is
        at fault, or those before it was. Whatever is raised is logged, and the matches are kept."""
        for _ in range(2):
            try:
                self._store(batch)
            except Exception as fault:
                self._failed(fault)
                if _is_outage(fault):
                    return 0
            else:
                return len(batch)
        for done, entry in enumerate(batch):
            self._doubtful = True  # the same match may be in the batch twice
            try:
                self._store([entry])
            except Exception as fault:
                self._failed(fault)
                if _is_outage(fault):
                    return done
                self._put_aside(entry, fault)
        return len(batch)

    def _store(self, batch: Sequence[_Entry]) -> None:
        """Commit `batch` and have its players told. Raises whatever goes wrong."""
        started = time.monotonic()
        self._last_start = started
        conn = self._conn = self._conn or self._database.writing_connection()
        known: set[str] = set()
        if self._doubtful:
            with conn.begin():
                known = stored_ids(conn, [entry.match.id for entry in batch])
        fresh = [entry for entry in batch if entry.match.id not in known]
        settled = self._ledger.commit(conn, [entry.match for entry in fresh]) if fresh else []
        self._doubtful = False
        self.healthy = True
        self._done += len(batch)
        if fresh:
            self._count(len(fresh), time.monotonic() - started)
        self._tell(list(zip(fresh, settled, strict=True)))
        if known:
            _log.warning("matches_were_stored", matches=sorted(known))
            self._tell([(entry, None) for entry in batch if entry.match.id in known])
        if self._unfolded >= FOLD_MATCHES:
            self._fold()
        if self._careers_left:
            self._fold_careers()

    def _count(self, matches: int, seconds: float) -> None:
        self.commits += 1
        self.committed_matches += matches
        self.commit_seconds += seconds
        self.largest_batch = max(self.largest_batch, matches)
        self._unfolded += matches

    def _failed(self, fault: Exception) -> None:
        self.commit_failures += 1
        self._doubtful = True
        self._disconnect()
        if _is_outage(fault):
            self.healthy = False
            _log.error("matches_not_stored", fault=_text(fault))
        else:
            _log.warning("batch_not_stored", fault=_text(fault))

    def _put_aside(self, entry: _Entry, fault: Exception) -> None:
        self._done += 1
        self.set_aside.append(entry.match)
        _log.error("match_set_aside", fault=_text(fault), match=to_json(entry.match))
        self._tell([(entry, None)])

    def _fold(self) -> None:
        """Count repeated lines; careers are next. Not a match's business: if it fails, a later one catches up."""
        self._unfolded = 0
        self._careers_left = True
        self._count_beside("lines_not_counted", repeats.fold)

    def _fold_careers(self) -> None:
        """Count the oldest `FOLD_AT_ONCE` of the matches that careers lack."""
        counted = self._count_beside("careers_not_counted", careers_fold.fold, FOLD_AT_ONCE)
        self._careers_left = counted == FOLD_AT_ONCE

    def _count_beside(self, failed: str, fold: Callable[..., int], *most: int) -> int:
        try:
            conn = self._conn = self._conn or self._database.writing_connection()
            with conn.begin():
                return fold(conn, *most)
        except (SQLAlchemyError, DatabaseFault) as fault:
            self._disconnect()
            _log.warning(failed, fault=_text(fault))
            return 0

    def _disconnect(self) -> None:
        """After an error nothing is known about a connection: take a new one."""
        conn, self._conn = self._conn, None
        if conn is not None:
            conn.invalidate()
            conn.close()

    def _tell(self, news: Sequence[tuple[_Entry, Settled | None]]) -> None:
        """Have the event loop call the callbacks of these entries, once each."""
        calls = []
        for entry, settled in news:
            if entry.settled is not None:
                calls.append((entry.settled, settled))
                entry.settled = None
        if not calls:
            return
        try:
            self._loop.call_soon_threadsafe(_call, calls)
        except RuntimeError:
            _log.warning("nobody_to_tell", matches=len(calls))  # the loop is closed: the venue has ended


def _call(calls: Sequence[tuple[Callable[[Settled | None], None], Settled | None]]) -> None:
    # One player's fault must not keep the others from their results.
    for callback, settled in calls:
        try:
            callback(settled)
        except Exception:
            _log.exception("settled_failed")


def _is_outage(fault: Exception) -> bool:
    """Whether the database is at fault (locked, full, gone), and not what it was given."""
    if isinstance(fault, IntegrityError | DataError | InterfaceError | ProgrammingError):
        return False
    return isinstance(fault, DBAPIError | DatabaseFault | OSError)


def _text(fault: Exception) -> str:
    return f"{type(fault).__name__}: {fault.orig if isinstance(fault, DBAPIError) else fault}"
