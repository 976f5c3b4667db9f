"""What the failure of a request is: a row of the strike table, or the venue's own.

A row where the agent, its server or its name servers could have brought it about: who could turn a failure of his into
one of ours could void each match that he loses. Ours is what only this machine can say.
"""

from __future__ import annotations

import errno
import ssl
import zlib
from collections.abc import Callable, Iterator
from typing import Final

import aiohttp

from agentbbs.protocol.strikes import StrikeRow
from agentbbs.referee.attempt import Attempt


class OwnFault(Exception):
    """The venue could not ask; nothing that an agent did. The text is for the log."""


class BrokenBody(Exception):
    """A body that ends before its end, or is not what its headers say. The text may be shown."""


OURS: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOBUFS, errno.ENETDOWN})
"""This machine is short of something. Not in here, since an agent can bring it about: "no route" (a name with IPv6
addresses alone), "not permitted" (a router on the way may say so, RFC 4443, section 3.1)."""

_CERTIFICATE: Final = {
    10: "it has expired",
    18: "it is signed by itself",
    19: "its chain ends in nobody whom we trust",
    20: "its chain is not complete, or by nobody whom we trust",
    21: "its chain is not complete, or by nobody whom we trust",
    62: "it is for another host name",
    64: "it is for another address",
}
"""Verify codes of OpenSSL (`x509_vfy.h`). Its own sentences may hold an address."""

_MAX_CAUSES: Final = 5
"""How deep the TLS fault lies in what the library makes of it, at most."""


def ruling(fault: Exception, attempt: Attempt) -> tuple[StrikeRow, str]:
    """The row of a failure, and what of it in a few words: neither body, nor headers, nor an address. Raises
    OwnFault."""
    if isinstance(fault, OwnFault):
        raise fault
    if attempt.refused is not None:
        return StrikeRow.ADDRESS_REFUSED, f"the name leads to an address that is not called ({attempt.refused})"
    # Before the numbers of the system: those of TLS are other ones and look like them. The innermost fault is that of
    # TLS itself, what lies around it is the library's.
    causes = (attempt.lost, *reversed(tuple(_causes(fault))))
    tls = next((cause for cause in causes if isinstance(cause, ssl.SSLError)), None)
    if isinstance(tls, ssl.SSLEOFError | ssl.SSLZeroReturnError):
        return StrikeRow.CONNECTION, "the connection was closed within TLS"
    if tls is not None:
        return StrikeRow.TLS, _of_tls(tls)
    if _is_ours(fault, attempt):
        raise OwnFault(f"this machine could not connect ({_name(fault)})") from fault
    if isinstance(fault, aiohttp.ServerDisconnectedError) and attempt.received:
        return StrikeRow.HTTP, _BROKE_OFF
    for kinds, row, says in _ROWS:
        if isinstance(fault, kinds):
            return row, says(fault)
    raise OwnFault(f"the request failed in the venue ({type(fault).__name__})") from fault


def _causes(fault: BaseException) -> Iterator[BaseException]:
    cause: BaseException | None = fault
    for _ in range(_MAX_CAUSES):
        if cause is None:
            return
        yield cause
        cause = cause.__cause__


def _is_ours(fault: Exception, attempt: Attempt) -> bool:
    if attempt.out_of_sockets is not None:
        return True
    if not isinstance(fault, OSError):
        return False
    # Of IPv6 it means only that this machine has none.
    return fault.errno in OURS or (fault.errno == errno.EADDRNOTAVAIL and attempt.dialled_ipv4)


def _name(fault: Exception) -> str:
    return errno.errorcode.get(getattr(fault, "errno", None) or 0, type(fault).__name__)


def _of_tls(fault: BaseException) -> str:
    if isinstance(fault, ssl.SSLCertVerificationError):
        why = _CERTIFICATE.get(getattr(fault, "verify_code", 0))
        return f"the certificate is not accepted: {why}" if why else "the certificate is not accepted"
    return "the TLS handshake failed"


def _of_connection(fault: Exception) -> str:
    name = errno.errorcode.get(getattr(fault, "errno", None) or 0)
    return f"the connection failed ({name})" if name else "the connection failed"


_BROKE_OFF: Final = "the answer broke off"


_Says = Callable[[Exception], str]
_Kinds = type[Exception] | tuple[type[Exception], ...]

_ROWS: Final[tuple[tuple[_Kinds, StrikeRow, _Says], ...]] = (
    (aiohttp.ClientConnectorDNSError, StrikeRow.CONNECTION, lambda _: "the name does not resolve"),
    (UnicodeError, StrikeRow.CONNECTION, lambda _: "the name can't be looked up"),
    (BrokenBody, StrikeRow.HTTP, str),
    ((aiohttp.ClientPayloadError, zlib.error), StrikeRow.HTTP, lambda _: _BROKE_OFF),
    (aiohttp.ClientResponseError, StrikeRow.HTTP, lambda _: "no HTTP answer that can be read"),
    (aiohttp.ServerDisconnectedError, StrikeRow.CONNECTION, lambda _: "the connection was closed without an answer"),
    ((aiohttp.ClientConnectionError, OSError), StrikeRow.CONNECTION, _of_connection),
)
"""What each failure is; the first that fits."""
