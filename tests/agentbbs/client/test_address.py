"""Where a venue is and who calls."""

from __future__ import annotations

from typing import ClassVar

import pytest

from agentbbs.client.address import address
from agentbbs.client.errors import BadAddress, Unauthorized


@pytest.mark.parametrize(
    ("given", "dialled"),
    [
        ("ws://127.0.0.1:8090", "ws://127.0.0.1:8090/play"),
        ("ws://127.0.0.1:8090/", "ws://127.0.0.1:8090/play"),
        ("ws://127.0.0.1:8090/play", "ws://127.0.0.1:8090/play"),
        ("ws://127.0.0.1:8090/play/", "ws://127.0.0.1:8090/play"),
        ("wss://example.org/bbs", "wss://example.org/bbs/play"),
        ("https://example.org", "wss://example.org/play"),
        ("http://[::1]:8090", "ws://[::1]:8090/play"),
        (" wss://example.org ", "wss://example.org/play"),
        ("wss://example.org/play?game=ttt&token=abc&via=edge", "wss://example.org/play?via=edge"),
        ("wss://example.org/play#top", "wss://example.org/play"),
    ],
)
def test_the_url_may_be_given_with_or_without_play(given: str, dialled: str) -> None:
    assert address(given, "abc").url == dialled


@pytest.mark.parametrize(
    "given",
    ["", "127.0.0.1:8090", "ftp://example.org", "ws://", "ws:///play", "ws://example.org:port", "ws://[::1/play"],
)
def test_what_is_no_address_is_refused_with_a_remedy(given: str) -> None:
    with pytest.raises(BadAddress, match="ws://127") as caught:
        address(given, "abc")
    assert isinstance(caught.value, ValueError)


def test_an_address_that_is_refused_is_shown_without_its_token() -> None:
    with pytest.raises(BadAddress) as caught:
        address("example.org/play?token=s3cret", "abc")
    assert "s3cret" not in str(caught.value)


def test_a_user_name_in_the_address_is_refused_unseen() -> None:
    with pytest.raises(BadAddress) as caught:
        address("wss://me:s3cret@example.org/play", "abc")
    assert "s3cret" not in str(caught.value)


class TestTheToken:
    URL = "wss://example.org/play"
    ENVIRON: ClassVar = {"AGENTBBS_TOKEN": "from-environment"}

    def test_the_argument_comes_first(self) -> None:
        assert address(self.URL + "?token=from-url", "given", environ=self.ENVIRON).token == "given"

    def test_then_the_url_which_loses_it(self) -> None:
        found = address(self.URL + "?token=from-url", environ=self.ENVIRON)
        assert (found.token, found.url) == ("from-url", self.URL)

    def test_then_the_environment(self, monkeypatch: pytest.MonkeyPatch) -> None:
        assert address(self.URL, environ=self.ENVIRON).token == "from-environment"
        monkeypatch.setenv("AGENTBBS_TOKEN", "from-the-real-one\n")
        assert address(self.URL).token == "from-the-real-one"

    def test_without_one_the_remedy_is_to_mint_one(self) -> None:
        with pytest.raises(Unauthorized, match="agentbbs mint-token NAME"):
            address(self.URL, environ={})

    @pytest.mark.parametrize("token", ["two words", "line\r\nbreak", "tökén", "\x00"])
    def test_what_no_venue_makes_is_refused_before_it_is_sent_and_not_shown(self, token: str) -> None:
        with pytest.raises(Unauthorized) as caught:
            address(self.URL, token)
        assert token not in str(caught.value)

    def test_it_is_not_shown_with_the_address(self) -> None:
        assert "s3cret" not in repr(address(self.URL, "s3cret"))
