"""The compose service, driven through a `docker` that a test writes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.bbs_gym.hosts.fake_synchronet import FakeSynchronet

from bbs_gym.hosts.host import HostFault
from bbs_gym.hosts.jsexec_call import SCRIPTS, Refused
from bbs_gym.hosts.settings import HostSettings
from bbs_gym.hosts.synchronet_choice import choose_installation
from bbs_gym.hosts.synchronet_compose import DOS_SERVICE, SynchronetCompose
from bbs_gym.hosts.synchronet_tree import SynchronetTree


class Docker:
    """A program in place of docker; it writes down how it was called."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.program = folder / "docker"
        self.compose_file = folder / "compose.yaml"
        self.compose_file.write_text("services: {}\n")
        self.answers("")

    def answers(self, body: str) -> None:
        self.program.write_text(f'#!/bin/sh\necho "$*" >> {self.folder}/calls\n{body}\n')
        self.program.chmod(0o755)

    def calls(self) -> list[str]:
        prefix = f"compose --file {self.compose_file} "
        return [line.removeprefix(prefix) for line in (self.folder / "calls").read_text().splitlines()]

    def compose(self, **options: Any) -> SynchronetCompose:
        return SynchronetCompose(
            self.folder / "state",
            compose_file=self.compose_file,
            docker=str(self.program),
            ports=options.pop("ports", {}),
            **options,
        )


@pytest.fixture
def docker(tmp_path: Path) -> Docker:
    return Docker(tmp_path)


async def no_wait(_: float) -> None:
    """As long as a test needs."""


async def test_up_once(docker: Docker) -> None:
    up = docker.folder / "up"
    docker.answers(f"case $* in *' ps '*) cat {up} 2>/dev/null || true;; *' up '*) echo sbbs > {up};; esac")
    compose = docker.compose(sleep=no_wait)
    assert await compose.start()
    assert not await compose.start()
    assert docker.calls() == [
        "ps --status running --services",
        "up --detach sbbs",
        "ps --status running --services",
    ]
    assert (docker.folder / "state/data").is_dir()


async def test_another_service_that_runs_is_not_ours(docker: Docker) -> None:
    docker.answers("echo sbbs-dosemu")
    assert not await docker.compose().running()


async def test_stop(docker: Docker) -> None:
    await docker.compose().stop()
    assert docker.calls() == ["stop sbbs"]


async def test_the_service_with_dosemu_is_behind_its_profile(docker: Docker) -> None:
    await docker.compose(service=DOS_SERVICE).stop()
    assert docker.calls() == ["--profile dosemu stop sbbs-dosemu"]


async def test_a_script_runs_in_the_container_and_the_password_goes_over_the_pipe(docker: Docker) -> None:
    docker.answers(f"""head -n 1 > {docker.folder}/stdin; env > {docker.folder}/env
        echo 'bbs-gym: {{"ok": true, "value": 7}}'""")
    request = {"accounts": [{"alias": "Alice", "password": "secret-Pa55"}]}
    assert await docker.compose().run("provision.js", request, secrets=("secret-Pa55",)) == 7
    (called,) = docker.calls()
    assert called == (
        "exec -T --workdir /sbbs/exec --env SBBSCTRL=/sbbs/ctrl sbbs /sbbs/exec/jsexec -n /opt/bbs-gym/provision.js"
    )
    environment = (docker.folder / "env").read_text()
    assert f"BBS_GYM_JSEXEC={SCRIPTS}\n" in environment
    assert f"BBS_GYM_STATE={docker.folder}/state\n" in environment
    assert "secret-Pa55" not in called + environment
    assert "secret-Pa55" in (docker.folder / "stdin").read_text()


async def test_a_refusal_comes_through(docker: Docker) -> None:
    docker.answers("""echo 'bbs-gym: {"ok": false, "refused": true, "error": "Alice is in the door"}'""")
    with pytest.raises(Refused, match=r"^Alice is in the door$"):
        await docker.compose().run("grant_tw2_turns.js", {})


