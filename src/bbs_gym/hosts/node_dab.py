"""`ctrl/node.dab`, Synchronet's own book of its nodes, read from its bytes: who is on which node, and what for.

A record has 15 bytes, little-endian: status, errors and action (a byte each), the user's number, the connection,
miscellaneous bits and an auxiliary word (two bytes each), an extended auxiliary word (four). The n-th record is node n.
"""

from __future__ import annotations

import struct
from enum import IntEnum
from typing import Final

import msgspec

RECORD: Final = struct.Struct("<BBBHHHHI")
MAX_NODES: Final = 250
"""As many as Synchronet knows; a longer file is something else."""

TELNET_CONNECTION: Final = 65535
RLOGIN_CONNECTION: Final = 65534


class NodeStatus(IntEnum):
    """What a node is about."""

    WAITING = 0
    AT_LOGIN = 1
    NEW_USER = 2
    IN_USE = 3
    IN_USE_QUIETLY = 4
    OFFLINE = 5
    NETWORKING = 6
    WAITING_FOR_EVENT = 7
    RUNNING_EVENT = 8
    EVENT_ELSEWHERE = 9
    LOGGING_OUT = 10
    UNKNOWN = 255
    """A value that this module does not know."""


class NodeAction(IntEnum):
    """What a user does there; those of Synchronet that the gym's own users come to."""

    MAIN_MENU = 0
    READING_MESSAGES = 1
    READING_MAIL = 2
    SENDING_MAIL = 3
    POSTING = 6
    EXTERNAL_PROGRAM = 8
    SETTINGS = 9
    LOGGING_ON = 15
    MULTI_CHAT = 17
    CHAT_SECTION = 19
    PRIVATE_CHAT = 22
    OTHER = 255
    """Any other."""


_STATUSES: Final = {status.value: status for status in NodeStatus}
_ACTIONS: Final = {action.value: action for action in NodeAction}

_WORDS: Final = {
    NodeAction.MAIN_MENU: "at the main menu",
    NodeAction.READING_MESSAGES: "reading messages",
    NodeAction.READING_MAIL: "reading mail",
    NodeAction.SENDING_MAIL: "sending mail",
    NodeAction.POSTING: "posting a message",
    NodeAction.SETTINGS: "changing settings",
    NodeAction.LOGGING_ON: "logging on",
    NodeAction.MULTI_CHAT: "in multi-user chat",
    NodeAction.CHAT_SECTION: "in the chat section",
    NodeAction.PRIVATE_CHAT: "in private chat",
    NodeAction.OTHER: "elsewhere",
}


class BadNodeFile(ValueError):
    """The bytes are no `node.dab`; the text says why."""


class NodeState(msgspec.Struct, frozen=True, kw_only=True):
    """One node."""

    node: int
    status: NodeStatus
    errors: int
    action: NodeAction
    user: int
    """The user's number; 0: nobody was on yet. It stays after a user left, so look at `in_use`."""
    connection: int
    misc: int
    aux: int
    """In an external program: its number, counted from 1; 0 in the menu of programs."""
    extaux: int

    @property
    def in_use(self) -> bool:
        """Somebody is logged on."""
        return self.status in {NodeStatus.IN_USE, NodeStatus.IN_USE_QUIETLY} and self.user > 0

    @property
    def busy(self) -> bool:
        """Somebody is on, at its login included, or about to go."""
        return self.in_use or self.status in {NodeStatus.AT_LOGIN, NodeStatus.NEW_USER, NodeStatus.LOGGING_OUT}

    @property
    def in_door(self) -> bool:
        """The user runs an external program; which one is in the user's record."""
        return self.in_use and self.action is NodeAction.EXTERNAL_PROGRAM and self.aux != 0

    @property
    def doing(self) -> str:
        """The same in words."""
        if self.action is NodeAction.EXTERNAL_PROGRAM:
            return f"in external program {self.aux}" if self.aux else "choosing an external program"
        return _WORDS[self.action]

    @property
    def way(self) -> str:
        """How the user came: `telnet`, `rlogin`, or the number that stands there."""
        known = {TELNET_CONNECTION: "telnet", RLOGIN_CONNECTION: "rlogin"}
        return known.get(self.connection, str(self.connection))


def read_node_dab(content: bytes) -> tuple[NodeState, ...]:
    """All nodes, the first one first. A record that was not written to its end is left out, since Synchronet writes
    while we read. Raises BadNodeFile."""
    whole = len(content) // RECORD.size
    if whole > MAX_NODES:
        raise BadNodeFile(f"it has {len(content)} bytes, and {MAX_NODES} nodes have {MAX_NODES * RECORD.size}")
    return tuple(_node(at + 1, content[at * RECORD.size : (at + 1) * RECORD.size]) for at in range(whole))


def _node(number: int, record: bytes) -> NodeState:
    status, errors, action, user, connection, misc, aux, extaux = RECORD.unpack(record)
    return NodeState(
        node=number,
        status=_STATUSES.get(status, NodeStatus.UNKNOWN),
        errors=errors,
        action=_ACTIONS.get(action, NodeAction.OTHER),
        user=user,
        connection=connection,
        misc=misc,
        aux=aux,
        extaux=extaux,
    )
