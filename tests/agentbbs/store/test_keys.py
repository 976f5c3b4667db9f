"""SSH public keys. The keys and their fingerprints are ssh-keygen's."""

from __future__ import annotations

import base64
import contextlib
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentbbs.store import keys
from agentbbs.store.database import Database
from agentbbs.store.keys import KeyFault, KeyTaken, KeyTooWeak, NotAPublicKey, parse

ED25519 = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIL/uYtAJYFYwCMmjw0vDgEiHWTlPRY9oAJiOV78sRLbl"
P256 = (
    "ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBC72wk9cB2BKrvn3lIFF5+eXbjbdgOGy89rUCqff"
    "Mg5pQey6bWA5M3YT9Qzu9nPDx6S6PXR5H/vnN8lH6vaPB2M="
)
P384 = (
    "ecdsa-sha2-nistp384 AAAAE2VjZHNhLXNoYTItbmlzdHAzODQAAAAIbmlzdHAzODQAAABhBAu3ZfGhrQglKyP6OXqSAIcxmQ8UB9Dxc3ekv3n3"
    "59doONoKo5pm1hekufIcPPGlnQoUPuEQvcJ00bV4/NblotwFqzoerynf5JYqso1kpT6qf3pUGcy+sTMwpAspdU6IRQ=="
)
P521 = (
    "ecdsa-sha2-nistp521 AAAAE2VjZHNhLXNoYTItbmlzdHA1MjEAAAAIbmlzdHA1MjEAAACFBAEuLijsA1U8HFRVedXV8zAa8eIO4sYttLjgxaLi"
    "5bEwuOLxd9Twde+65LtACU5NGT86tmS4NMprc4XOOHjLHmENSwH6B1I0Spfvz6ajij2oID1ZzzB4KoSVb17D+IVtSqhyecKlgg/31Y+ygSTsvbkj"
    "pVaGCqrkp0Yx+m7G5tBWNnhzFQ=="
)
RSA2048 = (
    "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQDOLO7LJtHJa6Hdg84gcunaLpbIydZTqKbkKlEyqQNng0nui7n416DNHQqHXpDljt/3hg2g09jC"
    "GWR+r0PMGefph+b+kRCJW1b/ZW2Q/drw327GMNaoBGkbW9YbpNxJ6AZpilrLS2YPoXVQsy6p3yvR9DYp6hRLmUCudYf/t9mNhAQjRSXxD7nDg7gt"
    "3gg9lfI8iWhM7leRRYnplceInMUsgJmK1Svt5qle1gSfi0n8zXkfnBMNLL4vExjeDA2eCqIheFhAWK0Yx0xSCDoHAKjHDQjBBUzrislG9N4p/eHJ"
    "zmrEM1EQq5HfrY7DbRu9UnIDI/DDrTfebn2rnesFueBr"
)
RSA1024 = (
    "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAAgQDo2CngLInOTSZOCWmsn0ApjUx/yOx1M5opgXdfwCtHqowkYpUIAMROHddeFcQiQShdxPiFam8f"
    "yZE2hZdI+8VpCin5ZYHLo2gAUlX6P/tzV/0PNMxjZPBdT/cAJe++e0Fz3VXFtTHcrewJw9NFLZE+cWeyiofekl847jgwu7/IWQ=="
)
DSA = "ssh-dss AAAAB3NzaC1kc3MAAACBAMLu"

FINGERPRINTS = {
    ED25519: "SHA256:weDi0kIzxlEaHZKD7XmJZzs7pO00AOzn3xL97UYMd7I",
    P256: "SHA256:IZ2aPo8CkciOc7iBGgf+hYaXPB9F3Ca7Xj7rkEPGgd0",
    P384: "SHA256:4bkR5jtmONPdr+0Kt6BpY0rdo64JlDISFFwXlE9+Pww",
    P521: "SHA256:FuSjjo+vrqA3fk0QU6LsQC86uECQVTrdEVvcuF5Pb80",
    RSA2048: "SHA256:t7LRwbBARNfI+1TWOHlCdu1D0DcBQRv/dZcidv6d7vY",
}


def _blob(*fields: bytes) -> str:
    return base64.b64encode(b"".join(len(field).to_bytes(4, "big") + field for field in fields)).decode()


@pytest.mark.parametrize("line", FINGERPRINTS, ids=lambda line: line.split()[0])
def test_a_key_of_ssh_keygen_is_taken_with_its_fingerprint(line: str) -> None:
    key = parse(f"{line} agent@work, the old one\n")
    assert key == keys.PublicKey(line.split(maxsplit=1)[0], line, "agent@work, the old one", FINGERPRINTS[line])
    assert parse(f"  {line}\r\n").comment == ""


