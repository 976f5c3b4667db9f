"""The page of Agent Arena: what an agent's author needs is on it, its example holds, and its prose is what the code
does."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import msgspec
import pytest

from agentbbs.bots.catalog import BOTS
from agentbbs.games.catalog import HOUSE
from agentbbs.play import made_pages
from agentbbs.play.arena_page import PAGE, VECTOR, files, page, schemas
from agentbbs.play.arena_prose import RECIPE
from agentbbs.play.made_pages import field_notes
from agentbbs.protocol.arena import MoveRequest, Reply
from agentbbs.protocol.arena_board import arena_name
from agentbbs.protocol.arena_reply import Answer, judge
from agentbbs.protocol.signing import Scheme, Verifier, public_form
from agentbbs.protocol.strikes import STRIKES, StrikeRow
from agentbbs.referee import probing
from agentbbs.referee.addresses import AddressKind
from agentbbs.referee.attendance import SICK_FORFEITS
from agentbbs.referee.practice import PER_HOUR
from agentbbs.referee.probe import BUCKETS, MAX_REQUESTS
from agentbbs.referee.slots import PER_TARGET
from agentbbs.referee.webhook_seat import PAUSES_S
from agentbbs.store.endpoints import OLD_SECRET_MS
from agentbbs.web.api.errors import STATUS

TEXT = page()
PROSE = " ".join(TEXT.split())
REQUEST, REPLY = re.findall(r"```json\n(.*?)\n```", TEXT, re.DOTALL)


def test_the_example_is_a_request_and_its_reply_is_taken() -> None:
    asked = msgspec.json.decode(REQUEST, type=MoveRequest)
    ruling = judge(Answer(200, REPLY.encode()), nonce=asked.nonce, legal=asked.legal)
    assert ruling == Reply("d", asked.nonce)
    assert asked.move_number == asked.board.count("X") + asked.board.count("O") + 1
    assert asked.you == "XO"[(asked.move_number - 1) % 2]


@pytest.mark.parametrize("message", [MoveRequest, Reply])
def test_every_field_is_told(message: type[msgspec.Struct]) -> None:
    notes = field_notes(message)
    assert list(notes) == [field.name for field in msgspec.structs.fields(message)]
    assert [name for name, note in notes.items() if f"| `{name}` |" not in TEXT or note not in TEXT] == []


@pytest.mark.parametrize("row", StrikeRow)
def test_every_row_of_the_strike_table_is_told_with_its_remedy(row: StrikeRow) -> None:
    assert f"\n| `{row}` | {STRIKES[row].says} | {STRIKES[row].remedy} |\n" in TEXT


def test_every_game_of_the_house_is_drawn() -> None:
    for game in HOUSE:
        assert re.search(rf"\*\*`{arena_name(game)}`, {game.title}\.\*\*.*\n\n````\n```\n( [^\n]+\n)+```\n````\n", TEXT)


def test_the_published_vector_is_the_one_that_verifies() -> None:
    for scheme, secret in ((Scheme.HMAC, VECTOR.shared), (Scheme.ED25519, VECTOR.private)):
        headers = VECTOR.headers(scheme)
        assert all(f"`{value}`" in TEXT for value in headers.values())
        key = public_form(scheme, secret)
        assert f"`{key}`" in TEXT
        assert Verifier([key]).verify(headers, VECTOR.body.encode(), VECTOR.timestamp) == VECTOR.message_id
    assert VECTOR.private not in TEXT.replace(VECTOR.shared, "")


def test_the_recipe_takes_the_vector_and_no_other_body() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not here")
    given = json.dumps([VECTOR.shared, VECTOR.headers(Scheme.HMAC), VECTOR.body])
    script = f"""{RECIPE}
Date.now = () => {VECTOR.timestamp} * 1000;
const [secret, headers, body] = {given};
const late = {{ ...headers, "webhook-timestamp": "{VECTOR.timestamp - 301}" }};
console.log([
  fromTheReferee(secret, headers, Buffer.from(body)),
  fromTheReferee(secret, headers, Buffer.from(body + " ")),
  fromTheReferee(secret, late, Buffer.from(body)),
  fromTheReferee(secret, {{ ...headers, "webhook-signature": "v1a,AAAA v1," }}, Buffer.from(body)),
].join());
"""
    said = subprocess.run([node, "-e", script], capture_output=True, timeout=20, check=True, text=True)
    assert said.stdout.strip() == "true,false,false,false"


@pytest.mark.parametrize(
    "sentence",
    [
        "house agent ({}, {} or {})".format(*(f"`{bot}`" for bot in BOTS)),
        f"| requests at once to a host and port | {PER_TARGET} |",
        f"| practice matches an hour of an account | {PER_HOUR} |",
        f"{PER_HOUR} an hour an account",
        f"| forfeits in a row by timeout or connection | {SICK_FORFEITS} |",
        f"| probes an hour of an account | {probing.PER_HOUR} |",
        f"| URLs looked up an hour for an account | {probing.CHECKS_PER_HOUR} |",
        "({}, over 2 s)".format(", ".join(name for _, name in BUCKETS)),
        "no more than two requests go to a URL",
        "half a second, then a second,",
        "3 strikes in a match forfeit it (`forfeit: strikes`)",
        "Ports 443 and 8443,",
    ],
)
def test_what_stands_in_prose_is_what_the_code_does(sentence: str) -> None:
    assert sentence in PROSE


def test_what_the_words_of_the_prose_stand_for() -> None:
    assert (MAX_REQUESTS, PAUSES_S, OLD_SECRET_MS) == (2, (0.0, 0.5, 1.0), 24 * 3600 * 1000)


def test_every_error_of_the_api_is_named() -> None:
    assert [code for code in STATUS if f"`{code}`" not in TEXT] == []


def test_every_kind_of_address_that_a_name_can_lead_to_is_refused_in_words() -> None:
    words = {
        AddressKind.LOOPBACK: "Loopback",
        AddressKind.LINK_LOCAL: "link-local",
        AddressKind.CGNAT: "carrier-grade NAT",
        AddressKind.METADATA: "cloud-metadata",
        AddressKind.EMBEDDED: "IPv6 address that holds an IPv4 address",
        AddressKind.UNSPECIFIED: "reserved",
    }
    unnamed = set(AddressKind) - {AddressKind.PUBLIC, AddressKind.MALFORMED}
    assert [kind for kind in unnamed if words.get(kind, kind.value) not in PROSE] == []


def schema(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(schemas()[f"agentarena-{name}.json"])
    return found


def test_the_schemas_need_what_the_wire_needs() -> None:
    asked, reply = schema("request"), schema("reply")
    assert asked["required"] == list(asked["properties"]) == list(json.loads(REQUEST))
    assert (asked["properties"]["protocol"]["const"], asked["properties"]["type"]["const"]) == (
        "agentarena/1",
        "move_request",
    )
    assert reply["required"] == ["move", "nonce"]
    assert "additionalProperties" not in asked | reply


def test_what_is_out_of_date_is_named_and_then_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    made = files()
    monkeypatch.setattr("sys.argv", ["page", "--check"])
    assert made_pages.write_or_check(made, "page", None) == 1
    assert str(PAGE) in capsys.readouterr().err
    monkeypatch.setattr("sys.argv", ["page"])
    assert made_pages.write_or_check(made, "page", None) == 0
    monkeypatch.setattr("sys.argv", ["page", "--check"])
    assert made_pages.write_or_check(made, "page", None) == 0
    assert PAGE.read_text() == TEXT
