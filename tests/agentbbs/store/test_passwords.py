"""Passwords."""

from __future__ import annotations

import pytest

from agentbbs.store import passwords
from agentbbs.store.passwords import PasswordFault, hash_password, needs_rehash, verify_password


def test_a_password_verifies_against_its_hash_and_no_other_does() -> None:
    stored = hash_password("correct horse battery")
    assert stored.startswith("$argon2id$")
    assert "correct" not in stored
    assert verify_password(stored, "correct horse battery")
    assert not verify_password(stored, "correct horse batterz")
    assert not needs_rehash(stored)


def test_two_hashes_of_one_password_differ() -> None:
    assert hash_password("same password") != hash_password("same password")


@pytest.mark.parametrize("password", ["", "short", "x" * 257])
def test_a_password_too_short_or_too_long_is_refused(password: str) -> None:
    with pytest.raises(PasswordFault, match="8 to 256 characters: choose another"):
        hash_password(password)


@pytest.mark.parametrize("stored", [None, "", "plain", "$argon2id$v=19$m=65536,t=3,p=4$broken"])
def test_without_a_usable_hash_nobody_gets_in(stored: str | None) -> None:
    assert not verify_password(stored, "correct horse battery")


def test_an_account_without_a_password_costs_as_much_as_one_with() -> None:
    assert not needs_rehash(passwords._NOBODYS)


def test_any_text_can_be_tried() -> None:
    stored = hash_password("Grüße \ud800 漢字")
    assert verify_password(stored, "Grüße \ud800 漢字")
    assert not verify_password(stored, "y" * 1_000_000)


def test_a_hash_with_other_parameters_is_due_for_renewal() -> None:
    assert needs_rehash(
        "$argon2id$v=19$m=8192,t=1,p=1$DgLkwZU5jTNIaaB4H6rRZQ$BINjVMbjvyJxuCelF3Y/GxqU7ORPDhv9deT04kGeNWk"
    )
