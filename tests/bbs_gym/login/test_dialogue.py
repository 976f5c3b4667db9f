"""Logins as dialogues: each looked at after every single byte, after any choice of bytes, and at rest alone."""

from __future__ import annotations

import contextlib
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.bbs_gym.login.dialogues import (
    ALIAS,
    HOUSE_TELNET,
    HOUSE_WAY_IN,
    PASSWORD,
    SYNCHRONET_BANNER,
    SYNCHRONET_TELNET,
    SYNCHRONET_WAY_IN,
    TYPED,
    Hears,
    Says,
    Script,
    converse,
)
from tests.tty_agent.replay_server import Chunk, chunks, recorded, recordings

from bbs_gym.login.dialogue import MAX_ANSWERS, Answer, Arrived, Dialogue, Stage, Typing, Wait
from bbs_gym.login.fault import FaultKind, LoginFault
from bbs_gym.login.prompts import ANY, HOUSE, SYNCHRONET, Manners, view_of
from bbs_gym.nodes import SeenBy
from tty_agent.terminal.screen import Screen
from tty_agent.transports.rlogin_handshake import Acknowledgement
from tty_agent.transports.telnet_options import TelnetOptions

BANNER = SYNCHRONET_BANNER
NAMED = (BANNER, Hears(b"alice\r"), Says(b"Alice\r\n"))
GIVEN = (*NAMED, Says(b"Password: "), Hears(TYPED[Typing.PASSWORD]))


def by_telnet(manners: Manners = SYNCHRONET, *, has_password: bool = True) -> Dialogue:
    return Dialogue(manners, name=ALIAS, has_password=has_password)


def by_rlogin(manners: Manners = SYNCHRONET, *, to_door: bool = False) -> Dialogue:
    return Dialogue(manners, name=ALIAS, stage=Stage.CHECKING, named_by_line=True, to_door=to_door)


def fault_of(dialogue: Dialogue, script: Script) -> LoginFault:
    with pytest.raises(LoginFault) as raised:
        converse(dialogue, script)
    assert PASSWORD not in raised.value.text
    return raised.value


WHOLE = {
    "synchronet": (SYNCHRONET, SYNCHRONET_TELNET, 3),
    "house": (HOUSE, HOUSE_TELNET, 2),
    "synchronet-unknown": (ANY, SYNCHRONET_TELNET, 3),
    "house-unknown": (ANY, HOUSE_TELNET, 2),
}


@pytest.mark.parametrize(("manners", "script", "node"), WHOLE.values(), ids=WHOLE)
class TestAWholeLogin:
    def test_looked_at_after_every_byte(self, manners: Manners, script: Script, node: int) -> None:
        dialogue = by_telnet(manners)
        assert converse(dialogue, script)
        assert dialogue.stage is Stage.IN
        assert (dialogue.node, dialogue.seen_by) == (node, SeenBy.BANNER)

    def test_looked_at_when_the_board_waits(self, manners: Manners, script: Script, node: int) -> None:
        dialogue = by_telnet(manners)
        assert converse(dialogue, script, lambda _: False)
        assert dialogue.node == node

    @settings(max_examples=15, deadline=None)
    @given(looked=st.sets(st.integers(1, 900)))
    def test_looked_at_anywhere(self, manners: Manners, script: Script, node: int, looked: set[int]) -> None:
        dialogue = by_telnet(manners)
        assert converse(dialogue, script, looked.__contains__)
        assert dialogue.node == node

    def test_cut_off_after_every_byte(self, manners: Manners, script: Script, node: int) -> None:
        """Whatever is on the screen when the line goes, it is a fault that tells no secret."""
        del node
        dialogue, screen = by_telnet(manners), Screen(80, 24)
        for step in script:
            for byte in step if isinstance(step, Says) else b"":
                screen.feed(bytes((byte,)))
                dialogue.look(view_of(screen, stable=False))
                for fault in (dialogue.closed(view_of(screen), "reset"), dialogue.late(view_of(screen), 5)):
                    assert PASSWORD not in fault.text
                    assert ALIAS in fault.text


