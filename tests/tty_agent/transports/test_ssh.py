"""SSH over loopback: against a server of asyncssh in this process, and against OpenSSH's."""

from __future__ import annotations

import asyncio
import contextlib
import getpass
import os
import shutil
import signal
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import asyncssh
import pytest
from tests.tty_agent.transports.loopback import LIMIT_S, free_port, listening

from tty_agent.actions.action import SubmitLine
from tty_agent.session.session import TerminalSession
from tty_agent.terminal.dialect import XTERM
from tty_agent.transports.inbox import MAX_WAITING_BYTES
from tty_agent.transports.ssh import Ssh
from tty_agent.transports.ssh_channel import ABORT_TIMEOUT_S, CLOSE_TIMEOUT_S, WINDOW_BYTES
from tty_agent.transports.transport import CannotConnect, EndKind

SSHD = shutil.which("sshd", path="/usr/sbin:/usr/bin")
Program = Callable[["asyncssh.SSHServerProcess[bytes]"], Awaitable[None]]


class Door(asyncssh.SSHServer):
    """Lets alice in."""

    def password_auth_supported(self) -> bool:
        return True

    def validate_password(self, username: str, password: str) -> bool:
        return (username, password) == ("alice", "secret-Pa55")


class Server:
    def __init__(self, port: int, key: asyncssh.SSHKey) -> None:
        self.port = port
        self.known_line = f"[127.0.0.1]:{port} ".encode() + key.export_public_key("openssh")


@asynccontextmanager
async def serving(program: Program, authorized: asyncssh.SSHKey | None = None) -> AsyncIterator[Server]:
    key = asyncssh.generate_private_key("ssh-ed25519")
    keys = asyncssh.import_authorized_keys(authorized.export_public_key("openssh").decode()) if authorized else None
    acceptor = await asyncssh.listen(
        "127.0.0.1",
        0,
        server_factory=Door,
        server_host_keys=[key],
        authorized_client_keys=keys,
        process_factory=program,
        encoding=None,
        line_editor=False,
    )
    try:
        yield Server(acceptor.get_port(), key)
    finally:
        acceptor.close()
        await acceptor.wait_closed()


def ssh(server: Server, folder: Path, **options: object) -> Ssh:
    known = folder / "known_hosts"
    if not known.exists():
        known.write_bytes(server.known_line)
    settings = {"user": "alice", "password": "secret-Pa55", "known_hosts": known, "open_timeout_s": 10.0} | options
    return Ssh("127.0.0.1", server.port, **settings)  # type: ignore[arg-type]


async def greet(process: asyncssh.SSHServerProcess[bytes]) -> None:
    columns, rows, _, _ = process.term_size
    process.stdout.write(f"{process.term_type} {columns}x{rows} {process.command}\r\n".encode())
    process.exit(0)


async def echo(process: asyncssh.SSHServerProcess[bytes]) -> None:
    while True:
        try:
            data = await process.stdin.read(65536)
        except asyncssh.TerminalSizeChanged as change:
            process.stdout.write(f"<{change.width}x{change.height}>".encode())
            continue
        if not data or b"Q" in data:
            break
        process.stdout.write(data)
    process.exit(4)


async def silent(process: asyncssh.SSHServerProcess[bytes]) -> None:
    await process.stdin.read(1)


async def read_all(transport: Ssh) -> bytes:
    seen = b""
    async with asyncio.timeout(LIMIT_S):
        while data := await transport.read():
            seen += data
    return seen


async def read_exactly(transport: Ssh, count: int) -> bytes:
    seen = b""
    async with asyncio.timeout(LIMIT_S):
        while len(seen) < count:
            data = await transport.read()
            assert data, transport.end
            seen += data
    return seen


@asynccontextmanager
async def opened(transport: Ssh, columns: int = 80, rows: int = 24) -> AsyncIterator[Ssh]:
    await transport.open(columns, rows)
    try:
        yield transport
    finally:
        await transport.close()


async def test_a_terminal_of_that_type_and_size(tmp_path: Path) -> None:
    async with serving(greet) as server, opened(ssh(server, tmp_path, terminal_type="ansi-bbs"), 132, 37) as transport:
        assert await read_all(transport) == b"ansi-bbs 132x37 None\r\n"
        assert transport.end is not None
        assert (transport.end.kind, transport.end.code) == (EndKind.EXITED, 0)


