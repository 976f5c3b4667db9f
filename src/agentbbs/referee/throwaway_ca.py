"""A certificate authority for one afternoon: HTTPS on this machine for tests, the demo and development.

The files hold private keys in the clear; whoever trusts the CA trusts whoever can read its folder.
"""

from __future__ import annotations

import ipaddress
import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

LIFE: Final = timedelta(days=7)
"""Long enough for a demo, too short to be forgotten somewhere."""

SKEW: Final = timedelta(minutes=5)
"""Clocks differ."""

LOCAL: Final = ("127.0.0.1", "::1", "localhost")
"""Whom a certificate is for unless names are given."""


class ThrowawayCa:
    """A CA whose files lie in `folder`; make it with `make`."""

    def __init__(self, folder: Path, key: ec.EllipticCurvePrivateKey, certificate: x509.Certificate) -> None:
        self.folder = folder
        self.ca_file = folder / "ca.pem"
        self._key = key
        self._certificate = certificate
        self._issued = 0

    @classmethod
    def make(cls, folder: Path) -> ThrowawayCa:
        """A new CA; `folder` is made if need be. Raises OSError."""
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        key = ec.generate_private_key(ec.SECP256R1())
        name = _name("AgentBBS throw-away CA")
        builder = _builder(name, name, key.public_key())
        identifier = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
        certificate = (
            builder.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(_usage(signs_certificates=True), critical=True)
            .add_extension(identifier, critical=False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(identifier), critical=False)
            .sign(key, hashes.SHA256())
        )
        made = cls(folder, key, certificate)
        made.ca_file.write_bytes(certificate.public_bytes(Encoding.PEM))
        return made

    def issue(self, *names: str, expired: bool = False) -> tuple[Path, Path]:
        """A certificate for these names and addresses (`LOCAL` without any): its file, with the CA's behind it, and
        the file of its key. `expired`: it was good until an hour ago."""
        key = ec.generate_private_key(ec.SECP256R1())
        names = names or LOCAL
        authority = x509.SubjectKeyIdentifier.from_public_key(self._key.public_key())
        certificate = (
            _builder(_name(names[0]), self._certificate.subject, key.public_key(), expired=expired)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(_usage(signs_certificates=False), critical=True)
            .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
            .add_extension(x509.SubjectAlternativeName([_alternative(name) for name in names]), critical=False)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(authority), critical=False)
            .sign(self._key, hashes.SHA256())
        )
        self._issued += 1
        cert_file = self.folder / f"server-{self._issued}.pem"
        key_file = self.folder / f"server-{self._issued}.key"
        cert_file.write_bytes(certificate.public_bytes(Encoding.PEM) + self._certificate.public_bytes(Encoding.PEM))
        key_file.unlink(missing_ok=True)  # of an earlier run, perhaps with other rights
        key_file.touch(mode=0o600)
        key_file.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
        return cert_file, key_file

    def server_context(self, *names: str, expired: bool = False) -> ssl.SSLContext:
        """TLS for a server with a new certificate, as `issue`."""
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(*self.issue(*names, expired=expired))
        return context

    def client_context(self) -> ssl.SSLContext:
        """TLS for a client that trusts this CA alone."""
        return ssl.create_default_context(cafile=str(self.ca_file))


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey, *, expired: bool = False
) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    until = now - timedelta(hours=1) if expired else now + LIFE
    begins = min(now, until) - (timedelta(days=1) if expired else SKEW)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(begins)
        .not_valid_after(until)
    )


def _usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        encipher_only=False,
        decipher_only=False,
    )


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text[:64])])


def _alternative(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)
