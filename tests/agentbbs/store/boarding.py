"""People on the message boards, for the tests of the store."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from sqlalchemy import Connection, Engine, create_engine, insert

from agentbbs.store import accounts
from agentbbs.store.boards import Level, Reader
from agentbbs.store.schema import auth_epoch, board_areas, metadata

GENERAL, GAMES, AGENTS, SYSOPS = 1, 2, 3, 4
"""The areas that a board starts with."""

GUEST = Reader()


def member(conn: Connection, name: str) -> Reader:
    """A new account."""
    return Reader(accounts.add(conn, name, now_ms=1).id, Level.MEMBER)


def sysop(conn: Connection, name: str = "boss") -> Reader:
    """A new sysop's account."""
    return Reader(accounts.add(conn, name, sysop=True, now_ms=1).id, Level.SYSOP)


def account(reader: Reader) -> int:
    """The id of a reader who has one."""
    assert reader.account is not None
    return reader.account


@contextmanager
def empty_board() -> Iterator[Connection]:
    """A board with two areas and nobody on it, in memory, for one example of a property."""
    with _engine().connect() as conn:
        yield conn
        conn.rollback()


@cache
def _engine() -> Engine:
    engine = create_engine("sqlite://")
    with engine.begin() as conn:
        metadata.create_all(conn)
        conn.execute(insert(auth_epoch).values(epoch=0))
        for name in ("one", "two"):
            area = {"name": name, "description": "", "read_level": 0, "write_level": 1, "position": 1}
            conn.execute(insert(board_areas).values(area))
    return engine
