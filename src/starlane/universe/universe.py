"""A universe: a world in one SQLite file that many processes share, or in memory for one."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self

import msgspec

from starlane.dice import Dice
from starlane.engine.perform import perform
from starlane.engine.ports import Lanes
from starlane.orders import OPERATOR, Actor, NewDay, Order
from starlane.records import Lane, Pilot
from starlane.reports import Report
from starlane.rules.charts import Charts
from starlane.settings import Clock, Settings
from starlane.universe import file, journal
from starlane.universe.faults import UniverseDamaged, UniverseFault, UniverseMissing, UniverseReset
from starlane.universe.file import MEMORY
from starlane.universe.lock import WriteLock
from starlane.universe.transaction import Look, Transaction
from starlane.universe.trouble import trouble

if TYPE_CHECKING:
    from starlane.making.world import MadeWorld

MAX_CATCH_UP_DAYS: Final = 30
"""Made up for after a pause: ports are full and planets stand still by then, and the first caller waits for it."""

CHECKPOINT_ORDERS: Final = 500
"""Of all processes together; whose order is the last of them writes the log back, some 4 MB by then."""


_UNREADABLE: Final = "the universe can't be read"
_NO_RESET: Final = "the universe can't be reset"


class Universe:
    """An open universe; one thread uses it. Close it when done.

    What touches it raises UniverseFault when it can't be used any more: the disk is full, another process holds it for
    too long (UniverseBusy), or it was made anew meanwhile (UniverseReset).
    """

    def __init__(self, path: str | Path, connection: sqlite3.Connection, lock: WriteLock | None) -> None:
        """Of this package alone: see `make` and `open`."""
        self._path: Final = path
        self._connection: Final = connection
        self._lock: Final = lock
        self._own_changes = 0
        self._take_up()

    def _take_up(self) -> None:
        """Take the world that is in the file for one's own."""
        with trouble(self._path, _UNREADABLE):
            text, self._generation = self._connection.execute("SELECT settings, generation FROM world").fetchone()
        self._settings = msgspec.json.decode(text, type=Settings)
        self._lanes: Lanes | None = None

    # Coming to be

    @classmethod
    def make(cls, path: str | Path, settings: Settings, made: MadeWorld | None = None) -> Universe:
        """Make a world by `settings` and open it. The file appears whole or not at all; its folder is made if missing.

        `made` stands in for the world that the settings make. Raises UniverseFault if there is a file already.
        """
        if str(path) == MEMORY:
            connection = file.connect(MEMORY)
            try:
                file.fill(connection, settings, made)
                return cls(MEMORY, connection, None)
            except BaseException:
                connection.close()
                raise
        file.make_file(Path(path), settings, made)
        return cls.open(path)

    @classmethod
    def open(cls, path: str | Path) -> Universe:
        """Open a universe. Raises UniverseMissing if there is none, UniverseFault if it can't be used."""
        path = Path(path)
        if not _exists(path):
            raise UniverseMissing(f"there is no universe at {path}: make one with `starlane new`")
        with ExitStack() as opened:
            lock = file.open_lock(path)
            opened.callback(lock.close)
            connection = file.open_file(path, lock)
            opened.callback(connection.close)
            universe = cls(path, connection, lock)
            opened.pop_all()
            return universe

    @classmethod
    def open_or_make(cls, path: str | Path, settings: Settings) -> Universe:
        """Open a universe; where there is none, make it first by `settings`. Of several that come at once one makes."""
        try:
            return cls.open(path)
        except UniverseMissing:
            pass
        try:
            return cls.make(path, settings)
        except UniverseFault:
            if not _exists(Path(path)):
                raise
            return cls.open(path)  # another was faster

    def close(self) -> None:
        """Give the file back."""
        self._connection.close()
        if self._lock is not None:
            self._lock.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    @property
    def settings(self) -> Settings:
        """The numbers of this world."""
        return self._settings

    # Orders and views

    def perform(self, actor: Actor, order: Order) -> Report:
        """Carry out an order and write it into the journal, both or nothing.

        Raises Refused and Superseded as `engine.perform` does; whatever is raised, nothing has changed.
        """
        with self.transaction() as world:
            report, number = self._perform(world, actor, order)
        if number % CHECKPOINT_ORDERS == 0 and self._lock is not None:
            file.checkpoint(self._connection, self._in_line())
        return report

    @contextmanager
    def look(self) -> Iterator[Look]:
        """One consistent state to read from. It waits for nobody, and nobody waits for it; keep it short all the same,
        for the log of the file can't be cleared up meanwhile."""
        with trouble(self._path, _UNREADABLE):
            try:
                self._connection.execute("BEGIN")
                day, _ = self._state()
                yield Look(self._connection, self._settings, self._charts, day)
            finally:
                self._roll_back()

    @contextmanager
    def transaction(self) -> Iterator[Transaction]:
        """The world to change as one piece: kept when the block ends, taken back when it raises.

        Nothing of it is in the journal, and a replay knows nothing of it: play goes through `perform`.
        """
        with self._in_line(), trouble(self._path, "the universe can't be changed"):
            try:
                self._connection.execute("BEGIN IMMEDIATE")
                day, dice = self._state()
                world = Transaction(self._connection, self._settings, self._charts, day, Dice(dice))
                yield world
                state = (world.today, file.signed(world.dice.state))
                if state != (day, dice):
                    self._connection.execute("UPDATE world SET day = ?, dice = ?", state)
                self._connection.execute("COMMIT")
                self._own_changes += 1
            finally:
                self._roll_back()

    def changes(self) -> int:
        """A number that is a greater one when anybody has changed the world since it was asked for last."""
        with trouble(self._path, _UNREADABLE):
            row: tuple[int] = self._connection.execute("PRAGMA data_version").fetchone()
        return row[0] + self._own_changes

    # Days

    def catch_up(self, today: date) -> int:
        """Perform the days that have begun by the calendar since it was looked at last, MAX_CATCH_UP_DAYS at most, and
        return how many. The first look begins the count; a calendar set back does nothing until it has passed the last
        day again. Under Clock.MANUAL there is no calendar."""
        passed = 0
        if self._settings.clock is Clock.MANUAL:
            return passed
        while self._calendar() < today.isoformat():
            with self.transaction() as world:
                calendar = self._calendar()
                if not calendar:
                    begun = today
                else:
                    begun = max(date.fromisoformat(calendar), today - timedelta(days=MAX_CATCH_UP_DAYS))
                    if begun >= today:  # another process has just seen to it
                        break
                    self._perform(world, OPERATOR, NewDay())
                    begun += timedelta(days=1)
                    passed += 1
                self._connection.execute("UPDATE world SET calendar = ?", (begun.isoformat(),))
        return passed

    def _calendar(self) -> str:
        """The date, as ISO has it, that the day began on; empty before the first look."""
        with trouble(self._path, _UNREADABLE):
            return str(self._connection.execute("SELECT calendar FROM world").fetchone()[0])

    # Care

    def verify(self) -> list[str]:
        """What is wrong with this universe, a line each; nothing if it is sound. It reads everything, and what can't
        be read is the last line."""
        from starlane.universe.verify import faults  # noqa: PLC0415 - for operators; callers don't wait for it

        found: list[str] = []
        try:
            with self.look() as sky:
                for check in faults(sky):
                    found += check
        except UniverseDamaged as damage:
            found.append(str(damage))
        return found

    def journal(self) -> list[journal.Entry]:
        """All that was ordered since the world was made."""
        with trouble(self._path, _UNREADABLE):
            return list(journal.entries(self._connection))

    def reset(
        self, settings: Settings, backup: Path, *, while_aboard: bool = False, made: MadeWorld | None = None
    ) -> None:
        """Put a new world by `settings` in the place of this one, after a copy of it to `backup`, which must not exist.

        Other processes that are in the old world get UniverseReset for whatever they do next. Raises UniverseFault if
        pilots are aboard, but for `while_aboard`.
        """
        with self._in_line():
            aboard = [] if while_aboard else self._aboard()
            if aboard:
                raise UniverseFault(f"aboard are {', '.join(aboard)}: wait until they have left, or add --force")
            self._keep_copy(backup)
            with trouble(self._path, _NO_RESET):
                try:
                    self._connection.execute("BEGIN IMMEDIATE")
                    file.refill(self._connection, settings, made)
                    self._connection.execute("COMMIT")
                finally:
                    self._roll_back()
        self._own_changes += 1
        self._take_up()

    def _keep_copy(self, backup: Path) -> None:
        try:
            with trouble(self._path, f"{_NO_RESET}, for no copy can be kept at {backup}"):
                file.keep_copy(self._connection, backup)
        except OSError as error:
            raise UniverseFault(f"{_NO_RESET}, for no copy can be kept at {backup}: {error}") from error

    def _aboard(self) -> list[str]:
        with self.look() as sky:
            return [pilot.name for pilot in sky.find(Pilot, aboard=True)]

    # Within a transaction

    def _perform(self, world: Transaction, actor: Actor, order: Order) -> tuple[Report, int]:
        """The report, and the number of the order in the journal."""
        day = world.today
        report = perform(world, actor, order)
        return report, journal.enter(self._connection, day, actor, order)

    @contextmanager
    def _in_line(self) -> Iterator[None]:
        """With the lock of all writers."""
        if self._lock is None:
            yield
            return
        try:
            self._lock.acquire()
            yield
        finally:
            self._lock.release()

    def _state(self) -> tuple[int, int]:
        """The day, and the state of the dice as it is kept."""
        day, dice, generation = self._connection.execute("SELECT day, dice, generation FROM world").fetchone()
        if generation != self._generation:
            raise UniverseReset("The operator has made the world anew: enter once more.")
        return day, dice

    def _charts(self) -> Lanes:
        if self._lanes is None:
            rows = self._connection.execute("SELECT id, source, target FROM lane")
            self._lanes = Charts(Lane(id=id_, source=source, target=target) for id_, source, target in rows)
        return self._lanes

    def _roll_back(self) -> None:
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError as error:
        raise UniverseFault(f"the universe can't be used: {error}") from error
