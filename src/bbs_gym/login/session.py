"""A terminal session at a BBS: opening it is calling and logging in.

What comes and goes takes the same way as at any terminal, so the login is in the transcript (the password's length
alone), and the terminal's replies to queries go out all the time. The agent's first turn begins behind the login.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec
import structlog

from bbs_gym.hosts.host import Host, HostFault
from bbs_gym.login.call import Call
from bbs_gym.login.dialogue import Answer, Arrived, Dialogue, Typing
from bbs_gym.login.fault import FaultKind, LoginFault, untypable
from bbs_gym.login.prompts import log_off_keys, view_of
from bbs_gym.login.ssh import kind_of
from bbs_gym.node_record import NodeRecord, SeenBy
from bbs_gym.readers.live_screen import of_turn
from bbs_gym.reading import prompt_of
from tty_agent.actions.errors import NotTaken
from tty_agent.observation.observation import Observation, ReadyReason
from tty_agent.observer.readiness import Fixed, PromptPattern, TurnPolicy
from tty_agent.session.session import TerminalSession
from tty_agent.transcript.transcript import Transcript
from tty_agent.transports.transport import CannotConnect

HOST_ANSWER_S: Final = 5.0
"""For the BBS's own list of nodes: a local program's start. A node that is not known in time is not known."""

LOG_OFF_S: Final = 5.0
"""For the good-bye of a BBS; then we hang up."""

_UNSETTLED: Final = frozenset({ReadyReason.BLANK, ReadyReason.CLOSED})
"""A screen that says nothing of where one is. One that never comes to rest, as of a door with a clock, says enough."""

_log = structlog.get_logger(__name__)


class LoginPace(msgspec.Struct, frozen=True, kw_only=True):
    """How long a login may take, and when a screen of it is looked at."""

    stage_s: float = 30.0
    """Each stage, and behind each answer anew: a BBS that asks the terminal something and gets no answer stalls 5 s,
    one that takes a caller for a machine 8 s, and a door loads for a while."""
    login_s: float = 180.0
    """All of it: one that asks for ever is no login."""
    quiet_s: float = 0.35
    """A screen without a prompt that is known."""
    prompt_quiet_s: float = 0.05
    """Behind one: as short as the pauses within what a BBS writes at once."""


class BbsSession(TerminalSession):
    """A `TerminalSession` whose `open` also logs in. `node` says what is known of its node.

    Without `prompts` of its own, or of a turn, `matched_prompt` is that of all prompts that the gym knows."""

    def __init__(
        self,
        call: Call,
        *,
        agent_id: str,
        node: NodeRecord,
        host: Host | None = None,
        columns: int = 80,
        rows: int = 24,
        transcript: Transcript | None = None,
        policy: TurnPolicy = Fixed(),  # noqa: B008 - a frozen value
        prompts: Sequence[PromptPattern] = (),
        metadata: Mapping[str, object] | None = None,
        pace: LoginPace = LoginPace(),  # noqa: B008 - a frozen value
    ) -> None:
        """`host` is asked for the node where the screen shows none."""
        super().__init__(
            call.transport,
            agent_id=agent_id,
            columns=columns,
            rows=rows,
            transcript=transcript,
            policy=policy,
            prompts=prompts,
            metadata=metadata,
        )
        self.alias: Final = call.alias
        self.node = node
        self._call = call
        self._host = host
        self._pace = pace
        self._names_prompts = not prompts
        self._look_policy = Fixed(quiet_s=pace.quiet_s, prompt_fast=True, prompt_quiet_s=pace.prompt_quiet_s)
        self._look_prompts = tuple(
            PromptPattern(prompt.asks, prompt.pattern) for prompt in call.dialogue.manners.prompts
        )

    @property
    def metadata(self) -> dict[str, object]:
        """As observations carry it: with alias and nodes."""
        node = self.node
        return super().metadata | {
            "agent_id": self.agent_id,
            "alias": self.alias,
            "requested_node": node.requested,
            "allocated_node": node.allocated,
            "observed_node": node.observed,
        }

    async def open(self) -> None:
        """Call and log in. Raises LoginFault; then everything is closed already."""
        try:
            await super().open()
        except CannotConnect as fault:
            ssh = self._call.transport.name == "ssh"
            kind = kind_of(fault) if ssh else FaultKind.UNREACHABLE
            raise LoginFault(kind, str(fault)) from fault
        try:
            await self._log_in(self._call.dialogue)
            await self._find_node()
        except BaseException:
            await self.close()
            raise

    async def observe_turn(
        self,
        *,
        policy: TurnPolicy | None = None,
        prompts: Sequence[PromptPattern] | None = None,
        timeout_s: float | None = None,
        left_s: float | None = None,
    ) -> Observation:
        """As of any terminal; see the class for `matched_prompt`."""
        seen = await super().observe_turn(policy=policy, prompts=prompts, timeout_s=timeout_s, left_s=left_s)
        if prompts is not None or not self._names_prompts:
            return seen
        return msgspec.structs.replace(seen, matched_prompt=prompt_of(of_turn(seen)))

    async def log_off(self) -> None:
        """Log off as a person does where the main menu is shown, and hang up. May be called twice."""
        keys = log_off_keys(view_of(self.screen)) if self.end is None else b""
        if keys:
            try:
                async with asyncio.timeout(LOG_OFF_S):
                    await self.write(keys)
                    while self.end is None:
                        await self.observe_turn(policy=self._look_policy, prompts=())
            except (TimeoutError, NotTaken):
                _log.info("no_good_bye", agent_id=self.agent_id)
        await self.close()

    async def _log_in(self, dialogue: Dialogue) -> None:
        loop = asyncio.get_running_loop()
        over = loop.time() + self._pace.login_s
        due, at = loop.time() + self._pace.stage_s, (dialogue.stage, dialogue.answers)
        while True:
            seen = await self.observe_turn(
                policy=self._look_policy, prompts=self._look_prompts, left_s=min(due, over) - loop.time()
            )
            view = view_of(self.screen, stable=seen.ready_reason not in _UNSETTLED)
            if self.end is not None:
                raise dialogue.closed(view, self.end.detail)
            step = dialogue.look(view)
            if isinstance(step, Arrived):
                return
            if isinstance(step, Answer):
                await self._give(step)
            if at != (dialogue.stage, dialogue.answers):
                due, at = loop.time() + self._pace.stage_s, (dialogue.stage, dialogue.answers)
            elif loop.time() >= min(due, over):
                raise dialogue.late(view, self._pace.stage_s if due <= over else self._pace.login_s)

    async def _give(self, answer: Answer) -> None:
        """Type it."""
        try:
            match answer.typing:
                case Typing.KEYS:
                    await self.write(answer.keys)
                case Typing.NAME:
                    await self.write(self._encoded(self.alias))
                case Typing.PASSWORD:
                    await self.write(self._encoded(self._call.password or ""), secret=True)
        except NotTaken:
            raise LoginFault(
                FaultKind.TIMED_OUT, f"the BBS reads nothing of what {self.alias} types: call again"
            ) from None

    def _encoded(self, text: str) -> bytes:
        """With Enter. The value is in no fault."""
        try:
            encoded = text.encode(self.screen.dialect.encoding)
        except UnicodeEncodeError:
            encoded = b""
        if not encoded or any(byte < 0x20 or byte == 0x7F for byte in encoded):
            raise untypable(self.alias)
        return encoded + b"\r"

    async def _find_node(self) -> None:
        dialogue = self._call.dialogue
        found, seen_by = dialogue.node, dialogue.seen_by
        if found is None and self._host is not None:
            found, seen_by = await self._ask_host(self._host), SeenBy.HOST
        if found is not None:
            self.node = msgspec.structs.replace(self.node, observed=found, seen_by=seen_by)
        if self.node.mismatch:
            _log.warning(
                "node_mismatch",
                agent_id=self.agent_id,
                requested=self.node.requested,
                allocated=self.node.allocated,
                observed=self.node.observed,
            )

    async def _ask_host(self, host: Host) -> int | None:
        """The node that the BBS has the caller on; None where it does not tell, or has it on several."""
        try:
            async with asyncio.timeout(HOST_ANSWER_S):
                seats = await host.nodes()
        except (HostFault, TimeoutError) as fault:
            _log.warning("node_not_told", agent_id=self.agent_id, why=str(fault) or f"no answer in {HOST_ANSWER_S:g} s")
            return None
        nodes = [seat.node for seat in seats if seat.alias.casefold() == self.alias.casefold()]
        return nodes[0] if len(nodes) == 1 else None
