"""`ssh game@` as OpenSSH's own client meets it."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from agentbbs.protocol.agentgames import MAX_MESSAGE_BYTES

from .conftest import until
from .ssh_port import LIMIT_S, SshPort, finish, needs_openssh, paired, ssh_ports

pytestmark = [needs_openssh, pytest.mark.timeout(240)]

OpenPort = Callable[..., Any]


@pytest.fixture
async def open_port(tmp_path: Path) -> AsyncIterator[OpenPort]:
    """Open SSH doors with times of one's own."""
    async with ssh_ports(tmp_path) as make:
        yield make


@pytest.fixture
async def port(open_port: OpenPort) -> SshPort:
    """An SSH door with the default times."""
    made: SshPort = await open_port()
    return made


class TestAMatch:
    async def test_of_two_agents_that_name_the_game_as_the_command(self, port: SshPort) -> None:
        one = await port.agent("ann", "ttt", options=("-T",))
        assert await one.hear() == {"type": "queued", "game": "ttt", "waiting": 1}
        two = await port.agent("bob", "TTT", options=("-T",))
        won, lost = await finish(*await paired(one, two))
        assert (won["outcome"], won["rating"], won["reason"]) == ("win", 1516, None)
        assert (lost["outcome"], lost["rating"]) == ("loss", 1484)
        assert {player.transport for player in port.game.log.matches[0].players} == {"ssh"}

    async def test_can_be_joined_by_a_message(self, port: SshPort) -> None:
        one = await port.agent("ann")
        await one.say(type="join", game="Connect-4")
        assert (await one.hear())["game"] == "c4"

    async def test_of_ssh_against_websocket(self, port: SshPort) -> None:
        one = await port.agent("ann", "ttt")
        await one.hear_until("queued")
        two = await port.game.agent("bob")
        first = (await one.hear_until("hello"))["player"] == 0
        assert (await two.hear_until("hello"))["opponent"] == "ann"
        won, _ = await finish(*((one, two) if first else (two, one)))
        assert won["outcome"] == "win"
        assert {player.transport for player in port.game.log.matches[0].players} == {"ssh", "websocket"}

    async def test_is_played_by_ssh_tt_in_a_program(self, port: SshPort) -> None:
        one = await port.agent("ann", "ttt", options=("-tt",))
        two = await port.agent("bob", options=("-t", "-t"))
        await two.say(type="join", game="ttt")
        won, _ = await finish(*await paired(one, two))
        assert won["outcome"] == "win"

    async def test_is_followed_by_another_on_the_same_connections(self, port: SshPort) -> None:
        one, two = await port.agent("ann", "ttt"), await port.agent("bob", "ttt")
        await finish(*await paired(one, two))
        await one.say(type="join")
        await two.say(type="join", game="ttt")
        await finish(*await paired(one, two))
        assert len(port.game.log.matches) == 2

    async def test_survives_new_keys_every_other_kilobyte(self, port: SshPort) -> None:
        one = await port.agent("ann", "ttt", options=("-o", "RekeyLimit=2K"))
        two = await port.agent("bob", "ttt")
        for _ in range(3):
            won, _ = await finish(*await paired(one, two))
            assert won["outcome"] == "win"
            await one.say(type="join")
            await two.say(type="join")

    async def test_is_forfeited_by_a_client_that_is_killed(self, port: SshPort) -> None:
        """Case 18: no clock is needed to see that the agent is gone."""
        one, two = await port.agent("ann", "ttt"), await port.agent("bob", "ttt")
        await paired(one, two)
        await one.kill()
        result = await two.hear_until("result")
        assert (result["outcome"], result["termination"]) == ("win", "disconnect")

    async def test_is_forfeited_at_the_end_of_the_input(self, port: SshPort) -> None:
        """Case 18: EOF alone ends the match, though the connection still stands."""
        one, two = await port.agent("ann", "ttt"), await port.agent("bob", "ttt")
        await paired(one, two)
        one.end_input()
        result = await two.hear_until("result")
        assert (result["outcome"], result["reason"]) == ("win", "forfeit: disconnect")
        status, said, _ = await one.ended()
        assert status == 1
        assert "input ended" in said[-1]["message"]


