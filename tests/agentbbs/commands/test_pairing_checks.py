"""Why an agent is not paired."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from agentbbs.commands import pairing_checks, running
from agentbbs.commands.finding import Finding, Level
from agentbbs.commands.running import Live, Waiting
from agentbbs.play import pairing
from agentbbs.store.accounts import Account
from agentbbs.store.tokens import TokenInfo

NOW_MS = 1_750_000_000_000
ADA = Account(1, "ada", sysop=False, password_hash=None, created_ms=0, removed_ms=None)


def waits(name: str, account: int, game: str = "ttt", rating: int = 1500, waited_s: float = 3.0) -> Waiting:
    return Waiting(game, name, account, rating, waited_s, round(pairing.WINDOW + pairing.WIDENS_PER_S * waited_s))


def token(used_ms: int | None = None, revoked_ms: int | None = None) -> TokenInfo:
    return TokenInfo(1, 1, "abbs_123456", 0, used_ms, revoked_ms)


def why(game: str | None, queue: list[Waiting], live: list[Live] | None = None) -> list[Finding]:
    return list(pairing_checks.pairing(ADA, game, queue, live or []))


def one(findings: list[Finding]) -> tuple[Level, str]:
    (finding,) = findings
    return finding.level, finding.sentence


@pytest.mark.parametrize(
    ("tokens", "keys", "level", "sentence"),
    [
        ([], 0, Level.FAIL, "ada has no token."),
        ([token(revoked_ms=NOW_MS - 60_000)], 0, Level.FAIL, "All tokens of ada are revoked, the last 1 min ago."),
        ([token()], 0, Level.WARN, "ada has 1 valid token, never used (uses show within seconds)."),
        ([token(used_ms=NOW_MS - 7_000), token()], 0, Level.OK, "ada has 2 valid tokens, last used 7 s ago."),
        ([token(revoked_ms=NOW_MS)], 2, Level.OK, "ada has no token and 2 SSH keys: it can come over SSH."),
    ],
)
def test_an_account_needs_a_way_in(tokens: list[TokenInfo], keys: int, level: Level, sentence: str) -> None:
    found = pairing_checks.tokens(ADA, tokens, keys, NOW_MS)
    assert (found.level, found.sentence) == (level, sentence)
    assert (found.remedy is None) is (level is Level.OK)


def test_no_connection_at_all() -> None:
    assert one(why(None, [waits("bob", 2)])) == (Level.FAIL, "No connection of ada waits or plays.")


def test_it_waits_for_another_game() -> None:
    found = why("c4", [waits("ada", 1), waits("bob", 2, game="c4")])
    assert one(found) == (Level.FAIL, "ada waits for ttt, not for c4.")


def test_nobody_else_waits_for_the_game() -> None:
    found = why(None, [waits("ada", 1, waited_s=12.4), waits("bob", 2, game="c4")])
    assert one(found) == (Level.WARN, "ada has waited for ttt for 12 s: nobody else waits for it.")
    assert "practise" in (found[0].remedy or "")


def test_only_its_own_connections_wait() -> None:
    found = why(None, [waits("ada", 1), waits("ada", 1, waited_s=1.0)])
    assert one(found) == (
        Level.FAIL,
        "ada has waited for ttt for 3 s: only connections of its own account wait, and they never meet.",
    )


def test_the_ratings_are_too_far_apart_as_yet() -> None:
    found = why(None, [waits("ada", 1, rating=1500), waits("bob", 2, rating=2400, waited_s=1.0)])
    assert one(found) == (
        Level.WARN,
        "ada has waited for ttt for 3 s: bob is 900 points away, the window is 500 points wide.",
    )
    assert found[0].remedy == "It opens in 4 s."


def test_the_nearest_to_be_met_is_named_not_the_nearest_rating() -> None:
    """bob is nearer, and has waited less; the window of carl, who waits longer, opens first."""
    queue = [waits("ada", 1, waited_s=0.0), waits("bob", 2, rating=1900), waits("carl", 3, rating=2000, waited_s=9.0)]
    assert "carl is 500 points away: they meet within a second" in one(why(None, queue))[1]


def test_what_the_doctor_says_of_the_window_is_what_the_pool_does() -> None:
    """The prediction against the pool itself: not before, and then."""
    ada, bob = waits("ada", 1, rating=1500, waited_s=3.0), waits("bob", 2, rating=2400, waited_s=1.0)
    pool = pairing.Pool()
    pool.add(pairing.Waiting(1, 1, ada.rating, -ada.waited_s))
    pool.add(pairing.Waiting(2, 2, bob.rating, -bob.waited_s))
    assert why(None, [ada, bob])[0].remedy == "It opens in 4 s."
    assert pool.sweep(3.9) == []
    assert len(pool.sweep(4.1)) == 1


def test_it_is_about_to_be_paired() -> None:
    level, sentence = one(why("ttt", [waits("ada", 1), waits("bob", 2)]))
    assert level is Level.OK
    assert sentence == "ada has waited for ttt for 3 s, and bob is 0 points away: they meet within a second."


def test_it_plays() -> None:
    live = [Live("m-1", "ttt", ("bob", "ada"), 3, rated=True)]
    assert one(why(None, [], live)) == (Level.OK, "ada plays ttt now: `agentbbs watch m-1`.")
    assert one(why("c4", [], live))[0] is Level.FAIL


def test_several_connections_in_several_games_are_each_explained() -> None:
    queue = [waits("ada", 1), waits("ada", 1, game="c4"), waits("bob", 2, game="c4")]
    assert [finding.level for finding in why(None, queue)] == [Level.OK, Level.WARN]
    assert [finding.level for finding in why("c4", queue)] == [Level.OK]


def test_the_lobby_is_told_by_game_and_cut() -> None:
    queue = [waits(f"agent-{number}", number) for number in range(12)] + [waits("zoe", 99, game="c4", waited_s=0.4)]
    c4, ttt = pairing_checks.lobby(queue)
    assert c4.sentence == "1 waits for c4: zoe (since 0 s)."
    assert ttt.sentence.startswith("12 wait for ttt: agent-0 (since 3 s), ")
    assert ttt.sentence.endswith("agent-9 (since 3 s) and 2 more.")
    assert [finding.sentence for finding in pairing_checks.lobby([])] == ["Nobody waits."]


@pytest.mark.parametrize(
    ("status", "level"), [("ok", Level.OK), ("retrying", Level.WARN), ("stopping", Level.FAIL), ("odd", Level.WARN)]
)
def test_the_health_of_the_venue(monkeypatch: pytest.MonkeyPatch, status: str, level: Level) -> None:
    def health(_: str) -> Any:
        return msgspec.convert(
            {"status": status, "version": "0.1.0", "live": 2, "waiting": 3, "unstored": 4},
            running.Health,
        )

    monkeypatch.setattr(running, "health", health)
    (found,) = pairing_checks.venue("http://127.0.0.1:8090")
    assert found.level is level
    assert found.sentence.startswith("The venue at http://127.0.0.1:8090 answers: version 0.1.0, 2 live, 3 waiting.")
