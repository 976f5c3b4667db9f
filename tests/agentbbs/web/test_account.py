"""`/account` and `/api/v1/tokens`: tokens, keys and endpoints of one's own."""

from __future__ import annotations

import pytest

from agentbbs.store import accounts, audit, endpoints, keys, tokens
from agentbbs.store.credentials import MAX_KEYS, MAX_TOKENS
from agentbbs.web.entry import own_account
from agentbbs.web.entry.own_account import now_ms

from .site import Site
from .test_join import ONE, TWO, join, make, wrong_fields
from .visitor import SESSION, Answer, Visitor


async def by_key(site: Site, name: str = "gremlin", key: str = ONE) -> Visitor:
    """Somebody who registered with a key."""
    visitor = Visitor(site)
    assert (await join(visitor, name=name, public_key=key)).status == 303
    return visitor


async def by_token(site: Site, name: str = "gremlin") -> Visitor:
    """Somebody who signed in with a token."""
    visitor = Visitor(site)
    await visitor.sign_in(name)
    return visitor


async def press(visitor: Visitor, action: str, fields: dict[str, str] | None = None) -> Answer:
    """Send a form of the account's page, which must have it."""
    shown = await visitor.get("/account")
    assert action in [one.get("action") for one in shown.page.all("form")], shown.text
    return await visitor.post(action, fields, key=shown.form_key())


def account_id(site: Site, name: str = "gremlin") -> int:
    with site.database.connect() as conn:
        return accounts.find(conn, name).id


def fingerprints(site: Site) -> list[str]:
    with site.database.connect() as conn:
        return [key.fingerprint for key in keys.of_account(conn, account_id(site))]


@pytest.mark.parametrize("path", ["/account", "/account?joined=1"])
async def test_who_is_not_signed_in_is_led_there(site: Site, path: str) -> None:
    assert (await Visitor(site).get(path)).leads_to == "/sign-in?then=account"


async def test_a_form_of_who_is_signed_in_no_more_leads_there_too(site: Site) -> None:
    visitor = Visitor(site)
    for action in ("tokens", "tokens/1/revoke", "keys", "keys/1/remove", "sign-out-everywhere"):
        fields = {"public_key": ONE} if action == "keys" else {}
        assert (await visitor.post(f"/account/{action}", fields)).leads_to == "/sign-in?then=account"


