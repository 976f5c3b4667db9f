"""Whose fault a failure is: rows for what an agent can bring about, and nothing else."""

from __future__ import annotations

import errno
import socket
import ssl

import aiohttp
import pytest
from aiohttp.client_reqrep import ConnectionKey

from agentbbs.protocol.strikes import StrikeRow
from agentbbs.referee.addresses import AddressKind
from agentbbs.referee.attempt import Attempt
from agentbbs.referee.failures import OwnFault, ruling

KEY = ConnectionKey("agent.example", 443, True, True, None, None, None)


def dialled(*, ipv4: bool = True) -> Attempt:
    attempt = Attempt()
    attempt.dialled_ipv4 = ipv4
    return attempt


def connecting(number: int) -> OSError:
    return aiohttp.ClientConnectorError(KEY, OSError(number, "secret 10.0.0.1"))


@pytest.mark.parametrize(
    "number",
    [
        errno.ECONNREFUSED,
        errno.ECONNRESET,
        errno.ETIMEDOUT,
        errno.EHOSTUNREACH,
        errno.ENETUNREACH,
        errno.EPIPE,
        errno.ECONNABORTED,
        errno.EACCES,
        errno.EPERM,
        errno.EAFNOSUPPORT,
    ],
)
def test_what_a_server_or_its_network_says_is_a_strike(number: int) -> None:
    row, detail = ruling(connecting(number), dialled())

    assert row is StrikeRow.CONNECTION
    assert errno.errorcode[number] in detail
    assert "10.0.0.1" not in detail


@pytest.mark.parametrize(
    "number", [errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOBUFS, errno.EADDRNOTAVAIL, errno.ENETDOWN]
)
def test_what_this_machine_lacks_is_no_strike(number: int) -> None:
    for fault in (connecting(number), OSError(number, "x"), aiohttp.ClientOSError(number, "x")):
        with pytest.raises(OwnFault):
            ruling(fault, dialled())


def test_a_name_with_ipv6_alone_is_no_way_to_void_a_match() -> None:
    assert ruling(connecting(errno.EADDRNOTAVAIL), dialled(ipv4=False))[0] is StrikeRow.CONNECTION


def test_no_socket_is_the_venues_fault_whatever_the_library_makes_of_it() -> None:
    attempt = dialled()
    attempt.out_of_sockets = OSError(errno.EMFILE, "x")
    with pytest.raises(OwnFault):
        ruling(aiohttp.ClientConnectorError(KEY, OSError("Multiple exceptions: …")), attempt)


@pytest.mark.parametrize("number", [socket.EAI_NONAME, socket.EAI_AGAIN, socket.EAI_FAIL])
def test_a_name_that_does_not_resolve_is_the_agents(number: int) -> None:
    fault = aiohttp.ClientConnectorDNSError(KEY, socket.gaierror(number, "no"))

    assert ruling(fault, Attempt()) == (StrikeRow.CONNECTION, "the name does not resolve")


def test_a_look_up_without_a_file_handle_is_the_venues() -> None:
    with pytest.raises(OwnFault):
        ruling(aiohttp.ClientConnectorDNSError(KEY, OSError(errno.EMFILE, "x")), Attempt())


def test_numbers_of_tls_are_not_taken_for_those_of_the_system() -> None:
    """`ssl.SSL_ERROR_SSL` is 1, as EPERM; a server could choose others."""
    for number in range(120):
        alert = ssl.SSLError(number, "[SSL] alert")
        late = aiohttp.ClientOSError(*alert.args)
        early = aiohttp.ClientConnectorSSLError(KEY, alert)
        early.__cause__ = late.__cause__ = alert
        for fault in (alert, early, late):
            assert ruling(fault, dialled())[0] is StrikeRow.TLS


def test_an_end_within_tls_is_an_end_of_the_connection() -> None:
    cut = ssl.SSLEOFError(8, "EOF occurred in violation of protocol")
    fault = aiohttp.ClientConnectorSSLError(KEY, cut)
    fault.__cause__ = cut

    assert ruling(fault, dialled()) == (StrikeRow.CONNECTION, "the connection was closed within TLS")


def test_an_address_that_was_refused_is_that_row_whatever_else_happened() -> None:
    attempt = dialled()
    attempt.refused = AddressKind.METADATA
    row, detail = ruling(connecting(errno.EMFILE), attempt)

    assert row is StrikeRow.ADDRESS_REFUSED
    assert "metadata" in detail


@pytest.mark.parametrize(
    "fault", [RuntimeError("x"), MemoryError(), AssertionError(), ValueError("x"), KeyError("x"), OwnFault("x")]
)
def test_what_nobody_expected_is_the_venues(fault: Exception) -> None:
    with pytest.raises(OwnFault):
        ruling(fault, dialled())


def test_an_answer_that_begins_and_ends_is_no_http() -> None:
    attempt = dialled()
    fault = aiohttp.ServerDisconnectedError("secret")
    assert ruling(fault, attempt)[0] is StrikeRow.CONNECTION
    attempt.received = 1
    assert ruling(fault, attempt) == (StrikeRow.HTTP, "the answer broke off")
