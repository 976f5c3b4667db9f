"""`ssh NAME@`: callers of the hub by OpenSSH on a terminal, and by asyncssh. The games stay as they were."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

import asyncssh
import msgspec
import pytest

from agentbbs.calls.identity import Guest, Member, Newcomer
from agentbbs.calls.line import MAX_UNREAD_BYTES, LineGone, Size
from agentbbs.calls.reception import Call
from agentbbs.servers.ssh_hub import MAX_PASSWORD_TRIES, SshHub
from agentbbs.servers.ssh_terminal import NO_TERMINAL
from agentbbs.servers.switchboard import STOPPING

from .conftest import SOON_S, until
from .exchange import GREETING, Exchange, PasswordsInMemory, at_a_terminal, echo, exchanges, shows
from .ssh_port import SshPort, needs_openssh, ssh_ports

ANN = Member(1, "Ann")


class KeyHolder(msgspec.Struct, frozen=True):
    account: int
    name: str
    sysop: bool = False


class HolderKeys:
    """Who holds which key, by fingerprint."""

    def __init__(self) -> None:
        self.holders: dict[str, KeyHolder] = {}

    async def check(self, fingerprint: str) -> KeyHolder | None:
        return self.holders.get(fingerprint)


class HubPort:
    """An SSH port with a hub behind it, in which Ann has a key and the password `s3cret`."""

    def __init__(self, port: SshPort, exchange: Exchange, keys: HolderKeys, passwords: PasswordsInMemory) -> None:
        self.port = port
        self.exchange = exchange
        self.keys = keys
        self.passwords = passwords
        key = asyncssh.read_private_key(port.key("ann"))
        keys.holders[key.get_fingerprint()] = KeyHolder(1, "Ann")

    async def call(self) -> Call:
        return await self.exchange.reception.call()

    @asynccontextmanager
    async def client(self, user: str, **options: Any) -> AsyncIterator[asyncssh.SSHClientConnection]:
        async with asyncssh.connect(
            self.port.host,
            self.port.port,
            username=user,
            **{"client_keys": None, "known_hosts": None, "config": None, "agent_path": None, **options},
        ) as connection:
            yield connection

    def command(self, user: str, *options: str, key: Path | None = None) -> list[str]:
        identity = ["-i", str(key)] if key is not None else []
        return [
            *("ssh", "-F", "/dev/null", "-p", str(self.port.port), "-o", "StrictHostKeyChecking=no"),
            *("-o", f"UserKnownHostsFile={self.port.folder / 'known'}", "-o", "IdentitiesOnly=yes"),
            *("-o", "IdentityAgent=none", "-o", "LogLevel=INFO", *options, *identity, f"{user}@{self.port.host}"),
        ]


Make = Callable[..., Awaitable[HubPort]]


@pytest.fixture
async def hub(tmp_path: Path) -> AsyncIterator[Make]:
    async with exchanges() as make_exchange, ssh_ports(tmp_path) as make_port:

        async def make(visit: Callable[[Call], Awaitable[None]] = echo, **options: Any) -> HubPort:
            exchange = make_exchange(visit)
            keys, passwords = HolderKeys(), PasswordsInMemory(Ann="s3cret", sal="sysops")
            port = await make_port(hub=SshHub(keys, passwords, exchange.switchboard), **options)
            return HubPort(port, exchange, keys, passwords)

        yield make


@pytest.fixture
async def ann(hub: Make) -> HubPort:
    return await hub()


async def visit(connection: asyncssh.SSHClientConnection, **options: Any) -> tuple[bytes, int | None]:
    """Call, greet, hang up; what was shown, and the exit status."""
    options = {"term_type": "ansi", "encoding": None, **options}
    stdin, stdout, _ = await connection.open_session(**options)
    channel = cast("asyncssh.SSHClientChannel[bytes]", stdin.channel)
    with contextlib.suppress(BrokenPipeError):  # who was turned away at once
        stdin.write(b"q")
    async with asyncio.timeout(SOON_S):
        shown = await stdout.read()
        await channel.wait_closed()
    return shown, channel.get_exit_status()


class TestWhoCalls:
    @pytest.mark.parametrize("user", ["Ann", "ann", "ANN"])
    async def test_by_a_key_of_that_name(self, ann: HubPort, user: str) -> None:
        async with ann.client(user, client_keys=[str(ann.port.key("ann"))]) as connection:
            assert await visit(connection) == (GREETING + b"qbye\r\n", 0)
        call = await ann.call()
        proved = Member(1, "Ann", proof=asyncssh.read_private_key(ann.port.key("ann")).get_fingerprint())
        assert (call.identity, call.door, call.line.transport, call.line.private) == (proved, None, "ssh", True)
        assert not ann.passwords.asked

    async def test_by_password(self, ann: HubPort) -> None:
        async with ann.client("sal", password="sysops", preferred_auth="password") as connection:
            await visit(connection)
        assert (await ann.call()).identity == Member(2, "sal", sysop=True)
        assert ann.passwords.asked == [("sal", "sysops", "127.0.0.1")]

    async def test_by_a_dialogue(self, ann: HubPort) -> None:
        async with ann.client("Ann", password="s3cret", preferred_auth="keyboard-interactive") as connection:
            await visit(connection)
        assert (await ann.call()).identity == ANN

    @pytest.mark.parametrize("user", ["guest", "Guest"])
    async def test_a_guest_without_anything(self, ann: HubPort, user: str) -> None:
        async with ann.client(user) as connection:
            await visit(connection)
        assert (await ann.call()).identity == Guest()

    async def test_who_is_new_with_the_key_that_was_proved(self, ann: HubPort) -> None:
        path = ann.port.key("stranger", account=False)
        async with ann.client("new", client_keys=[str(path)]) as connection:
            await visit(connection)
        shown = path.with_suffix(".pub").read_text().split()
        assert (await ann.call()).identity == Newcomer(" ".join(shown[:2]))

    async def test_who_is_new_without_a_key(self, ann: HubPort) -> None:
        class Person(asyncssh.SSHClient):
            def kbdint_auth_requested(self) -> str:
                return ""

        async with ann.client("new", client_factory=Person) as connection:
            await visit(connection)
        assert (await ann.call()).identity == Newcomer()


class TestWhoIsRefused:
    async def test_a_key_of_another_name(self, ann: HubPort) -> None:
        with pytest.raises(asyncssh.PermissionDenied):
            async with ann.client("sal", client_keys=[str(ann.port.key("ann"))]):
                pass

    @pytest.mark.parametrize("method", ["password", "keyboard-interactive"])
    async def test_a_wrong_password_and_an_unknown_name_alike(self, ann: HubPort, method: str) -> None:
        refusals = []
        for user in ("Ann", "nobody"):
            with pytest.raises(asyncssh.PermissionDenied) as refusal:
                async with ann.client(user, password="wrong", preferred_auth=method):
                    pass
            refusals.append(str(refusal.value).replace(user, "NAME"))
        assert refusals[0] == refusals[1]
        assert ann.exchange.reception.calls.empty()

    async def test_a_password_is_none_for_who_is_new(self, ann: HubPort) -> None:
        with pytest.raises(asyncssh.PermissionDenied):
            async with ann.client("new", password="x", preferred_auth="password"):
                pass
        assert not ann.passwords.asked

    async def test_too_many_tries_on_one_connection(self, ann: HubPort) -> None:
        class Guesser(asyncssh.SSHClient):
            def password_auth_requested(self) -> str:
                return "guess"

        with pytest.raises(asyncssh.DisconnectError, match="too many tries"):
            async with ann.client("Ann", client_factory=Guesser, preferred_auth="password"):
                pass
        assert len(ann.passwords.asked) == MAX_PASSWORD_TRIES

    @pytest.mark.parametrize(
        ("wait_s", "broken", "told"), [(41.2, False, "Wait 42 s."), (0.0, True, "Try again later")]
    )
    async def test_is_told_why_nothing_was_checked(self, ann: HubPort, wait_s: float, broken: bool, told: str) -> None:
        ann.passwords.wait_s, ann.passwords.broken = wait_s, broken
        banners = []

        class Listener(asyncssh.SSHClient):
            def auth_banner_received(self, msg: str, lang: str) -> None:
                banners.append(msg)

        with pytest.raises(asyncssh.PermissionDenied):
            async with ann.client("Ann", password="s3cret", client_factory=Listener, preferred_auth="password"):
                pass
        assert told in banners[0]


class TestTheGames:
    async def test_are_let_in_by_key_alone(self, ann: HubPort) -> None:
        with pytest.raises(asyncssh.PermissionDenied):
            async with ann.client("game", password="s3cret"):
                pass
        assert not ann.passwords.asked
        async with ann.client("game", client_keys=[str(ann.port.key("ann"))]) as connection:
            result = await connection.create_process("ttt", encoding=None)
            async with asyncio.timeout(SOON_S):
                assert b'"queued"' in await result.stdout.readline()
            result.close()

    @needs_openssh
    async def test_say_as_before_what_lets_in(self, ann: HubPort) -> None:
        status, said, err = await (await ann.port.ssh("ttt")).ended()
        assert (status, said) == (255, [])
        assert err.strip() == "game@127.0.0.1: Permission denied (publickey)."


class TestTheTerminal:
    async def test_type_and_size(self, ann: HubPort) -> None:
        async with ann.client("guest") as connection:
            stdin, stdout, _ = await connection.open_session(term_type="SyncTERM", term_size=(132, 50), encoding=None)
            line = (await ann.call()).line
            assert (line.terminal, line.size, line.size_known) == ("syncterm", Size(132, 50), True)
            cast("asyncssh.SSHClientChannel[bytes]", stdin.channel).change_terminal_size(90, 30)
            await until(lambda: line.size == Size(90, 30))
            stdin.write(b"q")
            async with asyncio.timeout(SOON_S):
                await stdout.read()

    async def test_of_no_size_is_80x24(self, ann: HubPort) -> None:
        async with ann.client("guest") as connection:
            await visit(connection, term_size=(0, 0))
        line = (await ann.call()).line
        assert (line.size, line.size_known) == (Size(80, 24), False)

    @pytest.mark.parametrize("options", [{"term_type": None}, {"command": "ls"}, {"command": "ls", "term_type": None}])
    async def test_is_needed(self, ann: HubPort, options: dict[str, Any]) -> None:
        async with ann.client("guest") as connection:
            assert await visit(connection, **options) == (NO_TERMINAL, 1)
        assert ann.exchange.reception.calls.empty()

    async def test_there_is_nothing_else(self, ann: HubPort) -> None:
        async with ann.client("guest") as connection:
            with pytest.raises(asyncssh.ChannelOpenError):
                await connection.start_sftp_client()
            with pytest.raises(asyncssh.ChannelOpenError):
                await connection.open_connection("127.0.0.1", 1)
            with pytest.raises(asyncssh.ChannelListenError):
                await connection.forward_remote_port("", 0, "127.0.0.1", 1)

    async def test_one_session_a_connection(self, ann: HubPort) -> None:
        async with ann.client("guest") as connection:
            await connection.open_session(term_type="ansi", encoding=None)
            with pytest.raises(asyncssh.ChannelOpenError):
                await connection.open_session(term_type="ansi", encoding=None)


class TestFloods:
    async def test_of_typing_wait_for_the_reader(self, hub: Make) -> None:
        going = asyncio.Event()
        heard = 0

        async def slow(call: Call) -> None:
            nonlocal heard
            await going.wait()
            with contextlib.suppress(LineGone):
                while True:
                    heard += len(await call.line.read())

        port = await hub(slow)
        size = 1024 * 1024
        async with port.client("guest") as connection:
            stdin, _, _ = await connection.open_session(term_type="ansi", encoding=None)
            await port.call()
            stdin.write(b"x" * size)
            await until(lambda: stdin.channel.get_write_buffer_size() <= size - MAX_UNREAD_BYTES)
            assert stdin.channel.get_write_buffer_size() >= size - 3 * MAX_UNREAD_BYTES
            going.set()
            await until(lambda: heard == size)

    async def test_of_output_wait_for_the_caller(self, hub: Make) -> None:
        full = asyncio.Event()

        async def flood(call: Call) -> None:
            while not full.is_set():
                call.line.write(b"x" * 4096)
                draining = asyncio.ensure_future(call.line.drain())
                await asyncio.sleep(0)
                if not draining.done():
                    full.set()
                await draining
            call.line.write(b"the last of it")
            call.line.hang_up()

        port = await hub(flood)
        async with port.client("guest") as connection:
            stdin, stdout, _ = await connection.open_session(term_type="ansi", encoding=None, window=64 * 1024)
            stdin.channel.pause_reading()
            async with asyncio.timeout(SOON_S):
                await full.wait()
                stdin.channel.resume_reading()
                assert (await stdout.read()).endswith(b"xthe last of it")

    async def test_who_takes_no_output_that_does_not_wait_is_cut_off(self, hub: Make) -> None:
        cut: asyncio.Queue[str] = asyncio.Queue()

        async def flood(call: Call) -> None:
            reading = asyncio.ensure_future(call.line.read())
            while not reading.done():
                call.line.write(b"x" * 16384)
                await asyncio.sleep(0)
            cut.put_nowait(str(reading.exception()))

        port = await hub(flood)
        async with port.client("guest") as connection:
            stdin, _, _ = await connection.open_session(term_type="ansi", encoding=None, window=64 * 1024)
            stdin.channel.pause_reading()
            async with asyncio.timeout(SOON_S):
                assert "unread" in await cut.get()
            await until(lambda: not port.port.endpoint.connections)


class TestTheEnd:
    async def test_a_caller_who_ends_its_input_still_hears(self, ann: HubPort) -> None:
        async with ann.client("guest") as connection:
            stdin, stdout, _ = await connection.open_session(term_type="ansi", encoding=None)
            stdin.write(b"ab")
            stdin.write_eof()
            async with asyncio.timeout(SOON_S):
                assert (await stdout.read()).endswith(b"abbye\r\n")

    async def test_a_caller_who_hangs_up_ends_the_visit(self, ann: HubPort) -> None:
        async with ann.client("guest") as connection:
            await connection.open_session(term_type="ansi", encoding=None)
            await ann.call()
        await until(lambda: not ann.exchange.tally.calls["ssh"] and not ann.port.endpoint.connections)

    async def test_a_stop_tells_the_callers_and_closes(self, ann: HubPort) -> None:
        async with ann.client("guest") as connection:
            _, stdout, _ = await connection.open_session(term_type="ansi", encoding=None)
            await ann.call()
            stop = asyncio.create_task(ann.port.endpoint.shut_down(SOON_S))
            async with asyncio.timeout(SOON_S):
                assert (await stdout.read()).endswith(f"\r\n{STOPPING}\r\n".encode())
        await stop

    async def test_who_logs_in_and_opens_nothing_is_cut_off(self, hub: Make) -> None:
        port = await hub(login_timeout_s=0.3)
        async with port.client("guest") as connection:
            async with asyncio.timeout(SOON_S):
                await connection.wait_closed()

    async def test_who_types_a_password_has_the_time_for_it(self, hub: Make, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("agentbbs.servers.bounded.PERSON_LOGIN_S", SOON_S)
        port = await hub(login_timeout_s=0.4)

        class Slow(asyncssh.SSHClient):
            async def password_auth_requested(self) -> str:
                await asyncio.sleep(0.5)
                return "s3cret"

        async with port.client("Ann", client_factory=Slow, preferred_auth="password") as connection:
            await visit(connection)


@needs_openssh
class TestOpenSsh:
    async def test_a_visit_by_key(self, ann: HubPort) -> None:
        async with at_a_terminal(*ann.command("ann", key=ann.port.key("ann"))) as session:
            line = (await ann.call()).line
            assert (line.terminal, line.size, line.size_known) == ("xterm-256color", Size(100, 30), True)
            await shows(session, "Welcome!")
            await session.write(b"ab")
            await shows(session, "Welcome! ab")
            await session.resize(132, 40)
            await until(lambda: line.size == Size(132, 40))
            await session.write(b"q")
            await shows(session, "bye")
            await until(lambda: session.end is not None)
            assert session.end is not None
            assert session.end.code == 0

    @pytest.mark.parametrize("methods", ["keyboard-interactive", "password"])
    async def test_a_visit_by_password(self, ann: HubPort, methods: str) -> None:
        async with at_a_terminal(*ann.command("Ann", "-o", f"PreferredAuthentications={methods}")) as session:
            await shows(session, "assword:")
            await session.write(b"wrong\r")
            await until(lambda: len(ann.passwords.asked) == 1)
            await until(lambda: session.screen.text().lower().count("password:") == 2)
            await session.write(b"s3cret\r")
            await shows(session, "Welcome!")
            assert (await ann.call()).identity == ANN

    async def test_a_guest_and_who_is_new_are_asked_nothing(self, ann: HubPort) -> None:
        for user, identity in (("guest", Guest()), ("new", Newcomer())):
            async with at_a_terminal(*ann.command(user)) as session:
                await shows(session, "Welcome!")
                assert (await ann.call()).identity == identity

    async def test_without_a_terminal(self, ann: HubPort) -> None:
        agent = await ann.port.ssh(user="guest")
        assert agent.process.stdout is not None
        async with asyncio.timeout(SOON_S):
            assert await agent.process.stdout.read() == NO_TERMINAL
            assert await agent.process.wait() == 1
