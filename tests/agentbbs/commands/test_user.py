"""`user add`, `list`, `set-key`, `set-password`, `remove`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentbbs.commands import user
from agentbbs.store import accounts, bans
from agentbbs.store.database import Database
from agentbbs.store.passwords import verify_password

# 32 arbitrary bytes each, in the form of an ed25519 key.
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGf2nHEYBnNtnuR1E4VCGYr1SbFLwvjR7Wf0nvcRQlVQ ada@laptop"
OTHER_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAnEuk+1Yzy3WzWhUSQ0gkwyQ3pXPlyBGPpwRr7m5sMT ada@desk"


def listed(run: Any) -> dict[str, dict[str, Any]]:
    return {account["name"]: account for account in json.loads(run("user", "list", "--json").stdout)}


@pytest.fixture
def key_file(tmp_path: Path) -> Path:
    file = tmp_path / "id_ed25519.pub"
    file.write_text(f"{KEY}\n")
    return file


def test_an_account_is_made_and_listed(run: Any) -> None:
    made = run("user", "add", "ada")
    assert (made.exit_code, made.stdout, made.stderr) == (0, "", "made the account ada\n")
    account = listed(run)["ada"]
    assert account.pop("created") > 1_700_000_000_000
    none: list[object] = []
    assert account == {
        "account": 1,
        "name": "ada",
        "sysop": False,
        "password": False,
        "keys": none,
        "tokens": none,
        "banned": None,
    }


def test_the_list_for_people_has_a_header_and_a_line_each(run: Any) -> None:
    run("mint-token", "ada", "bob", "--create")
    lines = run("user", "list").stdout.splitlines()
    assert lines[0].split() == [
        "NAME",
        "SYSOP",
        "PASSWORD",
        "KEYS",
        "TOKENS",
        "TOKEN",
        "USED",
        "CREATED",
        "BANNED",
        "FOR",
    ]
    assert [line.split()[0] for line in lines[1:]] == ["ada", "bob"]
    assert lines[1].split()[1:4] == ["0", "1", "never"]


def test_a_key_is_given_with_the_account(run: Any, key_file: Path) -> None:
    assert run("user", "add", "ada", "--key", key_file, "--sysop").exit_code == 0
    account = listed(run)["ada"]
    assert account["sysop"] is True
    assert len(account["keys"]) == 1
    assert account["keys"][0].startswith("SHA256:")


def test_a_key_comes_from_stdin(run: Any) -> None:
    assert run("user", "add", "ada", "--key", "-", input=KEY).exit_code == 0
    assert len(listed(run)["ada"]["keys"]) == 1


def test_set_key_takes_the_place_of_the_keys_that_were(run: Any, key_file: Path, tmp_path: Path) -> None:
    run("user", "add", "ada", "--key", key_file)
    before = listed(run)["ada"]["keys"]
    other = tmp_path / "other.pub"
    other.write_text(OTHER_KEY)
    done = run("user", "set-key", "ada", other)
    after = listed(run)["ada"]["keys"]
    assert len(after) == 1
    assert after != before
    assert done.stderr == f"ada has the key {after[0]}\n"


def test_a_key_of_another_account_is_refused_and_changes_nothing(run: Any, key_file: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.pub"
    other.write_text(OTHER_KEY)
    run("user", "add", "ada", "--key", key_file)
    run("user", "add", "bob", "--key", other)
    before = listed(run)
    refused = run("user", "set-key", "bob", key_file)
    assert refused.exit_code == 1
    assert "belongs to the account 'ada'" in refused.stderr
    assert listed(run) == before


def test_a_refused_key_leaves_no_account_behind(run: Any, key_file: Path) -> None:
    run("user", "add", "ada", "--key", key_file)
    assert run("user", "add", "bob", "--key", key_file).exit_code == 1
    assert list(listed(run)) == ["ada"]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"-----BEGIN OPENSSH PRIVATE KEY-----\n", "a private key, which never leaves your machine"),
        (b"hello\n", "not one line of an OpenSSH public key"),
        (b"\xff\xfe\x00", "not one line of an OpenSSH public key"),
        (b"x" * user.MAX_KEY_FILE_BYTES * 2, "not one line of an OpenSSH public key"),
    ],
)
def test_what_is_no_key_is_refused(run: Any, tmp_path: Path, content: bytes, sentence: str) -> None:
    file = tmp_path / "key"
    file.write_bytes(content)
    refused = run("user", "add", "ada", "--key", file)
    assert refused.exit_code == 1
    assert sentence in refused.stderr
    assert refused.stderr.count("\n") == 1


def test_a_key_file_that_is_not_there_is_named(run: Any, tmp_path: Path) -> None:
    refused = run("user", "add", "ada", "--key", tmp_path / "none.pub")
    assert refused.exit_code == 1
    assert refused.stderr.startswith(f"error: {tmp_path / 'none.pub'}: No such file or directory: ")


def test_a_password_is_read_from_stdin_where_it_is_no_terminal(run: Any) -> None:
    made = run("user", "add", "ada", "--password", input="correct horse\n")
    assert made.exit_code == 0
    assert "horse" not in made.output
    assert listed(run)["ada"]["password"] is True


@pytest.mark.parametrize("typed", ["short\n", "", "x" * 300 + "\n"])
def test_a_password_that_is_not_taken_leaves_no_account_behind(run: Any, typed: str) -> None:
    refused = run("user", "add", "ada", "--password", input=typed)
    assert refused.exit_code == 1
    assert "a password has 8 to 256 characters" in refused.stderr
    assert run("user", "list").exit_code == 1, "no database was made"


def test_stdin_holds_one_thing(run: Any) -> None:
    refused = run("user", "add", "ada", "--key", "-", "--password", input=KEY)
    assert refused.exit_code == 1
    assert "stdin can't hold both" in refused.stderr


@pytest.mark.parametrize("name", ["game", "a", "a b", "-x-", "\x1b[31mred", "ada\nbob"])
def test_a_name_that_can_not_be_is_refused_on_one_inert_line(run: Any, name: str) -> None:
    refused = run("user", "add", "--", name)
    assert refused.exit_code == 1
    assert refused.stderr.startswith("error: ")
    assert refused.stderr.count("\n") == 1
    assert "\x1b" not in refused.stderr


def test_a_look_alike_is_refused(run: Any) -> None:
    run("user", "add", "bob")
    assert "looks like that of the account 'bob'" in run("user", "add", "b0b").stderr


def test_a_removed_account_is_gone_and_its_name_stays_taken(run: Any) -> None:
    run("mint-token", "ada", "--create")
    removed = run("user", "remove", "ada", "--yes")
    assert removed.exit_code == 0
    assert removed.stderr == "removed the account ada; its matches stay\n"
    assert listed(run) == {}
    assert "stays taken" in run("user", "add", "ada").stderr


def test_removing_asks_first(run: Any) -> None:
    run("user", "add", "ada")
    refused = run("user", "remove", "ada", input="y\n")
    assert refused.exit_code == 1
    assert "add --yes" in refused.stderr
    assert list(listed(run)) == ["ada"]


def test_removing_who_is_not_there_says_so_and_asks_nothing(run: Any) -> None:
    run("user", "add", "ada")
    refused = run("user", "remove", "bob")
    assert refused.exit_code == 1
    assert refused.stderr.startswith("error: there is no account 'bob'")


def has_password(data: Path, name: str, password: str) -> bool:
    with Database.in_folder(data) as database, database.connect() as conn:
        return verify_password(accounts.find(conn, name).password_hash, password)


def test_a_password_comes_from_the_first_line_of_a_file(run: Any, data: Path, tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_text("correct horse\r\nbattery\n")
    assert run("user", "add", "ada", "--password-file", file).exit_code == 0
    assert has_password(data, "ada", "correct horse")


def test_a_password_is_asked_for_or_read_but_not_both(run: Any, tmp_path: Path) -> None:
    refused = run("user", "add", "ada", "--password", "--password-file", tmp_path / "password")
    assert refused.exit_code == 1
    assert "give one of the two" in refused.stderr


def test_a_new_password_takes_the_place_of_the_one_that_was(run: Any, data: Path) -> None:
    run("user", "add", "ada", "--password", input="correct horse\n")
    changed = run("user", "set-password", "ADA", input="battery staple\n")
    assert (changed.exit_code, changed.stdout, changed.stderr) == (0, "", "ada has a new password\n")
    assert has_password(data, "ada", "battery staple")
    assert not has_password(data, "ada", "correct horse")


def test_an_account_that_is_not_there_gets_no_password(run: Any) -> None:
    run("user", "add", "ada")
    refused = run("user", "set-password", "bob", input="")
    assert refused.exit_code == 1
    assert "bob" in refused.stderr


def test_the_list_says_who_is_banned(run: Any, data: Path) -> None:
    run("user", "add", "ada")
    run("user", "add", "bob")
    with Database.in_folder(data) as database, database.begin() as conn:
        bans.ban_account(conn, None, "bob", reason="spam", now_ms=1)
    assert [listed(run)[name]["banned"] for name in ("ada", "bob")] == [None, {"reason": "spam", "until": None}]
    assert run("user", "list").stdout.splitlines()[2].endswith("  spam")
