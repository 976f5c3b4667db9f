"""Numbers in text, and what was said of them last."""

from __future__ import annotations

from typing import Any, Final

MAX_DIGITS: Final = 15
"""Longer runs of digits are no figure of a game; beyond it a number is no exact float in JSON either."""


def whole(text: str) -> int | None:
    """A whole number, with commas between thousands or not; None for anything else."""
    digits = text.replace(",", "")
    if not (digits.isascii() and digits.isdigit()) or len(digits) > MAX_DIGITS:
        return None
    return int(digits)


class Said:
    """Facts by name, the latest statement of each: rows are read from the top down, so the lowest stays."""

    def __init__(self) -> None:
        self._facts: dict[str, int] = {}
        self.cargo: dict[str, int] = {}

    def tell(self, name: str, figure: str | int | None) -> None:
        """A statement; one that is no number is none."""
        value = whole(figure) if isinstance(figure, str) else figure
        if value is not None:
            self._facts[name] = value

    def forget(self, *names: str) -> None:
        """What was said of these before does not hold any more."""
        for name in names:
            self._facts.pop(name, None)

    def load(self, good: str, figure: str | int) -> None:
        """So much of a good is aboard; none of it is not told."""
        value = whole(figure) if isinstance(figure, str) else figure
        if value is not None:
            self.cargo.pop(good, None)
            if value:
                self.cargo[good] = value

    def fields(self) -> dict[str, Any]:
        """As `Facts` takes them."""
        cargo = {"cargo": dict(self.cargo)} if self.cargo else {}
        return {**self._facts, **cargo}
