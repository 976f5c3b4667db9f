"""A universe comes to be whole or not at all, and says plainly why it can't be used."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import date, timedelta
from pathlib import Path

import pytest
from tests.starlane.worlds import enroll, hand_made, pilot, place, six_sectors, small_world

from starlane.dice import Dice
from starlane.engine.refusal import Refused, Superseded
from starlane.orders import OPERATOR, Actor, Enter, Jot, Leave, NewDay
from starlane.records import Note, Pilot, Sector
from starlane.settings import Clock, Settings
from starlane.universe import file, schema
from starlane.universe.faults import UniverseBusy, UniverseDamaged, UniverseFault, UniverseMissing, UniverseReset
from starlane.universe.lock import WriteLock
from starlane.universe.replay import fingerprint
from starlane.universe.trouble import trouble
from starlane.universe.universe import MAX_CATCH_UP_DAYS, Universe

_SETTINGS = Settings(seed=7, sectors=20)


def test_a_world_is_made_with_its_folder_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "universe.db"
    with small_world(path, seed=3) as universe:
        ada = enroll(universe, "ada")
        place(universe, ada, credits=77)
        before = fingerprint(universe)
    with Universe.open(path) as universe:
        assert universe.settings == Settings(seed=3, sectors=40, clock=Clock.MANUAL)
        assert fingerprint(universe) == before
        assert pilot(universe, ada).credits == 77
        assert universe.verify() == []
    assert sorted(file.name for file in path.parent.iterdir()) == ["universe.db", "universe.db.lock"]


def test_a_seed_makes_a_world_in_a_file_as_in_memory(tmp_path: Path) -> None:
    with small_world(seed=9) as memory, small_world(tmp_path / "u.db", seed=9) as file, small_world(seed=10) as other:
        assert fingerprint(memory) == fingerprint(file)
        assert fingerprint(memory) != fingerprint(other)


def test_a_world_is_never_made_over_another(tmp_path: Path) -> None:
    path = tmp_path / "universe.db"
    six_sectors(path).close()
    with pytest.raises(UniverseFault, match=r"there is a universe at .* already"):
        six_sectors(path)


def test_what_a_killed_maker_left_is_cleared_up(tmp_path: Path) -> None:
    path = tmp_path / "universe.db"
    for leftover in ("universe.db.making", "universe.db.making-journal"):
        (tmp_path / leftover).write_bytes(b"half a world")
    six_sectors(path).close()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["universe.db", "universe.db.lock"]


def test_a_making_that_fails_leaves_no_universe(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="sectors"):
        Universe.make(tmp_path / "universe.db", Settings(seed=1, sectors=3))
    with pytest.raises(UniverseMissing, match="make one with `starlane new`"):
        Universe.open(tmp_path / "universe.db")


def test_a_place_where_nothing_can_be_made_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UniverseFault, match="no universe can be made at"):
        six_sectors(tmp_path / "file" / "universe.db")


def test_open_or_make(tmp_path: Path) -> None:
    path = tmp_path / "universe.db"
    with Universe.open_or_make(path, _SETTINGS) as first, Universe.open_or_make(path, Settings(seed=8)) as second:
        assert first.settings == second.settings == _SETTINGS
    path.write_bytes(b"no database" * 100)
    with pytest.raises(UniverseFault, match="can't be used"):
        Universe.open_or_make(path, _SETTINGS)


def _foreign(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA application_id = 1")


def _newer(connection: sqlite3.Connection) -> None:
    connection.execute(f"PRAGMA user_version = {schema.VERSION + 1}")


def _older(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA user_version = 0")


@pytest.mark.parametrize(
    ("spoil", "told"),
    [(_foreign, "no Starlane universe"), (_newer, "install the newer one"), (_older, "too old to be read")],
)
def test_files_that_are_not_ours_are_told_apart(
    tmp_path: Path, spoil: Callable[[sqlite3.Connection], None], told: str
) -> None:
    path = tmp_path / "universe.db"
    six_sectors(path).close()
    with closing(sqlite3.connect(path)) as connection:
        spoil(connection)
    with pytest.raises(UniverseFault, match=told):
        Universe.open(path)


def test_an_older_file_is_brought_up_step_by_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "universe.db"
    six_sectors(path).close()
    steps = []
    monkeypatch.setattr(schema, "MIGRATIONS", {schema.VERSION + n: lambda _, n=n: steps.append(n) for n in (0, 1)})
    monkeypatch.setattr(schema, "VERSION", schema.VERSION + 2)
    Universe.open(path).close()
    Universe.open(path).close()
    assert steps == [0, 1]


def test_an_order_and_its_line_in_the_journal_are_one() -> None:
    with six_sectors() as universe:
        ada = enroll(universe, "ada")
        universe.perform(ada, Jot(body="first"))
        with pytest.raises(Refused):
            universe.perform(ada, Jot(body=""))
        with pytest.raises(Superseded):
            universe.perform(Actor(ada.pilot, ada.session - 1), Jot(body="from the dead"))
        universe.perform(OPERATOR, NewDay())
        universe.perform(ada, Jot(body="second"))
        orders = [(entry.seq, entry.day, entry.actor, entry.order) for entry in universe.journal()]
        assert orders == [
            (1, 0, OPERATOR, Enter(key="name:ada", name="ada")),
            (2, 0, ada, Jot(body="first")),
            (3, 0, OPERATOR, NewDay()),
            (4, 1, ada, Jot(body="second")),
        ]
        with universe.look() as sky:
            assert [note.text for note in sky.find(Note)] == ["first", "second"]


def test_a_look_is_one_moment(tmp_path: Path) -> None:
    with six_sectors(tmp_path / "u.db") as here, Universe.open(tmp_path / "u.db") as there:
        ada = enroll(here, "ada")
        with there.look() as sky:
            before = sky.get(Pilot, ada.pilot)
            place(here, ada, credits=5)
            assert sky.get(Pilot, ada.pilot) == before
        assert pilot(there, ada).credits == 5


@pytest.mark.parametrize("in_memory", [True, False])
def test_changes_tell_that_somebody_was_here(tmp_path: Path, *, in_memory: bool) -> None:
    with six_sectors(":memory:" if in_memory else tmp_path / "u.db") as here:
        there = here if in_memory else Universe.open(tmp_path / "u.db")
        quiet = here.changes()
        assert here.changes() == quiet
        enroll(there, "ada")
        first = here.changes()
        assert first > quiet
        enroll(there, "bob")
        enroll(here, "cat")
        assert here.changes() > first
        there.close()


def test_who_waits_for_a_stuck_writer_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with six_sectors(tmp_path / "u.db") as universe:
        stuck = WriteLock(tmp_path / "u.db.lock")
        stuck.acquire()
        waits = WriteLock.acquire
        monkeypatch.setattr(WriteLock, "acquire", lambda lock: waits(lock, 0.01))
        with pytest.raises(UniverseBusy, match="try again later"):
            enroll(universe, "ada")
        with universe.look() as sky:
            assert sky.find(Pilot) == []
        stuck.close()
        enroll(universe, "ada")


def test_a_full_disk_is_a_fault_and_changes_nothing(tmp_path: Path) -> None:
    with six_sectors(tmp_path / "u.db") as universe:
        ada = enroll(universe, "ada")
        with universe.look() as sky:
            pages = sky.connection.execute("PRAGMA page_count").fetchone()[0]
            sky.connection.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(UniverseFault, match="full"):
            _write_on(universe, ada)
        assert universe.verify() == []


def _write_on(universe: Universe, who: Actor) -> None:
    for _ in range(1000):
        universe.perform(who, Jot(body="x" * 400))


def test_a_making_on_a_full_disk_says_so_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def on_a_small_disk(place: str) -> sqlite3.Connection:
        connection = sqlite3.connect(place, isolation_level=None)
        connection.execute("PRAGMA max_page_count = 20")
        return connection

    monkeypatch.setattr(file, "connect", on_a_small_disk)
    with pytest.raises(UniverseFault, match=r"no universe can be made: .* is full: make room on its disk"):
        Universe.open_or_make(tmp_path / "u.db", _SETTINGS)
    assert [left.name for left in tmp_path.iterdir()] == ["u.db.lock"]


def test_a_folder_that_nothing_can_be_made_in_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UniverseFault, match=r"no universe can be made at .*: .*File exists"):
        Universe.open_or_make(tmp_path / "file" / "u.db", _SETTINGS)


@pytest.mark.parametrize(
    ("code", "told"),
    [
        (sqlite3.SQLITE_IOERR_SHMSIZE, "its disk is likely full"),
        (sqlite3.SQLITE_READONLY_DIRECTORY, "see that you may write in its folder"),
        (sqlite3.SQLITE_CORRUPT_INDEX, "u.db is damaged .* put a backup of it in its place"),
    ],
)
def test_errors_of_the_file_are_told_with_a_remedy(code: int, told: str) -> None:
    error = sqlite3.DatabaseError("oh") if "damaged" in told else sqlite3.OperationalError("oh")
    error.sqlite_errorcode = code
    with pytest.raises(UniverseFault, match=rf"it can't be used: .*{told}"), trouble("u.db", "it can't be used"):
        raise error


def test_a_bug_of_ours_stays_what_it_is() -> None:
    with six_sectors() as universe, pytest.raises(sqlite3.IntegrityError), universe.transaction() as world:
        world.connection.execute("UPDATE port SET ice_stock = -1")


def _damage_journal(path: Path) -> None:
    """Overwrite the first page of the journal, the world's other tables being whole."""
    with closing(sqlite3.connect(path)) as connection:
        [[page]] = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'journal'")
        [[size]] = connection.execute("PRAGMA page_size")
    with path.open("r+b") as whole:
        whole.seek((page - 1) * size)
        whole.write(b"\xa5" * size)


