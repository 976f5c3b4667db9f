"""`mint-token` and `revoke-token`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

TOKEN = re.compile(r"abbs_[A-Za-z0-9_-]{43}")


def valid_tokens(run: Any, name: str) -> list[str]:
    """The prefixes of an account's valid tokens, as `user list` shows them."""
    accounts = {account["name"]: account for account in json.loads(run("user", "list", "--json").stdout)}
    return [token["prefix"] for token in accounts[name]["tokens"]] if name in accounts else []


def test_one_name_prints_the_token_alone(run: Any) -> None:
    minted = run("mint-token", "ada", "--create")
    assert minted.exit_code == 0
    assert TOKEN.fullmatch(minted.stdout.removesuffix("\n"))
    assert minted.stderr == ""


def test_several_names_print_a_line_each(run: Any) -> None:
    minted = run("mint-token", "ada", "bob", "--create")
    lines = [line.split(" ") for line in minted.stdout.splitlines()]
    assert [name for name, _ in lines] == ["ada", "bob"]
    assert all(TOKEN.fullmatch(token) for _, token in lines)
    assert lines[0][1] != lines[1][1]


def test_it_works_before_the_first_start_of_a_venue(run: Any, data: Path) -> None:
    assert not data.exists()
    assert run("mint-token", "ada", "--create").exit_code == 0
    assert (data / "agentbbs.db").exists()


def test_an_unknown_account_is_named_with_both_remedies(run: Any) -> None:
    refused = run("mint-token", "ada")
    assert refused.exit_code == 1
    assert refused.stdout == ""
    assert refused.stderr == (
        "error: there is no account 'ada': add --create to make it, or run `agentbbs user add ada`\n"
    )


def test_an_account_that_is_there_needs_no_create(run: Any) -> None:
    run("user", "add", "ada")
    assert TOKEN.match(run("mint-token", "ADA").stdout)
    assert len(valid_tokens(run, "ada")) == 1


@pytest.mark.parametrize("names", [("ada", "game", "bob"), ("ada", "bob", "b0b"), ("ada", "x")])
def test_all_are_minted_or_none(run: Any, names: tuple[str, ...]) -> None:
    refused = run("mint-token", *names, "--create")
    assert refused.exit_code == 1
    assert refused.stdout == ""
    assert refused.stderr.startswith("error: ")
    assert refused.stderr.count("\n") == 1
    assert json.loads(run("user", "list", "--json").stdout) == []


def test_a_token_ends_by_its_prefix(run: Any) -> None:
    token = run("mint-token", "ada", "--create").stdout.strip()
    ended = run("revoke-token", token[:11])
    assert (ended.exit_code, ended.stdout, ended.stderr) == (0, "", "ended 1 token of ada\n")
    assert valid_tokens(run, "ada") == []


def test_a_token_ends_when_it_comes_on_stdin_and_is_not_printed(run: Any) -> None:
    token = run("mint-token", "ada", "--create").stdout.strip()
    ended = run("revoke-token", "-", input=f"{token}\n")
    assert ended.exit_code == 0
    assert token not in ended.output
    assert valid_tokens(run, "ada") == []


def test_all_tokens_of_an_account_end_and_no_others(run: Any) -> None:
    run("mint-token", "ada", "bob", "--create")
    run("mint-token", "ada")
    assert run("revoke-token", "--all", "ada").stderr == "ended 2 tokens of ada\n"
    assert valid_tokens(run, "ada") == []
    assert len(valid_tokens(run, "bob")) == 1


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        ((), "which token? give one, '-' for stdin, or --all NAME"),
        (("abbs_1234567", "--all", "ada"), "which token? give one"),
        (("abbs_123456",), "no valid token is meant by that"),
        (("abbs_",), "no valid token is meant by that"),
        (("--all", "nobody1"), "there is no account 'nobody1'"),
    ],
)
def test_what_ends_no_token_is_refused(run: Any, args: tuple[str, ...], sentence: str) -> None:
    run("mint-token", "ada", "--create")
    refused = run("revoke-token", *args)
    assert refused.exit_code == 1
    assert sentence in refused.stderr
    assert len(valid_tokens(run, "ada")) == 1


def test_without_a_database_there_is_nothing_to_revoke(run: Any, data: Path) -> None:
    refused = run("revoke-token", "--all", "ada")
    assert refused.exit_code == 1
    assert refused.stderr.startswith(f"error: there is no database at {data / 'agentbbs.db'}: ")
    assert not data.exists()
