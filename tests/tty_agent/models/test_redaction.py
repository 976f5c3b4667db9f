from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tty_agent.models.redaction import MAX_MESSAGE_CHARS, message_of, redact, secrets_of, tail_of, without_secrets


def test_a_known_secret_is_blanked_wherever_it_stands() -> None:
    assert redact("key hunter22-x and hunter22-x!", ["hunter22-x"]) == "key *** and ***!"


def test_a_secret_that_holds_another_is_blanked_whole() -> None:
    assert redact("abcdef-ghijkl", ["abcdef", "abcdef-ghijkl"]) == "***"


def test_short_values_are_no_secrets() -> None:
    assert redact("a true story", ["true", ""]) == "a true story"


@pytest.mark.parametrize(
    "secret",
    ["sk-proj-abcdefghij", "sk_live_0123456789", "hf_abcdefghijkl", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln"],
)
def test_what_has_the_form_of_a_key_is_blanked_unasked(secret: str) -> None:
    assert redact(f"Incorrect API key provided: {secret}.").startswith("Incorrect API key provided: ***")


def test_a_bearer_token_is_blanked() -> None:
    assert redact("Authorization: Bearer 0123456789abcdef") == "Authorization: Bearer ***"


def test_a_message_is_one_inert_line() -> None:
    assert message_of("one\r\n\ttwo \x1b[2J three") == r"one two \x1b[2J three"


@given(st.text(max_size=3000))
def test_messages_are_short(text: str) -> None:
    assert len(message_of(text)) <= MAX_MESSAGE_CHARS


def test_a_tail_keeps_the_end() -> None:
    tail = tail_of("x" * 5000 + "\nthe reason")
    assert tail.startswith("…x")
    assert tail.endswith(" the reason")
    assert len(tail) == MAX_MESSAGE_CHARS


def test_secrets_are_told_by_their_names() -> None:
    environment = {
        "OPENAI_API_KEY": "k-1",
        "GH_TOKEN": "t-2",
        "DB_PASSWORD": "p-3",
        "HOME": "/root",
        "EMPTY_SECRET": "",
    }
    assert set(secrets_of(environment)) == {"k-1", "t-2", "p-3"}


def test_of_a_body_secrets_are_blanked_by_their_names_and_their_form() -> None:
    body = {
        "api_key": "abc",
        "max_tokens": 5,
        "headers": [{"Authorization": "Bearer x", "Accept": "json"}],
        "auth": {"user": "bob", "nested": ["secret", None]},
        "note": "sk-0123456789abcdef",
        "temperature": 0.5,
    }
    assert without_secrets(body) == {
        "api_key": "***",
        "max_tokens": 5,
        "headers": [{"Authorization": "***", "Accept": "json"}],
        "auth": {"user": "***", "nested": ["***", None]},
        "note": "***",
        "temperature": 0.5,
    }
