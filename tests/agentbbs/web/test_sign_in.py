"""`/sign-in` and `/sign-out`, as a browser and `ssh-keygen` do them."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from agentbbs.servers.gate import FAILED_LOGINS
from agentbbs.store import accounts, bans, credentials, keys, tokens
from agentbbs.web.entry import sessions as entry
from agentbbs.web.entry.own_account import now_ms
from agentbbs.web.pages import sign_in as sign_in_page

from .signing import NEEDS_OPENSSH, make_key, run
from .site import Site
from .visitor import FORM, SESSION, Answer, Visitor


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with a key."""
    folder = tmp_path_factory.mktemp("home") / ".ssh"
    folder.mkdir(mode=0o700)
    make_key(folder)
    return folder.parent


def public_key(home: Path) -> str:
    return (home / ".ssh" / "id_ed25519.pub").read_text()


def enrol(site: Site, home: Path, name: str = "gremlin") -> int:
    """An account with the key of `home`."""
    with site.database.begin() as conn:
        account = accounts.add(conn, name, now_ms=1)
        keys.add(conn, account.id, keys.parse(public_key(home)), now_ms=1)
        return account.id


async def challenged(visitor: Visitor, name: str = "gremlin", then: str = "account") -> Answer:
    """The page with a text to sign."""
    answer = await visitor.post("/sign-in/key", {"name": name, "then": then})
    assert answer.status == 200, answer.text
    return answer


def command_of(answer: Answer) -> str:
    """What the page has the reader run, the way a browser copies it."""
    (command,) = ["".join(one.itertext()).strip() for one in answer.page.all("pre")]
    return command


async def answered(visitor: Visitor, shown: Answer, signature: str) -> Answer:
    fields = {name: shown.field(name) for name in ("challenge", "then")}
    return await visitor.post("/sign-in/signature", {**fields, "signature": signature}, key=shown.form_key())


async def name_of(visitor: Visitor) -> str | None:
    """Who the site takes the visitor for."""
    answer = await visitor.get("/account")
    return answer.page.texts("h1")[0] if answer.status == 200 else None


class TestByToken:
    async def test_a_token_lets_in(self, site: Site) -> None:
        visitor = Visitor(site)
        answer = await visitor.sign_in("gremlin")
        assert answer.leads_to == "/account"
        cookie = answer.cookies[SESSION]
        assert (cookie["secure"], cookie["httponly"], cookie["samesite"]) == (True, True, "Lax")
        assert (cookie["path"], cookie["domain"], cookie["max-age"]) == ("/", "", str(30 * 24 * 3600))
        assert await name_of(visitor) == "gremlin"

    async def test_the_masthead_says_who_reads(self, site: Site) -> None:
        visitor = Visitor(site)
        await visitor.sign_in("gremlin")
        answer = await visitor.get("/nowhere")
        assert (answer.status, "/account" in answer.page.links) == (404, True)

    @pytest.mark.parametrize(
        ("then", "path"), [("practice", "/practice"), ("home", "/"), ("https://evil.example/", "/account")]
    )
    async def test_it_leads_where_the_reader_came_from(self, site: Site, then: str, path: str) -> None:
        visitor = Visitor(site)
        shown = await visitor.get(f"/sign-in?then={then}")
        assert "evil" not in shown.text
        token = site.token("gremlin")
        answer = await visitor.post("/sign-in", {"token": f" {token} ", "then": then[:20]}, key=shown.form_key())
        assert answer.leads_to == path

    @pytest.mark.parametrize("token", ["", "abbs_nothing", "x" * 200, "ü", "a\nb", "\0"])
    async def test_another_token_does_not(self, site: Site, token: str) -> None:
        visitor = Visitor(site)
        answer = await visitor.post("/sign-in", {"token": token})
        assert answer.status == 422
        (field,) = [one for one in answer.page.all("input") if one.get("name") == "token"]
        assert (field.get("aria-invalid"), field.get("aria-describedby"), field.get("value")) == (
            "true",
            "token-fault",
            None,
        )
        assert field.get("type") == "password"
        assert "unknown or revoked" in answer.page.text
        assert SESSION not in visitor.cookies

    async def test_wrong_tokens_count_against_the_address(self, site: Site) -> None:
        visitor = Visitor(site)
        key = (await visitor.get("/sign-in")).form_key()
        for _ in range(FAILED_LOGINS):
            assert (await visitor.post("/sign-in", {"token": "wrong"}, key=key)).status == 422
        answer = await visitor.post("/sign-in", {"token": "wrong"}, key=key)
        assert answer.status == 429
        assert int(answer.headers["retry-after"]) > 0
        assert "too many wrong tokens" in answer.page.text.lower()
        status, _ = await site.call("GET", "/api/v1/endpoints", "wrong")
        assert status == 429
        assert (await visitor.sign_in("gremlin")).status == 303

    async def test_a_venue_that_stops_says_so(self, site: Site) -> None:
        visitor = Visitor(site)
        key = (await visitor.get("/sign-in")).form_key()
        site.stopping = True
        answer = await visitor.post("/sign-in", {"token": site.token("gremlin")}, key=key)
        assert (answer.status, "venue stops" in answer.page.text) == (503, True)

    @pytest.mark.parametrize(
        ("url", "warned"),
        [
            ("https://arena.example", False),
            ("http://arena.example", True),
            ("http://192.0.2.7:8080", True),
            ("http://127.0.0.1:8080", False),
            ("http://[::1]:8080", False),
            ("http://localhost:8080", False),
            ("http://localhost.evil.example", True),
        ],
    )
    def test_without_tls_the_page_warns(self, url: str, warned: bool) -> None:
        assert sign_in_page.in_the_clear(url) is warned