def test_a_person_that_is_let_in_by_the_line_types_nothing_of_itself() -> None:
    dialogue = by_rlogin()
    assert converse(dialogue, (Says(SYNCHRONET_WAY_IN[0]), *SYNCHRONET_WAY_IN[1:]))
    assert (dialogue.node, dialogue.seen_by) == (3, SeenBy.MENU)


def test_the_house_by_rlogin() -> None:
    banner = Says(b"AgentBBS\r\nNode 7 of 32, rlogin, ANSI 80x24 CP437\r\n\r\n")
    dialogue = by_rlogin(HOUSE)
    assert converse(dialogue, (banner, *HOUSE_WAY_IN))
    assert dialogue.node == 7


class TestThePassword:
    def test_is_given_nowhere_but_behind_a_prompt_for_it(self) -> None:
        screen, dialogue = Screen(80, 24), by_telnet()
        for text in (b"Password: ", b"\r\nYour Password: hunter2\r\nPassword:  typed", b"\r\nPasswords\r\n> "):
            screen.feed(text)
            for stable in (False, True):
                assert dialogue.look(view_of(screen, stable=stable)) == Wait()

    def test_is_given_once(self) -> None:
        fault = fault_of(by_telnet(), (*GIVEN, Says(b"****\r\nPassword: ")))
        assert fault.kind is FaultKind.WRONG_PASSWORD

    def test_is_not_given_behind_a_second_prompt_for_the_name(self) -> None:
        fault = fault_of(by_telnet(), (*NAMED, Says(b"\r\nLogin: "), Says(b"Password: ")))
        assert fault.kind is FaultKind.UNKNOWN_USER

    def test_is_not_given_after_the_name_is_unknown(self) -> None:
        fault = fault_of(by_telnet(), (*NAMED, Says(b"Unknown user\r\nEnter User Name or 'New'\r\nPassword: ")))
        assert fault.kind is FaultKind.UNKNOWN_USER

    def test_is_not_given_once_the_caller_is_let_in(self) -> None:
        """Somebody else's text may look like a prompt; nobody is asked for a password behind the door."""
        script = (*GIVEN, Says(b"\r\nLogging on to X as alice ...\r\n"), Says(b"\x0cPassword: "))
        assert not converse(by_telnet(), script)

    def test_is_missed_where_the_account_has_none(self) -> None:
        fault = fault_of(by_telnet(has_password=False), (*NAMED, Says(b"Password: ")))
        assert fault.kind is FaultKind.NO_PASSWORD
        assert "password_env" in fault.text

    @given(art=st.binary(max_size=200))
    @settings(max_examples=100, deadline=None)
    def test_is_given_for_no_screen_that_asks_nothing(self, art: bytes) -> None:
        dialogue, screen = by_telnet(ANY), Screen(80, 24)
        screen.feed(art)
        found = dialogue.look(view_of(screen))
        assert not isinstance(found, Answer) or found.typing is not Typing.PASSWORD


TOLD = {
    "wrong": (GIVEN, b"****\r\n\x07Invalid Logon\r\n[\xfb] Email your password to you? [No] Yes ", "wrong_password"),
    "full": ((), b"\r\nSorry, all terminal nodes are in use or otherwise unavailable.\r\n", "no_node"),
    "house full": ((), b"\r\nSorry, all 32 nodes are in use. Call again in a few minutes.\r\n", "no_node"),
    "profile": (
        GIVEN,
        b"****\r\nLogging on to X as alice ...\r\n[\xfb] Enter your full real name: ",
        "unfinished_account",
    ),
    "tries": (GIVEN, b"****\r\nToo many tries have failed. Wait 20 s, then call again.\r\n", "barred"),
    "banned": (GIVEN, b"****\r\nYour account is banned from this board: spam\r\n", "barred"),
    "in the clear": ((), b"Passwords are not taken in the clear from your address. Members call by\r\n", "barred"),
    "rlogin in the clear": (
        (),
        b"\r\nPasswords in the clear are not taken from your address: call by ssh.\r\n",
        "barred",
    ),
    "four nodes": (GIVEN, b"\r\nYou are on nodes 1, 2, 3, 4 already, which is the limit: log off\r\n", "busy_account"),
    "closes": ((), b"\r\nThe BBS closes now. Call again in a few minutes.\r\n", "closing"),
    "slow": (NAMED, b"\r\nLogging in took too long. Call again.\r\n", "timed_out"),
    "registers": (NAMED, b"Choose a name: letters and digits, with single - _ or . between them.\r\n", "unknown_user"),
}


