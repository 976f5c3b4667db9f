"""URLs of endpoints: what passes is read alike by everybody, and everything else is refused."""

from __future__ import annotations

import ipaddress
import re
import socket
import string
from typing import Any
from urllib.parse import urlsplit

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from yarl import URL

from agentbbs.referee.endpoint_url import MAX_URL_CHARS, EndpointUrl, UrlRefused, UrlRules, is_loopback, parse

VENUE = UrlRules()
DEV = UrlRules(loopback=True)
OWN_MACHINE = UrlRules(loopback=True, plain_http=True)


def refused(text: str, rules: UrlRules = VENUE) -> str:
    with pytest.raises(UrlRefused) as caught:
        parse(text, rules)
    assert str(caught.value) == caught.value.why
    return caught.value.rule


@pytest.mark.parametrize(
    ("text", "host", "port", "target"),
    [
        ("https://agent.example/", "agent.example", 443, "/"),
        ("https://agent.example/play", "agent.example", 443, "/play"),
        ("https://agent.example:8443/a/b;c=1?key=%2F%C3%A9&b", "agent.example", 8443, "/a/b;c=1?key=%2F%C3%A9&b"),
        ("https://xn--bcher-kva.example/", "xn--bcher-kva.example", 443, "/"),
        ("https://a-1.b.example//x", "a-1.b.example", 443, "//x"),
        ("https://7.example/?x", "7.example", 443, "/?x"),
        ("https://93.184.216.34/play", "93.184.216.34", 443, "/play"),
        ("https://[2606:2800:220:1:248:1893:25c8:1946]:8443/", "2606:2800:220:1:248:1893:25c8:1946", 8443, "/"),
    ],
)
def test_an_endpoint_is_read(text: str, host: str, port: int, target: str) -> None:
    url = parse(text, VENUE)

    assert (url.text, url.host, url.port, url.target) == (text, host, port, target)
    assert url.authority == (f"[{host}]:{port}" if ":" in host else f"{host}:{port}")


NUMERIC = (
    "2130706433",
    "0x7f000001",
    "0X7F000001",
    "0177.0.0.1",
    "017700000001",
    "127.1",
    "127.0.1",
    "0",
    "0x0",
    "0x",
    "00",
    "127.0.0.01",
    "0x7f.0.0.1",
    "0x7f.1",
    "1.2.3.4.5",
    "256.256.256.256",
    "4294967296",
    "①②⑦.⓪.⓪.①",
    "１２７.0.0.1",  # noqa: RUF001
    "127。0。0。1",
    "127.0.0.1.",
    "127..1",
    "a.0x7f",
    "a.1",
)
"""Case 140: forms that some program takes for an address."""


@pytest.mark.parametrize("host", NUMERIC)
@pytest.mark.parametrize("rules", [VENUE, DEV, OWN_MACHINE])
def test_a_host_that_is_a_number_is_refused(host: str, rules: UrlRules) -> None:
    assert refused(f"https://{host}/", rules) in {"host", "characters", "form"}
    assert refused(f"https://{host}:8443/play", rules) in {"host", "characters", "form"}


@pytest.mark.parametrize("host", ["2130706433", "0x7f000001", "0177.0.0.1", "017700000001", "127.1", "0"])
def test_the_system_would_take_such_a_number_for_this_machine(host: str) -> None:
    """Why they are refused before anybody resolves them."""
    found = socket.getaddrinfo(host, 443, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)

    assert {entry[4][0] for entry in found} <= {"127.0.0.1", "0.0.0.0"}


