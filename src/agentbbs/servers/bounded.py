"""One caller's TCP connection, kept within bounds, whatever is spoken over it.

A protocol's library tends to handle all that came in before it returns, and to let its output pile up.
Here what is more than a move or two is handed on in portions through a turnstile, one a turn of the loop for all
connections together, so that a flood, or ten, delays nobody by more than a portion. A caller who has not
proved who it is needs a place at the door, goes through a turnstile with every step, may send little and must
be quick. A peer that does not read what it is sent is cut off.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final, Protocol, cast

import structlog

from agentbbs.play.alarms import Alarms
from agentbbs.servers.admission import Admission, Place, source
from agentbbs.servers.turnstile import Turnstile

LOGIN_TIMEOUT_S: Final = 20.0
"""From the accept, or the place at the door, to a session. A log-in takes well under a second."""

CLOSE_TIMEOUT_S: Final = 5.0
"""How long a client may take to hang up once its session is over."""

BYTES_A_TURN: Final = 4096
"""What of one connection is handled at once: some forty moves over SSH. The rest takes turns with the floods."""

MAX_LOGIN_BYTES: Final = 128 * 1024
"""What may come in outside of a session. A log-in over SSH takes 5 KiB, one with twenty RSA keys 25 KiB."""

MAX_EARLY_BYTES: Final = 16 * 1024
"""What may come in while a connection waits for its place: over SSH a version line and one message."""

MAX_UNREAD_BYTES: Final = 256 * 1024
"""What may lie unread for one peer in this process, beyond the kernel's buffers: some 1,000 positions.
A peer further behind is cut off."""

PACED_BYTES: Final = 32 * 1024
"""What may wait for a peer before its paced writer is asked to stop: eight screens. It may go on at a quarter."""

PERSON_LOGIN_S: Final = 60.0
"""What a person gets who types a password, in place of `LOGIN_TIMEOUT_S`."""

_log = structlog.get_logger(__name__)


class Speaker(Protocol):
    """What speaks a protocol over a transport: an `asyncio.Protocol` that can also be stopped at once."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None: ...

    def data_received(self, data: bytes) -> None: ...

    def eof_received(self) -> bool | None: ...

    def connection_lost(self, exc: Exception | None) -> None: ...

    def abort(self) -> None:
        """Write nothing more, and abort the transport now or in the next turn of the loop."""
        ...


class Flow(Protocol):
    """What is told how well its output gets away (the names are asyncio's)."""

    def pause_writing(self) -> None: ...

    def resume_writing(self) -> None: ...


class Door(Protocol):
    """The server that a connection comes to."""

    admission: Admission[BoundedPipe]
    strangers: Turnstile
    """For what comes from who has not proved who it is."""
    bulk: Turnstile
    """For what the others send beyond the little that is handled at once."""
    alarms: Alarms
    login_timeout_s: float

    def speaker(self, pipe: BoundedPipe) -> Speaker:
        """What speaks the protocol over `pipe`; made once the pipe has its place."""
        ...

    def came(self, pipe: BoundedPipe) -> None:
        """The connection is there."""
        ...

    def gone(self, pipe: BoundedPipe) -> None:
        """The connection is lost, and its speaker has been told and has had a turn of the loop."""
        ...


