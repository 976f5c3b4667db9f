"""Workers over Ray: against a stand-in of what is used of it, and against a Ray of this machine if there is one."""

from __future__ import annotations

import asyncio
import os
import signal
import tempfile
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from tests.bbs_gym.campaign.campaigns import a_campaign
from tests.bbs_gym.campaign.test_workers import task

from bbs_gym.campaign import ray_workers
from bbs_gym.campaign.archive import packed
from bbs_gym.campaign.campaign import run_campaign
from bbs_gym.campaign.journal import CampaignFault
from bbs_gym.campaign.playing import decoded
from bbs_gym.campaign.ray_workers import RayCrew, Work
from bbs_gym.campaign.task import MatchResult, WorkerLost, write_result
from bbs_gym.hosts.host import Snapshot


class RayError(Exception):
    """As `ray.exceptions` has it."""


class FakeRay:
    """What is used of Ray, in threads."""

    def __init__(self) -> None:
        self.exceptions = SimpleNamespace(RayError=RayError)
        self.pool = ThreadPoolExecutor(4)
        self.joined: list[str] = []
        self.put_bytes: list[bytes] = []
        self.options: dict[str, Any] = {}
        self.cancelled: list[bool] = []
        self.let_go = threading.Event()

    def init(self, *, address: str, **_: Any) -> None:
        if address == "nowhere":
            raise ConnectionError("there is no cluster")
        self.joined.append(address)

    def shutdown(self) -> None:
        self.let_go.set()
        self.pool.shutdown()
        self.joined.clear()

    def put(self, content: bytes) -> bytes:
        self.put_bytes.append(content)
        return content

    def remote(self, **options: Any) -> Any:
        self.options = options
        return lambda work: SimpleNamespace(remote=lambda *args: Reference(self.pool.submit(work, *args)))

    def cancel(self, _: Any, *, force: bool) -> None:
        self.cancelled.append(force)
        if force:
            self.let_go.set()

    def wait(self, references: list[Any], *, timeout: float) -> tuple[list[Any], list[Any]]:
        done = [one for one in references if self.let_go.is_set()]
        return done, [one for one in references if one not in done]


class Reference:
    """Of an object that is to come."""

    def __init__(self, coming: Future[bytes]) -> None:
        self._coming = coming

    def future(self) -> Future[bytes]:
        return self._coming


def work(tmp_path: Path, **result: Any) -> Work:
    """Plays in a folder of another machine."""

    def play(line: bytes, snapshot: bytes | None) -> bytes:
        told = decoded(line)
        there = tmp_path / "there" / told.folder.name
        there.mkdir(parents=True)
        (there / "match.jsonl").write_bytes(snapshot or b"")
        write_result(there, MatchResult(token=told.token, stopped_by="all_stopped", **result))
        return packed(there)

    return play


@pytest.fixture
def ray(monkeypatch: pytest.MonkeyPatch) -> FakeRay:
    fake = FakeRay()
    monkeypatch.setattr(ray_workers, "_ray", lambda: fake)
    monkeypatch.setattr(ray_workers, "END_S", 0.01)
    return fake


async def test_the_folder_of_the_match_comes_back(tmp_path: Path, ray: FakeRay) -> None:
    crew = RayCrew("auto", 2, work=work(tmp_path, cost_usd=0.5))
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "state").write_bytes(b"the state")
    snapshot = Snapshot(name="s", path=tmp_path / "kept", sha256="abc", created_at="")
    for name in ("m1", "m2"):
        result = await crew.play(task(tmp_path / "matches" / name, snapshot=snapshot))
        assert result.cost_usd == 0.5
        assert (tmp_path / "matches" / name / "match.jsonl").read_bytes() == packed(tmp_path / "kept")
    assert len(ray.put_bytes) == 1, "a snapshot goes to Ray once"
    assert ray.options == {"num_cpus": 1, "max_retries": 0}
    await crew.close()
    assert not ray.joined


async def test_a_machine_that_dies_is_a_lost_worker(tmp_path: Path, ray: FakeRay) -> None:
    def dies(line: bytes, snapshot: bytes | None) -> bytes:
        raise RayError("trace\nthe node died\x1b[2J\n")

    crew = RayCrew("auto", 1, work=dies)
    with pytest.raises(WorkerLost, match="RayError: the node died") as fault:
        await crew.play(task(tmp_path / "m"))
    assert "\x1b" not in str(fault.value)
    await crew.close()


@pytest.mark.parametrize("content", [b"no archive", b""])
async def test_what_is_no_archive_is_a_lost_worker_and_leaves_nothing(
    tmp_path: Path, ray: FakeRay, content: bytes
) -> None:
    crew = RayCrew("auto", 1, work=lambda *_: content)
    with pytest.raises(WorkerLost, match="could not be taken back"):
        await crew.play(task(tmp_path / "matches" / "m"))
    await crew.close()
    assert await asyncio.to_thread(lambda: list(tmp_path.glob("matches/*"))) == []


async def test_a_task_that_hangs_is_told_to_end_then_killed(tmp_path: Path, ray: FakeRay) -> None:
    def hangs(line: bytes, snapshot: bytes | None) -> bytes:
        ray.let_go.wait(60)
        return b""

    crew = RayCrew("auto", 1, work=hangs)
    with pytest.raises(WorkerLost, match=r"not over within 0\.05 s"):
        await crew.play(task(tmp_path / "m", limit_s=0.05))
    assert ray.cancelled == [False, True]
    await crew.close()


async def test_no_cluster_and_no_ray_say_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> Any:
        raise ImportError(name)

    with monkeypatch.context() as patch:
        patch.setattr(ray_workers, "import_module", missing)
        with pytest.raises(CampaignFault, match=r"pip install 'agentbbs\[ray\]'"):
            RayCrew("auto", 1)
    monkeypatch.setattr(ray_workers, "_ray", FakeRay)
    crew = RayCrew("nowhere", 1)
    with pytest.raises(CampaignFault, match="Ray can't be joined at nowhere: ConnectionError: there is no cluster"):
        await crew.play(task(tmp_path / "m"))


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.filterwarnings("default")
def test_a_campaign_over_a_ray_of_this_machine(tmp_path: Path) -> None:
    pytest.importorskip("ray", reason="the extra `ray` is not installed")
    marks = str(tmp_path / "marks")
    Path(marks).mkdir()

    def play(line: bytes, snapshot: bytes | None) -> bytes:
        """Defined here, so that Ray takes it with it: the first attempt at the second match kills its process."""
        told = decoded(line)
        if "00002" in told.match_id and not Path(marks, "killed").exists():
            Path(marks, "killed").touch()
            os.kill(os.getpid(), signal.SIGKILL)
        with tempfile.TemporaryDirectory() as name:
            write_result(Path(name), MatchResult(token=told.token, stopped_by="all_stopped"))
            return packed(Path(name))

    campaign = a_campaign(3)
    standing = asyncio.run(run_campaign(campaign, tmp_path / "campaign", lambda _: RayCrew("local", 2, work=play)))
    assert standing.completed
    assert len(standing.finished) == 6
    assert list(standing.spoilt.values()) == [1]
    assert msgspec.json.decode((tmp_path / "campaign" / "schedule.json").read_bytes())["sha256"]
