"""Text with meaning instead of colours: what a screen is made of. `door.paint` turns it into bytes for one terminal."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import TypeAlias

import msgspec


class Style(Enum):
    """What a piece of text is. On a plain terminal they all look alike, so that nothing may hang on a style alone."""

    PLAIN = "plain"
    TITLE = "title"
    LABEL = "label"
    """The word before a value, such as `Port`."""
    NAME = "name"
    """Of a pilot, planet, port or alliance."""
    NUMBER = "number"
    KEY = "key"
    """A key that can be pressed."""
    PROMPT = "prompt"
    GAIN = "gain"
    DANGER = "danger"
    NOTICE = "notice"
    """What others did."""
    FAINT = "faint"


class Span(msgspec.Struct, frozen=True):
    """A piece of text in a style. The text is inert."""

    style: Style
    text: str


Line: TypeAlias = str | Span | Sequence["str | Span"]
"""A line of a screen; a bare text is PLAIN."""