class TestTheExitStatus:
    async def test_is_0_when_the_input_ends_after_a_result(self, port: SshPort) -> None:
        one, two = await port.agent("ann", "ttt"), await port.agent("bob", "ttt")
        await finish(*await paired(one, two))
        one.end_input()
        assert (await one.ended())[0] == 0

    async def test_is_0_when_the_input_ended_with_the_winning_move(self, port: SshPort) -> None:
        """The result is still on its way: it is told, then the channel closes."""
        first, second = await paired(await port.agent("ann", "ttt"), await port.agent("bob", "ttt"))
        for ply, move in enumerate("3041"):
            await (first, second)[ply % 2].say(type="move", move=move)
            for agent in (first, second):
                while (await agent.hear_until("state"))["ply"] <= ply:
                    pass
        await first.write(b'{"type":"move","move":"5"}')  # the end of the input ends the line too
        first.end_input()  # type: ignore[attr-defined]
        status, said, _ = await first.ended()  # type: ignore[attr-defined]
        assert said[-1]["outcome"] == "win"
        assert status == 0

    async def test_is_0_when_the_idle_time_passes_after_a_result(
        self, port: SshPort, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        one, two = await port.agent("ann", "ttt"), await port.agent("bob", "ttt")
        agents = await paired(one, two)
        monkeypatch.setattr("agentbbs.play.session.IDLE_TIMEOUT_S", 0.05)
        await finish(*agents)
        assert [(await agent.ended())[0] for agent in (one, two)] == [0, 0]

    async def test_is_1_when_nothing_was_played(self, port: SshPort, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("agentbbs.play.session.IDLE_TIMEOUT_S", 0.05)
        assert (await (await port.agent("ann")).ended())[0] == 1

    async def test_is_1_when_the_input_ends_before_anything(self, port: SshPort) -> None:
        one = await port.agent("ann")
        one.end_input()
        assert await one.ended() == (1, [], "")

    async def test_is_1_when_the_input_ends_in_the_queue(self, port: SshPort) -> None:
        one = await port.agent("ann", "ttt")
        one.end_input()
        status, said, _ = await one.ended()
        assert status == 1
        assert [message["type"] for message in said] == ["queued", "error"]
        assert not len(port.game.lobby)

    async def test_is_1_after_an_unknown_game(self, port: SshPort) -> None:
        status, said, _ = await (await port.agent("ann", "ls -la /")).ended()
        assert status == 1
        assert [message["code"] for message in said] == ["unknown_game"]
        assert {"ttt", "c4"} <= set(said[0]["games"])

    async def test_is_1_after_the_twentieth_bad_message(self, port: SshPort) -> None:
        one = await port.agent("ann")
        await one.write(b"x\n" * 20)
        status, said, _ = await one.ended()
        assert status == 1
        assert [message["code"] for message in said] == ["bad_message"] * 20

    async def test_is_1_after_an_error_that_follows_a_result(
        self, port: SshPort, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        one, two = await port.agent("ann", "ttt"), await port.agent("bob", "ttt")
        await finish(*await paired(one, two))
        await one.write(b"x\n")
        await one.hear_until("error")
        one.end_input()
        assert (await one.ended())[0] == 1


class TestWhoMayPass:
    @pytest.mark.parametrize("kind", ["ssh-ed25519", "ssh-rsa", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp521"])
    async def test_a_key_of_no_account_is_told_its_fingerprint_and_what_to_do(self, port: SshPort, kind: str) -> None:
        key = port.key("stranger", account=False, kind=kind)
        status, said, err = await (await port.ssh("ttt", key=key)).ended()
        shown = await asyncio.to_thread(subprocess.check_output, ["ssh-keygen", "-lf", f"{key}.pub"], text=True)
        assert status == 1
        assert [(message["type"], message["code"]) for message in said] == [("error", "unauthorized")]
        assert shown.split()[1] in said[0]["message"]
        assert "agentbbs user add NAME --key FILE" in said[0]["message"]
        assert err == ""

    @pytest.mark.parametrize("kind", ["ssh-rsa", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521"])
    async def test_a_key_of_any_kind_that_an_account_can_have(self, port: SshPort, kind: str) -> None:
        port.key("ann", kind=kind)
        assert (await (await port.agent("ann", "ttt")).hear())["type"] == "queued"

    async def test_nobody_without_a_key(self, port: SshPort) -> None:
        status, said, err = await (await port.ssh("ttt")).ended()
        assert (status, said) == (255, [])
        assert err.strip() == "game@127.0.0.1: Permission denied (publickey)."

    @pytest.mark.parametrize("user", ["root", "Game", "games", "ann"])
    async def test_nobody_under_another_name(self, port: SshPort, user: str) -> None:
        status, said, err = await (await port.ssh("ttt", key=port.key("ann"), user=user)).ended()
        assert (status, said) == (255, [])
        assert "Permission denied (publickey)." in err

    async def test_no_password_and_no_dialogue(self, port: SshPort) -> None:
        options = ("-o", "PreferredAuthentications=password,keyboard-interactive,hostbased,gssapi-with-mic")
        status, _, err = await (await port.ssh("ttt", options=options, key=port.key("ann"))).ended()
        assert status == 255
        assert "Permission denied (publickey)." in err

    async def test_an_account_that_has_lost_its_key_is_a_stranger(self, port: SshPort) -> None:
        port.key("ann")
        port.keys.accounts.clear()
        status, said, _ = await (await port.agent("ann", "ttt")).ended()
        assert (status, said[0]["code"]) == (1, "unauthorized")

    async def test_a_key_that_can_not_be_looked_up_is_told_so(self, port: SshPort) -> None:
        port.keys.broken = True
        status, said, _ = await (await port.agent("ann", "ttt")).ended()
        assert (status, said[0]["code"]) == (1, "internal")


class TestWhatIsNotThere:
    @pytest.mark.parametrize(
        ("options", "command"),
        [
            (("-W", "127.0.0.1:1"), ()),
            (("-N", "-o", "ExitOnForwardFailure=yes", "-R", "0:127.0.0.1:1"), ()),
            (("-s",), ("sftp",)),
        ],
        ids=["direct-tcpip", "tcpip-forward", "subsystem"],
    )
    async def test_is_refused(self, port: SshPort, options: tuple[str, ...], command: tuple[str, ...]) -> None:
        status, said, err = await (await port.ssh(*command, options=options, key=port.key("ann"))).ended()
        assert status != 0
        assert said == []
        assert err

    async def test_agent_and_x11_are_refused_and_the_session_goes_on(self, port: SshPort) -> None:
        one = await port.agent("ann", "ttt", options=("-A", "-X", "-o", "SetEnv=LC_ALL=C"))
        assert (await one.hear())["type"] == "queued"

    async def test_a_terminal_of_a_person_is_refused_and_the_session_goes_on(self, port: SshPort) -> None:
        """What `ssh game@host` asks for when it is typed: the client then stays in line mode."""
        import fcntl  # noqa: PLC0415 - only where there are terminals
        import os  # noqa: PLC0415
        import pty  # noqa: PLC0415
        import struct  # noqa: PLC0415
        import termios  # noqa: PLC0415

        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        agent = await port.ssh(key=port.key("ann"), stdin=slave)
        os.write(master, b'{"type":"join","game":"ttt"}\n')
        assert (await agent.hear())["type"] == "queued"
        assert termios.tcgetattr(slave)[3] & termios.ICANON
        await agent.kill()
        os.close(master)
        os.close(slave)


class TestLines:
    async def test_end_with_lf_or_cr_lf_and_may_be_blank(self, port: SshPort) -> None:
        one = await port.agent("ann")
        await one.write(b'\r\n\n  \n{"type":"ping"}\r\n\n{"type":"ping"}\n')
        one.end_input()
        status, said, _ = await one.ended()
        assert (status, said) == (1, [{"type": "pong"}] * 2)

    async def test_over_64_kib_are_skipped_to_their_end(self, port: SshPort) -> None:
        one, two = await port.agent("ann", "ttt"), await port.agent("bob", "ttt")
        first, second = await paired(one, two)
        for size in (MAX_MESSAGE_BYTES + 1, 1_000_000):
            await first.write(b"x" * size + b"\n")
            error = await first.hear_until("error")
            assert error["code"] == "line_too_long"
        won, _ = await finish(first, second)
        assert won["outcome"] == "win"

    async def test_of_64_kib_are_read(self, port: SshPort) -> None:
        one = await port.agent("ann")
        head, tail = b'{"type":"ping","x":"', b'"}'
        line = head + b"x" * (MAX_MESSAGE_BYTES - len(head) - len(tail)) + tail
        await one.write(line + b"\n" + line + b"\r\n")
        assert [await one.hear(), await one.hear()] == [{"type": "pong"}] * 2


class TestTheStop:
    async def test_tells_every_session_and_closes(self, port: SshPort) -> None:
        waiting, idle = await port.agent("ann", "ttt"), await port.agent("bob")
        await idle.say(type="ping")
        await idle.hear()
        await waiting.hear()
        stop = asyncio.create_task(port.endpoint.shut_down(LIMIT_S))
        for agent in (waiting, idle):
            status, said, _ = await agent.ended()
            assert (status, [message["code"] for message in said]) == (1, ["server_shutdown"])
        await stop
        status, said, err = await (await port.agent("cid", "ttt")).ended()
        assert (status, said) == (255, [])
        assert "refused" in err

    async def test_turns_away_who_comes_while_matches_end(self, port: SshPort) -> None:
        port.game.stopping = True
        status, said, _ = await (await port.agent("ann")).ended()
        assert (status, said[0]["code"]) == (1, "server_shutdown")

    async def test_does_not_wait_for_who_never_logs_in(self, port: SshPort) -> None:
        _, writer = await asyncio.open_connection(port.host, port.port)
        await until(lambda: port.endpoint.connections == 1)
        async with asyncio.timeout(LIMIT_S):
            await port.endpoint.shut_down(10 * LIMIT_S)
        writer.close()