@pytest.mark.parametrize(("before", "text", "kind"), TOLD.values(), ids=TOLD)
def test_what_a_board_tells(before: Script, text: bytes, kind: str) -> None:
    assert fault_of(by_telnet(ANY), (*before, Says(text))).kind == kind


def test_the_same_words_of_others_count_for_nothing_once_the_caller_is_in() -> None:
    wall = Says(
        b"\r\nLogging on to X as alice ...\r\n\x0cUnknown user\r\nInvalid Logon\r\nThe BBS closes now.\r\n[Hit a key] "
    )
    assert not converse(by_telnet(), (*GIVEN, wall, Hears(b"\r")))


class TestRegistration:
    SWAPPED = Says(
        b"  Synchronet BBS for Linux  Version 3.22\r\n\r\nUNKNOWN USER: secret-Pa55\r\n\r\n"
        b"Starting new user registration ...\r\n\r\n[\xfb] Use automatic terminal type detection? [Yes] No "
    )

    def test_of_another_name_means_that_the_fields_were_swapped(self) -> None:
        fault = fault_of(by_rlogin(), (self.SWAPPED,))
        assert fault.kind is FaultKind.SWAPPED_FIELDS
        assert not fault.retriable

    def test_of_a_name_that_is_not_told_too(self) -> None:
        assert (
            fault_of(by_rlogin(), (Says(b"Starting new user registration ...\r\n"),)).kind is FaultKind.SWAPPED_FIELDS
        )

    def test_of_the_own_name_means_that_it_is_unknown(self) -> None:
        fault = fault_of(by_rlogin(), (Says(b"UNKNOWN USER: Alice\r\n"),))
        assert fault.kind is FaultKind.UNKNOWN_USER

    def test_is_never_answered(self) -> None:
        screen, dialogue = Screen(80, 24), by_rlogin()
        begun = self.SWAPPED.index(b"\r\n", self.SWAPPED.index(b"UNKNOWN")) + 2
        for byte in self.SWAPPED[: begun - 1]:
            screen.feed(bytes((byte,)))
            assert dialogue.look(view_of(screen, stable=False)) == Wait()
        screen.feed(self.SWAPPED[begun - 1 : begun])
        with pytest.raises(LoginFault):
            dialogue.look(view_of(screen, stable=False))


class TestTheSamePrompt:
    def test_is_answered_once_however_often_it_is_looked_at(self) -> None:
        dialogue, screen = by_rlogin(), Screen(80, 24)
        screen.feed(b"art\r\n[Hit a key] ")
        assert dialogue.look(view_of(screen)) == Answer(Typing.KEYS, b"\r")
        for more in (b"", b"\x1b[0m", b"\x1b[s\x1b[1;70H12:00:01\x1b[u"):
            screen.feed(more)
            assert dialogue.look(view_of(screen)) == Wait()

    def test_that_comes_again_on_another_screen_is_answered_again(self) -> None:
        dialogue, screen = by_rlogin(), Screen(80, 24)
        for page in (b"one", b"two", b"three"):
            screen.feed(b"\x0c" + page + b"\r\n[Hit a key] ")
            assert isinstance(dialogue.look(view_of(screen)), Answer)

    def test_that_comes_without_end_is_a_fault(self) -> None:
        dialogue, screen = by_rlogin(), Screen(80, 24)

        def page(number: int) -> None:
            screen.feed(f"\x0c{number}\r\n[Hit a key] ".encode())
            dialogue.look(view_of(screen))

        for number in range(MAX_ANSWERS):
            page(number)
        with pytest.raises(LoginFault) as raised:
            page(MAX_ANSWERS)
        assert raised.value.kind is FaultKind.ASTRAY


