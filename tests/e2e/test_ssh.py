"""`ssh game@` of a real venue: accounts made and removed while it runs, agents in several languages, its end."""

from __future__ import annotations

import json
import shutil
import socket
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .conftest import VenueProcess

pytestmark = pytest.mark.skipif(
    shutil.which("ssh") is None or shutil.which("ssh-keygen") is None, reason="OpenSSH's client is not installed"
)

needs_jq = pytest.mark.skipif(shutil.which("jq") is None, reason="jq is not installed")

EXAMPLES = Path(__file__).parents[2] / "examples"
LIMIT_S = 60

OpenVenue = Callable[..., VenueProcess]


class Caller:
    """Somebody with a key, who calls by OpenSSH."""

    def __init__(self, venue: VenueProcess, folder: Path, name: str, *, account: bool = True) -> None:
        self.venue = venue
        self.folder = folder
        self.name = name
        self.key = folder / name
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(self.key)], check=True)
        if account:
            self.register()

    def register(self) -> None:
        """What the venue tells a stranger to ask for."""
        added = self.venue.cli("user", "add", self.name, "--key", f"{self.key}.pub")
        assert added.returncode == 0, added.stderr

    @property
    def options(self) -> list[str]:
        """Options of ssh beside the port."""
        known = f"UserKnownHostsFile={self.folder / 'known_hosts'}"
        pairs = (known, "StrictHostKeyChecking=accept-new", "IdentitiesOnly=yes", "BatchMode=yes", "LogLevel=ERROR")
        return ["-F", "/dev/null", "-i", str(self.key), *(word for pair in pairs for word in ("-o", pair))]

    def ssh(self, *command: str) -> subprocess.Popen[str]:
        """Start a session."""
        host, port = address(self.venue)
        return start(["ssh", *self.options, "-p", port, f"game@{host}", *command])

    def shell_agent(self, game: str, matches: int) -> subprocess.Popen[str]:
        return start([str(EXAMPLES / "ssh_agent.sh"), *address(self.venue), game, str(matches), *self.options])

    def python_agent(self, game: str, matches: int) -> subprocess.Popen[str]:
        host, port = address(self.venue)
        known = subprocess.check_output(
            ["ssh-keygen", "-y", "-f", str(self.venue.data / "ssh_host_ed25519_key")], text=True
        )
        (self.folder / f"{self.name}.hosts").write_text(f"[{host}]:{port} {known}")
        options = ["--matches", str(matches), "--identity", str(self.key), "--known-hosts", f"{self.key}.hosts"]
        return start([sys.executable, str(EXAMPLES / "asyncssh_agent.py"), host, port, game, *options])


def address(venue: VenueProcess) -> tuple[str, str]:
    """Where the venue says that it listens."""
    host, _, port = json.loads((venue.data / "venue.json").read_bytes())["ssh"].rpartition(":")
    return host, port


