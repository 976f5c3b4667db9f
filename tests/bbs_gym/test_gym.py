"""The gym as its users write it, against a BBS on loopback that plays scripts."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.bbs_gym.fake_bbs import LOG_OFF, FakeBbs, fake_bbs
from tests.bbs_gym.login.dialogues import HOUSE_TELNET, HOUSE_WAY_IN, PASSWORD, SYNCHRONET_WAY_IN, Hears, Says, Script

from bbs_gym.accounts.fault import AccountFault
from bbs_gym.async_gym import AsyncBbsGym
from bbs_gym.gym import AgentConnected, BbsGym, GymSettings
from bbs_gym.hosts.host import Endpoint, Host, Transport
from bbs_gym.login.fault import FaultKind, LoginFault
from bbs_gym.login.session import LoginPace
from bbs_gym.nodes import NoNodeFree
from tty_agent.actions import ActionError, PressKey
from tty_agent.observer.readiness import Fixed

LIMIT_S = 10
ENVIRONMENT = {"A1": PASSWORD}

HOUSE_RLOGIN: Script = (Says(b"AgentBBS\r\nNode 1 of 32, rlogin, ANSI 80x24 CP437\r\n"), *HOUSE_WAY_IN)


def settings_of(folder: Path, port: int, **more: object) -> GymSettings:
    registry = folder / "agents.local.json"
    names = {"agent-001": "alice", "agent-002": "Alice-2", "agent-003": "alice-3"}
    agents = [{"agent_id": agent, "alias": alias, "password_env": "A1"} for agent, alias in names.items()]
    registry.write_text(json.dumps({"agents": agents}))
    values: dict[str, object] = {
        "registry": registry,
        "ports": {"rlogin": port, "telnet": port},
        "transcripts": folder / "transcripts",
        "policy": Fixed(quiet_s=0.03),
        "pace": LoginPace(stage_s=5.0, quiet_s=0.03, prompt_quiet_s=0.01),
        **more,
    }
    return GymSettings(**values)  # type: ignore[arg-type]  # what tests vary


@contextmanager
def gym_at(board: FakeBbs, folder: Path, **more: object) -> Iterator[BbsGym]:
    with BbsGym(settings_of(folder, board.port, **more), environment=ENVIRONMENT) as gym:
        yield gym


def test_the_calls_of_the_specification(tmp_path: Path) -> None:
    script = (*HOUSE_RLOGIN, Hears(b"M"), Says(b"\x0cNo mail.\r\n[Hit a key] "))
    with fake_bbs(script, rlogin=True) as board, gym_at(board, tmp_path) as gym:
        agent = gym.connect("agent-001", transport="rlogin", node=1)
        observation = agent.observe_turn()
        assert observation.model_text.endswith("Main menu:")
        assert observation.matched_prompt == "bbs-main"
        assert observation.metadata["requested_node"] == 1
        assert observation.metadata["observed_node"] == 1
        assert observation.metadata["transport"] == "rlogin"
        assert observation.metadata["alias"] == "alice"
        assert observation.transcript_path == str(tmp_path / "transcripts" / "agent-001.raw")
        agent.act({"action": "press_key", "arguments": {"key": "M"}})
        mail = agent.observe_turn()
        assert ("No mail." in mail.new_text, mail.matched_prompt) == (True, "hit-a-key")
        assert agent.observe_turn(prompts=()).matched_prompt is None
        assert (agent.agent_id, agent.connected) == ("agent-001", True)
    assert board.greetings == [[PASSWORD.encode(), b"alice", b"ansi-bbs/115200"]]
    assert bytes(board.heard[0]) == b"\rM"


@pytest.mark.parametrize(
    "action",
    [
        PressKey("M"),
        {"action": "press_key", "arguments": {"key": "M"}},
        'I read my mail. {"action": "press_key", "arguments": {"key": "M"}}',
    ],
)
def test_an_action_is_a_value_an_object_or_a_reply(tmp_path: Path, action: object) -> None:
    with (
        fake_bbs((*HOUSE_RLOGIN, Hears(b"M"), Says(b"Mail\r\n")), rlogin=True) as board,
        gym_at(board, tmp_path) as gym,
    ):
        agent = gym.connect("agent-001", transport="rlogin")
        agent.act(action)  # type: ignore[arg-type]  # one of three
        assert "Mail" in agent.observe_turn().new_text


def test_what_is_no_action_is_refused(tmp_path: Path) -> None:
    with fake_bbs(HOUSE_RLOGIN, rlogin=True) as board, gym_at(board, tmp_path) as gym:
        agent = gym.connect("agent-001", transport="rlogin")
        for action in ("I do nothing.", {"action": "win"}, {"action": "send_raw", "arguments": {"text": "x"}}):
            with pytest.raises(ActionError):
                agent.act(action)
    assert bytes(board.heard[0]) == b"\r"


def test_a_second_session_goes_on_in_the_same_transcript(tmp_path: Path) -> None:
    """The first line is lost; positions of the second are behind it."""
    bye = (*HOUSE_RLOGIN, Hears(b"x"), Says(b"\x0cThe line drops. Good-bye.\r\n"))
    with fake_bbs(bye, HOUSE_RLOGIN, rlogin=True) as board, gym_at(board, tmp_path) as gym:
        first = gym.connect("agent-001", transport="rlogin")
        first.act(PressKey("x"))
        end = first.observe_turn(policy=Fixed(quiet_s=5.0))
        assert end.closed is not None
        assert first.observe_turn().closed is not None
        second = gym.connect("agent-001", transport="rlogin")
        seen = second.observe_turn()
        assert seen.transcript_byte_start >= end.transcript_byte_end
    raw = (tmp_path / "transcripts" / "agent-001.raw").read_bytes()
    says = [step for step in (*bye, *HOUSE_RLOGIN) if isinstance(step, Says)]
    assert raw == b"".join(says)


def test_an_agent_is_connected_once(tmp_path: Path) -> None:
    with fake_bbs(HOUSE_RLOGIN, rlogin=True) as board, gym_at(board, tmp_path) as gym:
        agent = gym.connect("agent-001", transport="rlogin")
        with pytest.raises(AgentConnected, match="agent-001 is connected already"):
            gym.connect("agent-001", transport="rlogin")
        agent.close()
        agent.close()
        gym.connect("agent-001", transport="rlogin").close()


def test_several_threads_have_an_agent_each(tmp_path: Path) -> None:
    script = (*HOUSE_RLOGIN, Hears(b"W"), Says(b"\x0cWho's online\r\n"))
    meeting = threading.Barrier(3)
    with fake_bbs(script, rlogin=True) as board, gym_at(board, tmp_path, nodes=(1, 2, 3)) as gym:

        def play(agent_id: str) -> tuple[str, int | None]:
            agent = gym.connect(agent_id, transport="rlogin")
            meeting.wait(LIMIT_S)
            agent.act(PressKey("W"))
            return agent.observe_turn().new_text.strip(), agent.node.allocated

        with ThreadPoolExecutor(3) as pool:
            seen = list(pool.map(play, ("agent-001", "agent-002", "agent-003")))
    assert {text for text, _ in seen} == {"Who's online"}
    assert {node for _, node in seen} == {1, 2, 3}


def test_nodes_are_leased_and_given_back(tmp_path: Path) -> None:
    with fake_bbs(HOUSE_RLOGIN, rlogin=True) as board, gym_at(board, tmp_path, nodes=(1, 2), node_wait_s=0.05) as gym:
        first = gym.connect("agent-001", transport="rlogin", node=2)
        assert first.node.mismatch
        second = gym.connect("agent-002", transport="rlogin")
        assert (first.node.allocated, second.node.allocated, second.node.mismatch) == (2, 1, False)
        with pytest.raises(NoNodeFree):
            gym.connect("agent-003", transport="rlogin")
        first.close()
        assert gym.connect("agent-003", transport="rlogin").metadata["allocated_node"] == 2


def test_a_login_that_fails_gives_the_node_back(tmp_path: Path) -> None:
    wrong = (Says(b"\x07Invalid Logon\r\n\r\nPassword: "),)
    with fake_bbs(wrong, HOUSE_RLOGIN, rlogin=True) as board, gym_at(board, tmp_path, nodes=(1,)) as gym:
        with pytest.raises(LoginFault) as raised:
            gym.connect("agent-001", transport="rlogin")
        assert raised.value.kind is FaultKind.WRONG_PASSWORD
        assert gym.connect("agent-001", transport="rlogin").node.allocated == 1


def test_telnet_and_logging_off(tmp_path: Path) -> None:
    with fake_bbs((*HOUSE_TELNET, *LOG_OFF)) as board, gym_at(board, tmp_path) as gym:
        agent = gym.connect("agent-001", transport="telnet")
        agent.log_off()
        assert not agent.connected
    assert bytes(board.heard[0]) == f"alice\r{PASSWORD}\r\rqy".encode()


def test_straight_into_a_door(tmp_path: Path) -> None:
    script = (Says(b"Logging on to X as alice ...\r\n"), Says(b"Trade Wars\r\n[Hit a key] "))
    with fake_bbs(script, rlogin=True) as board, gym_at(board, tmp_path) as gym:
        agent = gym.connect("agent-001", transport="rlogin", door="TW2")
        assert agent.observe(0.01).pretty_screen.strip().endswith("[Hit a key]")
        with pytest.raises(LoginFault, match="by rlogin alone"):
            gym.connect("agent-002", transport="telnet", door="TW2")
        with pytest.raises(LoginFault, match="a door's code"):
            gym.connect("agent-002", transport="rlogin", door="TW2/9600\0")
    assert board.greetings == [[PASSWORD.encode(), b"alice", b"xtrn=TW2/115200"]]
    assert not board.heard[0]


def test_an_agent_of_no_registry_is_called_by_its_id(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with fake_bbs(SYNCHRONET_WAY_IN, rlogin=True) as board, gym_at(board, tmp_path, registry=None) as gym:
        gym.connect("agent-009", transport="rlogin")
        with pytest.raises(AccountFault):
            gym.connect("../agent", transport="rlogin")
    assert board.greetings[0][:2] == [b"", b"agent-009"]


def test_an_agent_that_the_registry_does_not_have(tmp_path: Path) -> None:
    with BbsGym(settings_of(tmp_path, 1), environment=ENVIRONMENT) as gym, pytest.raises(AccountFault):
        gym.connect("agent-9", transport="rlogin")


def test_a_transport_that_there_is_not(tmp_path: Path) -> None:
    with BbsGym(settings_of(tmp_path, 1), environment=ENVIRONMENT) as gym, pytest.raises(ValueError, match="pigeon"):
        gym.connect("agent-001", transport="pigeon")


def test_a_registry_that_is_broken_leaves_no_thread(tmp_path: Path) -> None:
    gym = BbsGym(GymSettings(registry=tmp_path / "none.json"))
    with pytest.raises(AccountFault), gym:
        pass
    assert "bbs-gym" not in {thread.name for thread in threading.enumerate()}


def test_closing_twice_and_late(tmp_path: Path) -> None:
    with fake_bbs(HOUSE_RLOGIN, rlogin=True) as board:
        gym = BbsGym(settings_of(tmp_path, board.port), environment=ENVIRONMENT)
        agent = gym.connect("agent-001", transport="rlogin")
        gym.close()
        gym.close()
        agent.close()
        with pytest.raises(RuntimeError, match="closed"):
            agent.observe_turn()


class Kept:
    """A host that is started and stopped."""

    kind = "house"

    def __init__(self, port: int) -> None:
        self._port = port
        self.calls: list[str] = []

    async def start(self) -> None:
        self.calls.append("start")

    async def stop(self) -> None:
        self.calls.append("stop")

    def endpoint(self, transport: Transport) -> Endpoint:
        self.calls.append(transport)
        return Endpoint("127.0.0.1", self._port)

    def node_count(self) -> int:
        return 2


async def test_a_host_is_started_asked_and_stopped(tmp_path: Path) -> None:
    with fake_bbs(HOUSE_RLOGIN, rlogin=True) as board:
        kept = Kept(board.port)
        host: Host = kept  # type: ignore[assignment]  # the rest of a host is not asked
        async with AsyncBbsGym(settings_of(tmp_path, 1), host=host, environment=ENVIRONMENT) as gym:
            agent = await gym.connect("agent-001", transport=Transport.RLOGIN)
            assert gym.agents == (agent,)
            assert agent.node.allocated == 1
            assert (await agent.observe_turn()).model_text.endswith("Main menu:")
    assert kept.calls == ["start", "rlogin", "stop"]