class TestADoor:
    def test_is_entered_without_a_key(self) -> None:
        script = (
            Says(b"\x0cSynchronet BBS for Linux\r\nLogging on to X as alice ...\r\n\r\nTrade Wars\r\n[Hit a key] "),
        )
        assert converse(by_rlogin(to_door=True), script)

    def test_is_not_entered_before_the_caller_is_let_in(self) -> None:
        assert not converse(by_rlogin(to_door=True), (Says(b"RLogin connection from: 127.0.0.1\r\n"), Says(b"...")))

    def test_is_not_entered_while_nothing_of_it_is_shown(self) -> None:
        assert not converse(by_rlogin(to_door=True), (Says(b"Logging on to X as alice ...\r\n"),))

    def test_of_the_house_begins_with_its_first_screen(self) -> None:
        assert converse(by_rlogin(HOUSE, to_door=True), (Says(b"\x1b[2J\x1b[H"), Says(b"S T A R L A N E\r\n")))

    @pytest.mark.parametrize(
        "text",
        [
            b"Logging on to X as alice ...\r\n!JavaScript: Error: Invalid external program specified\r\n",
            b"There is no such door here.\r\n",
            b"Starlane is not free: somebody is in.\r\n",
        ],
    )
    def test_that_there_is_not(self, text: bytes) -> None:
        assert fault_of(by_rlogin(ANY, to_door=True), (Says(text),)).kind is FaultKind.NO_DOOR

    def test_is_not_entered_with_a_wrong_password(self) -> None:
        fault = fault_of(by_rlogin(ANY, to_door=True), (Says(b"\r\n\x07Invalid Logon\r\n\r\nPassword: "),))
        assert fault.kind is FaultKind.WRONG_PASSWORD


class TestTheEnd:
    def test_is_explained_by_what_the_board_said_last(self) -> None:
        dialogue, screen = by_rlogin(), Screen(80, 24)
        screen.feed(b"Logging on to X as alice ...\r\n")
        dialogue.look(view_of(screen))
        screen.feed(b"You can't possibly be in two places at the same time.")
        assert dialogue.closed(view_of(screen), "eof").kind is FaultKind.BUSY_ACCOUNT

    def test_is_a_lost_line_else(self) -> None:
        fault = by_telnet().closed(view_of(Screen(80, 24)), "reset\x1b[2J")
        assert fault.kind is FaultKind.LOST
        assert fault.retriable
        assert "\x1b" not in fault.text

    def test_of_patience_names_the_row(self) -> None:
        screen = Screen(80, 24)
        screen.feed(b"Are you a robot? ")
        fault = by_telnet().late(view_of(screen), 30)
        assert fault.kind is FaultKind.TIMED_OUT
        assert "robot" in fault.text

    def test_of_patience_shows_nothing_while_a_password_is_checked(self) -> None:
        screen = Screen(80, 24)
        screen.feed(b"Login: secret-Pa55")
        assert PASSWORD not in by_rlogin().late(view_of(screen), 30).text


# The recordings of a real Synchronet: what was typed there is what the dialogue types, each behind the same byte.

ARRIVE = [
    "idle-main", "rlogin-bob-multi", "rlogin-fast", "telnet-agent003", "telnet-alice-2", "telnet-bob-logoff",
    "telnet-fast",
]  # fmt: skip
DOORS = [
    "idle-tw2", "rlogin-agent001-a", "rlogin-alice-dup2", "rlogin-alice-tw2-quit", "rlogin-bob-async", "rlogin-xtrn",
]  # fmt: skip
FAIL = {
    "rlogin-badcode": "no_door",
    "rlogin-badpw": "wrong_password",
    "rlogin-swapped": "swapped_fields",
    "rlogin-user-both": "wrong_password",
    "telnet-agent002": "unfinished_account",
    "telnet-alice-dup3": "busy_account",
    "telnet-badpw": "wrong_password",
    "telnet-full-8": "no_node",
    "telnet-latecpr": "unknown_user",
}