def test_a_damaged_page_is_a_fault_that_names_the_file(tmp_path: Path) -> None:
    path, backup = tmp_path / "u.db", tmp_path / "old.db"
    six_sectors(path).close()
    _damage_journal(path)
    with Universe.open(path) as universe:
        assert f"{path} is damaged" in universe.verify()[-1]
        acts: list[Callable[[], object]] = [
            universe.journal,
            lambda: universe.perform(OPERATOR, NewDay()),
            lambda: universe.reset(_SETTINGS, backup),
        ]
        for act in acts:
            with pytest.raises(UniverseDamaged, match=r"u.db is damaged .* put a backup of it in its place"):
                act()
    assert sorted(left.name for left in tmp_path.iterdir()) == ["u.db", "u.db.lock"]


_MONDAY = date(2026, 3, 2)


def test_the_calendar_begins_days(tmp_path: Path) -> None:
    with six_sectors(tmp_path / "u.db", clock=Clock.LOCAL) as universe, Universe.open(tmp_path / "u.db") as other:
        assert universe.catch_up(_MONDAY) == 0
        assert universe.catch_up(_MONDAY) == 0
        assert universe.catch_up(_MONDAY + timedelta(days=3)) == 3
        assert other.catch_up(_MONDAY + timedelta(days=3)) == 0
        assert other.catch_up(_MONDAY) == 0  # set back
        assert other.catch_up(_MONDAY + timedelta(days=3)) == 0
        assert universe.catch_up(_MONDAY + timedelta(days=4)) == 1
        with universe.look() as sky:
            assert sky.today == 4
        assert [type(entry.order) for entry in universe.journal()] == [NewDay] * 4


