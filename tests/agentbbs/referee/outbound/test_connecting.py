"""Connections that do not come about, each with its row."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.agentbbs.referee.https_peer import (
    BODY,
    DEADLINE_S,
    NAME,
    OK,
    OPEN,
    PUBLIC,
    Line,
    Names,
    Peer,
    answers,
    asked,
    peer,
)

from agentbbs.protocol.strikes import StrikeRow
from agentbbs.referee.endpoint_url import parse
from agentbbs.referee.outbound import Outbound, OutboundRules
from agentbbs.referee.throwaway_ca import ThrowawayCa


async def test_a_connection_that_is_refused_has_its_row(outbound: Outbound) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and does not listen
        url = parse(f"https://{NAME}:{taken.getsockname()[1]}/", OPEN)
        exchange = await outbound.post(url, BODY, {}, DEADLINE_S)

    assert (exchange.row, exchange.detail) == (StrikeRow.CONNECTION, "the connection failed (ECONNREFUSED)")


async def test_a_name_that_does_not_resolve_has_its_row(outbound: Outbound) -> None:
    url = parse("https://nobody.example/", OPEN)
    exchange = await outbound.post(url, BODY, {}, DEADLINE_S)

    assert (exchange.row, exchange.detail) == (StrikeRow.CONNECTION, "the name does not resolve")


def _expired(ca: ThrowawayCa, _: Path) -> ssl.SSLContext:
    return ca.server_context(NAME, expired=True)


def _for_somebody_else(ca: ThrowawayCa, _: Path) -> ssl.SSLContext:
    return ca.server_context("other.example")


def _by_nobody(_: ThrowawayCa, folder: Path) -> ssl.SSLContext:
    return ThrowawayCa.make(folder).server_context(NAME)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (_expired, "the certificate is not accepted: it has expired"),
        (_for_somebody_else, "the certificate is not accepted: it is for another host name"),
        (_by_nobody, "the certificate is not accepted"),
    ],
)
async def test_tls_that_fails_has_its_row(
    outbound: Outbound,
    ca: ThrowawayCa,
    tmp_path: Path,
    make: Callable[[ThrowawayCa, Path], ssl.SSLContext],
    says: str,
) -> None:
    async with peer(answers(OK), make(ca, tmp_path)) as one:
        exchange = await asked(outbound, one)

    assert exchange.row is StrikeRow.TLS
    assert says in exchange.detail
    assert not one.requests, "nothing was said to somebody unknown"


def _old_tls(ca: ThrowawayCa, _: Path) -> ssl.SSLContext:
    context = ca.server_context(NAME)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    context.set_ciphers("AES128-SHA:@SECLEVEL=0")  # needs an RSA key, which it has not: no cipher in common
    return context


def _wants_a_certificate(ca: ThrowawayCa, _: Path) -> ssl.SSLContext:
    context = ca.server_context(NAME)
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_verify_locations(ca.ca_file)
    return context


@pytest.mark.parametrize("make", [_old_tls, _wants_a_certificate])
async def test_an_alert_of_the_server_has_its_row(
    outbound: Outbound, ca: ThrowawayCa, tmp_path: Path, make: Callable[[ThrowawayCa, Path], ssl.SSLContext]
) -> None:
    """In the handshake, or, as TLS 1.3 has it, behind it."""

    def refuse(listening: socket.socket) -> None:
        taken, _ = listening.accept()
        with make(ca, tmp_path).wrap_socket(taken, server_side=True, do_handshake_on_connect=False) as line:
            line.settimeout(DEADLINE_S)
            with contextlib.suppress(ssl.SSLError):
                line.do_handshake()
            with contextlib.suppress(OSError):
                while socket.socket.recv(line, 65536):  # below TLS: a close with bytes unread would be a reset
                    pass

    with socket.create_server(("127.0.0.1", 0)) as listening:
        refusing = asyncio.create_task(asyncio.to_thread(refuse, listening))
        url = parse(f"https://{NAME}:{listening.getsockname()[1]}/", OPEN)
        exchange = await outbound.post(url, BODY, {}, DEADLINE_S)
        await refusing

    assert (exchange.row, exchange.detail) == (StrikeRow.TLS, "the TLS handshake failed")


async def test_a_certificate_for_another_address_is_told_without_it(outbound: Outbound, ca: ThrowawayCa) -> None:
    async with peer(answers(OK), ca.server_context(NAME)) as one:
        exchange = await outbound.post(one.url(host="127.0.0.1"), BODY, {}, DEADLINE_S)

    assert exchange.row is StrikeRow.TLS
    assert exchange.detail == "the certificate is not accepted: it is for another address"


async def test_a_server_without_tls_has_its_row(outbound: Outbound) -> None:
    async def mail(_: Peer, line: Line) -> None:
        await line.send(b"220 mail.example ESMTP\r\n")
        await line.gone()

    async with peer(mail, None) as one:
        assert (await asked(outbound, one)).row is StrikeRow.TLS


async def test_only_the_authorities_of_the_system_are_trusted_without_a_ca_file(tls: ssl.SSLContext) -> None:
    async with peer(answers(OK), tls) as one, Outbound(OutboundRules(url=OPEN), resolver=Names()) as dialling:
        assert (await asked(dialling, one)).row is StrikeRow.TLS


async def test_a_ca_file_is_for_development_alone(ca: ThrowawayCa) -> None:
    with pytest.raises(ValueError, match="development"):
        Outbound(OutboundRules(url=PUBLIC, ca_file=ca.ca_file))
