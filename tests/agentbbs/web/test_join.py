"""`/join`: how a reader becomes an account, and what it is told where it does not."""

from __future__ import annotations

import base64
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import pytest

from agentbbs.store import accounts, bans, credentials, invites, keys
from agentbbs.store.database import Database
from agentbbs.store.registration import BURST, Policy
from agentbbs.web.entry.own_account import now_ms

from .site import Site
from .visitor import SESSION, Answer, Visitor

ONE: Final = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl"
TWO: Final = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBl4gfPEH/3/FVmzuz7rv8GkwzEk0W9h5jyC3gWsbaGK"


@asynccontextmanager
async def serving(migrated: Path, folder: Path, policy: Policy) -> AsyncIterator[Site]:
    """A site with another policy."""
    database = Database(f"sqlite:///{shutil.copy(migrated, folder / 'venue.db')}").open()
    async with Site(database, None, policy=policy).served() as served:
        yield served


async def join(visitor: Visitor, **fields: str) -> Answer:
    shown = await visitor.get("/join")
    return await visitor.post("/join", fields, key=shown.form_key())


def wrong_fields(answer: Answer) -> list[str | None]:
    """What the page marks as wrong."""
    return [one.get("name") for one in answer.page.all("input", "textarea") if one.get("aria-invalid") == "true"]


def names(site: Site) -> list[str]:
    with site.database.connect() as conn:
        return [account.name for account in accounts.all_accounts(conn)]


async def test_a_name_and_a_key_make_an_account_that_is_signed_in(site: Site) -> None:
    visitor = Visitor(site)
    answer = await join(visitor, name=" gremlin ", public_key=f"{ONE} me@desk\r\n")
    assert answer.leads_to == "/account?joined=1"
    page = (await visitor.get(answer.leads_to)).page
    assert page.texts("h1") == ["gremlin"]
    assert "make a token" in page.text
    with site.database.connect() as conn:
        account = accounts.find(conn, "gremlin")
        (key,) = keys.of_account(conn, account.id)
    assert (key.line, key.comment, account.password_hash) == (ONE, "me@desk", None)


async def test_the_session_is_the_keys(site: Site) -> None:
    visitor = Visitor(site)
    await join(visitor, name="gremlin", public_key=ONE)
    with site.database.begin() as conn:
        account = accounts.find(conn, "gremlin")
        credentials.add_key(conn, account.id, keys.parse(TWO), now_ms=now_ms())
        (first, _) = keys.of_account(conn, account.id)
        credentials.remove_key(conn, account.id, first.id, now_ms=now_ms())
    assert (await visitor.get("/account")).status == 303


@pytest.mark.parametrize(
    ("name", "key", "field", "why"),
    [
        ("", ONE, "name", "2 to 24 characters"),
        ("a b", ONE, "name", "letters"),
        ("sysop", ONE, "name", "reserved"),
        ("<b>x</b>", ONE, "name", "can't be used"),
        ("x" * 101, ONE, "name", "too long"),
        ("gremlin", "", "public_key", "not one line"),
        ("gremlin", "hello", "public_key", "not one line"),
        ("gremlin", ONE[:-8], "public_key", "damaged"),
        ("gremlin", f"{ONE}\n{TWO}", "public_key", "not one line"),
        ("gremlin", "-----BEGIN OPENSSH PRIVATE KEY-----", "public_key", "never leaves your machine"),
        ("gremlin", "ssh-dss AAAAB3NzaC1kc3MAAAAA", "public_key", "no longer safe"),
    ],
)
async def test_what_is_wrong_is_named_and_what_was_typed_is_kept(
    site: Site, name: str, key: str, field: str, why: str
) -> None:
    visitor = Visitor(site)
    answer = await join(visitor, name=name, public_key=key)
    assert answer.status == 422
    assert wrong_fields(answer) == [field]
    assert why in answer.page.text
    (alert,) = [one for one in answer.page.root.iter() if one.get("role") == "alert"]
    assert "autofocus" in alert.attrib
    if len(name) <= 100:
        assert (answer.field("name"), answer.field("public_key")) == (name, key)
    assert SESSION not in visitor.cookies
    assert names(site) == []


async def test_a_taken_name_is_the_names_fault(site: Site) -> None:
    site.token("gremlin")
    answer = await join(Visitor(site), name="GREML1N", public_key=ONE)
    assert (answer.status, wrong_fields(answer)) == (422, ["name"])
    assert "looks like that of the account" in answer.page.text


async def test_a_taken_key_does_not_tell_whose_it_is(site: Site) -> None:
    await join(Visitor(site), name="gremlin", public_key=ONE)
    answer = await join(Visitor(site), name="goblin", public_key=ONE)
    assert (answer.status, wrong_fields(answer)) == (422, ["public_key"])
    assert "gremlin" not in answer.text
    assert names(site) == ["gremlin"]


async def test_one_address_makes_so_many_and_no_more(site: Site) -> None:
    visitor = Visitor(site)
    for number in range(BURST):
        assert (await join(visitor, name="new", public_key=make(99))).status == 422, "a refused name does not count"
        assert (await join(visitor, name=f"agent-{number}", public_key=make(number))).status == 303
    answer = await join(visitor, name="one-more", public_key=make(98))
    assert (answer.status, int(answer.headers["retry-after"]) > 0) == (429, True)
    assert answer.field("name") == "one-more"


def make(number: int) -> str:
    """The line of a key that nobody has the other half of."""
    blob = b"".join(len(one).to_bytes(4, "big") + one for one in (b"ssh-ed25519", bytes([number]) * 32))
    return f"ssh-ed25519 {base64.b64encode(blob).decode()}"


async def test_a_banned_address_makes_none(site: Site) -> None:
    with site.database.begin() as conn:
        bans.ban_network(conn, None, "127.0.0.1", reason="abuse", now_ms=now_ms())
    answer = await join(Visitor(site), name="gremlin", public_key=ONE)
    assert (answer.status, "Your address is banned" in answer.page.text, names(site)) == (422, True, [])


async def test_by_invite(migrated: Path, tmp_path: Path) -> None:
    async with serving(migrated, tmp_path, Policy.INVITE) as site:
        with site.database.begin() as conn:
            code = invites.mint(conn, None, now_ms=now_ms())
        visitor = Visitor(site)
        for wrong in ("", "AAAAA-BBBBB-CCCCC-DDDDD"):
            answer = await join(visitor, name="gremlin", public_key=ONE, invite=wrong)
            assert (answer.status, wrong_fields(answer)) == (422, ["invite"])
            assert answer.field("invite") == wrong
        assert (await join(visitor, name="gremlin", public_key=ONE, invite=code.lower())).status == 303
        answer = await join(Visitor(site), name="goblin", public_key=TWO, invite=code)
        assert (answer.status, wrong_fields(answer)) == (422, ["invite"])


async def test_where_nobody_may_the_page_says_whom_to_ask(migrated: Path, tmp_path: Path) -> None:
    async with serving(migrated, tmp_path, Policy.CLOSED) as site:
        visitor = Visitor(site)
        page = (await visitor.get("/join")).page
        assert (page.all("form"), "ask the operator" in page.text) == ([], True)
        answer = await visitor.post("/join", {"name": "gremlin", "public_key": ONE})
        assert (answer.status, names(site)) == (422, [])
        assert "ask the operator" in (await visitor.get("/sign-in")).page.text


async def test_an_invite_is_not_asked_for_where_none_is_wanted(site: Site) -> None:
    page = (await Visitor(site).get("/join")).page
    assert [one.get("name") for one in page.all("input", "textarea")] == ["form_key", "name", "public_key"]