def test_a_long_pause_is_made_up_for_in_part() -> None:
    with six_sectors(clock=Clock.LOCAL) as universe:
        universe.catch_up(_MONDAY)
        assert universe.catch_up(_MONDAY + timedelta(days=400)) == MAX_CATCH_UP_DAYS
        assert universe.catch_up(_MONDAY + timedelta(days=401)) == 1


def test_a_manual_clock_has_no_calendar() -> None:
    with six_sectors(clock=Clock.MANUAL) as universe:
        assert [universe.catch_up(_MONDAY + timedelta(days=n)) for n in range(3)] == [0, 0, 0]


def test_a_reset_makes_the_world_anew_and_keeps_the_old_one(tmp_path: Path) -> None:
    path, backup = tmp_path / "u.db", tmp_path / "old.db"
    new = Settings(seed=11, sectors=30)
    with six_sectors(path) as universe, Universe.open(path) as inside:
        ada = enroll(inside, "ada")
        with pytest.raises(UniverseFault, match=r"aboard are ada: .* --force"):
            universe.reset(new, backup)
        inside.perform(ada, Leave())
        before = fingerprint(universe)
        universe.reset(new, backup)
        with pytest.raises(UniverseReset, match="enter once more"):
            inside.perform(ada, Jot(body="where am I?"))
        with pytest.raises(UniverseReset), inside.look():
            pass
        with Universe.make(":memory:", new) as fresh:
            assert fingerprint(universe) == fingerprint(fresh)
        assert universe.settings == new
        assert universe.verify() == []
        with universe.look() as sky:
            assert sky.count(Sector) == 30
            assert sky.lanes.path(1, 30)
        bob = enroll(universe, "bob")
        assert (bob.pilot, pilot(universe, bob).name) == (1, "bob")
    with Universe.open(backup) as old:
        assert fingerprint(old) == before


def test_a_reset_can_be_forced_and_never_overwrites_a_backup(tmp_path: Path) -> None:
    path, backup = tmp_path / "u.db", tmp_path / "old.db"
    with six_sectors(path) as universe:
        enroll(universe, "ada")
        universe.reset(_SETTINGS, backup, while_aboard=True)
        with pytest.raises(UniverseFault, match="can't be reset"):
            universe.reset(Settings(seed=12), backup)
        assert universe.settings == _SETTINGS
        with universe.look() as sky:
            assert sky.find(Pilot) == []


def test_dice_begin_where_the_making_left_them() -> None:
    with six_sectors() as universe, universe.transaction() as world:
        assert world.dice.below(1000) == Dice(hand_made().dice).below(1000)
