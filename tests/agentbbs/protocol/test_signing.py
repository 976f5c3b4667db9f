"""Signed requests: published vectors, openssl and RFC 2104 by hand beside them, and what a receiver refuses."""

from __future__ import annotations

import base64
import hashlib
import json
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentbbs.protocol import signing
from agentbbs.protocol.signing import (
    BadSignature,
    FromTheFuture,
    MissingHeader,
    Replayed,
    Scheme,
    Signer,
    TooOld,
    Verifier,
    WrongKey,
    WrongSignature,
    new_secret,
    public_form,
    sign,
)

BODY: Final = '{"move_number": 7,  "opponent":"GRÉMLIN-9"}\n'.encode()
ID: Final = "msg_2f1c9a"
AT: Final = 1_790_000_000
SHARED: Final = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
PRIVATE: Final = "whsk_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
PUBLIC: Final = "whpk_A6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg="
BY_HMAC: Final = "v1,fP2gt4kjMUjQcU6nLFJp+tHrzbdjCt3Xfat42BVeOn8="
BY_ED25519: Final = "v1a,YTPuucEuCfh2+eba/KE7t+ovagBCbKC14bnul8zLiyqf6FWQHMEPaJnTGiZDgcWA7dpjryedsLn9vwIeu5VQBQ=="

HMAC_SIGNER: Final = Signer(Scheme.HMAC, SHARED)
ED25519_SIGNER: Final = Signer(Scheme.ED25519, PRIVATE)
KEY_OF: Final = {HMAC_SIGNER: SHARED, ED25519_SIGNER: PUBLIC}
OTHER: Final = new_secret(Scheme.HMAC, bytes(32))

both = pytest.mark.parametrize("signer", [HMAC_SIGNER, ED25519_SIGNER], ids=str)


def signed(signer: Signer = HMAC_SIGNER, *, at: int = AT, message_id: str = ID, body: bytes = BODY) -> dict[str, str]:
    return sign([signer], message_id, at, body)


# Vectors


def test_the_published_vectors() -> None:
    assert (new_secret(Scheme.HMAC, bytes(range(32))), new_secret(Scheme.ED25519, bytes(range(32)))) == (
        SHARED,
        PRIVATE,
    )
    assert (public_form(Scheme.HMAC, SHARED), public_form(Scheme.ED25519, PRIVATE)) == (SHARED, PUBLIC)
    assert sign([HMAC_SIGNER, ED25519_SIGNER], ID, AT, BODY) == {
        "webhook-id": ID,
        "webhook-timestamp": "1790000000",
        "webhook-signature": f"{BY_HMAC} {BY_ED25519}",
    }