class BoundedPipe(asyncio.Protocol):
    """Stands between a transport and its speaker, which writes to the transport itself."""

    def __init__(self, loop: asyncio.AbstractEventLoop, door: Door) -> None:
        self.address = ""
        """The peer's IP address."""
        self.had_session = False
        """Whether a session has begun; it may be over."""
        self._loop = loop
        self._door = door
        self._transport: asyncio.Transport
        self._speaker: Speaker | None = None
        self._alarm = -1
        self._proven = False
        self._in_session = False
        self._rest = b""
        self._handled = 0
        self._paused = False
        self._held = False
        self._scheduled = False
        self._login_bytes = 0
        self._over = False
        self._ended = False
        """Whether the peer said that it sends no more."""
        self._hanging_up = False
        self._flow: Flow | None = None

    # What the server and its speaker call

    def proved(self) -> None:
        """The caller has an account: it no longer counts as a stranger."""
        self._proven = True
        self._leave_the_door()

    def later(self, step: Callable[[], None]) -> None:
        """Run `step` in a later turn of the loop; of such steps of all connections one is run a turn."""
        (self._door.bulk if self._proven else self._door.strangers).line_up(step)

    def session_began(self) -> None:
        """There is no hurry any more."""
        self._in_session = self.had_session = True
        self._door.alarms.clear(self._alarm)

    def session_ended(self) -> None:
        """The client is expected to hang up, and soon."""
        self._in_session = False
        if not self._is_over():
            self._set_alarm(CLOSE_TIMEOUT_S)

    def person_types(self) -> None:
        """There is no session yet, because a person has to type a password. Call it once a connection."""
        self._set_alarm(max(PERSON_LOGIN_S, self._door.login_timeout_s))

    def pace(self, flow: Flow) -> None:
        """From now on `flow` is told to stop while more than `PACED_BYTES` wait for the peer, in place of a cut. It is
        the writer who must cut (beyond `unsent_bytes` of its own choice)."""
        self._flow = flow
        self._transport.set_write_buffer_limits(high=PACED_BYTES)

    @property
    def unsent_bytes(self) -> int:
        """What waits for the peer in this process."""
        return self._transport.get_write_buffer_size()

    def hold(self) -> None:
        """Hand nothing more on, and read nothing more, until `release`."""
        self._held = True
        self._pause()

    def release(self) -> None:
        """Go on after `hold`."""
        self._held = False
        if self._rest:
            self._schedule()
        else:
            self._resume()

    def hang_up(self) -> None:
        """Send what waits, then say that there is no more; the peer has `CLOSE_TIMEOUT_S` to take it and close.

        Not closed at once: what still comes in would turn the close into a reset, which takes our last words away.
        """
        if self._hanging_up or self._is_over():
            return
        self._hanging_up = True
        self.session_ended()
        self.release()
        if self._ended:
            self._transport.close()
        else:
            self._transport.write_eof()

    def cut(self, why: str) -> None:
        """End the connection without a word to the peer."""
        if self._is_over():
            return
        _log.info("connection_cut", address=self.address, why=why)
        self._over = True
        if self._speaker is not None:
            self._speaker.abort()
        else:
            self._transport.abort()

    def speak(self) -> None:
        """There is a place at the door: begin, with what came in meanwhile."""
        self._set_alarm(self._door.login_timeout_s)
        self._transport.set_write_buffer_limits(high=MAX_UNREAD_BYTES)
        self._speaker = self._door.speaker(self)
        self._speaker.connection_made(self._transport)
        if self._rest:
            self._schedule()

    # What asyncio calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)  # uvloop's is one without being of the class
        self.address = (transport.get_extra_info("peername") or ("",))[0]
        self._alarm = self._door.alarms.add(self._too_late)
        self._set_alarm(self._door.login_timeout_s)
        self._door.came(self)
        place = self._door.admission.arrive(self, source(self.address))
        if place is Place.IN:
            self.speak()
        elif place is Place.REFUSED:
            self.cut("too many connections that have not logged in")

    def data_received(self, data: bytes) -> None:
        self._rest = self._rest[self._handled :] + data if self._rest else data
        self._handled = 0
        if self._proven and len(self._rest) <= BYTES_A_TURN and not self._scheduled and not self._held:
            self._handle()
        elif self._speaker is not None:
            self._schedule()
        else:
            self._pause()
            if len(self._rest) > MAX_EARLY_BYTES:
                self.cut("too much came in before its turn")

    def eof_received(self) -> bool | None:
        self._ended = True
        return None if self._speaker is None or self._hanging_up else self._speaker.eof_received()

    def pause_writing(self) -> None:
        if self._flow is not None:
            self._flow.pause_writing()
        else:
            self.cut(f"it leaves {self._transport.get_write_buffer_size()} bytes unread")

    def resume_writing(self) -> None:
        if self._flow is not None:
            self._flow.resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        self._rest = b""
        self._door.alarms.drop(self._alarm)
        self._leave_the_door()
        if self._speaker is not None:
            self._speaker.connection_lost(exc)
        self._loop.call_soon(self._door.gone, self)

    def _is_over(self) -> bool:
        return self._over or self._transport.is_closing()

    def _leave_the_door(self) -> None:
        following = self._door.admission.leave(self)
        if following is not None:
            following.speak()

    def _schedule(self) -> None:
        """Handle a portion in a later turn; read nothing more until then."""
        self._pause()
        if not self._scheduled:
            self._scheduled = True
            self.later(self._handle)

    def _pause(self) -> None:
        if not self._paused and not self._is_over():
            self._paused = True
            self._transport.pause_reading()

    def _resume(self) -> None:
        if self._paused and not self._held and not self._is_over():
            self._paused = False
            self._transport.resume_reading()

    def _handle(self) -> None:
        """Hand one portion to the speaker."""
        self._scheduled = False
        if self._held:
            return
        if self._speaker is None or self._is_over():
            self._rest = b""
            return
        portion = self._rest[self._handled : self._handled + BYTES_A_TURN]
        self._handled += len(portion)
        if self._handled < len(self._rest):
            self._schedule()
        else:
            self._rest = b""
            self._resume()
        self._speaker.data_received(portion)
        if self._flow is not None and self.unsent_bytes > MAX_UNREAD_BYTES:
            self.cut(f"it leaves {self.unsent_bytes} bytes unread")
        if not self._in_session:
            self._login_bytes += len(portion)
            if self._login_bytes > MAX_LOGIN_BYTES:
                self.cut("too much came in outside of a session")

    def _set_alarm(self, after_s: float) -> None:
        self._door.alarms.set(self._alarm, self._door.alarms.now() + after_s)

    def _too_late(self) -> None:
        if self._hanging_up:
            self._transport.abort()
        self.cut("it has no session and does not hang up")
