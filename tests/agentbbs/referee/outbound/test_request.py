"""What goes out to an endpoint: this, and nothing else."""

from __future__ import annotations

import ssl
from pathlib import Path

import pytest
from tests.agentbbs.referee.https_peer import (
    BODY,
    DEADLINE_S,
    NAME,
    OK,
    Line,
    Names,
    Peer,
    answers,
    asked,
    body,
    peer,
)

from agentbbs.protocol.arena_reply import Answer
from agentbbs.referee.outbound import Outbound
from agentbbs.referee.throwaway_ca import ThrowawayCa


async def test_the_request_is_this_and_nothing_else(outbound: Outbound, tls: ssl.SSLContext) -> None:
    async with peer(answers(OK), tls) as one:
        exchange = await outbound.post(
            one.url("/play?key=%2Fa&b=c%20d"), BODY, {"webhook-id": "msg_1", "webhook-timestamp": "7"}, DEADLINE_S
        )
        sent = one.requests[0]

    assert exchange.answer == Answer(200, b"{}")
    assert (exchange.row, exchange.detail) == (None, "")
    first, *headers = sent.partition(b"\r\n\r\n")[0].split(b"\r\n")
    assert first == b"POST /play?key=%2Fa&b=c%20d HTTP/1.1"
    assert sorted(headers) == sorted(
        [
            f"Host: {NAME}:{one.port}".encode(),
            b"content-type: application/json",
            b"user-agent: agentarena-referee/1",
            b"webhook-id: msg_1",
            b"webhook-timestamp: 7",
            f"Content-Length: {len(BODY)}".encode(),
        ]
    )
    assert sent.endswith(b"\r\n\r\n" + BODY)


async def test_the_name_of_the_url_goes_into_tls_and_host_and_the_checked_address_is_dialled(
    ca: ThrowawayCa, outbound: Outbound, names: Names
) -> None:
    """Case 144: another address than the one that was looked at can't be dialled."""
    seen: list[str | None] = []
    context = ca.server_context(NAME)
    context.sni_callback = lambda _, name, __: seen.append(name)
    async with peer(answers(OK), context, host="127.0.0.2") as one:
        names.table[NAME] = ["127.0.0.2"]
        exchange = await asked(outbound, one)

    assert exchange.answer is not None
    assert seen == [NAME]
    assert f"Host: {NAME}:{one.port}\r\n".encode() in one.requests[0]
    assert names.asked == [NAME], "resolved once, and not again by somebody else"


async def test_headers_are_made_anew_for_each_sending(outbound: Outbound, tls: ssl.SSLContext) -> None:
    made: list[int] = []

    def sign() -> dict[str, str]:
        made.append(len(made))
        return {"webhook-id": f"msg_{len(made)}"}

    async def closes_when_asked_again(one: Peer, line: Line) -> None:
        one.requests.append(await line.request())
        await line.send(OK)
        if line.number == 1:
            await line.request()  # then it hangs up
        else:
            await line.gone()

    async with peer(closes_when_asked_again, tls) as one:
        for _ in range(2):
            exchange = await outbound.post(one.url(), BODY, sign, DEADLINE_S)
            assert exchange.answer is not None

    assert len(made) == 3
    assert [b"msg_1" in one.requests[0], b"msg_3" in one.requests[1]] == [True, True]


async def test_proxies_of_the_environment_are_ignored(
    outbound: Outbound, tls: ssl.SSLContext, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / ".netrc").write_text(f"machine {NAME} login ada password secret\n")
    monkeypatch.setenv("NETRC", str(tmp_path / ".netrc"))
    async with peer(answers(OK), None) as proxy, peer(answers(OK), tls) as one:
        for variable in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(variable, f"http://127.0.0.1:{proxy.port}")
        exchange = await asked(outbound, one)

        assert exchange.answer is not None
        assert proxy.lines == 0
        assert b"authorization" not in one.requests[0].lower()


async def test_cookies_are_not_kept(outbound: Outbound, tls: ssl.SSLContext) -> None:
    async with peer(answers(body(b"{}", "Set-Cookie: a=b; Path=/", "Set-Cookie: c=d")), tls) as one:
        for _ in range(2):
            await asked(outbound, one)
        assert b"cookie" not in b"".join(one.requests).lower()


@pytest.mark.parametrize("status", [300, 301, 302, 303, 304, 307, 308])
@pytest.mark.parametrize("target", ["http://169.254.169.254/latest/meta-data/", "https://127.0.0.1/", "/other", "//x"])
async def test_a_redirect_is_not_followed(
    outbound: Outbound, tls: ssl.SSLContext, names: Names, status: int, target: str
) -> None:
    """Case 145."""
    async with peer(answers(body(b"", f"Location: {target}", status=f"{status} Moved")), tls) as one:
        exchange = await asked(outbound, one)

        assert exchange.answer == Answer(status, b"", location=True)
        assert len(one.requests) == 1
        assert names.asked == [NAME]


async def test_a_refresh_header_means_nothing(outbound: Outbound, tls: ssl.SSLContext) -> None:
    """Case 145."""
    async with peer(answers(body(b"{}", "Refresh: 0; url=http://169.254.169.254/")), tls) as one:
        assert (await asked(outbound, one)).answer == Answer(200, b"{}")
        assert len(one.requests) == 1