def test_what_the_reference_library_of_standard_webhooks_signs() -> None:
    """Taken down from its Python edition, release 1.1.0."""
    signer = Signer(Scheme.HMAC, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    headers = sign([signer], "msg_p5jXN8AQM9LWM0D4loKWxEk", 1_614_265_330, b'{"test": 2432232314}')
    assert headers["webhook-signature"] == "v1,M04OjfrIllUQVh7F6qzV64l0HX5jtzZ3ZYON+pgbpLA="


def test_hmac_by_hand() -> None:
    """RFC 2104: H(K xor opad, H(K xor ipad, text)), the key filled up to a block of 64 bytes."""
    key = bytes(range(32)).ljust(64, b"\0")
    text = f"{ID}.{AT}.".encode() + BODY
    inner = hashlib.sha256(bytes(byte ^ 0x36 for byte in key) + text).digest()
    outer = hashlib.sha256(bytes(byte ^ 0x5C for byte in key) + inner).digest()
    assert f"v1,{base64.b64encode(outer).decode()}" == BY_HMAC


def openssl(*args: str | Path, data: bytes = b"") -> bytes:
    program = shutil.which("openssl")
    if program is None:
        pytest.skip("openssl is not here")
    done = subprocess.run([program, *args], input=data, capture_output=True, timeout=20, check=True)
    return done.stdout


def test_openssl_makes_the_same_hmac() -> None:
    key = bytes(range(32)).hex()
    found = openssl("dgst", "-sha256", "-mac", "HMAC", "-macopt", f"hexkey:{key}", "-binary", data=_text())
    assert f"v1,{base64.b64encode(found).decode()}" == BY_HMAC


def test_openssl_takes_the_ed25519_signature(tmp_path: Path) -> None:
    """A raw public key is wrapped as RFC 8410 has it."""
    wrapped = bytes.fromhex("302a300506032b6570032100") + base64.b64decode(PUBLIC.removeprefix("whpk_"))
    (tmp_path / "key").write_bytes(wrapped)
    (tmp_path / "text").write_bytes(_text())
    (tmp_path / "signature").write_bytes(base64.b64decode(BY_ED25519.removeprefix("v1a,")))
    key = ("-pubin", "-keyform", "DER", "-inkey", tmp_path / "key")
    said = openssl("pkeyutl", "-verify", *key, "-rawin", "-in", tmp_path / "text", "-sigfile", tmp_path / "signature")
    assert b"Verified Successfully" in said


def _text() -> bytes:
    return f"{ID}.{AT}.".encode() + BODY


# There and back


@both
@given(body=st.binary(max_size=200), at=st.integers(0, 10**13), message_id=st.text("abcXYZ019_-", min_size=1))
def test_what_is_signed_is_taken(signer: Signer, body: bytes, at: int, message_id: str) -> None:
    headers = sign([signer], message_id, at, body)
    assert Verifier([KEY_OF[signer]]).verify(headers, body, at) == message_id


@both
@given(body=st.binary(min_size=1, max_size=60), data=st.data())
def test_one_bit_of_the_body_is_enough(signer: Signer, body: bytes, data: st.DataObject) -> None:
    changed = bytearray(body)
    changed[data.draw(st.integers(0, len(body) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    with pytest.raises(WrongSignature):
        Verifier([KEY_OF[signer]]).verify(sign([signer], ID, AT, body), bytes(changed), AT)


@both
@pytest.mark.parametrize("change", [{"webhook-id": "msg_2f1c9b"}, {"webhook-timestamp": "1790000001"}])
def test_the_id_and_the_time_are_signed_too(signer: Signer, change: dict[str, str]) -> None:
    with pytest.raises(WrongSignature):
        Verifier([KEY_OF[signer]]).verify(signed(signer) | change, BODY, AT)


@pytest.mark.parametrize("name", [str.lower, str.upper, str.title])
def test_header_names_in_any_case(name: Callable[[str], str]) -> None:
    headers = {name(key): f" {value} " for key, value in signed().items()}
    assert Verifier([SHARED]).verify(headers, BODY, AT) == ID


# Case 153


def test_case_153_a_captured_request_is_taken_once() -> None:
    verifier = Verifier([SHARED])
    assert verifier.verify(signed(), BODY, AT) == ID
    for later in (0, 1, 299):
        with pytest.raises(Replayed):
            verifier.verify(signed(), BODY, AT + later)
    with pytest.raises(TooOld):
        verifier.verify(signed(), BODY, AT + 301)


@both
def test_case_153_what_the_clocks_may_differ_by(signer: Signer) -> None:
    for now, refusal in ((AT + 300, None), (AT + 300.1, TooOld), (AT - 30, None), (AT - 30.1, FromTheFuture)):
        verifier = Verifier([KEY_OF[signer]])
        if refusal is None:
            assert verifier.verify(signed(signer), BODY, now) == ID
        else:
            with pytest.raises(refusal):
                verifier.verify(signed(signer), BODY, now)


def test_case_153_each_attempt_is_signed_anew() -> None:
    verifier = Verifier([SHARED])
    first, again = signed(), signed(at=AT + 10, message_id="msg_2f1c9b")
    assert not set(first.values()) & set(again.values())
    assert [verifier.verify(each, BODY, AT + 10) for each in (first, again)] == [ID, "msg_2f1c9b"]


def test_case_153_an_old_request_with_a_new_time_is_not_taken() -> None:
    with pytest.raises(WrongSignature):
        Verifier([SHARED]).verify(signed() | {"webhook-timestamp": str(AT + 600)}, BODY, AT + 600)


def test_a_wrong_signature_uses_up_no_id() -> None:
    verifier = Verifier([SHARED])
    with pytest.raises(WrongSignature):
        verifier.verify(signed(), BODY + b" ", AT)
    assert verifier.verify(signed(), BODY, AT) == ID


def test_the_memory_of_ids_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signing, "SEEN_IDS", 3)
    verifier = Verifier([SHARED])
    for number in range(5):
        verifier.verify(signed(message_id=f"m{number}"), BODY, AT)
    assert len(verifier._seen) == 3
    with pytest.raises(Replayed):
        verifier.verify(signed(message_id="m2"), BODY, AT)


# Case 154


@both
def test_case_154_a_body_that_was_parsed_and_written_again_is_another(signer: Signer) -> None:
    headers = signed(signer)
    for written in (json.dumps(json.loads(BODY)), json.dumps(json.loads(BODY), ensure_ascii=False)):
        with pytest.raises(WrongSignature):
            Verifier([KEY_OF[signer]]).verify(headers, written.encode(), AT)
    assert Verifier([KEY_OF[signer]]).verify(headers, BODY, AT) == ID


# What else is refused


@pytest.mark.parametrize("name", ["webhook-id", "webhook-timestamp", "webhook-signature"])
def test_a_missing_header_is_named(name: str) -> None:
    headers = {key: value for key, value in signed().items() if key != name}
    with pytest.raises(MissingHeader, match=name):
        Verifier([SHARED]).verify(headers, BODY, AT)


@pytest.mark.parametrize(
    "change",
    [
        {"webhook-timestamp": ""},
        {"webhook-timestamp": "1790000000.5"},
        {"webhook-timestamp": "-1"},
        {"webhook-timestamp": "+1790000000"},
        {"webhook-timestamp": "01790000000"},
        {"webhook-timestamp": "1_790_000_000"},
        {"webhook-timestamp": "\u0661"},
        {"webhook-timestamp": "9" * 5_000},
        {"webhook-timestamp": "nan"},
        {"webhook-id": ""},
        {"webhook-id": "msg.2"},
        {"webhook-id": "m" * 257},
        {"webhook-id": "\ud800"},
    ],
)
def test_a_header_that_makes_no_sense(change: dict[str, str]) -> None:
    with pytest.raises(MissingHeader):
        Verifier([SHARED]).verify(signed() | change, BODY, AT)


@pytest.mark.parametrize(
    "signature",
    [
        "",
        "v1",
        "v1,",
        ",",
        "v1,====",
        "v1,\u00e9",
        "v1,\ud800",
        BY_HMAC.replace("v1,", "v1a,"),
        BY_HMAC.replace("v1,", "v2,"),
        BY_HMAC.replace("v1,", "V1,"),
        BY_HMAC.removesuffix("="),
        BY_HMAC.replace(",", ", "),
        BY_ED25519,
        " ".join([BY_ED25519] * 8 + [BY_HMAC]),
    ],
)
def test_a_header_without_a_signature_that_fits(signature: str) -> None:
    with pytest.raises(WrongSignature):
        Verifier([SHARED]).verify(signed() | {"webhook-signature": signature}, BODY, AT)


def test_a_signature_of_one_scheme_is_never_tried_with_a_key_of_the_other() -> None:
    """Whoever knows the public key could else make an HMAC with it."""
    public = base64.b64decode(PUBLIC.removeprefix("whpk_"))
    forged = Signer(Scheme.HMAC, new_secret(Scheme.HMAC, public))
    for version in ("v1", "v1a"):
        headers = signed(forged)
        headers["webhook-signature"] = headers["webhook-signature"].replace("v1,", f"{version},")
        with pytest.raises(WrongSignature):
            Verifier([PUBLIC]).verify(headers, BODY, AT)


@given(
    st.dictionaries(
        st.sampled_from(["webhook-id", "Webhook-Timestamp", "webhook-signature"]), st.text() | st.just("1790000000")
    ),
    st.binary(max_size=20),
    st.floats(0, 2e10),
)
def test_whatever_comes_is_refused_and_nothing_else(headers: Mapping[str, str], body: bytes, now: float) -> None:
    with pytest.raises(BadSignature):
        Verifier([SHARED, PUBLIC]).verify(headers, body, now)


# Rotation and keys


def test_while_a_secret_is_rotated_either_will_do() -> None:
    headers = sign([Signer(Scheme.HMAC, OTHER), HMAC_SIGNER], ID, AT, BODY)
    assert headers["webhook-signature"].count(" ") == 1
    for keys in ([SHARED], [OTHER], [SHARED, OTHER], [PUBLIC, OTHER]):
        assert Verifier(keys).verify(headers, BODY, AT) == ID


def test_no_signer_no_headers() -> None:
    assert sign([], ID, AT, BODY) == {}


@pytest.mark.parametrize(
    "secret",
    [
        "",
        "whsec_",
        "whsec_AAAA",
        SHARED.removeprefix("whsec_"),
        SHARED.upper(),
        PRIVATE,
        PUBLIC,
        SHARED + "=",
        SHARED[:-1],
        SHARED + "\n",
        "whsec_" + base64.b64encode(bytes(23)).decode(),
        "whsec_" + base64.b64encode(bytes(65)).decode(),
        "whsec_\u00e9",
    ],
)
def test_what_is_no_shared_secret(secret: str) -> None:
    for using in (lambda: Signer(Scheme.HMAC, secret), lambda: public_form(Scheme.HMAC, secret)):
        with pytest.raises(WrongKey) as refused:
            using()
        assert len(secret) < 12 or secret.strip() not in str(refused.value)
    if secret != PUBLIC:
        with pytest.raises(WrongKey):
            Verifier([secret])


@pytest.mark.parametrize("size", [0, 31, 33, 63, 64, 65])
def test_a_private_key_is_32_bytes_or_these_and_its_public_key(size: int) -> None:
    with pytest.raises(WrongKey):
        Signer(Scheme.ED25519, "whsk_" + base64.b64encode(bytes(size)).decode())
    with_public = bytes(range(32)) + base64.b64decode(PUBLIC.removeprefix("whpk_"))
    written = Signer(Scheme.ED25519, "whsk_" + base64.b64encode(with_public).decode())
    assert signed(written) == signed(ED25519_SIGNER)


@pytest.mark.parametrize("size", [0, 31, 33])
def test_a_public_key_is_32_bytes(size: int) -> None:
    with pytest.raises(WrongKey):
        Verifier(["whpk_" + base64.b64encode(bytes(size)).decode()])


@pytest.mark.parametrize("size", [0, 31, 33, 64])
def test_a_new_secret_is_made_of_32_bytes(size: int) -> None:
    for scheme in Scheme:
        with pytest.raises(WrongKey):
            new_secret(scheme, bytes(size))


def test_a_verifier_needs_a_key() -> None:
    with pytest.raises(WrongKey):
        Verifier([])


@pytest.mark.parametrize(
    ("message_id", "at"), [("", AT), ("a.b", AT), ("a b", AT), ("\u00e9", AT), ("a\n", AT), (ID, -1)]
)
def test_what_is_not_to_be_signed(message_id: str, at: int) -> None:
    with pytest.raises(ValueError, match="not to be signed"):
        sign([HMAC_SIGNER], message_id, at, BODY)


@both
def test_a_signer_does_not_show_its_secret(signer: Signer) -> None:
    assert signer.secret.partition("_")[2] not in f"{signer} {signer!r} {[signer]}"
