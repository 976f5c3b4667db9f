"""Signatures by OpenSSH's own `ssh-keygen`, whole, cut, flipped, and of the wrong text."""

from __future__ import annotations

import base64
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentbbs.store import keys
from agentbbs.web.entry import ssh_signature
from agentbbs.web.entry.ssh_signature import NAMESPACE, NotASignature

TEXT = "sign in to https://arena.example as gremlin, once, before 2026-01-01T12:00:00Z: 00ff"
KINDS = (("ed25519", ""), ("ecdsa", "256"), ("ecdsa", "384"), ("ecdsa", "521"), ("rsa", "2048"), ("rsa", "3072"))

pytestmark = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="needs OpenSSH")

Sign = Callable[..., str]


def keygen(*args: str, given: bytes = b"") -> bytes:
    """What `ssh-keygen` prints."""
    return subprocess.run(["ssh-keygen", *args], input=given, check=True, capture_output=True, timeout=30).stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A key of each kind."""
    folder = tmp_path_factory.mktemp("keys")
    for kind, bits in KINDS:
        keygen(
            "-q", "-t", kind, *(["-b", bits] if bits else []), "-N", "", "-C", "test", "-f", str(folder / (kind + bits))
        )
    return folder


@pytest.fixture(scope="module")
def sign(folder: Path) -> Sign:
    """Signs as the command of the page does."""

    def sign(text: str = TEXT, *more: str, key: str = "ed25519", namespace: str = NAMESPACE) -> str:
        return keygen("-Y", "sign", "-n", namespace, *more, "-f", str(folder / key), given=text.encode()).decode()

    return sign


def blob_of(armored: str) -> bytes:
    return base64.b64decode("".join(armored.splitlines()[1:-1]))


def armored(blob: bytes) -> str:
    return f"-----BEGIN SSH SIGNATURE-----\n{base64.b64encode(blob).decode()}\n-----END SSH SIGNATURE-----\n"


def counts(pasted: str, fingerprint: str) -> bool:
    """Whether what was pasted lets somebody in by that key; anything but a refusal or a verdict fails the test."""
    try:
        signature = ssh_signature.read(pasted)
        ssh_signature.require(signature, TEXT)
    except NotASignature:
        return False
    return signature.key.fingerprint == fingerprint


@pytest.mark.parametrize(("kind", "bits"), KINDS)
@pytest.mark.parametrize("hash_name", ["sha256", "sha512"])
def test_what_ssh_keygen_signs_counts(folder: Path, sign: Sign, kind: str, bits: str, hash_name: str) -> None:
    found = ssh_signature.read(sign(TEXT, "-O", f"hashalg={hash_name}", key=kind + bits))
    ssh_signature.require(found, TEXT)
    assert found.key.fingerprint == keys.parse((folder / f"{kind}{bits}.pub").read_text()).fingerprint
    assert found.hash_name == hash_name
    assert not found.covers(TEXT + ".")


def test_it_may_be_pasted_with_what_stands_around_it(sign: Sign) -> None:
    pasted = "$ ssh-keygen …\r\n  " + sign().replace("\n", "\r\n   ") + "\r\n$ "
    ssh_signature.require(ssh_signature.read(pasted), TEXT)


@pytest.mark.parametrize("slip", ["\n", "\r\n"])
def test_a_line_break_too_many_is_named(sign: Sign, slip: str) -> None:
    with pytest.raises(NotASignature, match="with printf and not echo"):
        ssh_signature.require(ssh_signature.read(sign(TEXT + slip)), TEXT)


def test_another_text_is_no_proof(sign: Sign) -> None:
    with pytest.raises(NotASignature, match="some other text"):
        ssh_signature.require(ssh_signature.read(sign("something")), TEXT)


@pytest.mark.parametrize("namespace", ["file", "git", "agentbbs2", "AGENTBBS"])
def test_another_namespace_is_no_proof(sign: Sign, namespace: str) -> None:
    with pytest.raises(NotASignature, match="-n agentbbs"):
        ssh_signature.read(sign(namespace=namespace))


@pytest.mark.parametrize(
    ("pasted", "why"),
    [
        ("", "from -----BEGIN"),
        ("hello", "from -----BEGIN"),
        ("-----BEGIN SSH SIGNATURE-----\nU1NI", "from -----BEGIN"),
        ("-----BEGIN SSH SIGNATURE-----\n-----END SSH SIGNATURE-----", "damaged"),
        ("-----BEGIN SSH SIGNATURE-----\n%%%\n-----END SSH SIGNATURE-----", "damaged"),
        ("-----BEGIN SSH SIGNATURE-----\nÜÜÜÜ\n-----END SSH SIGNATURE-----", "damaged"),
        ("-----BEGIN OPENSSH PRIVATE KEY-----", "never leaves your machine"),
        ("A" * 20_000, "too long"),
    ],
)
def test_what_is_none_says_what_to_do(pasted: str, why: str) -> None:
    with pytest.raises(NotASignature, match=why):
        ssh_signature.read(pasted)


def test_two_at_once_are_none(sign: Sign) -> None:
    with pytest.raises(NotASignature, match="from -----BEGIN"):
        ssh_signature.read(sign() + sign())


def field(value: bytes) -> bytes:
    return len(value).to_bytes(4, "big") + value


def made(key: bytes, algorithm: bytes, *, version: int = 1, reserved: bytes = b"", hash_name: bytes = b"sha512") -> str:
    fields = (key, NAMESPACE.encode(), reserved, hash_name, field(algorithm) + field(b"x" * 64))
    return armored(b"SSHSIG" + version.to_bytes(4, "big") + b"".join(map(field, fields)))


def key_blob(folder: Path, key: str) -> bytes:
    return base64.b64decode((folder / f"{key}.pub").read_text().split()[1])


def test_kinds_that_are_not_safe_or_not_known_are_refused_by_name(folder: Path) -> None:
    rsa, ed25519 = key_blob(folder, "rsa2048"), key_blob(folder, "ed25519")
    for pasted, why in (
        (made(rsa, b"ssh-rsa"), "SHA-1"),
        (made(rsa, b"ssh-ed25519"), "damaged"),
        (made(rsa, b"rsa2048-sha256"), "damaged"),
        (made(ed25519, b"rsa-sha2-512"), "damaged"),
        (made(ed25519, b"ssh-ed25519", version=2), "version"),
        (made(ed25519, b"ssh-ed25519", reserved=b"x"), "not known"),
        (made(ed25519, b"ssh-ed25519", hash_name=b"md5"), "not known"),
        (made(field(b"sk-ssh-ed25519@openssh.com") + field(b"k" * 32), b"x"), "security tokens"),
        (made(field(b"ssh-ed25519-cert-v01@openssh.com"), b"x"), "certificates"),
        (made(field(b"ssh-dss"), b"ssh-dss"), "no longer safe"),
        (made(field(b"ssh-ed25519") + field(b"k" * 31), b"ssh-ed25519"), "damaged"),
        (made(b"", b""), "damaged"),
    ):
        with pytest.raises(NotASignature, match=why):
            ssh_signature.read(pasted)


def test_a_key_hidden_in_a_type_is_no_key(folder: Path) -> None:
    line = " ".join((folder / "ed25519.pub").read_text().split()[:2])
    with pytest.raises(NotASignature):
        ssh_signature.read(made(field(line.encode()) + field(b"k" * 32), b"ssh-ed25519"))


@pytest.mark.parametrize("key", ["ed25519", "ecdsa256", "rsa2048"])
def test_cut_anywhere_it_does_not_count(folder: Path, sign: Sign, key: str) -> None:
    blob = blob_of(sign(key=key))
    fingerprint = keys.parse((folder / f"{key}.pub").read_text()).fingerprint
    assert counts(armored(blob), fingerprint)
    for end in range(len(blob)):
        assert not counts(armored(blob[:end]), fingerprint)
    assert not counts(armored(blob + b"\0"), fingerprint)


@pytest.mark.parametrize("key", ["ed25519", "ecdsa256", "rsa2048"])
def test_with_any_bit_flipped_it_does_not_count(folder: Path, sign: Sign, key: str) -> None:
    blob = blob_of(sign(key=key))
    fingerprint = keys.parse((folder / f"{key}.pub").read_text()).fingerprint
    for at in range(len(blob)):
        for bit in (0, 7) if len(blob) > 200 else range(8):
            flipped = bytearray(blob)
            flipped[at] ^= 1 << bit
            assert not counts(armored(bytes(flipped)), fingerprint), (at, bit)


@given(st.text(), st.binary(max_size=300))
def test_anything_at_all_is_refused(text: str, blob: bytes) -> None:
    assert not counts(text, "SHA256:x")
    assert not counts(armored(blob), "SHA256:x")
    assert not counts(armored(b"SSHSIG\0\0\0\1" + blob), "SHA256:x")


@given(st.lists(st.binary(max_size=80), min_size=5, max_size=5), st.sampled_from([b"ssh-ed25519", b"ssh-rsa"]))
def test_well_framed_nonsense_is_refused(fields: list[bytes], kind: bytes) -> None:
    key, *rest = fields
    framed = b"".join(map(field, [field(kind) + field(key), *rest]))
    assert not counts(armored(b"SSHSIG\0\0\0\1" + framed), "SHA256:x")
