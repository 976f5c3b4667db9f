"""Letters and the Haven Gazette."""

from __future__ import annotations

from collections.abc import Sequence

from starlane.door.screens.wording import counted, faint, label, name, notice, title
from starlane.door.styles import Line, Span, Style
from starlane.views import LetterView, NewsView


def letter_list(letters: Sequence[LetterView]) -> list[Line]:
    """The letters in the box, numbered."""
    if not letters:
        return ["There is no mail for you. W writes a letter to another pilot."]
    lines: list[Line] = [title("Your letters")]
    for number, letter in enumerate(letters, 1):
        state = "" if letter.read else ", unread"
        lines.append((f"{number:>3}. ", name(letter.sender_name), f", day {letter.day}{state}"))
    return lines


def letter_screen(letter: LetterView, number: int, of: int) -> list[Line]:
    """A letter, with who wrote it and when."""
    return [
        title(f"Letter {number} of {of}"),
        (label("From"), name(letter.sender_name), f", day {letter.day}"),
        (label("Text"), letter.body),
    ]


def gazette(news: Sequence[NewsView], most: int) -> list[Line]:
    """The last of the news, `most` lines of them, the oldest first."""
    if not news:
        return ["The Haven Gazette has no news of these days."]
    left_out = [faint(f"(left out: {counted(len(news) - most, 'older lines')})")] if len(news) > most else []
    lines = [(Span(Style.LABEL, f"Day {line.day}: "), notice(line.text)) for line in news[-most:]]
    return [title("The Haven Gazette"), *left_out, *lines]
