"""The ladder of errors."""

from __future__ import annotations

from tty_agent.actions.errors import (
    MAX_MESSAGE_CHARS,
    ActionError,
    Fault,
    NotAnAction,
    Refused,
    Unencodable,
    UnknownKey,
    WrongShape,
    quote,
)


def test_one_except_catches_all_and_each_rung_is_told_apart() -> None:
    assert issubclass(WrongShape, NotAnAction)
    assert issubclass(NotAnAction, ActionError)
    assert all(issubclass(kind, Refused) for kind in (UnknownKey, Unencodable))
    assert issubclass(Refused, ActionError)
    assert not issubclass(Refused, NotAnAction)


def test_messages_are_inert_and_short() -> None:
    error = ActionError(Fault.BAD_JSON, "a\x1b[2Jb\u202e" + "x" * 5_000)
    assert error.message.startswith(r"a\x1b[2Jb\u202e")
    assert len(error.message) == MAX_MESSAGE_CHARS
    assert str(error) == error.message
    assert len(quote("y" * 1_000)) < 50


def test_characters_are_named_once_and_few_of_many() -> None:
    error = Unencodable("☃☃☀☁☂★☆", "cp437")
    assert error.characters == ("☃", "☀", "☁", "☂", "★", "☆")
    assert "U+2603 SNOWMAN" in error.message
    assert "and 1 more" in error.message
    assert "half of a surrogate pair" in Unencodable("\udfff", "utf-8").message
    assert "(U+E000)" in Unencodable("\ue000", "cp437").message