@pytest.mark.parametrize(
    ("said", "remedy"),
    [
        ("docker: unknown command: docker compose\\n\\nRun docker --help", "install its compose plugin"),
        (
            "unknown flag: --file\\n\\nUsage:  docker [OPTIONS] COMMAND\\n\\nRun 'docker --help'",
            "install its compose plugin",
        ),
        ("docker: 'compose' is not a docker command.", "install its compose plugin"),
        ("Cannot connect to the Docker daemon at unix:///x.sock. Is it running?", "daemon does not answer: start it"),
        ("permission denied while trying to connect", "you may not use Docker"),
        ("Bind for 127.0.0.1:2323 failed: port is already allocated", "port 2323 or 2513 is taken"),
        ("something \\033[2J new", r"failed: something \\x1b\[2J new"),
        ("", "failed: exit code 1"),
    ],
)
async def test_what_docker_says_becomes_what_to_do(docker: Docker, said: str, remedy: str) -> None:
    docker.answers(f"printf '%b' \"{said}\" >&2; exit 1")
    with pytest.raises(HostFault, match=remedy):
        await docker.compose().start()


async def test_a_script_while_the_service_is_down(docker: Docker) -> None:
    docker.answers("echo 'service \"sbbs\" is not running' >&2; exit 1")
    with pytest.raises(HostFault, match="start it with `bbs-gym synchronet up`"):
        await docker.compose().run("scores_tw2.js", {})


async def test_a_script_without_compose(docker: Docker) -> None:
    docker.answers("echo \"Run 'docker --help' for more information\" >&2; exit 125")
    with pytest.raises(HostFault, match="install its compose plugin"):
        await docker.compose().run("scores_tw2.js", {})


async def test_no_docker(docker: Docker) -> None:
    docker.program.unlink()
    remedy = "install Docker with its compose plugin, or name the folder of a native"
    with pytest.raises(HostFault, match=remedy):
        await docker.compose().start()
    with pytest.raises(HostFault, match=remedy):
        await docker.compose().run("scores_tw2.js", {})


def test_no_compose_file(tmp_path: Path) -> None:
    with pytest.raises(HostFault, match="in the folder that holds deploy/"):
        SynchronetCompose(compose_file=tmp_path / "compose.yaml")


class TestChoice:
    """Which installation the settings name."""

    def choose(self, docker: Docker, environment: dict[str, str] | None = None, **settings: Any) -> Any:
        dosemu = settings.pop("dosemu", False)
        return choose_installation(
            HostSettings(kind="synchronet", **settings),
            docker.folder,
            compose_file=docker.compose_file,
            dosemu=dosemu,
            environment=environment or {},
        )

    def test_a_folder_with_jsexec_is_native(self, docker: Docker) -> None:
        tree = FakeSynchronet(docker.folder / "sbbs").root
        assert isinstance(self.choose(docker, data=tree), SynchronetTree)
        assert isinstance(self.choose(docker, {"SBBSCTRL": f"{tree}/ctrl"}), SynchronetTree)

    def test_any_other_is_the_state_of_the_service(self, docker: Docker) -> None:
        found = self.choose(docker, data=docker.folder / "state")
        assert isinstance(found, SynchronetCompose)
        assert found.root == docker.folder / "state"

    def test_nothing_named_is_the_service(self, docker: Docker) -> None:
        assert self.choose(docker).root == Path("runtime/sbbs").absolute()
        assert self.choose(docker).ports() == {"telnet": 2323, "rlogin": 2513}

    def test_dosemu_is_always_the_service(self, docker: Docker) -> None:
        tree = FakeSynchronet(docker.folder / "sbbs").root
        assert isinstance(self.choose(docker, {"SBBSCTRL": f"{tree}/ctrl"}, dosemu=True), SynchronetCompose)

    def test_an_address_alone_is_somebody_elses(self, docker: Docker) -> None:
        assert self.choose(docker, address="bbs.example.org") is None
