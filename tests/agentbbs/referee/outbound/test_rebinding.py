"""Which addresses are dialled, whatever names lead to and whenever."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Sequence

import pytest
from tests.agentbbs.referee.https_peer import (
    BODY,
    DEADLINE_S,
    NAME,
    OK,
    PUBLIC,
    Names,
    answers,
    asked,
    peer,
)

from agentbbs.protocol.arena_reply import Answer
from agentbbs.protocol.strikes import StrikeRow
from agentbbs.referee.connector import CheckedResolver
from agentbbs.referee.endpoint_url import UrlRefused, UrlRules, parse
from agentbbs.referee.outbound import Outbound, OutboundRules

PRIVATE: Sequence[Sequence[str]] = (
    ["127.0.0.1"],
    ["::1"],
    ["10.0.0.1"],
    ["::ffff:127.0.0.1"],
    ["::ffff:169.254.169.254"],
    ["169.254.169.254"],
    ["64:ff9b::7f00:1"],
    ["2002:7f00:1::"],
    ["2001:0:4136:e378:8000:63bf:80ff:fffe"],
    ["93.184.216.34", "127.0.0.1"],
    ["127.0.0.1", "93.184.216.34"],
    ["93.184.216.34", "::ffff:10.0.0.1"],
    ["fe80::1%lo"],
    ["127.1"],
    ["2130706433"],
    ["localhost"],
    ["0.0.0.0"],
    [*(f"93.184.216.{number}" for number in range(100)), "10.0.0.1"],
)
"""Cases 138, 142, 143: answers of name servers."""


@pytest.mark.parametrize("addresses", PRIVATE, ids=lambda each: each[-1])
async def test_a_name_that_leads_to_an_address_that_is_not_public_is_refused(
    addresses: Sequence[str], tls: ssl.SSLContext
) -> None:
    async with (
        peer(answers(OK), tls) as one,
        Outbound(OutboundRules(url=PUBLIC), resolver=Names({NAME: addresses})) as dialling,
    ):
        exchange = await asked(dialling, one)
        with pytest.raises(UrlRefused) as caught:
            await dialling.check(one.url().text)

        assert (exchange.answer, exchange.row) == (None, StrikeRow.ADDRESS_REFUSED)
        assert caught.value.rule == "address"
        assert one.lines == 0
    for told in (exchange.detail, caught.value.why):
        assert not any(address in told for address in addresses if address != "localhost")


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "[::1]", "10.0.0.1", "169.254.169.254", "[64:ff9b::7f00:1]", "0.0.0.0", "[::ffff:7f00:1]"]
)
async def test_an_address_in_the_url_is_looked_at_as_well(host: str) -> None:
    """The library asks no resolver about it."""
    async with Outbound(OutboundRules(url=PUBLIC), resolver=Names()) as dialling:
        text = f"https://{host}:8443/"
        try:
            url = parse(text, PUBLIC)
        except UrlRefused:
            pytest.skip("this Python spells the address in another way")
        exchange = await dialling.post(url, BODY, {}, DEADLINE_S)
        with pytest.raises(UrlRefused):
            await dialling.check(text)

    assert exchange.row is StrikeRow.ADDRESS_REFUSED


async def test_a_name_that_turns_private_is_refused_when_it_is_dialled(tls: ssl.SSLContext) -> None:
    """Case 144: public at registration, private at the match; and back again, which nobody asks twice."""
    turning = [["93.184.216.34"], ["127.0.0.1"], ["93.184.216.34"]]
    asked_for: list[str] = []

    async def rebinding(host: str, port: int) -> Sequence[str]:
        asked_for.append(host)
        return turning[len(asked_for) - 1]

    async with (
        peer(answers(OK), tls) as one,
        Outbound(OutboundRules(url=PUBLIC), resolver=rebinding) as dialling,
    ):
        url = await dialling.check(one.url().text)
        exchange = await dialling.post(url, BODY, {}, DEADLINE_S)

        assert exchange.row is StrikeRow.ADDRESS_REFUSED
        assert len(asked_for) == 2
        assert one.lines == 0


async def test_the_socket_itself_is_refused_should_an_address_slip_through(
    tls: ssl.SSLContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second lock: without the first one nothing is dialled either."""
    slipped: list[str] = []

    async def unchecked(self: object, host: str, port: int = 0, family: int = 0) -> list[dict[str, object]]:
        return [
            {"hostname": host, "host": address, "port": port, "family": socket.AF_INET, "proto": 0, "flags": 0}
            for address in slipped
        ]

    monkeypatch.setattr(CheckedResolver, "resolve", unchecked)
    async with peer(answers(OK), tls) as one, Outbound(OutboundRules(url=PUBLIC), resolver=Names()) as dialling:
        for bad in (["127.0.0.1"], ["127.0.0.1", "127.0.0.2", "10.0.0.1"]):
            slipped[:] = bad
            assert (await asked(dialling, one)).row is StrikeRow.ADDRESS_REFUSED
        assert one.lines == 0


async def test_an_address_that_does_not_answer_is_passed_over(
    outbound: Outbound, tls: ssl.SSLContext, names: Names
) -> None:
    names.table[NAME] = ["127.0.0.9", "127.0.0.1"]
    async with peer(answers(OK), tls) as one:
        assert (await asked(outbound, one)).answer is not None


async def test_plain_http_never_leaves_this_machine() -> None:
    rules = UrlRules(ports=((1, 65535),), loopback=True, plain_http=True)
    names = Names({"localhost": ["93.184.216.34"]})
    async with peer(answers(OK), None) as one, Outbound(OutboundRules(url=rules), resolver=names) as dialling:
        url = one.url(host="localhost", scheme="http", rules=rules)
        assert (await dialling.post(url, BODY, {}, DEADLINE_S)).row is StrikeRow.ADDRESS_REFUSED
        with pytest.raises(UrlRefused, match="this machine alone"):
            await dialling.check(url.text)
        names.table["localhost"] = ["127.0.0.1"]
        assert (await dialling.check(url.text)) == url
        assert (await dialling.post(url, BODY, {}, DEADLINE_S)).answer == Answer(200, b"{}")


async def test_a_url_is_checked_by_its_rules_its_name_and_its_addresses(outbound: Outbound, names: Names) -> None:
    names.table["nothing.example"] = []
    for text, rule in (
        ("http://agent.example:8443/", "scheme"),
        ("https://nobody.example/", "name"),
        ("https://nothing.example/", "name"),
        ("https://10.0.0.1/", "address"),
    ):
        with pytest.raises(UrlRefused) as caught:
            await outbound.check(text)
        assert caught.value.rule == rule
    assert (await outbound.check(f"https://{NAME}/")).host == NAME


async def test_a_check_that_lacks_a_file_handle_blames_nobody() -> None:
    async def fails(host: str, port: int) -> Sequence[str]:
        raise OSError(24, "Too many open files")

    async with Outbound(OutboundRules(), resolver=fails) as dialling:
        with pytest.raises(UrlRefused) as caught:
            await dialling.check(f"https://{NAME}/")
    assert caught.value.rule == "referee"
