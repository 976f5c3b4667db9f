"""Regions of a screen that change again and again by themselves: clocks and spinners.

A change belongs to one if it is small, leaves the cursor where it rested, and

- shows a time of day in another row than the cursor's: believed at first sight, nothing else looks so; or
- shows one with seconds in the cursor's row that does not touch the cursor: likewise, except for a time before the
  cursor that is the first to change after input, since prompts have times in them and answers draw them anew; or
- is the third at its place, in another row than a cursor that is shown, after intervals alike; or
- is that in the row of the cursor, or with the cursor hidden, and is any time of day or brings back what stood
  there before, as a spinner does: a counter does not, and is output of the program; or
- alters only colours, of one evenly coloured stretch, six times running with no other change between: a
  prompt that pulses. Any other change of colours, a light bar that moves above all, is none of these.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from tty_agent.observer.changes import Change

MAX_REGION_COLUMNS: Final = 24
"""A date and a time of day, or a spinner with its word. More is text."""

MAX_REGIONS: Final = 8
"""Remembered at once; the one that changed longest ago makes room."""

MAX_AGE_S: Final = 10.0
"""A region that did not change for so long is forgotten: the program shows something else."""

SAME_UPDATE_S: Final = 0.04
"""Changes of a region within so short a time are one update that came in pieces: no clock runs at 25 Hz."""

UPDATES_AWAY: Final = 3
"""Two could be a question and its answer's first word."""

UPDATES_RETURNED: Final = 2
"""How often a spinner at the cursor has to bring back a state: once could be a key echoed and erased."""

UPDATES_COLOUR: Final = 6
"""A light bar that a program moves by itself for a second does not come to so many without another change."""

MAX_INTERVAL_RATIO: Final = 2.5
"""Of the longer of the last two intervals to the shorter: a clock ticks evenly but for the network."""

_TO_THE_SECOND: Final = re.compile(r"(?<![\d:])\d{1,2}:\d\d:\d\d(?![\d:])")
"""What a clock in a status line shows; of a time without seconds, a reader types as much."""

_CONTENTS: Final = 16
"""States of a spinner remembered: the longest usual cycle has ten."""


class _Region:
    __slots__ = ("contents", "first", "last", "periodic", "returns", "row", "times")

    def __init__(self, change: Change) -> None:
        self.row, self.first, self.last = change.row, change.first, change.last
        self.periodic = False
        self.returns = 0
        self.times: deque[float] = deque(maxlen=UPDATES_AWAY)
        self.contents: deque[str] = deque(maxlen=_CONTENTS)

    def young(self, now: float) -> bool:
        return bool(self.times) and now - self.times[-1] <= MAX_AGE_S

    def holds(self, change: Change) -> bool:
        """The change overlaps the region, and both together are still small."""
        return (
            change.row == self.row
            and change.first <= self.last
            and change.last >= self.first
            and max(change.last, self.last) - min(change.first, self.first) < MAX_REGION_COLUMNS
        )

    def take(self, change: Change, cursor: tuple[int, int] | None, now: float, *, owed: bool) -> bool:
        """Count the change. True if it is one of those that come again and again. `owed`: it may answer an input."""
        self.first, self.last = min(self.first, change.first), max(self.last, change.last)
        if not self.times or now - self.times[-1] >= SAME_UPDATE_S:
            self.times.append(now)
            content = change.line[self.first : self.last + 1]
            self.returns += content in self.contents
            self.contents.append(content)
        if change.clock and (cursor is None or cursor[0] != self.row or _ticks_away(change, cursor[1], owed=owed)):
            self.periodic = True
        else:
            proven = change.clock or self.returns >= UPDATES_RETURNED
            self.periodic = self._even and (proven or (cursor is not None and cursor[0] != self.row))
        return self.periodic

    @property
    def _even(self) -> bool:
        """The last updates came at intervals alike."""
        if len(self.times) < UPDATES_AWAY:
            return False
        intervals = [later - earlier for earlier, later in pairwise(self.times)]
        return max(intervals) <= MAX_INTERVAL_RATIO * min(intervals)


def _ticks_away(change: Change, column: int, *, owed: bool) -> bool:
    """The change is within a time with seconds that does not touch the cursor in that column of its row."""
    return any(
        found.start() <= change.first
        and change.last < found.end()
        and (column < found.start() - 1 or (column > found.end() and not owed))
        for found in _TO_THE_SECOND.finditer(change.line)
    )


class Regions:
    """The regions of one screen. Times are seconds of one monotonic clock."""

    __slots__ = ("_owed", "_pulse", "_pulse_at", "_pulse_count", "_regions")

    def __init__(self) -> None:
        self._regions: list[_Region] = []
        self._owed = False
        self._pulse: tuple[int, int, int] | None = None
        self._pulse_count = 0
        self._pulse_at = 0.0

    def rows(self, now: float) -> tuple[int, ...]:
        """Rows that hold a region that was found to be periodic and still is."""
        return tuple(sorted({region.row for region in self._regions if region.periodic and region.young(now)}))

    def judge(self, changes: Sequence[Change], cursor: tuple[int, int] | None, now: float) -> bool:
        """Whether all of an update is periodic. It counts as seen; `cursor` is None if it is hidden."""
        owed, self._owed = self._owed, False
        if not changes or any(change.last - change.first >= MAX_REGION_COLUMNS for change in changes):
            self._pulse = None
            return False
        if len(changes) == 1 and not changes[0].text:
            return self._pulses(changes[0], now)
        judged = [change.text and self._region(change, now).take(change, cursor, now, owed=owed) for change in changes]
        self._owed = owed and all(judged)
        if not all(judged):
            self._pulse = None
            return False
        return True

    def ask(self) -> None:
        """Input went out: what is not known to be periodic by now may change because of the input from here on."""
        self._regions = [region for region in self._regions if region.periodic]
        self._owed = True
        self._pulse = None

    def disturb(self) -> None:
        """Something else changed on the screen: a stretch that pulses has to prove itself again."""
        self._owed = False
        self._pulse = None

    def _pulses(self, change: Change, now: float) -> bool:
        place = (change.row, change.first, change.last)
        if not change.even or place != self._pulse:
            self._pulse, self._pulse_count = (place if change.even else None), 1
        elif now - self._pulse_at >= SAME_UPDATE_S:
            self._pulse_count += 1
        self._pulse_at = now
        return change.even and self._pulse_count >= UPDATES_COLOUR

    def _region(self, change: Change, now: float) -> _Region:
        self._regions = [region for region in self._regions if region.young(now)]
        for region in self._regions:
            if region.holds(change):
                return region
        if len(self._regions) == MAX_REGIONS:
            self._regions.remove(min(self._regions, key=lambda region: region.times[-1]))
        region = _Region(change)
        self._regions.append(region)
        return region
