"""How accounts want their terminals treated."""

from __future__ import annotations

from tests.agentbbs.store.boarding import account, member

from agentbbs.store import accounts, preferences
from agentbbs.store.database import Database
from agentbbs.store.preferences import Ansi, Encoding, Preferences


def test_what_was_chosen_is_kept(database: Database) -> None:
    chosen = Preferences(Encoding.CP437, Ansi.NO, 132, 43, 0, hotkeys=False, tour_seen=True)
    with database.begin() as conn:
        ann, bob = account(member(conn, "ann")), account(member(conn, "bob"))
        assert preferences.of_account(conn, ann) == Preferences()
        preferences.save(conn, ann, Preferences(tour_seen=True))
        preferences.save(conn, ann, chosen)
        assert preferences.of_account(conn, ann) == chosen
        assert preferences.of_account(conn, bob) == Preferences()
        accounts.remove(conn, "ann", now_ms=2)
        assert preferences.of_account(conn, ann) == Preferences()


def test_a_word_of_a_later_version_is_auto(database: Database) -> None:
    with database.begin() as conn:
        ann = account(member(conn, "ann"))
        preferences.save(conn, ann, Preferences(Encoding.UTF8, Ansi.YES))
        conn.exec_driver_sql("UPDATE preferences SET encoding = 'petscii', ansi = 'rip'")
        assert preferences.of_account(conn, ann) == Preferences()