class Recorded:
    """A recording, played to a dialogue byte by byte."""

    def __init__(self, path: Path) -> None:
        self.chunks = chunks(path)
        telnet = path.stem.startswith(("telnet", "idle-login", "idle-main", "idle-dumb"))
        self.terminal: Callable[[bytes], bytes] = Acknowledgement().receive
        sent = [chunk.data for chunk in self.chunks if chunk.dir == "tx" and chunk.data[:1] not in {b"\xff", b"\x1b"}]
        if telnet:
            alias, door = (sent[0].decode().strip() if sent else ALIAS), False
            self.dialogue = Dialogue(ANY, name=alias)
            options = TelnetOptions("ansi-bbs", 80, 24)
            self.terminal = lambda data: options.receive(data)[0]
        else:
            _, _, alias, terminal, *_ = sent[0].decode().split("\0")
            door = terminal.startswith("xtrn")
            alias = ALIAS if "swapped" in path.stem else alias.lstrip("!")
            self.dialogue = Dialogue(ANY, name=alias, stage=Stage.CHECKING, to_door=door, named_by_line=True)
        self.typed: list[str] = []
        self.theirs: list[str] = []
        self._alias = alias

    def play(self) -> bool:
        """Whether it arrived. Raises LoginFault; at the end of the recording too."""
        screen = Screen(80, 24)
        for chunk in self.chunks:
            if chunk.dir == "tx":
                if chunk.data[:1] not in {b"\xff", b"\x1b", b"\0"}:
                    self.theirs.append(chunk.data.decode("latin-1"))
                continue
            for byte in self.terminal(chunk.data):
                screen.feed(bytes((byte,)))
                if self._look(screen, stable=False):
                    return True
        if self._look(screen, stable=True):
            return True
        raise self.dialogue.closed(view_of(screen), "the recording ends")

    def before_the_first_key(self) -> Iterator[Chunk]:
        """What came until somebody typed."""
        for chunk in self.chunks:
            if chunk.dir == "rx":
                yield chunk
            elif chunk.data[:1] not in {b"\xff", b"\x1b", b"\0"}:
                return

    def _look(self, screen: Screen, *, stable: bool) -> bool:
        found = self.dialogue.look(view_of(screen, stable=stable))
        if isinstance(found, Answer):
            words = {Typing.NAME: f"{self._alias}\r", Typing.PASSWORD: f"{PASSWORD}\r"}
            self.typed.append(words.get(found.typing, found.keys.decode()))
        return isinstance(found, Arrived)


@pytest.mark.parametrize("name", ARRIVE)
def test_a_recorded_login_types_what_was_typed(name: str) -> None:
    played = Recorded(recorded(name))
    assert played.play()
    assert played.typed == played.theirs[: len(played.typed)]
    assert played.dialogue.node in range(1, 9)


@pytest.mark.parametrize("name", DOORS)
def test_a_recorded_way_into_a_door_types_nothing(name: str) -> None:
    played = Recorded(recorded(name))
    screen = Screen(80, 24)
    for chunk in played.before_the_first_key():
        for byte in played.terminal(chunk.data):
            screen.feed(bytes((byte,)))
            assert played.dialogue.look(view_of(screen, stable=False)) == Wait()
    assert played.dialogue.look(view_of(screen)) == Arrived()


@pytest.mark.parametrize(("name", "kind"), FAIL.items())
def test_a_recorded_failure(name: str, kind: str) -> None:
    with pytest.raises(LoginFault) as raised:
        Recorded(recorded(name)).play()
    assert raised.value.kind == kind
    assert PASSWORD not in raised.value.text


OTHERS = [
    path for path in recordings() if path.stem in {"rlogin-alice-crlf", "telnet-alice-1", "telnet-dumb", "telnet-lf"}
]


@pytest.mark.parametrize("path", [pytest.param(path, id=path.stem) for path in OTHERS])
def test_no_other_recording_gets_a_password_twice(path: Path) -> None:
    """Those among them were typed ahead of the BBS, or cut off."""
    played = Recorded(path)
    with contextlib.suppress(LoginFault):  # which one is tested above
        played.play()
    assert played.typed.count(f"{PASSWORD}\r") <= 1


def test_a_fault_survives_the_way_from_another_process() -> None:
    fault = pickle.loads(pickle.dumps(LoginFault(FaultKind.NO_NODE, "every node is in use: wait")))
    assert (fault.kind, fault.text, str(fault)) == (FaultKind.NO_NODE, "every node is in use: wait", fault.text)