class TestTokens:
    async def test_a_new_one_is_shown_once_and_works(self, site: Site) -> None:
        visitor = await by_key(site)
        answer = await press(visitor, "/account/tokens")
        assert (answer.status, answer.headers["cache-control"]) == (200, "no-store")
        (token,) = [text for text in answer.page.texts("pre") if text.startswith("abbs_")]
        assert "shown this once" in answer.page.text
        status, told = await site.call("GET", "/api/v1/me", token)
        assert (status, told["name"], told["tokens"], told["keys"]) == (200, "gremlin", 1, 1)
        again = await visitor.get("/account")
        assert token not in again.text
        assert token[:11] in again.text

    async def test_a_revoked_one_is_refused_at_once(self, site: Site) -> None:
        visitor = await by_key(site)
        token = site.token("gremlin")
        assert (await site.call("GET", "/api/v1/me", token))[0] == 200
        with site.database.connect() as conn:
            (info,) = tokens.of_account(conn, account_id(site))
        answer = await press(visitor, f"/account/tokens/{info.id}/revoke")
        assert answer.leads_to == "/account?done=revoked"
        assert "is revoked" in (await visitor.get(answer.leads_to)).page.text
        assert (await site.call("GET", "/api/v1/me", token))[0] == 401

    async def test_the_token_of_this_session_is_marked_and_ends_it(self, site: Site) -> None:
        visitor = await by_token(site)
        with site.database.connect() as conn:
            (info,) = tokens.of_account(conn, account_id(site))
        assert "this session" in (await visitor.get("/account")).page.text
        await press(visitor, f"/account/tokens/{info.id}/revoke")
        assert (await visitor.get("/account")).status == 303

    async def test_nobody_touches_anothers(self, site: Site) -> None:
        visitor = await by_key(site)
        token = site.token("goblin")
        with site.database.connect() as conn:
            (info,) = tokens.of_account(conn, account_id(site, "goblin"))
        for number in (str(info.id), "0", "-1", "x", "9" * 40):
            answer = await visitor.post(
                f"/account/tokens/{number}/revoke", key=(await visitor.get("/account")).form_key()
            )
            assert answer.status == 404
        assert (await site.call("GET", "/api/v1/me", token))[0] == 200

    async def test_there_are_so_many_and_no_more(self, site: Site) -> None:
        visitor = await by_key(site)
        for _ in range(MAX_TOKENS):
            site.token("gremlin")
        answer = await press(visitor, "/account/tokens")
        assert (answer.status, "revoke one first" in answer.page.text) == (409, True)

    async def test_changes_are_bounded(self, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
        visitor = await by_key(site)
        key = (await visitor.get("/account")).form_key()
        for _ in range(own_account.BURST):
            await visitor.post("/account/tokens/999/revoke", key=key)
        answer = await visitor.post("/account/tokens", key=key)
        assert (answer.status, int(answer.headers["retry-after"]) > 0) == (429, True)

    async def test_each_is_in_the_audit_log_without_itself(self, site: Site) -> None:
        visitor = await by_key(site)
        answer = await press(visitor, "/account/tokens")
        (token,) = [text for text in answer.page.texts("pre") if text.startswith("abbs_")]
        with site.database.connect() as conn:
            entries = audit.entries(conn)
        assert audit.Action.TOKEN_MINTED in [entry.action for entry in entries]
        assert token not in str(entries)


class TestKeys:
    async def test_one_is_added_and_removed(self, site: Site) -> None:
        visitor = await by_key(site)
        answer = await press(visitor, "/account/keys", {"public_key": f"{TWO} laptop"})
        assert answer.leads_to == "/account?done=added"
        assert "laptop" in (await visitor.get("/account")).page.text
        with site.database.connect() as conn:
            added = keys.of_account(conn, account_id(site))[1]
        answer = await press(visitor, f"/account/keys/{added.id}/remove")
        assert answer.leads_to == "/account?done=removed"
        assert len(fingerprints(site)) == 1

    async def test_the_last_way_in_stays(self, site: Site) -> None:
        visitor = await by_key(site)
        with site.database.connect() as conn:
            (only,) = keys.of_account(conn, account_id(site))
        answer = await press(visitor, f"/account/keys/{only.id}/remove")
        assert (answer.status, "only way in" in answer.page.text) == (409, True)
        assert len(fingerprints(site)) == 1

    @pytest.mark.parametrize(
        ("line", "why"),
        [("", "not one line"), ("x y", "base64"), (ONE, "has that key already"), (TWO, "another account")],
    )
    async def test_what_is_not_taken_is_named_and_kept(self, site: Site, line: str, why: str) -> None:
        await by_key(site, "goblin", TWO)
        visitor = await by_key(site)
        answer = await press(visitor, "/account/keys", {"public_key": line})
        assert (answer.status, wrong_fields(answer), answer.field("public_key")) == (422, ["public_key"], line)
        assert why in answer.page.text
        assert "goblin" not in answer.text

    async def test_there_are_so_many_and_no_more(self, site: Site) -> None:
        visitor = await by_key(site)
        with site.database.begin() as conn:
            for number in range(MAX_KEYS - 1):
                keys.add(conn, account_id(site), keys.parse(make(number)), now_ms=1)
        answer = await press(visitor, "/account/keys", {"public_key": make(200)})
        assert (answer.status, "remove one first" in answer.page.text) == (422, True)

    async def test_nobody_touches_anothers(self, site: Site) -> None:
        visitor = await by_key(site)
        await by_key(site, "goblin", TWO)
        with site.database.connect() as conn:
            (theirs,) = keys.of_account(conn, account_id(site, "goblin"))
        answer = await visitor.post(f"/account/keys/{theirs.id}/remove", key=(await visitor.get("/account")).form_key())
        assert answer.status == 404


class TestATokenIsNoKey:
    """A token lies on an agent's disk: who finds it must not be able to come back without it."""

    async def test_it_changes_no_keys(self, site: Site) -> None:
        await by_key(site)
        visitor = await by_token(site)
        shown = await visitor.get("/account")
        assert [one for one in shown.page.all("form") if "/keys" in one.get("action", "")] == []
        assert "signed in with a token" in shown.page.text
        before = fingerprints(site)
        with site.database.connect() as conn:
            (only,) = keys.of_account(conn, account_id(site))
        for path, fields in (("/account/keys", {"public_key": TWO}), (f"/account/keys/{only.id}/remove", {})):
            assert (await visitor.post(path, fields, key=shown.form_key())).status == 403
        assert fingerprints(site) == before

    async def test_a_sysops_token_opens_no_door_for_sysops(self, site: Site) -> None:
        visitor = await by_token(site)
        with site.database.begin() as conn:
            conn.exec_driver_sql("UPDATE accounts SET sysop = 1")
        key = (await visitor.get("/account")).form_key()
        assert (await visitor.post("/account/keys", {"public_key": ONE}, key=key)).status == 403

    async def test_nor_one_of_an_account_with_a_password(self, site: Site) -> None:
        visitor = await by_token(site)
        with site.database.begin() as conn:
            accounts.set_password_hash(conn, account_id(site), "some hash")
        key = (await visitor.get("/account")).form_key()
        answer = await visitor.post("/account/keys", {"public_key": ONE}, key=key)
        assert (answer.status, "password" in answer.page.text) == (403, True)

    async def test_but_it_may_bring_the_first_where_there_is_no_other_way_in(self, site: Site) -> None:
        visitor = await by_token(site)
        assert (await press(visitor, "/account/keys", {"public_key": ONE})).leads_to == "/account?done=added"
        key = (await visitor.get("/account")).form_key()
        assert (await visitor.post("/account/keys", {"public_key": TWO}, key=key)).status == 403


async def test_signing_out_everywhere(site: Site) -> None:
    here, there, other = await by_token(site), await by_token(site), await by_token(site, "goblin")
    answer = await press(here, "/account/sign-out-everywhere")
    assert (answer.leads_to, SESSION in here.cookies) == ("/sign-in", False)
    assert (await there.get("/account")).status == 303
    assert (await other.get("/account")).status == 200


async def test_endpoints_are_listed_with_their_state_and_no_secret(site: Site) -> None:
    visitor = await by_token(site)
    assert "None yet" in (await visitor.get("/account")).page.text
    with site.database.begin() as conn:
        account = account_id(site)
        endpoint = endpoints.register(conn, account, "c4", "https://a.example/<x>", "hmac", "whsec_top", now_ms())
        endpoints.pause(conn, endpoint.id, "five forfeits <in a row>", now_ms())
    answer = await visitor.get("/account")
    text = answer.page.text
    assert "connect4 https://a.example/<x> paused five forfeits <in a row>" in text
    assert "whsec_top" not in answer.text


async def test_a_name_is_shown_to_its_owner_alone(site: Site) -> None:
    await by_token(site, "goblin")
    assert "goblin" not in (await (await by_token(site)).get("/account")).text


async def test_addresses_of_forms_lead_to_the_page(site: Site) -> None:
    for path in ("/account/tokens", "/account/keys/1/remove", "/account/sign-out-everywhere"):
        assert (await Visitor(site).get(path)).leads_to == "/account"


class TestTheApi:
    async def test_tokens_are_made_listed_and_revoked(self, site: Site) -> None:
        first = site.token("gremlin")
        status, made = await site.call("POST", "/api/v1/tokens", first)
        assert status == 201
        assert made["token"].startswith(made["info"]["prefix"])
        status, listed = await site.call("GET", "/api/v1/tokens", made["token"])
        assert (status, listed["next"]) == (200, None)
        assert [one["prefix"] for one in listed["tokens"]] == [first[:11], made["token"][:11]]
        assert made["token"] not in str(listed)
        status, answer = await site.call("DELETE", f"/api/v1/tokens/{listed['tokens'][0]['id']}", made["token"])
        assert (status, answer) == (204, None)
        assert (await site.call("GET", "/api/v1/me", first))[0] == 401
        assert (await site.call("GET", "/api/v1/me", made["token"]))[0] == 200

    async def test_a_token_may_end_itself(self, site: Site) -> None:
        token = site.token("gremlin")
        _, listed = await site.call("GET", "/api/v1/tokens", token)
        assert (await site.call("DELETE", f"/api/v1/tokens/{listed['tokens'][0]['id']}", token))[0] == 204
        assert (await site.call("GET", "/api/v1/tokens", token))[0] == 401

    async def test_anothers_is_not_found(self, site: Site) -> None:
        token, other = site.token("gremlin"), site.token("goblin")
        _, listed = await site.call("GET", "/api/v1/tokens", other)
        for number in (str(listed["tokens"][0]["id"]), "999", "0", "x", "9" * 40):
            status, answer = await site.call("DELETE", f"/api/v1/tokens/{number}", token)
            assert (status, answer["error"]["code"]) == (404, "not_found")

    async def test_so_many_and_no_more(self, site: Site) -> None:
        tokens_made = [site.token("gremlin") for _ in range(MAX_TOKENS)]
        status, answer = await site.call("POST", "/api/v1/tokens", tokens_made[0])
        assert (status, answer["error"]["code"]) == (409, "taken")

    async def test_it_says_nothing_without_a_token(self, site: Site) -> None:
        for method, path in (("GET", "/me"), ("GET", "/tokens"), ("POST", "/tokens"), ("DELETE", "/tokens/1")):
            status, _, _ = await site.ask(method, f"/api/v1{path}")
            assert status == 401
