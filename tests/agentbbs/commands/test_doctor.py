"""`doctor`: why a venue does not start, why an agent is not paired."""

from __future__ import annotations

import json
import os
import shutil
import socket
import sqlite3
import threading
from collections import namedtuple
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from agentbbs.commands import start_checks
from agentbbs.config import Address

Usage = namedtuple("Usage", "total used free")  # noqa: PYI024 - what shutil.disk_usage returns


def findings(examined: Result) -> list[tuple[str, str, str]]:
    """Level, check and sentence of each finding of `doctor --json`."""
    found = [(finding["level"], finding["check"], finding["sentence"]) for finding in json.loads(examined.stdout)]
    assert examined.exit_code == (1 if any(level == "fail" for level, *_ in found) else 0)
    assert all((finding["remedy"] is None) is (finding["level"] == "ok") for finding in json.loads(examined.stdout))
    return found


def of(check: str, examined: Result) -> tuple[str, str]:
    """Level and sentence of the last finding of a check; of the game port, where it is one of a port."""
    found = [(level, sentence) for level, name, sentence in findings(examined) if name == check]
    return found[0 if check == "port" else -1]


@contextmanager
def listening(handler: type[BaseHTTPRequestHandler] | None = None) -> Iterator[str]:
    """Something that listens: a bare socket, or an HTTP server."""
    if handler is None:
        with socket.create_server(("127.0.0.1", 0)) as bare:
            yield f"127.0.0.1:{bare.getsockname()[1]}"
        return
    with HTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def answering(status: int, body: bytes) -> type[BaseHTTPRequestHandler]:
    """An HTTP server that answers everything alike."""

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Keep stderr clean."""

    return Answers


def tear(file: Path) -> None:
    """Overwrite the root page of some index in the middle of the file."""
    with closing(sqlite3.connect(file)) as conn, conn:
        conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (page,) = conn.execute("SELECT rootpage FROM sqlite_master WHERE type = 'index' ORDER BY rootpage").fetchone()
        (size,) = conn.execute("PRAGMA page_size").fetchone()
    content = bytearray(file.read_bytes())
    content[(page - 1) * size : page * size] = b"\xff" * size
    file.write_bytes(content)


def set_revision(file: Path, revision: str) -> None:
    with closing(sqlite3.connect(file)) as conn, conn:
        conn.execute("UPDATE alembic_version SET version_num = ?", (revision,))


class TestStart:
    def test_a_new_installation_is_sound_and_nothing_is_made(self, run: Any, data: Path) -> None:
        examined = run("doctor", "--json")
        assert {level for level, *_ in findings(examined)} == {"ok"}
        assert {check for _, check, _ in findings(examined)} == {
            *("settings", "data folder", "disk space", "database", "port"),
            *("registration", "passwords", "doors", "plugins"),
        }
        assert not data.exists()

    def test_people_read_a_line_each_and_the_remedy_below(self, run: Any) -> None:
        lines = run("doctor", env={"AGENTBBS_DRAIN": "soon"}).stdout.splitlines()
        assert lines[0] == (
            "fail  settings: AGENTBBS_DRAIN='soon' is wrong: it should be seconds from 0 to 86400, such as 10."
        )
        assert lines[1] == "      Set AGENTBBS_DRAIN right, or unset it for its default."
        assert lines[2].startswith("ok    data folder: ")

    def test_every_wrong_setting_is_named_and_the_rest_is_still_looked_at(self, run: Any) -> None:
        wrong = {"AGENTBBS_DRAIN": "soon", "AGENTBBS_GAME_WS_ADDR": "here", "AGENTBBS_LOG_FORMAT": "xml"}
        examined = run("doctor", "--json", env=wrong)
        named = [sentence for level, check, sentence in findings(examined) if (level, check) == ("fail", "settings")]
        assert [sentence.partition("=")[0] for sentence in named] == [
            "AGENTBBS_GAME_WS_ADDR",
            "AGENTBBS_DRAIN",
            "AGENTBBS_LOG_FORMAT",
        ]
        assert of("database", examined)[0] == "ok"

    def test_a_misspelt_setting_is_recognised(self, run: Any) -> None:
        examined = run("doctor", "--json", env={"AGENTBBS_GAME_WS_ADR": "x", "AGENTBBS_TOKEN": "abbs_x"})
        assert of("settings", examined) == ("warn", "AGENTBBS_GAME_WS_ADR is set and means nothing to the venue.")
        remedies = [finding["remedy"] for finding in json.loads(examined.stdout) if finding["level"] == "warn"]
        assert remedies == ["Did you mean AGENTBBS_GAME_WS_ADDR?"]
        assert "abbs_x" not in examined.output

    def test_a_data_folder_that_is_a_file_is_refused(self, run: Any, data: Path) -> None:
        data.write_text("")
        assert of("data folder", run("doctor", "--json")) == ("fail", f"{data} is no folder.")

    def test_a_data_folder_that_is_not_ours_is_refused(
        self, run: Any, data: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        data.mkdir()
        monkeypatch.setattr(os, "access", lambda path, _: Path(path) != data)
        assert of("data folder", run("doctor", "--json")) == ("fail", f"{data} can't be written to.")

    @pytest.mark.parametrize(
        ("free", "level"), [(start_checks.FEW_BYTES, "ok"), (start_checks.FEW_BYTES - 1, "warn"), (1_000, "fail")]
    )
    def test_room_on_the_disk(self, run: Any, monkeypatch: pytest.MonkeyPatch, free: int, level: str) -> None:
        monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(2**40, 2**40 - free, free))
        assert of("disk space", run("doctor", "--json"))[0] == level

    def test_a_database_that_is_there_is_looked_through(self, run: Any, data: Path) -> None:
        run("db", "upgrade")
        level, sentence = of("database", run("doctor", "--json"))
        assert level == "ok"
        assert sentence.startswith(f"{data / 'agentbbs.db'} is whole, has schema ")

    @pytest.mark.parametrize(
        ("damage", "level", "sentence"),
        [
            (
                lambda file: file.write_bytes(b"not a database at all" * 200),
                "fail",
                "can't be opened: file is not a database",
            ),
            (tear, "fail", "damaged"),
            (lambda file: set_revision(file, "9999"), "fail", "has schema 9999, which this version"),
        ],
    )
    def test_a_database_that_can_not_be_used(
        self, run: Any, data: Path, damage: Any, level: str, sentence: str
    ) -> None:
        run("db", "upgrade")
        damage(data / "agentbbs.db")
        found, said = of("database", run("doctor", "--json"))
        assert found == level
        assert sentence in said

    def test_a_database_of_an_earlier_version_wants_an_upgrade(self, run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        run("db", "upgrade")
        monkeypatch.setattr("agentbbs.store.database.HEAD", "9999")
        level, sentence = of("database", run("doctor", "--json"))
        assert level == "fail"
        assert "and this version works with 9999" in sentence

    def test_a_database_that_another_process_holds(self, run: Any, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        run("db", "upgrade")
        monkeypatch.setattr(start_checks, "WRITE_WAIT_MS", 20)
        with closing(sqlite3.connect(data / "agentbbs.db", isolation_level=None)) as conn:
            conn.execute("BEGIN IMMEDIATE")
            level, sentence = of("database", run("doctor", "--json"))
        assert level == "fail"
        assert "another process has held it for seconds" in sentence

    def test_a_free_port(self, run: Any) -> None:
        with listening() as address:
            pass
        examined = run("doctor", "--json", env={"AGENTBBS_GAME_WS_ADDR": address})
        assert of("port", examined) == ("ok", f"{address} (AGENTBBS_GAME_WS_ADDR) is free.")

    @pytest.mark.parametrize(
        ("handler", "sentence"),
        [
            (answering(404, b""), "is taken by another program."),
            (answering(200, b"<html>"), "is taken by another program."),
            (
                answering(503, b'{"status":"stopping","version":"9.9","live":0,"waiting":0,"unstored":0}'),
                "is taken by a venue of another data folder (version 9.9).",
            ),
        ],
    )
    def test_a_port_that_somebody_has(self, run: Any, handler: Any, sentence: str) -> None:
        with listening(handler) as address:
            level, said = of("port", run("doctor", "--json", env={"AGENTBBS_GAME_WS_ADDR": address}))
        assert level == "fail"
        assert said == f"{address} (AGENTBBS_GAME_WS_ADDR) {sentence}"

    def test_a_program_that_accepts_and_says_nothing_is_no_venue(
        self, run: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("agentbbs.commands.running.ANSWER_S", 0.05)
        with listening() as address:
            level, said = of("port", run("doctor", "--json", env={"AGENTBBS_GAME_WS_ADDR": address}))
        assert (level, said.partition(") ")[2]) == ("fail", "is taken by another program.")

    @pytest.mark.parametrize(
        ("address", "level", "sentence"),
        [
            ("", "warn", "AGENTBBS_GAME_WS_ADDR is empty: that server is off."),
            ("192.0.2.1:8090", "fail", "192.0.2.1:8090 (AGENTBBS_GAME_WS_ADDR) is no address of this machine."),
            ("no-such-host.invalid:8090", "fail", "The host of no-such-host.invalid:8090"),
        ],
    )
    def test_an_address_that_can_not_be_listened_on(self, run: Any, address: str, level: str, sentence: str) -> None:
        found, said = of("port", run("doctor", "--json", env={"AGENTBBS_GAME_WS_ADDR": address}))
        assert found == level
        assert said.startswith(sentence)

    def test_each_server_has_its_port(self, run: Any) -> None:
        with listening() as address:
            examined = run("doctor", "--json", env={"AGENTBBS_SSH_ADDR": address})
        assert [(level, sentence) for level, check, sentence in findings(examined) if check == "port"] == [
            ("ok", "127.0.0.1:0 (AGENTBBS_GAME_WS_ADDR) is free."),
            ("fail", f"{address} (AGENTBBS_SSH_ADDR) is taken by another program."),
            ("ok", "127.0.0.1:0 (AGENTBBS_TELNET_ADDR) is free."),
            ("ok", "127.0.0.1:0 (AGENTBBS_RLOGIN_ADDR) is free."),
            ("ok", "127.0.0.1:0 (AGENTBBS_WEB_ADDR) is free."),
        ]

    def test_a_port_that_needs_privileges(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(_: Address) -> None:
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(start_checks, "_listen", refuse)
        found = start_checks.port("AGENTBBS_GAME_WS_ADDR", Address("127.0.0.1", 80), None)
        assert found.sentence.endswith("is not allowed: ports below 1024 need privileges.")

    def test_a_venue_that_was_killed_left_nothing_in_the_way(self, run: Any, data: Path) -> None:
        data.mkdir()
        (data / "venue.lock").write_text("")
        (data / "venue.json").write_text('{"pid":12345,"game_ws":"127.0.0.1:1"}\n')
        examined = run("doctor", "--json")
        assert ("ok", "data folder", f"The last venue in {data} (process 12345) was killed; no harm was done.") in (
            findings(examined)
        )
        assert of("port", examined)[0] == "ok"


class TestPairing:
    def test_no_venue_runs(self, run: Any) -> None:
        run("mint-token", "ada", "--create")
        examined = run("doctor", "ada", "--json")
        assert of("account", examined)[0] == "warn"
        assert of("venue", examined) == ("fail", "No venue of this data folder serves agents.")

    @pytest.mark.parametrize("prepare", [(), ("db", "upgrade")])
    def test_the_account_is_not_there(self, run: Any, prepare: tuple[str, ...]) -> None:
        if prepare:
            run(*prepare)
        level, sentence = of("account", run("doctor", "ada", "--json"))
        assert level == "fail"
        assert sentence in ("There is no account 'ada'.", "The account 'ada' can't be looked up.")

    def test_a_game_that_is_not_there(self, run: Any) -> None:
        refused = run("doctor", "ada", "--game", "chess")
        assert refused.exit_code == 1
        assert refused.stderr == "error: unknown game 'chess': the games are ttt, c4\n"

    def test_a_venue_that_runs_is_found_by_its_folder(self, at_venue: Any, venue: Any) -> None:
        examined = at_venue("doctor", "--json")
        assert {level for level, *_ in findings(examined)} == {"ok"}
        assert of("data folder", examined)[1] == (
            f"A venue runs in {venue.data} (process {venue.process.pid}); a second one can't start there."
        )
        assert f"listens on {venue.address}" in of("port", examined)[1]
        assert of("venue", examined)[1].endswith("0 live, 0 waiting.")
        assert of("lobby", examined) == ("ok", "Nobody waits.")

    def test_from_a_new_account_to_a_match(self, at_venue: Any, venue: Any, tokens: list[str]) -> None:
        """What an operator sees, step by step."""
        at_venue("user", "add", "newcomer")
        assert of("account", at_venue("doctor", "newcomer", "--json")) == ("fail", "newcomer has no token.")
        assert of("pairing", at_venue("doctor", "ADA", "--json")) == ("fail", "No connection of ada waits or plays.")
        ada = venue.join(tokens[0])
        level, sentence = of("pairing", at_venue("doctor", "ada", "--json"))
        assert level == "warn"
        assert sentence.endswith("nobody else waits for it.")
        assert "1 waits for ttt: ada (since " in of("lobby", at_venue("doctor", "--json"))[1]
        assert of("pairing", at_venue("doctor", "ada", "-g", "c4", "--json")) == (
            "fail",
            "ada waits for ttt, not for c4.",
        )
        venue.join(tokens[0])
        assert "they never meet" in of("pairing", at_venue("doctor", "ada", "--json"))[1]
        venue.join(tokens[1], "c4")
        assert "they never meet" in of("pairing", at_venue("doctor", "ada", "--json"))[1]
        venue.join(tokens[1])
        match = json.loads(ada.recv(timeout=60))["match"]
        examined = at_venue("doctor", "ada", "--json")
        assert ("ok", "pairing", f"ada plays ttt now: `agentbbs watch {match}`.") in findings(examined)

    def test_a_token_that_was_used_is_told_from_one_that_never_was(self, at_venue: Any, tokens: list[str]) -> None:
        at_venue("mint-token", "carl", "--create")
        assert "never used" in of("account", at_venue("doctor", "carl", "--json"))[1]
        at_venue("revoke-token", "--all", "carl")
        assert "All tokens of carl are revoked" in of("account", at_venue("doctor", "carl", "--json"))[1]

    def test_the_venue_stopped_meanwhile(self, at_venue: Any, venue: Any, tokens: list[str]) -> None:
        """The last test: nothing is left of the venue."""
        assert venue.stop() == 0
        assert of("venue", at_venue("doctor", "ada", "--json")) == (
            "fail",
            "No venue of this data folder serves agents.",
        )