async def test_a_command_in_place_of_the_shell(tmp_path: Path) -> None:
    async with serving(greet) as server, opened(ssh(server, tmp_path, command="play ttt")) as transport:
        assert b" play ttt\r\n" in await read_all(transport)


async def test_bytes_sizes_and_the_exit_status(tmp_path: Path) -> None:
    async with serving(echo) as server, opened(ssh(server, tmp_path)) as transport:
        every = bytes(byte for byte in range(256) if byte != ord("Q"))
        await transport.write(every)
        assert await read_exactly(transport, len(every)) == every
        await transport.resize(94, 55)
        assert await read_exactly(transport, 7) == b"<94x55>"
        await transport.write(b"Q")
        assert await read_all(transport) == b""
        assert transport.end is not None
        assert (transport.end.kind, transport.end.code) == (EndKind.EXITED, 4)
        await transport.write(b"after the end")
        await transport.resize(80, 24)


async def test_resizes_before_anything_was_typed(tmp_path: Path) -> None:
    """Case 46, from the client's side."""
    async with serving(echo) as server, opened(ssh(server, tmp_path)) as transport:
        await transport.resize(100, 30)
        await transport.resize(101, 31)
        await transport.write(b"x")
        assert (await read_exactly(transport, 15)).replace(b"<100x30>", b"") in (
            b"<101x31>x",
            b"x<101x31>",
            b"<101x31>",
        )


async def test_a_flood_waits_outside_and_none_is_lost(tmp_path: Path) -> None:
    async def flood(process: asyncssh.SSHServerProcess[bytes]) -> None:
        process.stdout.write(b"x" * 3_000_000)
        await process.stdout.drain()
        process.exit(0)

    async with serving(flood) as server, opened(ssh(server, tmp_path)) as transport:
        assert len(await read_all(transport)) == 3_000_000
        assert transport.end is not None
        assert transport.end.code == 0


async def test_a_flood_that_nobody_reads_is_bounded_and_closing_does_not_wait_for_it(tmp_path: Path) -> None:
    async def flood(process: asyncssh.SSHServerProcess[bytes]) -> None:
        with contextlib.suppress(asyncssh.Error, OSError):
            while True:
                process.stdout.write(b"x" * 65536)
                await process.stdout.drain()

    async with serving(flood) as server, opened(ssh(server, tmp_path)) as transport:
        async with asyncio.timeout(LIMIT_S):
            while not transport._inbox._paused:  # noqa: ASYNC110 - until it is full
                await asyncio.sleep(0.001)
        held = len(transport._inbox._waiting)
        for _ in range(100):
            await asyncio.sleep(0)
        assert len(transport._inbox._waiting) == held < MAX_WAITING_BYTES + WINDOW_BYTES
        async with asyncio.timeout(CLOSE_TIMEOUT_S + ABORT_TIMEOUT_S):
            await transport.close()
        assert await transport.read() == b""
        assert transport.end is not None
        assert transport.end.kind is EndKind.HUNG_UP


async def test_what_came_before_the_connection_broke_is_read_before_its_end(tmp_path: Path) -> None:
    async def vanish(process: asyncssh.SSHServerProcess[bytes]) -> None:
        process.stdout.write(b"x" * 400_000)
        await process.stdin.read(1)
        process.channel.get_connection().abort()

    async with serving(vanish) as server, opened(ssh(server, tmp_path)) as transport:
        async with asyncio.timeout(LIMIT_S):
            while not transport._inbox._paused:  # noqa: ASYNC110 - until it is full
                await asyncio.sleep(0.001)
        await transport.write(b"x")
        async with asyncio.timeout(LIMIT_S):
            while transport._inbox._end is None:  # noqa: ASYNC110
                await asyncio.sleep(0.001)
        assert len(await read_all(transport)) >= MAX_WAITING_BYTES
        assert transport.end is not None
        assert transport.end.kind is EndKind.LOST


