"""`user provision`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentbbs.commands import provision
from agentbbs.store import accounts, preferences
from agentbbs.store.database import Database
from agentbbs.store.passwords import verify_password

# 32 arbitrary bytes each, in the form of an ed25519 key.
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGf2nHEYBnNtnuR1E4VCGYr1SbFLwvjR7Wf0nvcRQlVQ one"
OTHER_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAnEuk+1Yzy3WzWhUSQ0gkwyQ3pXPlyBGPpwRr7m5sMT two"
ONE = {"name": "agent-001", "password": "hold the door", "key": KEY}


@pytest.fixture
def provisioned(run: Any) -> Any:
    """`provisioned(*accounts, **options)`: what the command says of them, read as JSON."""

    def call(*wanted: dict[str, Any], options: tuple[str, ...] = ()) -> list[dict[str, Any]]:
        done = run("user", "provision", "--json", *options, input=json.dumps(wanted))
        assert done.exit_code == 0, done.stderr
        for one in wanted:
            assert one.get("password") is None or one["password"] not in done.output
        found: list[dict[str, Any]] = json.loads(done.stdout)
        return found

    return call


def stored(data: Path, name: str) -> tuple[accounts.Account, preferences.Preferences]:
    with Database.in_folder(data) as database, database.connect() as conn:
        account = accounts.find(conn, name)
        return account, preferences.of_account(conn, account.id)


def test_accounts_are_made_once(provisioned: Any, data: Path) -> None:
    plain = {"name": "agent-002"}
    assert provisioned(ONE, plain) == [
        {"name": "agent-001", "change": "created", "what": ["account", "password", "key", "tour"]},
        {"name": "agent-002", "change": "created", "what": ["account", "tour"]},
    ]
    account, chosen = stored(data, "agent-001")
    assert verify_password(account.password_hash, "hold the door")
    assert chosen.tour_seen
    again = provisioned(ONE, plain)
    assert [(one["change"], one["what"]) for one in again] == [("unchanged", [])] * 2
    assert stored(data, "agent-001") == (account, chosen)


def test_a_dry_run_tells_the_same_and_changes_nothing(provisioned: Any, run: Any, data: Path) -> None:
    provisioned({"name": "agent-001", "password": "another one"})
    before = stored(data, "agent-001")
    two = {"name": "agent-002", "password": "long enough"}
    foreseen = provisioned(ONE, two, options=("--dry-run",))
    assert [(one["change"], one["what"]) for one in foreseen] == [
        ("updated", ["password", "key"]),
        ("created", ["account", "password", "tour"]),
    ]
    assert stored(data, "agent-001") == before
    assert [one["name"] for one in json.loads(run("user", "list", "--json").stdout)] == ["agent-001"]
    assert provisioned(ONE, two) == foreseen


def test_what_is_left_out_stays(provisioned: Any, data: Path) -> None:
    provisioned(ONE)
    before = stored(data, "agent-001")
    assert provisioned({"name": "AGENT-001"}) == [{"name": "agent-001", "change": "unchanged", "what": []}]
    assert stored(data, "agent-001") == before


def test_a_new_key_takes_the_place_of_the_old_one(provisioned: Any, run: Any) -> None:
    provisioned(ONE)
    (before,) = json.loads(run("user", "list", "--json").stdout)[0]["keys"]
    assert provisioned({**ONE, "key": OTHER_KEY})[0]["what"] == ["key"]
    (after,) = json.loads(run("user", "list", "--json").stdout)[0]["keys"]
    assert before != after


def test_somebody_of_before_has_seen_the_tour_from_now_on(provisioned: Any, run: Any, data: Path) -> None:
    run("user", "add", "bob", "--password", input="long enough\n")
    done = provisioned({"name": "bob", "password": "long enough"})
    assert done == [{"name": "bob", "change": "updated", "what": ["tour"]}]
    assert stored(data, "bob")[1] == preferences.Preferences(tour_seen=True)


@pytest.mark.parametrize(
    ("wanted", "sentence"),
    [
        ([ONE, {"name": "agent-002", "password": "short"}], "agent-002: a password has 8 to 256 characters"),
        ([ONE, {"name": "agent-002", "key": KEY}], "agent-002: "),
        ([ONE, {"name": "agent-002", "key": "hello"}], "agent-002: this is not one line of an OpenSSH public key"),
        ([ONE, {"name": "a b"}], "a b: "),
        ([ONE, {"name": "Agent-001"}], "'Agent-001' twice"),
        ([ONE, {"name": "agent-OO1"}], "agent-OO1: "),
        ([ONE, {"name": "boss"}], "boss is a sysop"),
        ([ONE, {"name": "agent-002", "pasword": "hold the door"}], "is no list of accounts"),
        ({"name": "agent-001"}, "is no list of accounts"),
    ],
)
def test_one_that_can_not_be_stops_all(run: Any, wanted: Any, sentence: str) -> None:
    run("user", "add", "boss", "--sysop")
    refused = run("user", "provision", input=json.dumps(wanted))
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert sentence in refused.stderr
    assert refused.stderr.count("\n") == 1
    assert "hold the door" not in refused.output
    assert [one["name"] for one in json.loads(run("user", "list", "--json").stdout)] == ["boss"]


def test_the_name_of_a_removed_account_stays_taken(run: Any) -> None:
    run("user", "add", "agent-001")
    run("user", "remove", "agent-001", "--yes")
    refused = run("user", "provision", input=json.dumps([ONE]))
    assert refused.exit_code == 1
    assert "stays taken" in refused.stderr


def test_a_list_is_read_from_a_file_and_shown_as_a_table(run: Any, tmp_path: Path) -> None:
    file = tmp_path / "agents.json"
    file.write_text(json.dumps([ONE]))
    shown = run("user", "provision", file).stdout.splitlines()
    assert shown[0].split() == ["NAME", "CHANGE", "WHAT"]
    assert shown[1].split(maxsplit=2) == ["agent-001", "created", "account, password, key, tour"]


def test_a_list_without_end_is_refused(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(provision, "MAX_LIST_BYTES", 10)
    refused = run("user", "provision", input=json.dumps([ONE]))
    assert refused.exit_code == 1
    assert "longer than 10 bytes" in refused.stderr
