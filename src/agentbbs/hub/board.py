"""The board: what is shared by all who are on it, and each visit from the node to the good-bye."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

import structlog

from agentbbs.calls import address as addresses
from agentbbs.calls.identity import Member
from agentbbs.calls.line import Line, LineGone
from agentbbs.calls.reception import Call
from agentbbs.doors.runner import DoorRunner
from agentbbs.hub import door_visit, greeting, menu, terminal_preferences
from agentbbs.hub.caller import Caller
from agentbbs.hub.catalog import Broken
from agentbbs.hub.endpoint_probe import EndpointProbe
from agentbbs.hub.front_desk import FrontDesk, TurnedAway
from agentbbs.hub.nodes import Nodes, NoNodeFree
from agentbbs.hub.plugin import Plugin
from agentbbs.hub.presence import Presence, Present
from agentbbs.hub.settings import BoardSettings
from agentbbs.hub.stay import Stay, VisitCut
from agentbbs.hub.text import Span, Style
from agentbbs.hub.visit import Visit, Visitor
from agentbbs.store import visits
from agentbbs.store.database import Database
from agentbbs.store.logins import Logins
from agentbbs.store.registration import Registrations
from tty_agent.terminal.inert import inert

if TYPE_CHECKING:
    from agentbbs.hub.chat_rooms import ChatRooms
    from agentbbs.hub.games import GameRoom

__all__ = ["Board", "BoardSettings"]

ALL_TAKEN: Final = "Sorry, all {count} nodes are in use. Call again in a few minutes."
TOO_MANY_OUTSIDERS: Final = "Too many callers from your address are on the line. Call again in a few minutes."
LOGGING_IN: Final = "(logging in)"
FAILED: Final = "Something went wrong here, and the visit has to end. The sysop finds the reason in the log."

_log = structlog.get_logger(__name__)


class Board:
    """One board. Implements `calls.reception.Reception`. Belongs to one event loop."""

    def __init__(
        self,
        database: Database,
        *,
        nodes: Nodes,
        passwords: Logins,
        registrations: Registrations,
        games: GameRoom,
        chat: ChatRooms,
        doors: DoorRunner,
        plugins: Sequence[Plugin],
        broken: Sequence[Broken] = (),
        settings: BoardSettings | None = None,
        probe: EndpointProbe | None = None,
        now_ms: Callable[[], int],
    ) -> None:
        self.database: Final = database
        self.now_ms: Final = now_ms
        """Unix milliseconds."""
        self.nodes: Final = nodes
        self.presence: Final = Presence()
        self.chat: Final = chat
        self.doors: Final = doors
        self.plugins: Final = tuple(plugins)
        self.broken: Final = tuple(broken)
        """Plugins that could not be loaded."""
        self.games: Final = games
        self.probe: Final = probe
        """None where no endpoints are called."""
        self.passwords: Final = passwords
        self.settings: Final = BoardSettings() if settings is None else settings
        self.desk: Final = FrontDesk(database, passwords, registrations, self.settings, now_ms)
        self._at_log_in: dict[int, Caller] = {}
        self._outside: dict[int, str] = {}
        """The addresses of those who are not logged in and don't call from this machine, by node."""

    async def receive(self, call: Call) -> None:
        """As `Reception.receive`."""
        stay = Stay(call.line)
        try:
            async with stay.held():
                await self._receive(call, stay)
        except LineGone as gone:
            _log.info("caller_gone", address=call.line.address, why=stay.why or str(gone))
        except VisitCut as cut:
            _log.warning("visit_cancelled", address=call.line.address, why=str(cut))
        except Exception:
            _log.exception("visit_failed", address=call.line.address)
            call.line.write(f"\r\n{FAILED}\r\n".encode("ascii"))
        finally:
            if stay.caller is not None:
                stay.caller.close()
            call.line.hang_up()

    async def recheck(self) -> None:
        """End the visits of those who may not be here any more: call it when accounts or bans have changed."""
        for present in (*self.presence.everyone(), *self.presence.logging_in()):
            visitor = Visitor(present.account, present.name, present.sysop, present.proofs)
            why = await self.desk.why_not(visitor, present.address)
            if why is not None and self.presence.is_there(present):
                _log.info("caller_expelled", node=present.node, account=present.name, why=why)
                self.presence.kick(present.node, why)

    async def _receive(self, call: Call, stay: Stay) -> None:
        line = stay.line
        why = await self.desk.why_not(None, line.address)
        if why is not None:
            _log.info("call_refused", transport=line.transport, address=line.address, why="banned")
            _turn_away(line, why)
            return
        try:
            with self.nodes.taken() as node:
                await self._on_node(call, stay, node)
        except NoNodeFree:
            _log.info("call_refused", transport=line.transport, address=line.address, why="all nodes are in use")
            _turn_away(line, ALL_TAKEN.format(count=self.nodes.count))
        finally:
            self._limit_log_ins()

    async def _on_node(self, call: Call, stay: Stay, node: int) -> None:
        line = stay.line
        if not isinstance(call.identity, Member) and not self._let_in_outsider(node, line.address):
            _log.info("call_refused", transport=line.transport, address=line.address, why="too many from there")
            _turn_away(line, TOO_MANY_OUTSIDERS)
            return
        try:
            caller = stay.caller = Caller(line)
            self._ring(node, stay, caller)
            await caller.detect()
            if call.door is None:
                greeting.banner(caller, self.settings, line, node, self.nodes.count)
            visitor = await self._admit(call, caller, stay)
            if visitor is None:
                return
            self._at_log_in.pop(node)
            if not visitor.guest:
                self._outside.pop(node, None)
            await self._visit(call, stay, Visit(self, caller, visitor, node, line, self.now_ms()))
        finally:
            self._outside.pop(node, None)
            self._at_log_in.pop(node, None)
            self.presence.leave(node)

    def _ring(self, node: int, stay: Stay, caller: Caller) -> None:
        line = stay.line
        self.presence.ring(
            Present(node, None, LOGGING_IN, line.transport, self.now_ms(), "at the log-in", line.address), stay
        )
        self._at_log_in[node] = caller
        self._limit_log_ins()

    def _limit_log_ins(self) -> None:
        """How long those at the log-in may be still depends on how many nodes are taken."""
        limit_s = self.settings.log_in_idle_limit_s
        if (self.nodes.count - self.nodes.free) * 2 > self.nodes.count:
            crowded_s = self.settings.crowded_log_in_idle_limit_s
            limit_s = crowded_s if limit_s is None else min(limit_s, crowded_s)
        for caller in self._at_log_in.values():
            if caller.idle_limit_s != limit_s:
                caller.idle_limit_s = limit_s

    def _let_in_outsider(self, node: int, address: str) -> bool:
        ip = addresses.parse(address)
        if ip is None or ip.is_loopback:
            return True
        source = addresses.source(address)
        self._outside[node] = source
        return list(self._outside.values()).count(source) <= self.settings.nodes_per_address

    async def _admit(self, call: Call, caller: Caller, stay: Stay) -> Visitor | None:
        """Who it is; None if the caller was told that it may not come in."""
        try:
            async with asyncio.timeout(self.settings.log_in_limit_s) as limit:
                visitor = await self.desk.admit(call.identity, stay.line, caller)
        except TurnedAway as away:
            caller.say(Span(str(away), Style.BAD))
            return None
        except TimeoutError:
            if not limit.expired():
                raise
            caller.say()
            caller.say(Span("Logging in took too long. Call again.", Style.BAD))
            return None
        there = () if visitor.account is None else self.presence.of_account(visitor.account)
        if len(there) >= self.settings.nodes_per_account:
            nodes = ", ".join(str(present.node) for present in there)
            caller.say(Span(f"You are on nodes {nodes} already, which is the limit: log off there first.", Style.BAD))
            return None
        return visitor

    async def _visit(self, call: Call, stay: Stay, visit: Visit) -> None:
        visitor, node, line = visit.visitor, visit.node, visit.line
        visit.caller.idle_limit_s = self.settings.idle_limit_s
        self.presence.arrive(
            Present(
                node,
                visitor.account,
                visitor.name,
                line.transport,
                visit.began_ms,
                "at the main menu",
                line.address,
                visitor.sysop,
                visitor.proofs,
            ),
            stay,
        )
        _log.info("visit_began", node=node, account=visitor.name, transport=line.transport, address=line.address)
        visit_id = None
        try:
            why = await self.desk.why_not(visitor, line.address)
            if why is not None:
                visit.caller.say(Span(why, Style.BAD))
                return
            last_ms = None
            if visitor.account is not None:
                last_ms = await self.database.look_up(visits.last_seen_ms, visitor.account)
            visit_id = await self.database.write(
                visits.begin, visitor.account, visitor.name, node=node, transport=line.transport, now_ms=visit.began_ms
            )
            await terminal_preferences.apply(visit)
            if call.door is not None:
                await self._straight_into(call.door, visit)
            else:
                await greeting.welcome(visit, last_ms)
                await menu.run(visit)
                await greeting.good_bye(visit)
        finally:
            self.presence.leave(node)
            _log.info("visit_ended", node=node, account=visitor.name, why=stay.why)
            if visit_id is not None:
                await self.database.write(visits.end, visit_id, now_ms=self.now_ms())

    async def _straight_into(self, name: str, visit: Visit) -> None:
        """The door that the caller asked for with the call; its end is the visit's."""
        door = door_visit.find_door(self.doors, name)
        if visit.visitor.guest:
            visit.caller.say(Span("Guests can't enter doors: register first.", Style.BAD))
        elif door is None:
            visit.caller.say(Span("There is no such door here.", Style.BAD))
        else:
            self.presence.set_doing(visit.node, f"in {door.title}")
            await door_visit.enter(visit, door)


def _turn_away(line: Line, why: str) -> None:
    line.write(f"\r\n{inert(why)}\r\n".encode("ascii", "replace"))  # nothing is known of the terminal yet
    line.hang_up()