def start(command: list[str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, bufsize=1
    )


def finished(process: subprocess.Popen[str]) -> tuple[int, list[str], str]:
    """Exit status, lines on stdout, stderr; its input ends now."""
    out, err = process.communicate(timeout=LIMIT_S)
    return process.returncode, out.splitlines(), err


def hear(process: subprocess.Popen[str]) -> dict[str, Any]:
    assert process.stdout is not None
    heard: dict[str, Any] = json.loads(process.stdout.readline())
    return heard


def hear_until(process: subprocess.Popen[str], kind: str) -> dict[str, Any]:
    """The next message of that type."""
    while (heard := hear(process))["type"] != kind:
        pass
    return heard


def say(process: subprocess.Popen[str], **message: object) -> None:
    print(json.dumps(message), file=process.stdin, flush=True)


@pytest.fixture
def caller(venue: VenueProcess, tmp_path: Path) -> Callable[..., Caller]:
    """Make callers of the venue."""

    def make(name: str, *, account: bool = True) -> Caller:
        return Caller(venue, tmp_path, name, account=account)

    return make


def test_a_stranger_does_as_told_and_is_let_in_until_removed(
    venue: VenueProcess, caller: Callable[..., Caller]
) -> None:
    ann = caller("ann", account=False)
    status, said, err = finished(ann.ssh("ttt"))
    assert (status, len(said), err) == (1, 1, "")
    message = json.loads(said[0])["message"]
    assert "agentbbs user add NAME --key FILE" in message
    ann.register()
    session = ann.ssh()
    print('{"type":"ping"}', file=session.stdin, flush=True)
    assert hear(session) == {"type": "pong"}
    assert finished(session)[0] == 1
    listed = json.loads(venue.cli("user", "list", "--json").stdout)
    assert listed[0]["keys"][0] in message
    assert venue.cli("user", "remove", "ann", "--yes").returncode == 0
    status, said, _ = finished(ann.ssh("ttt"))
    assert (status, json.loads(said[0])["code"]) == (1, "unauthorized")


@needs_jq
def test_agents_in_shell_and_python_play_each_other(venue: VenueProcess, caller: Callable[..., Caller]) -> None:
    shell, python = caller("shell").shell_agent("c4", 3), caller("python").python_agent("c4", 3)
    for agent in (shell, python):
        status, lines, err = finished(agent)
        assert (status, err) == (0, "")
        assert len(lines) == 3
    ladder = json.loads(venue.cli("ladder", "c4", "--json").stdout)
    assert {row["name"]: row["played"] for row in ladder} == {"shell": 3, "python": 3}
    assert venue.cli("ratings", "rebuild", "--check").returncode == 0


def test_an_agent_over_websocket_is_met(venue: VenueProcess, caller: Callable[..., Caller]) -> None:
    token = venue.mint("web")
    web = subprocess.Popen(
        [sys.executable, str(EXAMPLES / "python_agent.py"), venue.url, "ttt", "--matches", "2"],
        env=venue.env | {"AGENTBBS_TOKEN": token},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert finished(caller("ssh").python_agent("ttt", 2))[0] == 0
    assert finished(web)[0] == 0
    players = [match["players"] for match in json.loads(venue.cli("matches", "--json").stdout)]
    assert len(players) == 2


def test_practice_is_asked_for_in_the_command(caller: Callable[..., Caller]) -> None:
    session = caller("ann").ssh("ttt", "practice=greedy")
    assert hear(session)["opponent"] == "greedy"
    session.kill()
    session.communicate()


def test_a_seat_that_was_dropped_is_taken_back(open_venue: OpenVenue, tmp_path: Path) -> None:
    """Case 29: with a time of grace, a killed client's seat is taken back over a new connection."""
    venue = open_venue(AGENTBBS_GAME_RESUME_GRACE="30")
    callers = [Caller(venue, tmp_path, name) for name in ("ann", "bob")]
    sessions = [caller.ssh("ttt") for caller in callers]
    hellos = [hear_until(session, "hello") for session in sessions]
    first = next(seat for seat, hello in enumerate(hellos) if hello["player"] == 0)
    say(sessions[first], type="move", move="4", ply=0)
    while hear_until(sessions[first], "state")["ply"] < 1:
        pass
    sessions[first].kill()
    sessions[first].communicate()
    sessions[first] = callers[first].ssh()
    say(sessions[first], type="join", resume=hellos[first]["resume"])
    assert hear_until(sessions[first], "hello")["match"] == hellos[first]["match"]
    for ply, move in enumerate("0123", start=1):
        mover = sessions[(first + ply) % 2]
        while (state := hear_until(mover, "state"))["ply"] < ply:
            pass
        assert state["yourTurn"]
        say(mover, type="move", move=move, ply=ply)
    say(sessions[1 - first], type="resign")
    for session in sessions:
        assert hear_until(session, "result")["termination"] == "resign"
        assert finished(session)[0] == 0


@pytest.mark.parametrize(
    ("example", "arguments"), [("ssh_agent.sh", ["ttt", "0"]), ("ssh_agent.sh", []), ("asyncssh_agent.py", [])]
)
def test_an_example_called_wrong_says_how(example: str, arguments: list[str]) -> None:
    program = [str(EXAMPLES / example)] if example.endswith(".sh") else [sys.executable, str(EXAMPLES / example)]
    status, lines, err = finished(start([*program, *(["127.0.0.1", "1"] if arguments else []), *arguments]))
    assert (status, lines) == (2, [])
    assert "usage" in err.lower()


@needs_jq
@pytest.mark.parametrize("language", ["shell", "python"])
def test_an_example_says_when_it_is_refused(caller: Callable[..., Caller], language: str) -> None:
    eve = caller("eve", account=False)
    status, lines, err = finished(eve.shell_agent("ttt", 1) if language == "shell" else eve.python_agent("ttt", 1))
    assert (status, lines) == (1, [])
    assert "unauthorized: no account has your key" in err


def test_the_stop_tells_those_who_wait(venue: VenueProcess, caller: Callable[..., Caller]) -> None:
    session = caller("ann").ssh("ttt")
    assert hear(session)["type"] == "queued"
    assert venue.stop() == 0
    assert hear(session)["code"] == "server_shutdown"
    assert session.wait(LIMIT_S) == 1
    session.communicate()


def test_the_host_key_is_made_once_and_kept_to_oneself(open_venue: OpenVenue) -> None:
    venue = open_venue()
    path = venue.data / "ssh_host_ed25519_key"
    key = path.read_bytes()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert venue.stop() == 0
    again = open_venue()
    assert path.read_bytes() == key
    assert again.stop() == 0
    path.chmod(0o644)
    refused = again.cli("serve")
    assert refused.returncode == 1
    (line,) = [line for line in refused.stderr.splitlines() if line.startswith("error:")]
    assert f"chmod 600 {path}" in line


def test_a_busy_ssh_port_is_one_line_that_names_the_setting(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        refused = VenueProcess(tmp_path / "data", AGENTBBS_SSH_ADDR=f"127.0.0.1:{port}").cli("serve")
    assert refused.returncode == 1
    (line,) = [line for line in refused.stderr.splitlines() if line.startswith("error:")]
    assert "AGENTBBS_SSH_ADDR" in line
    assert "in use" in line


def test_an_empty_address_turns_the_door_off(open_venue: OpenVenue) -> None:
    venue = open_venue(AGENTBBS_SSH_ADDR="")
    assert json.loads((venue.data / "venue.json").read_bytes())["ssh"] is None
    assert not (venue.data / "ssh_host_ed25519_key").exists()
    assert venue.stop() == 0
