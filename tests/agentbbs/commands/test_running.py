"""The running venue, seen from outside."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentbbs.commands import running
from agentbbs.commands.failure import Failed


@pytest.mark.parametrize(
    ("url", "base"),
    [
        ("ws://127.0.0.1:8090", "http://127.0.0.1:8090"),
        ("ws://127.0.0.1:8090/play", "http://127.0.0.1:8090"),
        ("wss://example.org/play/", "https://example.org"),
        ("wss://example.org/bbs/play?token=abbs_secret", "https://example.org/bbs"),
        ("http://[::1]:8090/", "http://[::1]:8090"),
    ],
)
def test_any_url_of_a_venue_leads_to_it(url: str, base: str) -> None:
    assert running.base(url) == base


@pytest.mark.parametrize("url", ["127.0.0.1:8090", "ftp://host", "ws://", "ws://user:pass@host", ""])
def test_what_is_no_url_of_a_venue_is_refused(url: str) -> None:
    with pytest.raises(Failed, match="is no address of a venue"):
        running.base(url)


def test_a_refused_url_keeps_its_token_to_itself() -> None:
    with pytest.raises(Failed) as refused:
        running.base("ftp://host/play?token=abbs_secret")
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    ("listens", "reached"),
    [
        ("127.0.0.1:8090", "http://127.0.0.1:8090"),
        ("0.0.0.0:8090", "http://127.0.0.1:8090"),
        ("[::]:8090", "http://[::1]:8090"),
        ("[::1]:8090", "http://[::1]:8090"),
        ("bbs.example:80", "http://bbs.example:80"),
    ],
)
def test_where_this_machine_reaches_what_listens(listens: str, reached: str) -> None:
    assert running.local_address(listens) == reached


def test_a_venue_is_where_it_says_or_else_where_the_settings_say(tmp_path: Path) -> None:
    assert running.local(tmp_path, "127.0.0.1:8090") == "http://127.0.0.1:8090"
    assert running.local(tmp_path, "127.0.0.1:0") is None
    assert running.local(tmp_path, None) is None
    (tmp_path / "venue.json").write_text('{"pid":1,"game_ws":"127.0.0.1:4711"}')
    assert running.local(tmp_path, "127.0.0.1:8090") == "http://127.0.0.1:4711"
    (tmp_path / "venue.json").write_text('{"pid":1,"game_ws":null}')
    assert running.local(tmp_path, "127.0.0.1:8090") is None