REFUSED = (
    ("http://agent.example/", "scheme"),
    ("HTTPS://agent.example/", "scheme"),
    ("ftp://agent.example/", "scheme"),
    ("file:///etc/passwd", "scheme"),
    ("gopher://agent.example/", "scheme"),
    ("https:/agent.example/", "scheme"),
    ("https:agent.example/", "scheme"),
    ("//agent.example/", "scheme"),
    ("agent.example", "scheme"),
    ("", "scheme"),
    ("https://", "form"),
    ("https:///play", "form"),
    ("https://agent.example", "form"),
    ("https://agent.example?x", "form"),
    ("https://Agent.example/", "form"),
    ("https://user@agent.example/", "userinfo"),
    ("https://user:pass@agent.example/", "userinfo"),
    ("https://agent.example@127.0.0.1/", "userinfo"),
    ("https://agent.example:443@127.0.0.1/", "userinfo"),
    ("https://agent.example/#x", "fragment"),
    ("https://127.0.0.1#@agent.example/", "fragment"),
    ("https://127.0.0.1\\@agent.example/", "form"),
    ("https://agent.example\\.evil.example/", "form"),
    ("https://agent.example/a b", "characters"),
    ("https://agent.example/\r\nX: y", "characters"),
    ("https://agent.example/\n", "characters"),
    (" https://agent.example/", "characters"),
    ("https://agent.example/\x00", "characters"),
    ("https://agent.example/\x7f", "characters"),
    ("https://bücher.example/", "characters"),
    ("https://agent．example/", "characters"),  # noqa: RUF001 - that is the case
    ("https://agent.example/\ud800", "characters"),
    ("https://agent.example:443/", "form"),
    ("https://agent.example:/", "form"),
    ("https://agent.example:0443/", "form"),
    ("https://agent.example:+443/", "form"),
    ("https://agent.example:8443x/", "form"),
    ("https://agent.example/play?", "form"),
    ("https://agent.example:22/", "port"),
    ("https://agent.example:25/", "port"),
    ("https://agent.example:0/", "port"),
    ("https://agent.example:80/", "port"),
    ("https://agent.example:8444/", "port"),
    ("https://agent.example:65536/", "port"),
    ("https://agent.example:99999/", "port"),
    ("https://agent.example:4294967739/", "form"),
    ("https://agent.example/a/../b", "path"),
    ("https://agent.example/./b", "path"),
    ("https://agent.example/..", "path"),
    ("https://agent.example/%2E%2E/b", "form"),
    ("https://agent.example/%41", "form"),
    ("https://agent.example/%2f", "form"),
    ("https://agent.example/%", "form"),
    ("https://agent.example/%0", "form"),
    ('https://agent.example/"', "form"),
    ("https://agent.example/<x>", "form"),
    ("https://agent.example/[x]", "form"),
    ("https://agent/", "host"),
    ("https://localhost/", "host"),
    ("https://agent.example./", "host"),
    ("https://.agent.example/", "host"),
    ("https://agent..example/", "host"),
    ("https://-agent.example/", "host"),
    ("https://agent-.example/", "host"),
    ("https://agent_1.example/", "form"),
    ("https://agent%2eexample/", "form"),
    (f"https://{'a' * 64}.example/", "host"),
    (f"https://{'a.' * 126}ab/", "host"),
    ("https://[::1/", "form"),
    ("https://::1/", "form"),
    ("https://[]/", "form"),
    ("https://[fe80::1%25lo]/", "form"),
    ("https://[fe80::1%lo]/", "form"),
    ("https://[0:0:0:0:0:0:0:1]/", "host"),
    ("https://[::0001]/", "host"),
    ("https://[::FFFF:7f00:1]/", "form"),
    ("https://[0:0:0:0:0:ffff:10.0.0.5]/", "host"),
    ("https://[127.0.0.1]/", "form"),
    ("https://[v1.fe80]/", "form"),
    ("https://[1:2:3]/", "host"),
    (f"https://agent.example/{'x' * MAX_URL_CHARS}", "length"),
)


@pytest.mark.parametrize(("text", "rule"), REFUSED)
def test_what_could_be_read_in_two_ways_is_refused(text: str, rule: str) -> None:
    assert refused(text) == rule


def test_a_refusal_says_what_to_register_instead() -> None:
    for text, better in (
        ("https://agent.example", "https://agent.example/"),
        ("https://agent.example:443/play", "https://agent.example/play"),
        ("https://agent.example:08443/", "https://agent.example:8443/"),
    ):
        with pytest.raises(UrlRefused, match=re.escape(repr(better))):
            parse(text, VENUE)
        parse(better, VENUE)


def test_ports_are_those_of_the_rules() -> None:
    """Case 147."""
    wide = UrlRules(ports=((443, 443), (1024, 65535)))

    assert parse("https://agent.example:1024/", wide).port == 1024
    assert parse("https://agent.example:65535/", wide).port == 65535
    for port in (0, 22, 25, 80, 1023, 65536):
        assert refused(f"https://agent.example:{port}/", wide) == "port"


