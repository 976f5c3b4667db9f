"""`/api/v1/endpoints`: register, look, change, pause, rotate, remove; and everything that is refused, by its code."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from aiohttp import web

from agentbbs.protocol.signing import MAX_AGE_S, SIGNATURE, Verifier
from agentbbs.referee.probing import PER_HOUR
from agentbbs.servers.gate import FAILED_LOGINS
from agentbbs.store import endpoints
from agentbbs.store.endpoints import OLD_SECRET_MS
from agentbbs.web.api.callers import MAX_BODY_BYTES

from .site import Endpoint, Site, legal

ALL = "/api/v1/endpoints"


async def register(site: Site, endpoint: Endpoint, token: str, game: str = "connect4", **more: object) -> Any:
    """Register it and return the answer."""
    status, answer = await site.call("POST", ALL, token, {"url": endpoint.url, "game": game, **more})
    assert status == 201, answer
    return answer


def refused(answer: Any) -> str:
    """The code of a refusal, which has a sentence too."""
    assert answer.keys() == {"error"}
    assert answer["error"]["message"]
    return str(answer["error"]["code"])


class TestRegister:
    async def test_an_endpoint_is_asked_for_a_move_and_stored(self, site: Site, endpoint: Endpoint) -> None:
        token = site.token("gremlin")
        answer = await register(site, endpoint, token)
        (turn,) = endpoint.heard
        assert (turn["game"], turn["move_number"], turn["strikes"]) == ("connect4", 1, 0)
        shown = answer["endpoint"]
        assert (shown["game"], shown["url"], shown["status"], shown["why"]) == (
            "connect4",
            endpoint.url,
            "active",
            None,
        )
        assert shown["latency_ms"] == answer["probe"]["latency_ms"]
        assert answer["probe"]["ok"] is True
        assert await site.call("GET", ALL, token) == (200, {"endpoints": [shown]})
        assert await site.call("GET", f"{ALL}/{shown['id']}", token) == (200, {"endpoint": shown})

    @pytest.mark.parametrize(("scheme", "prefix"), [("hmac", "whsec_"), ("ed25519", "whpk_")])
    async def test_the_key_is_told_once_and_verifies_what_the_referee_sent(
        self, site: Site, endpoint: Endpoint, scheme: str, prefix: str
    ) -> None:
        token = site.token("gremlin")
        answer = await register(site, endpoint, token, scheme=scheme)
        assert answer["key"].startswith(prefix)
        assert endpoint.headers[0][SIGNATURE].startswith("v1a," if scheme == "ed25519" else "v1,")
        with site.database.connect() as conn:
            (stored,) = endpoints.every(conn)
        for path in (ALL, f"{ALL}/{stored.id}"):
            _, again = await site.call("GET", path, token)
            assert stored.secret not in json.dumps(again)
            assert answer["key"] not in json.dumps(again)
        assert scheme == "hmac" or stored.secret not in json.dumps(answer), "a private key never leaves the venue"

    async def test_a_failed_probe_names_row_and_bucket_and_stores_nothing(self, site: Site, endpoint: Endpoint) -> None:
        token = site.token("gremlin")
        endpoint.behave = lambda turn: web.json_response({"move": turn["legal"][0], "nonce": "my own, and SECRET"})
        status, answer = await site.call("POST", ALL, token, {"url": endpoint.url, "game": "connect4"})
        assert (status, refused(answer)) == (422, "probe_failed")
        assert answer["error"]["row"] == "nonce"
        assert answer["error"]["took"] in {"under 100 ms", "100 to 500 ms", "0.5 to 2 s", "over 2 s"}
        assert "SECRET" not in json.dumps(answer), "what it sent is nobody's business"
        assert "127.0.0.1" not in json.dumps(answer)
        assert len(endpoint.heard) == 2, "who has not echoed a nonce hears of us twice at most"
        assert await site.call("GET", ALL, token) == (200, {"endpoints": []})

    async def test_an_endpoint_that_takes_any_signature_is_refused_if_its_owner_wants_that(
        self, site: Site, endpoint: Endpoint
    ) -> None:
        """Case 155."""
        token = site.token("gremlin")
        body = {"url": endpoint.url, "game": "connect4", "check_signature": True}
        status, answer = await site.call("POST", ALL, token, body)
        assert (status, refused(answer)) == (422, "probe_failed")
        assert answer["error"]["row"] == "accepts_bad_signature"

    async def test_an_endpoint_that_checks_signatures_with_its_own_secret_passes(
        self, site: Site, endpoint: Endpoint
    ) -> None:
        secret = "whsec_" + "A" * 43 + "="

        def careful(turn: dict[str, Any]) -> web.Response:
            headers = endpoint.headers[-1]
            good = Verifier([secret])
            body = json.dumps(turn, ensure_ascii=False, separators=(",", ":")).encode()
            try:
                good.verify(headers, body, int(headers["webhook-timestamp"]) + MAX_AGE_S - 1)
            except ValueError:
                return web.Response(status=401)
            return legal(turn)

        endpoint.behave = careful
        answer = await register(site, endpoint, site.token("gremlin"), check_signature=True, secret=secret)
        assert answer["probe"]["ok"]
        assert len(endpoint.heard) == 2

    async def test_one_endpoint_for_a_game(self, site: Site, endpoint: Endpoint) -> None:
        token = site.token("gremlin")
        await register(site, endpoint, token)
        heard = len(endpoint.heard)
        for name in ("connect4", "c4", "C4"):
            status, answer = await site.call("POST", ALL, token, {"url": endpoint.url, "game": name})
            assert (status, refused(answer)) == (409, "taken")
        assert len(endpoint.heard) == heard, "nothing is sent for what can't be"
        await register(site, endpoint, token, "ttt")

    @pytest.mark.parametrize(
        ("url", "rule"),
        [
            ("http://agent.example/play", "scheme"),
            ("https://127.0.0.1/play", "address"),
            ("https://[::ffff:127.0.0.1]/", "host"),
            ("https://169.254.169.254/", "address"),
            ("https://2130706433/", "host"),
            ("https://agent.example:22/", "port"),
            ("https://user:pass@agent.example/", "userinfo"),
            ("https://agent.example/#x", "fragment"),
            ("https://agent.example", "form"),
            ("https://agent.example/" + "a" * 3000, "length"),
            ("https://localhost/", "host"),
        ],
    )
    async def test_a_url_is_refused_with_the_rule_that_it_broke(self, strict_site: Site, url: str, rule: str) -> None:
        """Cases 138, 140, 142 and 147, at the door that strangers use."""
        status, answer = await strict_site.call(
            "POST", ALL, strict_site.token("xerxes"), {"url": url, "game": "connect4"}
        )
        assert (status, refused(answer), answer["error"]["rule"]) == (422, "url_refused", rule)

    async def test_no_request_opens_this_machine(self, strict_site: Site, endpoint: Endpoint) -> None:
        for more in ({"loopback": True}, {"dev": True}, {"rules": {"loopback": True}}):
            body = {"url": endpoint.url, "game": "connect4", **more}
            status, _ = await strict_site.call("POST", ALL, strict_site.token("xerxes"), body)
            assert status in {400, 422}
        assert endpoint.heard == []

    async def test_an_unknown_game_comes_with_those_that_there_are(self, site: Site, endpoint: Endpoint) -> None:
        status, answer = await site.call("POST", ALL, site.token("xerxes"), {"url": endpoint.url, "game": "chess<b>"})
        assert (status, refused(answer)) == (422, "unknown_game")
        assert set(answer["error"]["games"]) == {"connect4", "ttt"}

    async def test_probes_are_rationed(self, site: Site, endpoint: Endpoint) -> None:
        token = site.token("gremlin")
        endpoint.behave = lambda _: web.Response(status=500)
        body = {"url": endpoint.url, "game": "connect4"}
        for _ in range(PER_HOUR):
            assert refused((await site.call("POST", ALL, token, body))[1]) == "probe_failed"
        heard = len(endpoint.heard)
        status, answer = await site.call("POST", ALL, token, body)
        assert (status, refused(answer)) == (429, "rate_limited")
        assert 0 < answer["error"]["retry_after_s"] <= 3600
        assert len(endpoint.heard) == heard
        await register(site, await _well(endpoint), site.token("somebody-else"))

    async def test_two_registrations_at_once_make_one_endpoint(self, site: Site, endpoint: Endpoint) -> None:
        token = site.token("gremlin")
        body = {"url": endpoint.url, "game": "connect4"}
        answers = await asyncio.gather(*(site.call("POST", ALL, token, body) for _ in range(3)))
        assert sorted(status for status, _ in answers) == [201, 409, 409]


async def _well(endpoint: Endpoint) -> Endpoint:
    endpoint.behave = legal
    return endpoint


class TestChange:
    async def test_another_url_is_probed_first(self, site: Site, endpoint: Endpoint) -> None:
        token = site.token("gremlin")
        one = (await register(site, endpoint, token))["endpoint"]
        status, answer = await site.call("PATCH", f"{ALL}/{one['id']}", token, {"url": endpoint.url + "2"})
        assert (status, answer["endpoint"]["url"]) == (200, endpoint.url + "2")
        endpoint.behave = lambda _: web.Response(status=302, headers={"Location": "/elsewhere"})
        status, answer = await site.call("PATCH", f"{ALL}/{one['id']}", token, {"url": endpoint.url + "3"})
        assert (status, refused(answer), answer["error"]["row"]) == (422, "probe_failed", "redirect")
        _, answer = await site.call("GET", f"{ALL}/{one['id']}", token)
        assert answer["endpoint"]["url"] == endpoint.url + "2"

    async def test_pause_and_resume(self, site: Site, endpoint: Endpoint) -> None:
        token = site.token("gremlin")
        path = f"{ALL}/{(await register(site, endpoint, token))['endpoint']['id']}"
        status, answer = await site.call("POST", f"{path}/pause", token)
        assert (status, answer["endpoint"]["status"]) == (200, "paused")
        assert answer["endpoint"]["why"]
        endpoint.behave = lambda _: web.Response(status=503)
        status, answer = await site.call("POST", f"{path}/resume", token)
        assert (status, answer["error"]["row"]) == (422, "status")
        endpoint.behave = legal
        status, answer = await site.call("POST", f"{path}/resume", token)
        assert (status, answer["endpoint"]["status"], answer["endpoint"]["why"]) == (200, "active", None)

    async def test_a_probe_changes_nothing(self, site: Site, endpoint: Endpoint) -> None:
        token = site.token("gremlin")
        path = f"{ALL}/{(await register(site, endpoint, token))['endpoint']['id']}"
        endpoint.behave = lambda _: web.Response(text="well?")
        status, answer = await site.call("POST", f"{path}/probe", token)
        assert (status, answer["probe"]["ok"], answer["probe"]["row"]) == (200, False, "not_json")
        assert (await site.call("GET", path, token))[1]["endpoint"]["status"] == "active"

    async def test_after_a_rotation_both_keys_verify_for_a_day(self, site: Site, endpoint: Endpoint) -> None:
        token = site.token("gremlin")
        first = await register(site, endpoint, token)
        path = f"{ALL}/{first['endpoint']['id']}"
        status, rotated = await site.call("POST", f"{path}/rotate", token)
        assert status == 200
        assert rotated["key"] not in {first["key"], None}
        assert rotated["old_key_until_ms"] - rotated["endpoint"]["updated_ms"] == pytest.approx(OLD_SECRET_MS, abs=1000)
        await site.call("POST", f"{path}/probe", token)
        assert len(endpoint.headers[-1][SIGNATURE].split(" ")) == 2
        assert rotated["key"] not in json.dumps((await site.call("GET", path, token))[1])

    async def test_a_removed_endpoint_is_gone(self, site: Site, endpoint: Endpoint) -> None:
        token = site.token("gremlin")
        path = f"{ALL}/{(await register(site, endpoint, token))['endpoint']['id']}"
        assert await site.call("DELETE", path, token) == (204, None)
        for method, more in (("GET", ""), ("DELETE", ""), ("POST", "/pause"), ("POST", "/resume"), ("POST", "/rotate")):
            status, answer = await site.call(method, path + more, token)
            assert (status, refused(answer)) == (404, "not_found")
        await register(site, endpoint, token)

    async def test_what_is_removed_meanwhile_is_not_found(self, site: Site, endpoint: Endpoint) -> None:
        """The probe of a change takes a while; in it the owner removes the endpoint from elsewhere."""
        token = site.token("gremlin")
        path = f"{ALL}/{(await register(site, endpoint, token))['endpoint']['id']}"
        endpoint.let.clear()
        endpoint.asked.clear()
        change = asyncio.create_task(site.call("PATCH", path, token, {"url": endpoint.url + "2"}))
        await endpoint.asked.wait()
        assert await site.call("DELETE", path, token) == (204, None)
        endpoint.let.set()
        status, answer = await change
        assert (status, refused(answer)) == (404, "not_found")

    async def test_an_endpoint_for_a_game_that_is_gone_can_still_be_seen_and_removed(
        self, site: Site, endpoint: Endpoint
    ) -> None:
        token = site.token("gremlin")
        one = (await register(site, endpoint, token))["endpoint"]
        with site.database.begin() as conn:
            account = endpoints.get(conn, one["id"]).account_id
            made = endpoints.register(conn, account, "go9", endpoint.url, "hmac", "whsec_" + "A" * 43 + "=", 1)
        status, answer = await site.call("GET", ALL, token)
        assert (status, [shown["game"] for shown in answer["endpoints"]]) == (200, ["connect4", "go9"])
        for call in ("resume", "probe"):
            status, answer = await site.call("POST", f"{ALL}/{made.id}/{call}", token)
            assert (status, refused(answer)) == (422, "unknown_game")
        assert await site.call("DELETE", f"{ALL}/{made.id}", token) == (204, None)


class TestWhoAsks:
    @pytest.mark.parametrize("id_", ["1", "0", "-1", "x", "1e3", "9" * 30, "%31", "1 ", "\u0661"])
    async def test_an_endpoint_of_somebody_else_is_as_one_that_is_not_there(
        self, site: Site, endpoint: Endpoint, id_: str
    ) -> None:
        assert (await register(site, endpoint, site.token("gremlin")))["endpoint"]["id"] == 1
        other = site.token("other")
        answers = [
            await site.call(method, f"{ALL}/{id_}{more}", other, body)
            for method, more, body in (
                ("GET", "", None),
                ("PATCH", "", {"url": endpoint.url}),
                ("DELETE", "", None),
                ("POST", "/pause", None),
                ("POST", "/resume", None),
                ("POST", "/rotate", None),
                ("POST", "/probe", None),
            )
        ]
        assert {(status, refused(answer)) for status, answer in answers} == {(404, "not_found")}
        assert len({json.dumps(answer) for _, answer in answers}) == 1

    async def test_an_id_of_many_digits_is_no_other_id(self, site: Site, endpoint: Endpoint) -> None:
        token = site.token("gremlin")
        await register(site, endpoint, token)
        assert (await site.call("GET", f"{ALL}/0000000011", token))[0] == 404

    @pytest.mark.parametrize("where", ["none", "query", "cookie", "basic", "empty"])
    async def test_a_token_counts_in_one_header_alone(self, site: Site, where: str) -> None:
        token = site.token("gremlin")
        path, headers = {
            "none": (ALL, {}),
            "query": (f"{ALL}?token={token}", {}),
            "cookie": (ALL, {"Cookie": f"token={token}"}),
            "basic": (ALL, {"Authorization": f"Basic {token}"}),
            "empty": (f"{ALL}?token={token}", {"Authorization": "Bearer \u00a0"}),
        }[where]
        status, headers, text = await site.ask("GET", path, headers=headers)
        assert (status, refused(json.loads(text))) == (401, "unauthorized")
        assert headers["www-authenticate"] == "Bearer"

    async def test_wrong_tokens_are_limited_and_right_ones_are_not(self, site: Site) -> None:
        token = site.token("gremlin")
        for _ in range(FAILED_LOGINS):
            assert (await site.call("GET", ALL, "abbs_wrong"))[0] == 401
        status, headers, text = await site.ask("GET", ALL, headers={"Authorization": "Bearer abbs_wrong"})
        answer = json.loads(text)
        assert (status, refused(answer)) == (429, "rate_limited")
        assert int(headers["retry-after"]) == answer["error"]["retry_after_s"] > 0
        assert (await site.call("GET", ALL, token))[0] == 200

    async def test_a_venue_that_stops_says_so(self, site: Site) -> None:
        token = site.token("gremlin")
        site.stopping = True
        status, answer = await site.call("GET", ALL, token)
        assert (status, refused(answer)) == (503, "server_shutdown")


class TestWhatIsSent:
    @pytest.mark.parametrize(
        "kind", ["application/x-www-form-urlencoded", "text/plain", "multipart/form-data; boundary=x", "", "json"]
    )
    async def test_a_form_is_no_json(self, site: Site, endpoint: Endpoint, kind: str) -> None:
        """What a page of a stranger can send without asking is never taken."""
        body = json.dumps({"url": endpoint.url, "game": "connect4"}).encode()
        headers = {"Authorization": f"Bearer {site.token('gremlin')}", "Content-Type": kind}
        status, _, text = await site.ask("POST", ALL, headers=headers, data=body)
        assert (status, refused(json.loads(text))) == (415, "unsupported_media_type")
        assert endpoint.heard == []

    @pytest.mark.parametrize(
        "body",
        [
            b"",
            b"null",
            b"[]",
            b"{",
            b'{"url": 1, "game": "connect4"}',
            b'{"game": "connect4"}',
            b'{"url": "https://a.example/", "game": "connect4", "scheme": "rot13"}',
            b'{"url": "https://a.example/", "game": "connect4", "secret": "hunter2"}',
            b'{"url": "https://a.example/", "game": "connect4", "check_signatures": true}',
            b"\xff\xfe",
            b'{"url":' * 5000,
            b"[" * 16_000,
            b'{"url": "\\ud800", "game": NaN}',
        ],
    )
    async def test_what_is_no_such_json_is_told(self, site: Site, body: bytes) -> None:
        token = site.token("gremlin")
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json; charset=utf-8"}
        status, _, text = await site.ask("POST", ALL, headers=headers, data=body)
        assert (status, refused(json.loads(text))) == (400 if len(body) <= MAX_BODY_BYTES else 413, _code(body))
        assert "hunter2" not in text, "a secret is not repeated"

    async def test_a_large_body_is_not_read(self, site: Site) -> None:
        headers = {"Authorization": f"Bearer {site.token('gremlin')}", "Content-Type": "application/json"}
        status, _, text = await site.ask("POST", ALL, headers=headers, data=b" " * (MAX_BODY_BYTES + 1))
        assert (status, refused(json.loads(text))) == (413, "too_large")

    async def test_another_method_is_answered_with_those_that_there_are(self, site: Site) -> None:
        status, headers, text = await site.ask("PUT", ALL)
        assert (status, refused(json.loads(text))) == (405, "method_not_allowed")
        assert set(headers["allow"].split(", ")) >= {"GET", "POST"}

    async def test_what_is_not_there_is_json_too(self, site: Site) -> None:
        status, headers, text = await site.ask("GET", "/api/v2/<x>")
        assert (status, refused(json.loads(text))) == (404, "not_found")
        assert headers["content-type"].startswith("application/json")

    async def test_answers_are_kept_by_nobody(self, site: Site) -> None:
        _, headers, _ = await site.ask("GET", ALL, headers={"Authorization": f"Bearer {site.token('gremlin')}"})
        assert headers["cache-control"] == "no-store"


def _code(body: bytes) -> str:
    return "bad_request" if len(body) <= MAX_BODY_BYTES else "too_large"
