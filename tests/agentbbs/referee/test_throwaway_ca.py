"""The throw-away CA: whom its certificates convince, and whom not; who can read its keys."""

from __future__ import annotations

import ssl
import stat
from pathlib import Path

import pytest
from cryptography import x509

from agentbbs.referee.throwaway_ca import LIFE, ThrowawayCa


@pytest.fixture(scope="module")
def ca(tmp_path_factory: pytest.TempPathFactory) -> ThrowawayCa:
    """A CA in a folder that was not there."""
    return ThrowawayCa.make(tmp_path_factory.mktemp("ca") / "deep" / "folder")


def shake_hands(server: ssl.SSLContext, client: ssl.SSLContext, name: str) -> None:
    """A TLS handshake in memory. Raises ssl.SSLError on either side."""
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    ends = [
        client.wrap_bio(to_client, to_server, server_hostname=name),
        server.wrap_bio(to_server, to_client, server_side=True),
    ]
    for _ in range(4):
        for end in ends:
            try:
                end.do_handshake()
            except ssl.SSLWantReadError:
                continue


@pytest.mark.parametrize("name", ["localhost", "127.0.0.1", "::1"])
def test_it_convinces_who_trusts_it(ca: ThrowawayCa, name: str) -> None:
    shake_hands(ca.server_context(), ca.client_context(), name)


def test_a_certificate_is_for_its_names_alone(ca: ThrowawayCa) -> None:
    server = ca.server_context("agent.example", "192.0.2.7")
    shake_hands(server, ca.client_context(), "agent.example")
    shake_hands(server, ca.client_context(), "192.0.2.7")
    for other in ("other.example", "localhost", "192.0.2.8"):
        with pytest.raises(ssl.SSLCertVerificationError, match="mismatch"):
            shake_hands(server, ca.client_context(), other)


def test_an_expired_certificate_convinces_nobody(ca: ThrowawayCa) -> None:
    with pytest.raises(ssl.SSLCertVerificationError, match="expired"):
        shake_hands(ca.server_context(expired=True), ca.client_context(), "localhost")


def test_who_does_not_trust_it_is_not_convinced(ca: ThrowawayCa, tmp_path: Path) -> None:
    for client in (ssl.create_default_context(), ThrowawayCa.make(tmp_path).client_context()):
        with pytest.raises(ssl.SSLCertVerificationError):
            shake_hands(ca.server_context(), client, "localhost")


def test_its_certificates_can_not_sign_others_and_end_soon(ca: ThrowawayCa) -> None:
    own, authority = x509.load_pem_x509_certificates(ca.issue("agent.example")[0].read_bytes())
    assert authority == x509.load_pem_x509_certificate(ca.ca_file.read_bytes())
    assert not own.extensions.get_extension_for_class(x509.BasicConstraints).value.ca
    assert authority.extensions.get_extension_for_class(x509.BasicConstraints).value.path_length == 0
    for certificate in (own, authority):
        assert certificate.not_valid_after_utc - certificate.not_valid_before_utc < LIFE * 2


def test_keys_are_for_their_owner_alone_and_each_certificate_has_its_own(ca: ThrowawayCa) -> None:
    issued = [ca.issue() for _ in range(3)]
    assert len({certificate for certificate, _ in issued}) == 3
    assert len({key.read_bytes() for _, key in issued}) == 3
    assert all(stat.S_IMODE(key.stat().st_mode) == 0o600 for _, key in issued)
    assert stat.S_IMODE(ca.folder.stat().st_mode) == 0o700
    assert b"PRIVATE" not in ca.ca_file.read_bytes()
