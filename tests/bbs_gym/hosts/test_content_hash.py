"""The hash of a kept state."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bbs_gym.hosts.content_hash import content_sha256
from bbs_gym.hosts.host import HostFault

NAMES = st.sampled_from(["a", "b", "ab", "c/a", "c/b", "d/e/f"])
TREES = st.dictionaries(NAMES, st.binary(max_size=20), max_size=6)


def written(folder: Path, tree: Sequence[tuple[str, bytes]]) -> str:
    for name, content in tree:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return content_sha256(folder)


@given(one=TREES, other=TREES, order=st.randoms())
def test_equal_trees_alone_have_equal_hashes(
    tmp_path_factory: pytest.TempPathFactory, one: dict[str, bytes], other: dict[str, bytes], order: object
) -> None:
    shuffled = list(one.items())
    order.shuffle(shuffled)  # type: ignore[attr-defined]
    base = tmp_path_factory.mktemp("trees")
    for name in ("first", "second", "third"):
        (base / name).mkdir()
    first = written(base / "first", list(one.items()))
    assert written(base / "second", shuffled) == first
    assert (written(base / "third", list(other.items())) == first) == (one == other)


@pytest.mark.parametrize(
    "name", ["snapshot.json", "x.db-wal", "x.db-shm", "x.db-journal", "x.db.lock", "universe.before-1.db"]
)
def test_what_is_no_state_is_left_out(tmp_path: Path, name: str) -> None:
    before = written(tmp_path, [("kept", b"1")])
    assert written(tmp_path, [(name, b"anything"), (f"doors/0/{name}", b"more")]) == before


def test_a_link_is_where_it_leads(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    hashes = set()
    for target in ("folder", "elsewhere"):
        (tmp_path / "link").symlink_to(target)
        hashes.add(content_sha256(tmp_path))
        (tmp_path / "link").unlink()
    assert len(hashes) == 2


ROWS = ((1, "ada", 1.5, None), (2, "bob", 2.5, b"\xff"), (3, "cid\x00\udcff", 0.0, b""))


def database(folder: Path, *script: str, rows: Sequence[tuple[object, ...]] = ROWS) -> str:
    folder.mkdir()
    with closing(sqlite3.connect(folder / "x.db")) as made:
        made.execute("CREATE TABLE pilot (id INTEGER PRIMARY KEY AUTOINCREMENT, name, credits, note)")
        for id_, name, *rest in rows:
            as_text = str(name).encode("utf-8", "surrogateescape")
            made.execute("INSERT INTO pilot VALUES (?, CAST(? AS TEXT), ?, ?)", (id_, as_text, *rest))
        for statement in script:
            made.execute(statement)
        made.commit()
    return content_sha256(folder)


def test_of_a_database_its_rows_count_and_not_its_pages(tmp_path: Path) -> None:
    plain = database(tmp_path / "plain")
    assert database(tmp_path / "backwards", rows=tuple(reversed(ROWS))) == plain
    churned = (
        "CREATE TABLE gone (x)",
        *(f"INSERT INTO gone VALUES (zeroblob({size}))" for size in range(1, 9000, 1000)),
        "DROP TABLE gone",
    )
    assert database(tmp_path / "churned", *churned) == plain
    assert list((tmp_path / "plain").iterdir()) == [tmp_path / "plain" / "x.db"]


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE pilot SET credits = 1.25 WHERE id = 1",
        "UPDATE pilot SET note = 'NULL' WHERE id = 1",
        "UPDATE pilot SET note = '' WHERE id = 3",
        "DELETE FROM pilot WHERE id = 2",
        "INSERT INTO pilot (name) VALUES ('eve')",
        "CREATE INDEX by_name ON pilot (name)",
        "UPDATE sqlite_sequence SET seq = 9",
        "PRAGMA user_version = 2",
    ],
)
def test_any_other_state_has_another_hash(tmp_path: Path, change: str) -> None:
    assert database(tmp_path / "plain") != database(tmp_path / "changed", change)


def test_what_can_not_be_read_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / "broken.db").write_bytes(b"SQLite format 3\0" + b"\xff" * 2000)
    with pytest.raises(HostFault, match="take another snapshot"):
        content_sha256(tmp_path)
    with pytest.raises(HostFault):
        content_sha256(tmp_path / "none")
