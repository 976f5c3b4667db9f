"""The URL of an endpoint, read strictly: what two programs could understand in two ways is no URL here.

A URL passes only if it is made again, letter by letter, from what was read. Pure: names are resolved and addresses
checked in `outbound.py`.
"""

from __future__ import annotations

import ipaddress
import re
import string
from typing import Final

import msgspec

MAX_URL_CHARS: Final = 2048
"""What browsers and servers take as well."""

MAX_HOST_CHARS: Final = 253
"""RFC 1035, section 2.3.4."""

MAX_PORT: Final = 65535

HTTPS: Final = "https"
HTTP: Final = "http"
_DEFAULT_PORTS: Final = {HTTPS: 443, HTTP: 80}

LOCALHOST: Final = "localhost"

_LABEL: Final = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_NAME: Final = re.compile(rf"{_LABEL}(?:\.{_LABEL})+")
_NUMBER: Final = re.compile(r"(?:0x[0-9a-f]*|[0-9]+)")
_URL: Final = re.compile(
    r"(?P<scheme>https?)://(?P<host>\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::(?P<port>[0-9]{1,5}))?"
    r"(?P<target>/(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-F]{2})*(?:\?(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-F]{2})*)?)"
)
"""RFC 3986, narrowed: no user, no fragment, nothing but ASCII, escapes in capitals."""

_ESCAPE: Final = re.compile(r"%([0-9A-F]{2})")
_UNRESERVED: Final = frozenset(string.ascii_letters + string.digits + "-._~")
"""RFC 3986, section 2.3: escaped or not they are the same, so they stand for themselves. (`%2E%2E` is a `..`.)"""


class UrlRefused(ValueError):
    """A URL that can't be an endpoint. `rule` names the rule that it breaks, the text says it with the remedy."""

    def __init__(self, rule: str, why: str) -> None:
        super().__init__(why)
        self.rule = rule
        self.why = why


class UrlRules(msgspec.Struct, frozen=True, kw_only=True):
    """What a venue takes: the ports, and whether addresses of this machine and plain HTTP there are allowed."""

    ports: tuple[tuple[int, int], ...] = ((443, 443), (8443, 8443))
    """First and last of each range."""
    loopback: bool = False
    """For development: loopback addresses, there on any port from 1024 on."""
    plain_http: bool = False
    """`http://` to a loopback host: for an owner's own machine, with `loopback`."""


class EndpointUrl(msgspec.Struct, frozen=True):
    """A URL that passed. `target` is path and query as they go on the wire."""

    text: str
    scheme: str
    host: str
    """A name in lower case, or an address without brackets."""
    port: int
    target: str
    literal: bool
    """`host` is an address."""

    @property
    def authority(self) -> str:
        """`host:port`, by which requests are bounded and log lines name an endpoint."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def parse(text: str, rules: UrlRules) -> EndpointUrl:
    """The endpoint that `text` names. Raises UrlRefused."""
    if len(text) > MAX_URL_CHARS:
        raise UrlRefused("length", f"the URL has more than {MAX_URL_CHARS} characters")
    match = _URL.fullmatch(text)
    if match is None:
        raise _malformed(text, rules)
    host, scheme, target = match["host"], match["scheme"], match["target"]
    if any(segment in {".", ".."} for segment in target.partition("?")[0].split("/")):
        raise UrlRefused("path", "the path has a `.` or `..` in it: register the URL that they lead to")
    if any(chr(int(escaped, 16)) in _UNRESERVED for escaped in _ESCAPE.findall(target)):
        raise UrlRefused("form", "write letters, digits and `-._~` as they are, without %XX")
    literal = _literal(host)
    if literal is None:
        _check_name(host, rules)
    default = _DEFAULT_PORTS[scheme]
    port = default if match["port"] is None else int(match["port"])
    url = EndpointUrl(text, scheme, literal or host, port, target, literal is not None)
    _check_scheme(url, rules)
    _check_port(url, rules)
    shown = url.authority if port != default else url.authority.rpartition(":")[0]
    path, _, query = target.partition("?")
    again = f"{scheme}://{shown}{target if query else path}"  # a bare `?` does not survive on its way to the wire
    if again != text:
        raise UrlRefused("form", f"there is a plainer way to write this URL: register {again!r}")
    return url


def is_loopback(host: str) -> bool:
    """Whether a host of a URL is this machine by its very spelling."""
    if host == LOCALHOST:
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _malformed(text: str, rules: UrlRules) -> UrlRefused:
    """Which rule a URL breaks that does not even look like one."""
    scheme, found, rest = text.partition("://")
    authority = re.split(r"[/?#\\]", rest, maxsplit=1)[0]
    schemes = (HTTPS, HTTP) if rules.plain_http else (HTTPS,)
    broken = (
        (
            not text.isascii() or any(not "!" <= character <= "~" for character in text),
            "characters",
            "the URL holds spaces or letters that are not plain ASCII: write %XX, and `xn--` for an international host",
        ),
        (not found or scheme not in schemes, "scheme", "the URL should begin with `https://`, in small letters"),
        ("@" in authority, "userinfo", "the URL holds a user name or password: leave it away, and check signatures"),
        ("#" in rest, "fragment", "the URL holds a `#`, which never reaches a server: leave it away"),
        (authority.lower() != authority, "form", "write the host name in small letters"),
        (rest == authority, "form", f"the URL needs a path: register {text + '/'!r}"),
        (True, "form", "this is no URL such as `https://agent.example/play`, escapes as %XX in capitals"),
    )
    return next(UrlRefused(rule, why) for is_so, rule, why in broken if is_so)


def _literal(host: str) -> str | None:
    """The address that a host is, in its one right spelling; None for a name. Raises UrlRefused for other spellings."""
    bare = host[1:-1] if host.startswith("[") else host
    try:
        address = ipaddress.ip_address(bare)
    except ValueError:
        if host.startswith("["):
            raise UrlRefused("host", "what stands in brackets is no IPv6 address") from None
        if _NUMBER.fullmatch(bare.rpartition(".")[2]):
            why = "the host is a number, which programs read in different ways: use a host name"
            raise UrlRefused("host", why) from None
        return None
    if str(address) != bare:
        raise UrlRefused("host", f"there is a plainer way to write this address: {address}")
    return bare


def _check_name(host: str, rules: UrlRules) -> None:
    if rules.loopback and host == LOCALHOST:
        return
    if len(host) > MAX_HOST_CHARS or _NAME.fullmatch(host) is None:
        raise UrlRefused("host", "the host should be a full name such as `agent.example`")


def _check_port(url: EndpointUrl, rules: UrlRules) -> None:
    if any(first <= url.port <= last for first, last in rules.ports):
        return
    if rules.loopback and is_loopback(url.host) and 1024 <= url.port <= MAX_PORT:
        return
    allowed = ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in rules.ports)
    raise UrlRefused("port", f"port {url.port} is not called: use one of {allowed}")


def _check_scheme(url: EndpointUrl, rules: UrlRules) -> None:
    if url.scheme == HTTPS or (rules.plain_http and is_loopback(url.host)):
        return
    raise UrlRefused("scheme", "only HTTPS is called: the URL should begin with `https://`")