def test_development_allows_this_machine_by_its_names() -> None:
    for host in ("localhost", "127.0.0.1", "127.9.9.9", "[::1]"):
        assert parse(f"https://{host}:9000/", DEV).port == 9000
        assert refused(f"https://{host}:9000/") in {"host", "port"}
        assert refused(f"https://{host}:22/", DEV) == "port"
        assert refused(f"http://{host}:9000/", DEV) == "scheme"
        assert parse(f"http://{host}:9000/", OWN_MACHINE).scheme == "http"
    assert refused("https://agent.example:9000/", DEV) == "port"
    assert refused("http://agent.example:8443/", OWN_MACHINE) == "scheme"
    assert refused("http://127.0.0.1.agent.example:8443/", OWN_MACHINE) == "scheme"
    assert not is_loopback("localhost.agent.example")
    assert not is_loopback("agent.example")


# --- properties -----------------------------------------------------------------------------------------------------

_HOSTILE = st.sampled_from(
    ["@", "\\", "#", "?", "/", ":", "[", "]", "%", "%2F", "%00", "..", ".", "。", "\t", "\r\n", " ", "0x7f", "127.1",
     "localhost", "agent.example", "127.0.0.1", "[::1]", "443", "8443", "22", "https://", "http://", "xn--", "ß", "①"]
)  # fmt: skip
_CHARACTERS = st.text(
    st.sampled_from(string.ascii_lowercase + string.digits + ".-_~:/?#[]@!$&'()*+,;=%\\ AZ"), max_size=12
)
_ANY = st.lists(st.one_of(_HOSTILE, _CHARACTERS), max_size=8).map("".join)
_URLS = st.one_of(_ANY, _ANY.map("https://".__add__), _ANY.map("https://agent.example/".__add__))
_ALL_RULES = st.sampled_from([VENUE, DEV, OWN_MACHINE, UrlRules(ports=((1, 65535),))])


def parsed(text: str, rules: UrlRules) -> EndpointUrl | None:
    try:
        return parse(text, rules)
    except UrlRefused:
        return None


@settings(max_examples=1500, deadline=None)
@given(_URLS, _ALL_RULES)
@example("https://agent.example:8443/a?b", VENUE)
def test_what_passes_is_read_alike_by_other_parsers(text: str, rules: UrlRules) -> None:
    url = parsed(text, rules)
    if url is None:
        return
    again: Any
    for again in (urlsplit(text), URL(text, encoded=True), URL(text)):
        assert again.scheme == url.scheme
        assert (again.hostname if hasattr(again, "hostname") else again.host) == url.host
        assert (again.port or 443) == url.port
        assert not again.fragment
        assert getattr(again, "username", None) is None
        assert getattr(again, "user", None) is None
    assert str(URL(text, encoded=True)) == text
    assert URL(text, encoded=True).raw_path_qs.removesuffix("?") == url.target.removesuffix("?")
    assert parse(url.text, rules) == url


_NUMBERS = st.integers(0, 0xFFFFFFFF)
_IN_BASE = st.sampled_from([str, hex, "0{:o}".format, "0x{:08X}".format, "{:03d}".format])


@settings(max_examples=1000, deadline=None)
@given(_NUMBERS, st.integers(1, 4), st.lists(_IN_BASE, min_size=4, max_size=4))
def test_whatever_the_system_reads_as_an_address_is_refused_or_spelt_plainly(
    address: int, parts: int, bases: list[Any]
) -> None:
    """Case 140, for all of them: dotted in one to four parts, each in any base."""
    octets = list(address.to_bytes(4, "big"))
    numbers = [*octets[: parts - 1], int.from_bytes(bytes(octets[parts - 1 :]), "big")]
    host = ".".join(base(number) for base, number in zip(bases, numbers, strict=False))
    url = parsed(f"https://{host}/", VENUE)

    if url is not None:
        assert url.literal
        assert url.host == str(ipaddress.IPv4Address(address))


@settings(max_examples=500, deadline=None)
@given(st.integers(0, 2**128 - 1))
def test_an_ipv6_address_has_one_spelling(address: int) -> None:
    plain = ipaddress.IPv6Address(address)
    url = parse(f"https://[{plain}]/", VENUE)

    assert url.literal
    assert ipaddress.ip_address(url.host) == plain
    for other in {plain.exploded, str(plain).upper()} - {str(plain)}:
        assert parsed(f"https://[{other}]/", VENUE) is None


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=60), _ALL_RULES)
def test_nothing_but_a_refusal_is_raised(text: str, rules: UrlRules) -> None:
    parsed(text, rules)
    parsed("https://" + text, rules)
