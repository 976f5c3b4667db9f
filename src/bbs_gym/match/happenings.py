"""What can become of a participant, as its tasks tell the driver."""

from __future__ import annotations

import msgspec

from bbs_gym.match.stopping import Stop
from tty_agent.runner.decision import Decision
from tty_agent.runner.result import RunEnd


class Decided(msgspec.Struct, frozen=True):
    """The model has answered, with a valid action or without."""

    agent_id: str
    decision: Decision


class Acted(msgspec.Struct, frozen=True):
    """A decision was committed; `end` if it was the end of the run."""

    agent_id: str
    end: RunEnd | None


class Ended(msgspec.Struct, frozen=True):
    """A run came to an end, by itself or with its line."""

    agent_id: str
    end: RunEnd


class Back(msgspec.Struct, frozen=True):
    """A line was had back."""

    agent_id: str


class Stopped(msgspec.Struct, frozen=True):
    """Nothing more comes of this one."""

    agent_id: str
    stop: Stop


class Finished(msgspec.Struct, frozen=True):
    """It is over, its trace too, and everything is closed."""

    agent_id: str


Happening = Decided | Acted | Ended | Back | Stopped | Finished
