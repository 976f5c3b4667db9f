"""`agentbbs check-agent`: an agent on this machine, checked as a user does."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.agentbbs.referee.small_agent import Asked, Said, SmallAgent, first_legal, small_agent

from agentbbs.commands import agent_checkup
from agentbbs.commands.check_agent import read_secret
from agentbbs.protocol.signing import Scheme, new_secret, public_form
from agentbbs.referee.situations import SITUATIONS
from agentbbs.referee.throwaway_ca import ThrowawayCa

SECRET = new_secret(Scheme.HMAC, bytes(range(32)))


@pytest.fixture(autouse=True)
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seconds that a test need not wait."""
    monkeypatch.setattr(agent_checkup, "PAUSE_S", 0.0)


@pytest.fixture
def agent() -> Iterator[SmallAgent]:
    """An agent that never strikes."""
    with small_agent() as one:
        yield one


def test_a_sound_agent_plays_its_matches_from_both_sides(run: Any, agent: SmallAgent) -> None:
    checked = run("check-agent", agent.url, "--bot", "random")
    assert checked.exit_code == 0
    lines = checked.stdout.splitlines()
    assert [line[:24] for line in lines] == ["match 1: connect4 as X a", "match 2: connect4 as O a"]
    assert all("0 strikes, answers" in line for line in lines)
    assert "on this machine and over plain HTTP" in checked.stderr
    assert "sound: 0 strikes in 2 matches" in checked.stderr


def test_the_situations_are_told_row_by_row(run: Any, agent: SmallAgent) -> None:
    checked = run("check-agent", agent.url.rstrip("/"), "-g", "ttt", "-n", "0", "--faults")
    assert checked.exit_code == 0, checked.stdout
    rows = [line.partition(":")[0].split() for line in checked.stdout.splitlines()]
    assert rows == [["ok", name] for name in SITUATIONS]
    assert "0 of 19 situations failed" in checked.stderr


def test_strikes_are_told_with_row_and_remedy_and_nothing_of_them_acts_on_a_terminal(run: Any) -> None:
    def clumsy(asked: Asked, one: SmallAgent) -> Said:
        if asked["move_number"] == 1 and asked["strikes"] == 0:
            return 200, {"move": "\x1b]0;z\x07", "nonce": asked["nonce"]}
        return first_legal(asked, one)

    with small_agent(clumsy) as one:
        checked = run("check-agent", one.url, "-g", "ttt", "-n", "1", "--bot", "random")
    assert checked.exit_code == 1
    assert "strike at move 1: illegal_move after" in checked.stdout
    assert "remedy: check the move against `legal`" in checked.stdout
    assert "\x1b" not in checked.stdout + checked.stderr
    assert "not sound: 1 strike in 1 match" in checked.stderr


def test_json_has_all_of_it(run: Any) -> None:
    def wrong(asked: Asked, _: SmallAgent) -> Said:
        return 200, {"move": asked["legal"][0], "nonce": "\u202eold"}

    with small_agent(wrong) as one:
        checked = run("check-agent", one.url, "-n", "1", "--faults", "--json")
    assert checked.exit_code == 1
    report = json.loads(checked.stdout)
    assert (report["game"], report["bot"], report["sound"]) == ("connect4", "greedy", False)
    (match,) = report["matches"]
    assert (match["you"], match["outcome"], match["termination"]) == ("X", "loss", "strikes")
    assert [(strike["row"], strike["moveNumber"]) for strike in match["strikes"]] == [("nonce", 1)] * 3
    assert all(strike["remedy"] for strike in match["strikes"])
    assert [row["name"] for row in report["situations"]] == list(SITUATIONS)
    assert {row["verdict"] for row in report["situations"]} == {"fail"}


def test_an_agent_that_wants_a_secret_is_recognised(run: Any, tmp_path: Path) -> None:
    def closed(asked: Asked, one: SmallAgent) -> Said:
        return first_legal(asked, one) if "webhook-signature" in one.headers[-1] else (401, b"")

    file = tmp_path / "secret"
    file.write_text(f"{SECRET}\n")
    with small_agent(closed) as one:
        without = run("check-agent", one.url, "-g", "ttt", "-n", "1")
        signed = run("check-agent", one.url, "-g", "ttt", "-n", "1", "--secret-file", str(file))
    assert without.exit_code == 1
    assert "give its secret with --secret-file" in without.stderr
    assert signed.exit_code == 0, signed.stdout
    assert SECRET not in signed.stdout + signed.stderr


def test_https_with_a_ca_of_ones_own(run: Any, tmp_path: Path) -> None:
    ca = ThrowawayCa.make(tmp_path)
    with small_agent(context=ca.server_context()) as one:
        trusted = run("check-agent", one.url, "-g", "ttt", "-n", "1", "--ca-file", str(ca.ca_file))
        unknown = run("check-agent", one.url, "-g", "ttt", "-n", "1", "--json")
    assert trusted.exit_code == 0, trusted.stdout
    assert "over plain HTTP" not in trusted.stderr
    assert unknown.exit_code == 1
    assert [strike["row"] for strike in json.loads(unknown.stdout)["matches"][0]["strikes"]] == ["tls"] * 3


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("http://agent.example/play", "only HTTPS"),
        ("https://10.0.0.1/play", "address that is not called"),
        ("http://192.168.0.1/", "only HTTPS"),
        ("https://user:pw@agent.example/", "user name"),
        ("ftp://agent.example/", "https://"),
        ("https://nowhere.invalid/", "does not resolve"),
    ],
)
def test_urls_that_are_not_called(run: Any, url: str, why: str) -> None:
    refused = run("check-agent", url)
    assert refused.exit_code == 1
    assert why in refused.stderr
    assert refused.stderr.startswith("error: ")


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--game", "chess"), "unknown game"),
        (("--bot", "deep-thought"), "unknown bot"),
        (("--matches", "0"), "nothing to check"),
        (("--secret", "abc"), "whsec_"),
        (("--secret", "x", "--secret-file", "y"), "exclude each other"),
        (("--secret", public_form(Scheme.ED25519, new_secret(Scheme.ED25519, bytes(32)))), "test secret"),
    ],
)
def test_wrong_calls(run: Any, options: tuple[str, ...], why: str) -> None:
    refused = run("check-agent", "http://127.0.0.1:9/", *options)
    assert refused.exit_code == 2
    assert why in refused.stderr


def test_a_ca_file_that_is_none(run: Any, tmp_path: Path) -> None:
    file = tmp_path / "ca.pem"
    file.write_text("no certificate")
    for path in (file, tmp_path / "missing.pem"):
        refused = run("check-agent", "http://127.0.0.1:9/", "--ca-file", str(path))
        assert (refused.exit_code, "--ca-file" in refused.stderr) == (1, True)


def test_nobody_there_is_three_strikes(run: Any, unused_tcp_port: int) -> None:
    checked = run("check-agent", f"http://localhost:{unused_tcp_port}/", "-g", "ttt", "-n", "1", "--json")
    assert checked.exit_code == 1
    assert [one["row"] for one in json.loads(checked.stdout)["matches"][0]["strikes"]] == ["connection"] * 3


def test_a_secret_file_that_is_empty(tmp_path: Path, run: Any) -> None:
    file = tmp_path / "secret"
    file.write_text("\n")
    refused = run("check-agent", "http://127.0.0.1:9/", "--secret-file", str(file))
    assert refused.exit_code == 1
    assert "is empty" in refused.stderr
    file.write_text(f"  {SECRET} \nmore\n")
    assert read_secret(file) == SECRET