def test_fresh_keys_agree_with_ssh_keygen(tmp_path: Path) -> None:
    for kind in ("ed25519", "ecdsa"):
        path = tmp_path / kind
        try:
            subprocess.run(["ssh-keygen", "-q", "-N", "", "-t", kind, "-f", path], check=True, timeout=30)
        except FileNotFoundError:
            pytest.skip("ssh-keygen is not installed")
        shown = subprocess.run(
            ["ssh-keygen", "-lf", f"{path}.pub"], check=True, timeout=30, capture_output=True, text=True
        )
        assert parse(path.with_suffix(".pub").read_text()).fingerprint == shown.stdout.split()[1]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "not one line of an OpenSSH public key"),
        ("hello", "not one line"),
        (ED25519 + "\n" + P256, "not one line"),
        ("-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl\n-----END OPENSSH PRIVATE KEY-----\n", "never leaves your machine"),
        ("ssh-ed25519 AAAA*C3N", "not base64"),
        ("ssh-ed25519 AAAÄ", "not base64"),
        ("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIL/uYtAJYFYw", "damaged"),
        (ED25519 + "x" * 9000, "not one line"),
        (ED25519.replace("ssh-ed25519", "ssh-rsa"), "not the type that the key itself names"),
        ("no-pty " + ED25519, "not base64"),
        (f"ssh-ed25519 {_blob(b'ssh-ed25519', bytes(31))}", "32 bytes"),
        (f"ssh-ed25519 {_blob(b'ssh-ed25519', bytes(32), b'more')}", "something follows its end"),
        (f"ecdsa-sha2-nistp256 {_blob(b'ecdsa-sha2-nistp256', b'nistp384', bytes(97))}", "two curves"),
        (f"ecdsa-sha2-nistp256 {_blob(b'ecdsa-sha2-nistp256', b'nistp256', bytes(65))}", "no point of nistp256"),
        (f"ecdsa-sha2-nistp256 {_blob(b'ecdsa-sha2-nistp256', b'nistp256', bytes([4, 1]))}", "no point of nistp256"),
        (f"ssh-rsa {_blob(b'ssh-rsa', bytes([3]), b'')}", "a number in it is malformed"),
        (f"ssh-rsa {_blob(b'ssh-rsa', bytes([0x80]), bytes([1] * 256))}", "a number in it is malformed"),
        (f"ssh-rsa {_blob(b'ssh-rsa', bytes([0, 3]), bytes([1] * 256))}", "a number in it is malformed"),
        (f"ssh-rsa {_blob(b'ssh-rsa', bytes([2]), bytes([0x7F] * 257))}", "no RSA key"),
        (f"ssh-rsa {_blob(b'ssh-rsa', bytes([3]), bytes([0x7F] * 2049))}", "too long"),
        (f"sk-ssh-ed25519@openssh.com {_blob(b'sk-ssh-ed25519@openssh.com', bytes(32), b'ssh:')}", "are not taken"),
        (f"ssh-ed25519-cert-v01@openssh.com {_blob(b'ssh-ed25519-cert-v01@openssh.com')}", "are not taken"),
        (f"ecdsa-sha2-nistp192 {_blob(b'ecdsa-sha2-nistp192')}", "are not taken"),
    ],
)
def test_what_is_no_public_key_is_refused_with_a_way_out(text: str, says: str) -> None:
    with pytest.raises(NotAPublicKey, match=says) as refused:
        parse(text)
    assert str(refused.value).isprintable()


@pytest.mark.parametrize("line", [RSA1024, f"ssh-dss {_blob(b'ssh-dss', bytes(128))}"])
def test_weak_keys_are_refused_with_a_better_one_named(line: str) -> None:
    with pytest.raises(KeyTooWeak, match="ssh-keygen -t ed25519"):
        parse(line)


@given(st.data())
def test_a_key_cut_or_changed_anywhere_is_taken_or_refused_and_nothing_else(data: st.DataObject) -> None:
    blob = bytearray(base64.b64decode(data.draw(st.sampled_from([*FINGERPRINTS])).split()[1]))
    at = data.draw(st.integers(0, len(blob) - 1))
    if data.draw(st.booleans()):
        del blob[at:]
    else:
        blob[at] ^= data.draw(st.integers(1, 255))
    kind = data.draw(st.sampled_from(["ssh-ed25519", "ssh-rsa", "ecdsa-sha2-nistp256"]))
    with contextlib.suppress(KeyFault):
        assert parse(f"{kind} {base64.b64encode(blob).decode()}").kind == kind


@given(st.text())
def test_any_text_is_refused_in_words(text: str) -> None:
    with pytest.raises(KeyFault):
        parse(text)


def test_a_key_belongs_to_one_account(database: Database, enrol: Callable[[int], list[int]]) -> None:
    one, other = enrol(2)
    with database.begin() as conn:
        stored = keys.add(conn, one, parse(ED25519 + " laptop"), now_ms=5)
        keys.add(conn, one, parse(P256), now_ms=6)
        with pytest.raises(KeyTaken, match=r"'agent-001' has the key SHA256:.* already: nothing to do"):
            keys.add(conn, one, parse(ED25519 + " another comment"), now_ms=7)
        with pytest.raises(KeyTaken, match=r"belongs to the account 'agent-001'.*ssh-keygen"):
            keys.add(conn, other, parse(ED25519), now_ms=8)
    with database.connect() as conn:
        assert stored == keys.StoredKey(stored.id, one, FINGERPRINTS[ED25519], ED25519, "laptop", 5)
        assert keys.by_fingerprint(conn, FINGERPRINTS[ED25519]) == stored
        assert keys.by_fingerprint(conn, FINGERPRINTS[P384]) is None
        assert [key.fingerprint for key in keys.of_account(conn, one)] == [FINGERPRINTS[ED25519], FINGERPRINTS[P256]]
        assert keys.of_account(conn, other) == ()


def test_keys_that_were_taken_away_may_be_anothers(database: Database, enrol: Callable[[int], list[int]]) -> None:
    one, other = enrol(2)
    with database.begin() as conn:
        keys.add(conn, one, parse(ED25519), now_ms=1)
        keys.add(conn, one, parse(P256), now_ms=1)
        assert keys.remove_all(conn, one) == 2
        assert keys.add(conn, other, parse(ED25519), now_ms=2).account_id == other
