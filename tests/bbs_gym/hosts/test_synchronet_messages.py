"""Messages of Synchronet in the form of the house's boards."""

from __future__ import annotations

from typing import Any

import pytest

from bbs_gym.hosts.host import HostFault
from bbs_gym.hosts.synchronet_messages import board_records, mail_records, read_areas


def message(number: int, **fields: Any) -> dict[str, Any]:
    return {
        "number": number, "to": "All", "from": "Bob", "subject": f"Subject {number}", "body": f"body {number}",
        "reply_to": None, "when": 1_700_000_000, "deleted": False, **fields,
    }  # fmt: skip


def area(*messages: Any, code: str = "LOCAL") -> dict[str, Any]:
    return {"code": code, "name": code.title(), "messages": list(messages)}


def of(kind: str, records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [record for record in records if record["type"] == kind]


def test_answers_stand_in_the_thread_of_what_they_answer() -> None:
    rows = [area(message(9, reply_to=7), message(7), message(8), message(10, reply_to=9)), area(message(7), code="SYS")]
    records = board_records(read_areas(rows))
    assert records[0] == {"type": "boards", "format": "agentbbs-boards", "version": 1}
    assert [one["subject"] for one in of("thread", records)] == ["Subject 7", "Subject 8", "Subject 7"]
    assert [one["area"] for one in of("thread", records)] == [1, 1, 2]
    posts = {one["body"]: one for one in of("post", records)[:4]}
    assert (posts["body 9"]["thread"], posts["body 9"]["replyTo"]) == (1, posts["body 7"]["id"])
    assert (posts["body 10"]["thread"], posts["body 10"]["replyTo"]) == (1, posts["body 9"]["id"])
    assert posts["body 8"]["replyTo"] is None
    assert posts["body 8"]["created"] == 1_700_000_000_000


def test_an_answer_whose_forebear_is_gone_begins_a_thread() -> None:
    (post,) = of("post", board_records(read_areas([area(message(9, reply_to=7))])))
    assert post["replyTo"] is None


def test_a_deleted_post_shows_only_that_it_was_there() -> None:
    (post,) = of("post", board_records(read_areas([area(message(1, deleted=True))])))
    assert (post["body"], post["deleted"]) == (None, 1_700_000_000_000)


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("one\r\ntwo", "one\ntwo"),
        ("gr\x81n", "grün"),  # CP437
        ("gr\xc3\xbcn", "grün"),  # UTF-8
        ("\u2603", "\u2603"),
    ],
)
def test_bodies_are_decoded(raw: str, text: str) -> None:
    assert mail_records(read_areas([area(message(1, body=raw))]))[0]["body"] == text


def test_mail() -> None:
    (letter,) = mail_records(read_areas([area(message(4, to="Alice", reply_to=2))]))
    assert (letter["type"], letter["from"], letter["to"], letter["replyTo"]) == ("mail", "Bob", "Alice", 2)


@pytest.mark.parametrize("rows", [None, {}, [area({"number": 1})]])
def test_what_is_no_export(rows: Any) -> None:
    with pytest.raises(HostFault, match="not understood"):
        read_areas(rows)
