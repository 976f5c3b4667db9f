"""A screen, an observer and a virtual clock: a program's output as a list of times and bytes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tty_agent.observation.observation import Readiness
from tty_agent.observer.observer import Observer
from tty_agent.observer.readiness import PromptPattern, TurnPolicy
from tty_agent.terminal.dialect import ANSI_BBS, Dialect
from tty_agent.terminal.screen import Screen

Output = Iterable[tuple[float, bytes]]


class Watched:
    """Feeds output at its times and polls exactly at the observer's deadlines, as a session does."""

    def __init__(
        self, policy: TurnPolicy, prompts: Sequence[PromptPattern] = (), *, dialect: Dialect = ANSI_BBS
    ) -> None:
        self.screen = Screen(80, 24, dialect)
        self.observer = Observer(self.screen, policy, prompts)
        self.now = 0.0

    def show(self, data: bytes, at: float | None = None) -> None:
        """Output, at a time not before now."""
        self.now = self.now if at is None else at
        self.screen.feed(data)
        self.observer.received(data, self.now)

    def turn(self, output: Output = (), *, start: float | None = None) -> Readiness:
        """Wait for a turn while the output comes; times count from the start of the turn. `now` is then its end.

        Output that the turn did not wait for is dropped.
        """
        begin = self.now if start is None else start
        self.observer.start_turn(begin)
        for after, data in output:
            ready = self._until(begin + after)
            if ready is not None:
                return ready
            self.show(data, begin + after)
        ready = self._until(float("inf"))
        assert ready is not None
        return ready

    def answer(self, output: Output = ()) -> Readiness:
        """Input goes out now, then a turn as in `turn`."""
        self.observer.sent(self.now)
        return self.turn(output)

    def _until(self, end: float) -> Readiness | None:
        due = self.observer.deadline()
        assert due is not None
        if due > end:
            assert self.observer.poll(max(self.now, end - 0.001) if end < float("inf") else self.now) is None
            return None
        self.now = max(self.now, due)
        return self.observer.poll(self.now)


def every(interval: float, pieces: Iterable[bytes], *, start: float = 0.0) -> list[tuple[float, bytes]]:
    """Pieces at even intervals."""
    return [(start + number * interval, piece) for number, piece in enumerate(pieces)]


def together(*outputs: Output) -> list[tuple[float, bytes]]:
    """Several outputs, mixed by time."""
    return sorted((piece for output in outputs for piece in output), key=lambda piece: piece[0])