async def test_a_signal(tmp_path: Path) -> None:
    async def killed(process: asyncssh.SSHServerProcess[bytes]) -> None:
        process.exit_with_signal("SEGV")

    async with serving(killed) as server, opened(ssh(server, tmp_path)) as transport:
        await read_all(transport)
        assert transport.end is not None
        assert (transport.end.kind, transport.end.code) == (EndKind.EXITED, None)
        assert "SIGSEGV" in transport.end.detail


async def test_a_lost_connection(tmp_path: Path) -> None:
    async def vanish(process: asyncssh.SSHServerProcess[bytes]) -> None:
        process.stdout.write(b"going")
        await process.stdout.drain()
        await process.stdin.read(1)
        process.channel.get_connection().abort()

    async with serving(vanish) as server, opened(ssh(server, tmp_path)) as transport:
        assert await read_exactly(transport, 5) == b"going"
        await transport.write(b"x")
        await read_all(transport)
        assert transport.end is not None
        assert transport.end.kind is EndKind.LOST


async def test_our_hang_up(tmp_path: Path) -> None:
    async with serving(silent) as server:
        transport = ssh(server, tmp_path)
        async with opened(transport):
            pass
        assert transport.end is not None
        assert transport.end.kind is EndKind.HUNG_UP
        await transport.close()


async def test_a_key_in_place_of_a_password(tmp_path: Path) -> None:
    key = asyncssh.generate_private_key("ssh-ed25519")
    path = tmp_path / "id"
    key.write_private_key(path)
    async with serving(greet, authorized=key) as server:
        async with opened(ssh(server, tmp_path, password=None, key_file=path)) as transport:
            assert await read_all(transport)
        with pytest.raises(CannotConnect, match=r"/known_hosts \(--key-file\) is no private key"):
            await ssh(server, tmp_path, password=None, key_file=tmp_path / "known_hosts").open(80, 24)
        with pytest.raises(CannotConnect, match=r"cannot read the key file .*/none \(--key-file\): No such file"):
            await ssh(server, tmp_path, password=None, key_file=tmp_path / "none").open(80, 24)


async def test_an_unknown_host_is_refused(tmp_path: Path) -> None:
    (tmp_path / "known_hosts").write_bytes(b"")
    async with serving(greet) as server:
        with pytest.raises(CannotConnect, match=r"host key of 127\.0\.0\.1 is not in .* with --accept-new-host-key$"):
            await ssh(server, tmp_path).open(80, 24)
        with pytest.raises(CannotConnect, match="is not in"):
            await ssh(server, tmp_path, known_hosts=tmp_path / "none").open(80, 24)


async def test_a_new_host_may_be_accepted_and_is_known_from_then_on(tmp_path: Path) -> None:
    known = tmp_path / "new" / "known_hosts"
    async with serving(greet) as server, serving(greet) as another:
        async with opened(ssh(server, tmp_path, known_hosts=known, accept_new=True)) as transport:
            await read_all(transport)
        assert known.read_bytes().strip() == server.known_line.strip()
        known.write_bytes(known.read_bytes().strip())  # as an editor may leave it
        async with opened(ssh(another, tmp_path, known_hosts=known, accept_new=True)) as transport:
            await read_all(transport)
        assert len(known.read_bytes().splitlines()) == 2
        async with opened(ssh(server, tmp_path, known_hosts=known)) as transport:
            await read_all(transport)


async def test_a_changed_key_is_refused_even_when_new_hosts_are_accepted(tmp_path: Path) -> None:
    other = asyncssh.generate_private_key("ssh-ed25519").export_public_key("openssh")
    async with serving(greet) as server:
        known = tmp_path / "known_hosts"
        known.write_bytes(f"[127.0.0.1]:{server.port} ".encode() + other)
        before = known.read_bytes()
        with pytest.raises(CannotConnect, match="someone may be in between"):
            await ssh(server, tmp_path, accept_new=True).open(80, 24)
        assert known.read_bytes() == before
        async with opened(ssh(server, tmp_path, insecure=True)) as transport:
            await read_all(transport)


def test_policies_exclude_each_other() -> None:
    with pytest.raises(ValueError, match="exclude"):
        Ssh("h", user="a", accept_new=True, insecure=True)