@NEEDS_OPENSSH
class TestByKey:
    async def test_the_command_of_the_page_lets_in(self, site: Site, home: Path) -> None:
        enrol(site, home)
        visitor = Visitor(site)
        shown = await challenged(visitor, then="practice")
        assert shown.headers["cache-control"] == "no-store"
        answer = await answered(visitor, shown, run(command_of(shown), home))
        assert answer.leads_to == "/practice"
        assert await name_of(visitor) == "gremlin"

    async def test_any_case_of_the_name_does(self, site: Site, home: Path) -> None:
        enrol(site, home)
        visitor = Visitor(site)
        shown = await challenged(visitor, "GREMLIN")
        assert (await answered(visitor, shown, run(command_of(shown), home))).status == 303
        assert await name_of(visitor) == "gremlin"

    async def test_a_signature_lets_in_once(self, site: Site, home: Path) -> None:
        enrol(site, home)
        one, two = Visitor(site), Visitor(site)
        shown = await challenged(one)
        signature = run(command_of(shown), home)
        assert (await answered(one, shown, signature)).status == 303
        fields = {"challenge": shown.field("challenge"), "signature": signature}
        again = await two.post("/sign-in/signature", fields)
        assert (again.status, "used to sign in once" in again.page.text) == (422, True)
        assert command_of(again) != command_of(shown)
        assert SESSION not in two.cookies

    async def test_of_two_at_once_one_gets_in(self, site: Site, home: Path) -> None:
        enrol(site, home)
        visitors = [Visitor(site) for _ in range(4)]
        shown = await challenged(visitors[0])
        fields = {"challenge": shown.field("challenge"), "signature": run(command_of(shown), home)}
        answers = await asyncio.gather(*(one.post("/sign-in/signature", fields) for one in visitors))
        assert sorted(answer.status for answer in answers) == [303, 422, 422, 422]

    async def test_an_old_text_is_answered_with_a_new_one(
        self, site: Site, home: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        enrol(site, home)
        visitor = Visitor(site)
        shown = await challenged(visitor)
        later = now_ms() + 300_001
        monkeypatch.setattr(sign_in_page, "now_ms", lambda: later)
        answer = await answered(visitor, shown, run(command_of(shown), home))
        assert (answer.status, "5 minutes" in answer.page.text) == (422, True)
        assert (await answered(visitor, answer, run(command_of(answer), home))).status == 303

    async def test_nobody_learns_whether_there_is_such_an_account(self, site: Site, home: Path) -> None:
        enrol(site, home)
        shown, failed = [], []
        for name in ("gremlin", "goblins"):
            visitor = Visitor(site)
            page = await challenged(visitor, name)
            other = home / name
            (other / ".ssh").mkdir(parents=True, mode=0o700)
            make_key(other / ".ssh")
            answer = await answered(visitor, page, run(command_of(page), other))
            assert (answer.status, SESSION in visitor.cookies) == (422, False)
            shown.append(page.page.text.replace(name, "NAME").split("once")[0])
            failed.append([text for text in answer.page.texts("p") if "work" in text])
        assert shown[0] == shown[1]
        assert failed[0] == failed[1] != []

    async def test_a_key_of_somebody_else_does_not_let_in(self, site: Site, home: Path) -> None:
        enrol(site, home, "goblin")
        site.token("gremlin")
        visitor = Visitor(site)
        shown = await challenged(visitor, "gremlin")
        answer = await answered(visitor, shown, run(command_of(shown), home))
        assert answer.status == 422
        assert "goblin" not in answer.text

    async def test_what_was_pasted_is_kept_and_named(self, site: Site, home: Path) -> None:
        enrol(site, home)
        visitor = Visitor(site)
        shown = await challenged(visitor)
        answer = await answered(visitor, shown, "this is\r\nno <signature>")
        assert answer.status == 422
        assert answer.field("signature") == "this is\nno <signature>"
        (field,) = answer.page.all("textarea")
        assert (field.get("aria-invalid"), field.get("aria-describedby")) == ("true", "signature-hint signature-fault")
        assert command_of(answer) == command_of(shown)
        slip = command_of(answer).replace("printf '%s'", "printf '%s\\n'")
        assert "printf and not echo" in (await answered(visitor, answer, run(slip, home))).page.text
        assert (await answered(visitor, answer, run(command_of(answer), home))).status == 303

    async def test_wrong_signatures_are_bounded(self, site: Site, home: Path) -> None:
        enrol(site, home)
        visitor = Visitor(site)
        shown = await challenged(visitor)
        for _ in range(sign_in_page.SIGNATURES):
            assert (await answered(visitor, shown, "wrong")).status == 422
        answer = await answered(visitor, shown, "wrong")
        assert (answer.status, int(answer.headers["retry-after"]) > 0) == (429, True)

    async def test_a_tampered_challenge_is_none(self, site: Site, home: Path) -> None:
        enrol(site, home)
        visitor = Visitor(site)
        shown = await challenged(visitor)
        for challenge in ("", "x", "gremlin:1:2:3", "'; rm -rf ~:1", shown.field("challenge")[:-1] + "g"):
            fields = {"challenge": challenge, "signature": "x"}
            answer = await visitor.post("/sign-in/signature", fields)
            assert (answer.status, "rm -rf" in answer.text) == (422, False)


@pytest.mark.parametrize(
    "name", ["", " ", "a", "x" * 30, "a b", "$(reboot)", "';reboot;'", "a'b", "<b>", "ünïc", "a\nb"]
)
async def test_what_is_no_name_gets_no_command(site: Site, name: str) -> None:
    answer = await Visitor(site).post("/sign-in/key", {"name": name})
    assert answer.status == 422
    assert answer.page.all("pre") == []
    assert "ssh-keygen -Y" not in answer.text


class TestTheSession:
    async def test_it_is_another_after_each_sign_in(self, site: Site) -> None:
        visitor = Visitor(site)
        planted = "A" * 43
        visitor.cookies[SESSION] = planted
        await visitor.sign_in("gremlin")
        first = visitor.cookies[SESSION]
        await visitor.sign_in("gremlin")
        second = visitor.cookies[SESSION]
        assert len({planted, first, second}) == 3
        visitor.cookies[SESSION] = first
        assert await name_of(visitor) is None

    async def test_a_cookie_that_stands_for_nothing_is_taken_away(self, site: Site) -> None:
        for planted in ("A" * 43, "x"):
            visitor = Visitor(site)
            visitor.cookies[SESSION] = planted
            answer = await visitor.get("/nowhere")
            assert (answer.cookies[SESSION].value, answer.cookies[SESSION]["max-age"]) == ("", "0")
            assert SESSION not in visitor.cookies

    async def test_signing_out_ends_it_at_the_venue_too(self, site: Site) -> None:
        visitor = Visitor(site)
        await visitor.sign_in("gremlin")
        cookie, key = visitor.cookies[SESSION], (await visitor.get("/account")).form_key()
        assert (await visitor.post("/sign-out", key=key)).leads_to == "/"
        assert SESSION not in visitor.cookies
        visitor.cookies[SESSION] = cookie
        assert await name_of(visitor) is None

    async def test_it_ends_with_its_token(self, site: Site) -> None:
        visitor, other = Visitor(site), Visitor(site)
        await visitor.sign_in("gremlin")
        await other.sign_in("gremlin")
        with site.database.begin() as conn:
            account = accounts.find(conn, "gremlin")
            first = tokens.of_account(conn, account.id)[0]
            credentials.revoke_token(conn, account.id, first.id, now_ms=now_ms())
        assert await name_of(visitor) is None
        assert await name_of(other) == "gremlin"

    async def test_the_banned_are_out_and_told_why_as_they_come_back(self, site: Site) -> None:
        visitor = Visitor(site)
        await visitor.sign_in("gremlin")
        token = site.token("gremlin")
        with site.database.begin() as conn:
            bans.ban_account(conn, None, "gremlin", reason="spam <b>", now_ms=now_ms())
        assert await name_of(visitor) is None
        answer = await Visitor(site).post("/sign-in", {"token": token})
        assert (answer.status, "banned for good: spam <b>" in answer.page.text) == (403, True)

    async def test_a_banned_address_signs_nobody_in(self, site: Site) -> None:
        token = site.token("gremlin")
        with site.database.begin() as conn:
            bans.ban_network(conn, None, "127.0.0.1", reason="abuse", until_ms=now_ms() + 60_000, now_ms=now_ms())
        answer = await Visitor(site).post("/sign-in", {"token": token})
        assert (answer.status, "your address is banned until" in answer.page.text.lower()) == (403, True)

    async def test_pages_for_one_reader_are_kept_by_nobody_else(self, site: Site) -> None:
        visitor = Visitor(site)
        await visitor.sign_in("gremlin")
        assert (await visitor.get("/account")).headers["cache-control"] == "no-store"
        for path in ("/nowhere", "/arena"):
            answer = await visitor.get(path)
            assert (answer.headers["vary"], answer.headers["cache-control"]) == ("Cookie", "private, no-cache")
        assert "private" not in (await Visitor(site).get("/arena")).headers["cache-control"]

    @pytest.mark.parametrize("path", ["/api/v1/endpoints", "/api/v1/me", "/api/v1/tokens"])
    async def test_a_cookie_opens_nothing_of_the_api(self, site: Site, path: str) -> None:
        visitor = Visitor(site)
        await visitor.sign_in("gremlin")
        answer = await visitor.get(path)
        assert (answer.status, "set-cookie" in answer.headers) == (401, False)

    async def test_what_is_the_same_for_all_looks_at_no_cookie(self, site: Site) -> None:
        visitor = Visitor(site)
        visitor.cookies[SESSION] = "A" * 43
        for path in ("/m/x/embed", "/m/x.json", "/m/x/events", "/static/x/y", "/api/v1/x"):
            assert "set-cookie" not in (await visitor.get(path)).headers

    async def test_an_account_signs_in_so_often_and_no_more(self, site: Site) -> None:
        visitor, token = Visitor(site), site.token("gremlin")
        for _ in range(entry.BURST):
            assert (await visitor.post("/sign-in", {"token": token})).status == 303
        answer = await visitor.post("/sign-in", {"token": token})
        assert (answer.status, int(answer.headers["retry-after"]) > 0) == (429, True)

    async def test_addresses_of_forms_lead_to_the_form(self, site: Site) -> None:
        for path in ("/sign-in/key", "/sign-in/signature", "/sign-out"):
            assert (await Visitor(site).get(path)).leads_to == "/sign-in"


async def test_the_log_holds_no_secret(site: Site) -> None:
    visitor, token = Visitor(site), site.token("gremlin")
    with capture_logs() as log:
        await visitor.post("/sign-in", {"token": "abbs_a-wrong-one"})
        await visitor.post("/sign-in", {"token": token})
        await visitor.get("/account")
    written = str(log)
    assert "web_sign_in" in written
    secrets = (token, "a-wrong-one", visitor.cookies[SESSION], visitor.cookies[FORM])
    assert not [secret for secret in secrets if secret in written]
