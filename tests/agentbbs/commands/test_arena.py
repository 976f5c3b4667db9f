"""`agentbbs arena …`: endpoints registered, probed, changed and removed, over real TLS on loopback."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from tests.agentbbs.referee.small_agent import Asked, Said, SmallAgent, first_legal, small_agent

from agentbbs.protocol.signing import BadSignature, Scheme, Verifier, new_secret
from agentbbs.referee.throwaway_ca import ThrowawayCa
from agentbbs.store import accounts, endpoints
from agentbbs.store.database import Database
from agentbbs.store.endpoints import Endpoint

Agents = Callable[..., SmallAgent]


@pytest.fixture(scope="module")
def ca(tmp_path_factory: pytest.TempPathFactory) -> ThrowawayCa:
    """Whom the commands of this file trust."""
    return ThrowawayCa.make(tmp_path_factory.mktemp("ca"))


@pytest.fixture
def agents(run: Any, ca: ThrowawayCa, monkeypatch: pytest.MonkeyPatch) -> Iterator[Agents]:
    """`agents(choose)`: an agent over TLS, and settings with which it may be called."""
    monkeypatch.setenv("AGENTBBS_ARENA_DEV", "1")
    monkeypatch.setenv("AGENTBBS_ARENA_CA_FILE", str(ca.ca_file))
    monkeypatch.setenv("AGENTBBS_ARENA_DEADLINE_MS", "3000")
    with ExitStack() as opened:

        def start(choose: Callable[[Asked, SmallAgent], Said] = first_legal) -> SmallAgent:
            return opened.enter_context(small_agent(choose, context=ca.server_context()))

        yield start


def stored(data: Path, name: str = "gremlin") -> list[Endpoint]:
    """What the table holds of an account; nothing if there is no such account."""
    with Database.in_folder(data) as database, database.open().connect() as conn:
        try:
            return list(endpoints.of_account(conn, accounts.find(conn, name).id))
        except accounts.NoSuchAccount:
            return []


def registered(run: Any, url: str, *options: str) -> str:
    """Register gremlin, for connect4; the key."""
    done = run("arena", "register", "gremlin", url, "-g", "connect4", "--create", *options)
    assert done.exit_code == 0, done.stderr
    return str(done.stdout).strip()


def test_it_is_asked_once_and_stored_and_its_secret_is_told_this_once(run: Any, agents: Agents, data: Path) -> None:
    agent = agents()
    done = run("arena", "register", "gremlin", agent.url, "--game", "connect4", "--create")
    assert done.exit_code == 0, done.stderr
    (endpoint,) = stored(data)
    assert done.stdout == f"{endpoint.secret}\n"
    assert (endpoint.game, endpoint.url, endpoint.status, endpoint.scheme) == ("c4", agent.url, "active", "hmac")
    assert endpoint.latency_ms is not None
    assert len(agent.asked) == 1
    assert "it answered with a legal move" in done.stderr
    assert "shown this once" in done.stderr
    Verifier([endpoint.secret]).verify(agent.headers[0], agent.bodies[0], time.time())
    for command in (("list",), ("list", "--json"), ("list", "gremlin")):
        told = run("arena", *command)
        assert told.exit_code == 0
        assert endpoint.secret not in told.stdout + told.stderr


def test_several_games_share_a_secret_and_are_stored_together(run: Any, agents: Agents, data: Path) -> None:
    agent = agents()
    done = run(
        "arena", "register", "gremlin", agent.url, "-g", "connect4", "-g", "ttt", "-g", "c4", "--create", "--json"
    )
    told = json.loads(done.stdout)
    assert [one["game"] for one in told["endpoints"]] == ["connect4", "ttt"]
    assert {one.secret for one in stored(data)} == {told["key"]}
    assert [one["game"] for one in agent.asked] == ["connect4", "ttt"]


def test_ed25519_tells_the_public_key_alone(run: Any, agents: Agents, data: Path) -> None:
    agent = agents()
    key = registered(run, agent.url, "--scheme", "ed25519")
    (endpoint,) = stored(data)
    assert key.startswith("whpk_")
    assert endpoint.secret.startswith("whsk_")
    Verifier([key]).verify(agent.headers[0], agent.bodies[0], time.time())


def _status(_: Asked, __: SmallAgent) -> Said:
    return 500, b"private words"


def _not_json(_: Asked, __: SmallAgent) -> Said:
    return 200, b"private words"


def _illegal(asked: Asked, _: SmallAgent) -> Said:
    return 200, {"move": "private words", "nonce": asked["nonce"]}


def _late(_: Asked, agent: SmallAgent) -> Said:
    agent.hold.wait(20)
    return 200, {}


@pytest.mark.parametrize(
    ("choose", "row"), [(_status, "status"), (_not_json, "not_json"), (_illegal, "illegal_move"), (_late, "timeout")]
)
def test_a_failed_probe_names_the_row_and_stores_nothing(
    run: Any,
    agents: Agents,
    data: Path,
    monkeypatch: pytest.MonkeyPatch,
    choose: Callable[[Asked, SmallAgent], Said],
    row: str,
) -> None:
    monkeypatch.setenv("AGENTBBS_ARENA_DEADLINE_MS", "300")
    agent = agents(choose)
    done = run("arena", "register", "gremlin", agent.url, "-g", "connect4", "--create")
    assert (done.exit_code, done.stdout) == (1, "")
    assert f"the probe failed: connect4: {row} (" in done.stderr
    assert " ms)" in done.stderr
    assert "private words" not in done.stderr
    assert stored(data) == []
    assert 1 <= len(agent.asked) <= 2
    told = run("arena", "register", "gremlin", agent.url, "-g", "connect4", "--create", "--json")
    assert told.exit_code == 1
    assert (json.loads(told.stdout)["ok"], json.loads(told.stdout)["row"]) == (False, row)


def test_a_certificate_of_nobody_is_the_row_tls(run: Any, agents: Agents, data: Path, tmp_path: Path) -> None:
    with small_agent(context=ThrowawayCa.make(tmp_path / "other").server_context()) as stranger:
        done = run("arena", "register", "gremlin", stranger.url, "-g", "connect4", "--create")
    assert done.exit_code == 1
    assert "connect4: tls (" in done.stderr
    assert stored(data) == []


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("http://agent.example/", "https://"),
        ("https://127.0.0.1:8443/", "not called"),
        ("https://10.1.2.3/", "not called"),
        ("https://169.254.169.254/", "not called"),
        ("https://agent.example:22/", "port 22"),
        ("https://agent.example/#top", "`#`"),
    ],
)
@pytest.mark.parametrize("options", [(), ("--no-probe",)])
def test_urls_that_a_venue_does_not_call(run: Any, data: Path, url: str, why: str, options: tuple[str, ...]) -> None:
    done = run("arena", "register", "gremlin", url, "-g", "ttt", "--create", *options)
    assert (done.exit_code, done.stdout) == (1, "")
    assert why in done.stderr
    assert stored(data) == []


def test_an_account_must_be_there_unless_it_is_to_be_made(run: Any, agents: Agents, data: Path) -> None:
    agent = agents()
    done = run("arena", "register", "gremlin", agent.url, "-g", "connect4")
    assert done.exit_code == 1
    assert "add --create" in done.stderr
    assert agent.asked == []


def test_a_second_endpoint_for_a_game_is_refused_before_anybody_is_asked(run: Any, agents: Agents, data: Path) -> None:
    agent = agents()
    registered(run, agent.url)
    done = run("arena", "register", "gremlin", agent.url, "-g", "ttt", "-g", "c4")
    assert done.exit_code == 1
    assert "change-url" in done.stderr
    assert len(agent.asked) == 1
    assert [one.game for one in stored(data)] == ["c4"]


def test_an_agent_that_is_not_up_yet_is_paused_until_it_answers(run: Any, agents: Agents, data: Path) -> None:
    up = False

    def later(asked: Asked, agent: SmallAgent) -> Said:
        return first_legal(asked, agent) if up else (503, b"")

    agent = agents(later)
    registered(run, agent.url, "--no-probe")
    assert agent.asked == []
    (endpoint,) = stored(data)
    assert endpoint.status == "paused"
    assert "without a probe" in str(endpoint.why)
    failed = run("arena", "resume", "gremlin")
    assert failed.exit_code == 1
    assert "connect4: status (" in failed.stderr
    up = True
    assert run("arena", "resume", "gremlin").exit_code == 0
    (endpoint,) = stored(data)
    assert (endpoint.status, endpoint.why) == ("active", None)
    assert endpoint.latency_ms is not None


def careful(secret: list[str]) -> Callable[[Asked, SmallAgent], Said]:
    """An agent that checks signatures."""

    def choose(asked: Asked, agent: SmallAgent) -> Said:
        try:
            Verifier(secret).verify(agent.headers[-1], agent.bodies[-1], time.time())
        except BadSignature:
            return 401, b""
        return first_legal(asked, agent)

    return choose


def test_an_agent_that_takes_any_signature_is_refused_where_that_was_asked_for(
    run: Any, agents: Agents, data: Path
) -> None:
    agent = agents()
    done = run("arena", "register", "gremlin", agent.url, "-g", "connect4", "--create", "--check-signature")
    assert done.exit_code == 1
    assert "accepts_bad_signature" in done.stderr
    assert stored(data) == []


def test_an_agent_that_checks_brings_its_own_secret_or_gets_it_first(
    run: Any, agents: Agents, data: Path, tmp_path: Path
) -> None:
    secret = new_secret(Scheme.HMAC, bytes(range(32)))
    file = tmp_path / "secret"
    file.write_text(secret)
    agent = agents(careful([secret]))
    unknown = run("arena", "register", "gremlin", agent.url, "-g", "connect4", "--create")
    assert unknown.exit_code == 1
    assert "--no-probe" in unknown.stderr
    key = registered(run, agent.url, "--check-signature", "--secret-file", str(file))
    assert key == secret
    keys = [secret]
    agent.choose = careful(keys)
    assert run("arena", "remove", "gremlin", "--yes").exit_code == 0
    keys[0] = registered(run, agent.url, "--no-probe")
    assert run("arena", "resume", "gremlin", "--check-signature").exit_code == 0


def test_pause_and_what_the_list_says(run: Any, agents: Agents, data: Path) -> None:
    agent = agents()
    registered(run, f"{agent.url}play?key=hunter2")
    assert run("arena", "pause", "GREMLIN", "--why", "moves house\x1b[2J").exit_code == 0
    shown = run("arena", "list").stdout
    assert "paused" in shown
    assert "moves house" in shown
    assert "\x1b" not in shown
    (row,) = json.loads(run("arena", "list", "--json").stdout)
    assert (row["name"], row["game"], row["status"]) == ("gremlin", "connect4", "paused")
    assert row["latencyMs"] is not None
    assert "hunter2" not in shown + json.dumps(row)
    assert stored(data)[0].url.endswith("?key=hunter2")


def test_change_url_asks_the_new_one_first(run: Any, agents: Agents, data: Path) -> None:
    old, new = agents(), agents()
    key = registered(run, old.url)
    failed = run("arena", "change-url", "gremlin", agents(_status).url)
    assert failed.exit_code == 1
    assert stored(data)[0].url == old.url
    assert run("arena", "change-url", "gremlin", new.url).exit_code == 0
    (endpoint,) = stored(data)
    assert (endpoint.url, endpoint.secret) == (new.url, key)
    Verifier([key]).verify(new.headers[0], new.bodies[0], time.time())


def test_rotate_tells_a_new_key_and_keeps_the_old_one_for_a_while(run: Any, agents: Agents, data: Path) -> None:
    agent = agents()
    key = registered(run, agent.url)
    new = run("arena", "rotate", "gremlin").stdout.strip()
    assert new != key
    now_ms = time.time_ns() // 1_000_000
    (endpoint,) = stored(data)
    assert endpoint.secrets(now_ms) == (new, key)
    assert endpoint.secrets(now_ms + 24 * 3_600_000 + 1) == (new,)
    assert run("arena", "probe", "gremlin").exit_code == 0
    for one in (key, new):
        Verifier([one]).verify(agent.headers[-1], agent.bodies[-1], time.time())
    (told,) = json.loads(run("arena", "rotate", "gremlin", "--keep-old", "0", "--json").stdout)
    assert stored(data)[0].secrets(time.time_ns() // 1_000_000) == (told["key"],)


def test_probe_measures_and_changes_nothing_else(run: Any, agents: Agents, data: Path) -> None:
    agent = agents()
    registered(run, agent.url)
    run("arena", "pause", "gremlin")
    done = run("arena", "probe", "gremlin", "--json")
    assert (done.exit_code, json.loads(done.stdout)["ok"]) == (0, True)
    assert stored(data)[0].status == "paused"
    agent.choose = _status
    failed = run("arena", "probe", "gremlin")
    assert (failed.exit_code, failed.stdout) == (1, "")
    assert "connect4: status (" in failed.stderr


def test_remove_forgets_the_secret_and_makes_room(run: Any, agents: Agents, data: Path) -> None:
    agent = agents()
    registered(run, agent.url)
    asked = run("arena", "remove", "gremlin")
    assert asked.exit_code == 1
    assert "add --yes" in asked.stderr
    assert run("arena", "remove", "gremlin", "--yes").exit_code == 0
    assert stored(data) == []
    registered(run, agent.url)


def test_which_of_several_endpoints(run: Any, agents: Agents, data: Path) -> None:
    agent = agents()
    run("arena", "register", "gremlin", agent.url, "-g", "connect4", "-g", "ttt", "--create")
    unclear = run("arena", "pause", "gremlin")
    assert unclear.exit_code == 1
    assert "connect4, ttt" in unclear.stderr
    assert run("arena", "pause", "gremlin", "-g", "ttt").exit_code == 0
    assert [one.status for one in stored(data)] == ["active", "paused"]
    assert run("arena", "remove", "gremlin", "-g", "ttt", "-g", "connect4", "-y").exit_code == 0
    assert run("arena", "pause", "gremlin").exit_code == 1


@pytest.mark.parametrize(
    ("call", "code", "why"),
    [
        (("register", "g", "https://a.example/", "-g", "chess"), 2, "unknown game"),
        (("register", "g", "https://a.example/", "-g", "ttt", "--scheme", "rsa"), 2, "hmac or ed25519"),
        (("register", "g", "https://a.example/", "-g", "ttt", "--no-probe", "--check-signature"), 2, "needs a probe"),
        (("pause", "nobody"), 1, "no account"),
        (("list", "nobody"), 1, "no account"),
        (("resume", "nobody", "--no-probe", "--check-signature"), 2, "needs a probe"),
    ],
)
def test_wrong_calls(run: Any, call: tuple[str, ...], code: int, why: str) -> None:
    run("db", "upgrade")
    done = run("arena", *call)
    assert (done.exit_code, why in done.stderr) == (code, True), done.stderr