async def test_a_wrong_password(tmp_path: Path) -> None:
    async with serving(greet) as server:
        with pytest.raises(CannotConnect, match="does not let alice in") as error:
            await ssh(server, tmp_path, password="hunter2").open(80, 24)
        assert "hunter2" not in str(error.value) + repr(error.value.__cause__)


async def test_what_is_no_ssh_server(tmp_path: Path) -> None:
    port = free_port()
    with pytest.raises(CannotConnect, match=rf"^127\.0\.0\.1:{port} refuses the connection: start the SSH server"):
        await Ssh("127.0.0.1", port, user="alice", password="x", insecure=True).open(80, 24)
    async with listening() as server:
        with pytest.raises(CannotConnect, match="is it an SSH server"):
            await Ssh("127.0.0.1", server.port, user="a", password="x", insecure=True, open_timeout_s=0.1).open(80, 24)


def test_the_password_is_shown_nowhere() -> None:
    transport = Ssh("h", user="alice", password="hunter2")
    assert "hunter2" not in repr(transport) + repr(transport.metadata) + repr(transport._login)


@pytest.fixture
async def openssh(tmp_path: Path) -> AsyncIterator[tuple[int, Path, Path]]:
    """OpenSSH's server for whoever runs the tests: its port, a known_hosts file, a key that it lets in."""
    if SSHD is None:
        pytest.skip("sshd (openssh-server) is not installed")
    if os.geteuid() == 0:
        try:
            Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)  # noqa: ASYNC240 - a small local folder
        except OSError as error:
            pytest.skip(f"sshd needs its folder /run/sshd: {error}")
    host_key, key = (asyncssh.generate_private_key("ssh-ed25519") for _ in range(2))
    for name, private in (("host", host_key), ("id", key)):
        private.write_private_key(tmp_path / name)
        (tmp_path / name).chmod(0o600)
    (tmp_path / "authorized").write_bytes(key.export_public_key("openssh"))
    port = free_port()
    (tmp_path / "config").write_text(
        f"ListenAddress 127.0.0.1\nPort {port}\nHostKey {tmp_path}/host\nAuthorizedKeysFile {tmp_path}/authorized\n"
        f"PidFile none\nUsePAM no\nStrictModes no\nPasswordAuthentication no\nPermitRootLogin yes\nPrintMotd no\n"
    )
    (tmp_path / "known_hosts").write_bytes(f"[127.0.0.1]:{port} ".encode() + host_key.export_public_key("openssh"))
    with subprocess.Popen(  # noqa: ASYNC220 - starts at once
        [SSHD, "-D", "-e", "-f", tmp_path / "config"], stderr=subprocess.PIPE, start_new_session=True
    ) as daemon:
        try:
            assert daemon.stderr is not None
            await asyncio.to_thread(_until_listening, daemon)
            yield port, tmp_path / "known_hosts", tmp_path / "id"
        finally:
            os.killpg(daemon.pid, signal.SIGTERM)


def _until_listening(daemon: subprocess.Popen[bytes]) -> None:
    assert daemon.stderr is not None
    told = []
    for line in daemon.stderr:
        told.append(line)
        if b"Server listening" in line:
            return
    pytest.skip(f"sshd does not start here: {told}")


async def test_a_shell_behind_openssh(openssh: tuple[int, Path, Path]) -> None:
    port, known_hosts, key = openssh
    transport = Ssh("127.0.0.1", port, user=getpass.getuser(), key_file=key, known_hosts=known_hosts, command="sh -i")
    async with TerminalSession(transport, agent_id="a", dialect=XTERM, columns=100, rows=30) as session:

        async def shown(text: str) -> None:
            async with asyncio.timeout(LIMIT_S):
                while text not in (seen := await session.observe_turn()).pretty_screen:
                    assert seen.closed is None, seen

        await session.act(SubmitLine("stty size; echo $TERM"))
        await shown("30 100")
        await shown("xterm-256color")
        await session.resize(94, 55)
        await session.act(SubmitLine("stty size"))
        await shown("55 94")
        await session.act(SubmitLine("exit 9"))
        async with asyncio.timeout(LIMIT_S):
            while (await session.observe_turn()).closed is None:
                pass
        assert session.end is not None
        assert (session.end.kind, session.end.code) == (EndKind.EXITED, 9)
