"""One's own endpoints of Agent Arena: registered after a probe, paused with a reason, changed, rotated, removed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import msgspec
import pytest
from tests.agentbbs.hub.house import NOON_MS, House, a_house
from tests.agentbbs.hub.lines import ScriptedLine

from agentbbs.calls.identity import Member
from agentbbs.games.c4 import C4
from agentbbs.games.ttt import TTT
from agentbbs.hub.endpoint_probe import ProbeRefused, ProbeWanted
from agentbbs.hub.plugins.profile import PLUGIN
from agentbbs.protocol.signing import Scheme, public_form
from agentbbs.referee.endpoint_url import UrlRefused
from agentbbs.store import endpoints
from agentbbs.store.endpoints import OLD_SECRET_MS, Endpoint, NoSuchEndpoint

URL: Final = "https://agent.example/play"
ELSEWHERE: Final = "https://elsewhere.example/play"
SECRET: Final = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
LIST: Final = "Number or key (R Q ?):"
ACTIVE: Final = "Key (P C U N D Q ?):"
PAUSED: Final = "Key (R C U N D Q ?):"


class Result(msgspec.Struct, frozen=True):
    """What a probe found."""

    ok: bool
    says: str = ""
    bucket: str = "<100 ms"
    latency_ms: int | None = 42


class Referee:
    """Answers as it is told, and remembers what was wanted."""

    def __init__(self, found: Result | Exception | None = None) -> None:
        self.found: Result | Exception = Result(ok=True) if found is None else found
        self.wanted: list[ProbeWanted] = []

    async def __call__(self, wanted: ProbeWanted) -> Result:
        self.wanted.append(wanted)
        if isinstance(self.found, Exception):
            raise self.found
        return self.found


def registered(house: House, account: int, game: str = "c4", scheme: Scheme = Scheme.HMAC) -> Endpoint:
    secret = SECRET if scheme is Scheme.HMAC else SECRET.replace("whsec_", "whsk_")
    with house.database.begin() as conn:
        return endpoints.register(conn, account, game, URL, scheme.value, secret, NOON_MS, latency_ms=80)


def stored(house: House, account: int, game: str = "c4") -> Endpoint:
    with house.database.connect() as conn:
        return endpoints.find(conn, account, game)


async def at_endpoints(house: House, account: int, line: ScriptedLine | None = None) -> ScriptedLine:
    line = await house.at_menu(Member(account, "alice"), line)
    line.press("p")
    await line.until("Key (P K T S G A Q ?):")
    line.press("a")
    await line.until("Your arena endpoints")
    return line


async def at_one(house: House, account: int, line: ScriptedLine | None = None) -> ScriptedLine:
    line = await at_endpoints(house, account, line)
    line.type("1", "enter")
    await line.until("Your endpoint for connect4")
    return line


async def choosing_connect4(line: ScriptedLine) -> None:
    line.press("r")
    await line.until("Which game does your agent play?")
    line.type("2", "enter")
    await line.until("URL:")


async def test_an_endpoint_is_registered_once_it_plays(migrated: Path, tmp_path: Path) -> None:
    referee = Referee()
    async with a_house(migrated, tmp_path, plugins=[PLUGIN], probe=referee) as house:
        account = house.enrol("alice")
        line = await at_endpoints(house, account)
        await line.until("(nothing)")
        await choosing_connect4(line)
        line.type(URL, "enter")
        await line.until("instead of a shared secret?")
        line.press("n")
        await line.until("refuses wrong signatures?")
        line.press("n")
        await line.until("[Hit a key]")
        shown = re.search(r"^whsec_\S{44}$", line.text, re.MULTILINE)
        assert shown is not None
        line.press("x")
        await line.until("Registered: it answered in <100 ms.")
        assert shown[0] not in line.text
        assert "connect4" in line.text
        one = stored(house, account)
        assert (one.url, one.scheme, one.secret, one.status, one.latency_ms) == (URL, "hmac", shown[0], "active", 42)
        (wanted,) = referee.wanted
        assert (wanted.account, wanted.name, wanted.url, wanted.game) == (account, "alice", URL, C4)
        assert [signer.secret for signer in wanted.signers] == [shown[0]]
        assert not wanted.check_signature


async def test_who_checks_signatures_gets_the_key_before_the_probe(migrated: Path, tmp_path: Path) -> None:
    referee = Referee()
    async with a_house(migrated, tmp_path, plugins=[PLUGIN], probe=referee) as house:
        account = house.enrol("alice")
        line = await at_endpoints(house, account)
        await choosing_connect4(line)
        line.type(URL, "enter")
        line.press("y", "y")
        await line.until("[Hit a key]")
        assert not referee.wanted
        shown = re.search(r"^whpk_\S{44}$", line.text, re.MULTILINE)
        assert shown is not None
        line.press("x")
        await line.until("Registered:")
        one = stored(house, account)
        assert public_form(Scheme(one.scheme), one.secret) == shown[0]
        assert one.secret.encode() not in line.sent
        assert referee.wanted[0].check_signature


@pytest.mark.parametrize(
    ("found", "told"),
    [
        (
            Result(ok=False, says="a status that is not 200", bucket="0.5-2 s"),
            "A status that is not 200. It took 0.5-2",
        ),
        (UrlRefused("scheme", "only https:// is called"), "Not registered. Only https:// is called."),
        (ProbeRefused("too many probes: try again in 9 minutes"), "Too many probes: try again in 9 minutes."),
    ],
    ids=["row", "url", "limit"],
)
async def test_what_does_not_play_is_not_registered_and_its_owner_told_why(
    migrated: Path, tmp_path: Path, found: Result | Exception, told: str
) -> None:
    async with a_house(migrated, tmp_path, plugins=[PLUGIN], probe=Referee(found)) as house:
        account = house.enrol("alice")
        line = await at_endpoints(house, account)
        await choosing_connect4(line)
        line.type("http://agent.example/", "enter")
        line.press("n", "n")
        await line.until(told)
        with pytest.raises(NoSuchEndpoint):
            stored(house, account)


async def test_one_gives_up_at_every_question(migrated: Path, tmp_path: Path) -> None:
    referee = Referee()
    async with a_house(migrated, tmp_path, plugins=[PLUGIN], probe=referee) as house:
        line = await at_endpoints(house, house.enrol("alice"))
        line.press("r")
        await line.until("Which game does your agent play?")
        line.press("q")
        await line.until("Nothing was registered.")
        await choosing_connect4(line)
        line.press("escape")
        await line.until("Nothing was registered.")
        assert not referee.wanted


async def test_a_venue_that_calls_none_says_so(migrated: Path, tmp_path: Path) -> None:
    async with a_house(migrated, tmp_path, plugins=[PLUGIN]) as house:
        account = house.enrol("alice")
        registered(house, account)
        line = await at_endpoints(house, account)
        await line.until("This venue calls no endpoints")
        line.press("r")
        await line.until("This venue calls no endpoints")
        line.type("1", "enter")
        for key in "cu":
            await line.until(ACTIVE)
            line.press(key)
            await line.until("This venue calls no endpoints.")


async def test_who_has_one_for_every_game_is_told(migrated: Path, tmp_path: Path) -> None:
    async with a_house(migrated, tmp_path, plugins=[PLUGIN], probe=Referee()) as house:
        account = house.enrol("alice")
        for game in (C4, TTT):
            registered(house, account, game.id)
        line = await at_endpoints(house, account)
        line.press("r")
        await line.until("You have an endpoint for every game")


async def test_why_it_is_paused_is_told_from_the_profile_on(migrated: Path, tmp_path: Path) -> None:
    why = "3 forfeits in a row: no complete answer within `deadline_ms`\x1b[2J"
    referee = Referee(Result(ok=False, says="the connection was refused"))
    async with a_house(migrated, tmp_path, plugins=[PLUGIN], probe=referee) as house:
        account = house.enrol("alice")
        one = registered(house, account)
        with house.database.begin() as conn:
            endpoints.note_forfeit(conn, one.id, NOON_MS)
            endpoints.pause(conn, one.id, why, NOON_MS)
        line = await house.at_menu(Member(account, "alice"))
        line.press("p")
        await line.until("an endpoint of yours is paused: A tells why")
        line.press("a")
        await line.until(LIST)
        line.type("1", "enter")
        await line.until("Why:      3 forfeits in a row: no complete answer")
        assert "Lost:     1 in a row" in line.text
        await line.until(PAUSED)
        line.press("r")
        await line.until("It stays paused. The connection was refused.")
        referee.found = Result(ok=True)
        line.press("r")
        await line.until("It is active again.")
        again = stored(house, account)
        assert (again.status, again.why, again.forfeits) == ("active", None, 0)


async def test_one_pauses_ones_own(migrated: Path, tmp_path: Path) -> None:
    async with a_house(migrated, tmp_path, plugins=[PLUGIN], probe=Referee()) as house:
        account = house.enrol("alice")
        registered(house, account)
        line = await at_one(house, account)
        line.press("p")
        await line.until("It is paused; a match that is on is played to its end.")
        assert stored(house, account).why == "paused by its owner"


async def test_a_url_is_changed_only_for_one_that_plays(migrated: Path, tmp_path: Path) -> None:
    referee = Referee(Result(ok=False, says="the name did not resolve", latency_ms=None))
    async with a_house(migrated, tmp_path, plugins=[PLUGIN], probe=referee) as house:
        account = house.enrol("alice")
        registered(house, account)
        line = await at_one(house, account)
        line.press("u")
        await line.until("URL:")
        line.type(ELSEWHERE, "enter")
        await line.until("The URL is as it was. The name did not resolve.")
        assert stored(house, account).url == URL
        referee.found = Result(ok=True)
        line.press("u")
        line.type(ELSEWHERE, "enter")
        await line.until("The URL is changed: it answered in <100 ms.")
        one = stored(house, account)
        assert (one.url, one.latency_ms, one.secret) == (ELSEWHERE, 42, SECRET)
        assert [wanted.url for wanted in referee.wanted] == [ELSEWHERE, ELSEWHERE]


async def test_it_is_called_when_its_owner_wants_to_know(migrated: Path, tmp_path: Path) -> None:
    referee = Referee()
    async with a_house(migrated, tmp_path, plugins=[PLUGIN], probe=referee) as house:
        account = house.enrol("alice")
        registered(house, account)
        line = await at_one(house, account)
        await line.until("Answered: the newest probe in 80 ms")
        line.press("c")
        await line.until("It plays: <100 ms.")
        assert stored(house, account).latency_ms == 42
        assert referee.wanted[0].url == URL


async def test_a_new_secret_signs_beside_the_former_one_for_a_day(migrated: Path, tmp_path: Path) -> None:
    async with a_house(migrated, tmp_path, plugins=[PLUGIN], probe=Referee()) as house:
        account = house.enrol("alice")
        registered(house, account)
        line = await at_one(house, account)
        line.press("n")
        await line.until("Make a new secret?")
        line.press("n")
        await line.until("The secret is as it was.")
        line.press("n", "y")
        await line.until("[Hit a key]")
        shown = re.search(r"^whsec_\S{44}$", line.text, re.MULTILINE)
        assert shown is not None
        line.press("x")
        await line.until("The secret is new; it was shown once.")
        await line.until("the former one signs, too, until 2026-01-02 12:00 UTC")
        one = stored(house, account)
        assert one.secrets(NOON_MS) == (shown[0], SECRET)
        assert one.secrets(NOON_MS + OLD_SECRET_MS) == (shown[0],)


async def test_it_is_removed(migrated: Path, tmp_path: Path) -> None:
    async with a_house(migrated, tmp_path, plugins=[PLUGIN], probe=Referee()) as house:
        account = house.enrol("alice")
        registered(house, account)
        line = await at_one(house, account)
        line.press("d")
        await line.until("Remove the endpoint for connect4?")
        line.press("n")
        await line.until("It was not removed.")
        line.press("d", "y")
        await line.until("The endpoint is removed.")
        await line.until("(nothing)")
        with pytest.raises(NoSuchEndpoint):
            stored(house, account)


async def test_no_secret_crosses_a_line_that_others_may_read(migrated: Path, tmp_path: Path) -> None:
    async with a_house(migrated, tmp_path, plugins=[PLUGIN], probe=Referee()) as house:
        account = house.enrol("alice")
        registered(house, account)
        line = await at_one(house, account, ScriptedLine(private=False))
        line.press("n")
        await line.until("A secret can't be shown in the clear: call by ssh.")
        line.press("q", "r")
        await line.until("Which game does your agent play?")
        line.type("1", "enter")
        line.type(URL, "enter")
        await line.until("requests will be signed with a key pair")
        line.press("n")
        await line.until("whpk_")
        assert b"whsec_" not in line.sent
        assert b"whsk_" not in line.sent
        line.press("x")
        await line.until("Registered:")
        assert stored(house, account, "ttt").scheme == "ed25519"


async def test_what_was_removed_elsewhere_meanwhile_is_gone(migrated: Path, tmp_path: Path) -> None:
    async with a_house(migrated, tmp_path, plugins=[PLUGIN], probe=Referee()) as house:
        account = house.enrol("alice")
        one = registered(house, account)
        line = await at_one(house, account)
        await line.until(ACTIVE)
        with house.database.begin() as conn:
            endpoints.remove(conn, one.id, NOON_MS)
        line.press("p")
        await line.until("There is no endpoint")
        await line.until("(nothing)")
