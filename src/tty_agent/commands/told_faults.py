"""The failures of the harness that say in their own words what is wrong and what to do."""

from __future__ import annotations

from typing import Final

from tty_agent.commands.bounded_check import LooksTooLong
from tty_agent.commands.failure import Failed
from tty_agent.memory.store import MemoryFault
from tty_agent.models.catalog import ModelConfigError
from tty_agent.models.model import ProviderFault
from tty_agent.models.scripted import ScriptError
from tty_agent.render.extra import RenderFault
from tty_agent.trace.records import TraceFault
from tty_agent.transcript.transcript import TranscriptError
from tty_agent.transports.target import BadTarget, NoSecret
from tty_agent.transports.transport import CannotConnect

TOLD_FAULTS: Final = (
    Failed,
    BadTarget,
    CannotConnect,
    LooksTooLong,
    MemoryFault,
    ModelConfigError,
    NoSecret,
    ProviderFault,
    RenderFault,
    ScriptError,
    TraceFault,
    TranscriptError,
)

WRONG_CALLS: Final = (ScriptError,)
"""Those of them that are mistakes of the call: in what its options name."""
