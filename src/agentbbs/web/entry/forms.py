"""Forms that nobody can forge: shown with a key, read only with it.

A page with a form is made by `page`, and what comes back is read by `read`, which every POST to a page goes through. It
believes a form only if all of this holds:

- `form_key` is the one that this reader was given. It is an HMAC under the reader's own cookie (the session's, or one
  that is made as the first form is shown), so a restart of the venue breaks no open form, and a page of a stranger,
  which can have its reader's browser send that cookie but can't read it, has no key to send.
- `Origin`, where the browser names one, is this site.
- `Sec-Fetch-Site`, where the browser sends it, says that the form came from this site.

Then the body is checked: urlencoded, of a bounded size, each field known and there once.
"""

from __future__ import annotations

import hashlib
import hmac
from typing import Any, Final, TypeVar
from urllib.parse import parse_qsl, urlsplit

import msgspec
from aiohttp import web

from agentbbs.web import frame, headers
from agentbbs.web.entry import cookies

MAX_FORM_BYTES: Final = 40 * 1024
"""A public key of 8,192 characters of which each is written as three, and the rest of its form."""

MAX_FIELDS: Final = 20
"""No form of ours has as many."""

PUBLIC_URL: Final = web.AppKey("public_url", str)
"""The base of this site's links; set by `entry.sessions`."""

SECRET: Final = web.RequestKey("form_secret", str)
"""The cookie under which this reader's form keys are made; set by `entry.sessions`, absent without a cookie."""

PRIVATE: Final = {**headers.PAGE, "Cache-Control": "no-store"}
"""Of pages that show what is the reader's alone, or a form: nobody keeps them."""

_LABEL: Final = b"agentbbs form key 1"
_OWN: Final = frozenset({"same-origin", "none"})
_FIELD: Final = "form_key"

T = TypeVar("T", bound=msgspec.Struct)


class FormFault(ValueError):
    """What was filled in wrong: the name of the field ("": none in particular), and what to do. For pages to show in
    place."""

    def __init__(self, field: str, why: str) -> None:
        super().__init__(why)
        self.field = field

    @property
    def says(self) -> str:
        """What to do, as a sentence."""
        why = str(self)
        return f"{why[:1].upper()}{why[1:]}{'' if why.endswith(('.', '?', '!')) else '.'}"


def key_of(secret: str) -> str:
    """The form key of the reader whose cookie holds `secret`."""
    return hmac.new(secret.encode(), _LABEL, hashlib.sha256).hexdigest()


def page(request: web.Request, template: str, *, status: int = 200, **context: Any) -> web.Response:
    """A page with a form, which `read` will believe. It is kept by nobody."""
    secure = _public_url(request).startswith("https:")
    fresh = None
    if SECRET not in request:
        fresh = cookies.new_secret()
        remember(request, fresh)
    response = frame.render(request, template, status=status, headers=PRIVATE, **context)
    if fresh is not None:
        cookies.give(response, cookies.FORM, fresh, secure=secure)
    return response


def remember(request: web.Request, secret: str) -> None:
    """Make the form keys of this request from `secret`."""
    request[SECRET] = secret
    request[frame.FORM_KEY] = key_of(secret)


async def read(request: web.Request, kind: type[T]) -> T:
    """What was filled in, as a struct of texts (line breaks are `\\n`). Raises HTTPForbidden for a form that was not
    this reader's own, HTTPBadRequest, HTTPRequestEntityTooLarge, HTTPUnsupportedMediaType for one that no page here
    makes, and FormFault for a field that `kind` does not take."""
    if not _from_here(request):
        raise web.HTTPForbidden
    fields = _fields(await _body(request))
    expected = request.get(frame.FORM_KEY, "")
    if not expected or not hmac.compare_digest(fields.pop(_FIELD, "").encode(), expected.encode()):
        raise web.HTTPForbidden
    known = {field.name: field for field in msgspec.structs.fields(kind)}
    strange = sorted(fields.keys() - known.keys())
    missing = sorted(name for name, field in known.items() if field.required and name not in fields)
    if strange or missing:
        raise web.HTTPBadRequest(text=f"This form has fields that this page does not: {', '.join(strange or missing)}.")
    return _converted(fields, kind)


def same_site(origin: str, public_url: str, host: str) -> bool:
    """Whether a page of `origin` is a page of this site, whose requests name `host`."""
    if not host:
        return origin == _origin(public_url)
    return origin in {_origin(public_url), f"http://{host.lower()}", f"https://{host.lower()}"}


def _from_here(request: web.Request) -> bool:
    origins = request.headers.getall("Origin", ())
    sites = request.headers.getall("Sec-Fetch-Site", ())
    url, host = _public_url(request), request.headers.get("Host", "")
    return all(same_site(origin, url, host) for origin in origins) and all(site in _OWN for site in sites)


def _public_url(request: web.Request) -> str:
    return request.config_dict[PUBLIC_URL]


def _origin(url: str) -> str:
    """Scheme, host and port as browsers write an origin: without the port that the scheme has anyway."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    host = f"[{host}]" if ":" in host else host
    usual = {"http": 80, "https": 443}.get(parts.scheme)
    return f"{parts.scheme}://{host}" if parts.port in {None, usual} else f"{parts.scheme}://{host}:{parts.port}"


async def _body(request: web.Request) -> str:
    if request.content_type != "application/x-www-form-urlencoded":
        raise web.HTTPUnsupportedMediaType(text="This page takes its own form, and nothing else.")
    data = bytearray()
    while more := await request.content.readany():
        data += more
        if len(data) > MAX_FORM_BYTES:
            raise web.HTTPRequestEntityTooLarge(max_size=MAX_FORM_BYTES, actual_size=len(data))
    try:
        return data.decode("ascii")
    except UnicodeDecodeError as fault:
        raise _malformed() from fault


def _fields(text: str) -> dict[str, str]:
    try:
        pairs = parse_qsl(
            text, keep_blank_values=True, strict_parsing=bool(text), errors="strict", max_num_fields=MAX_FIELDS
        )
    except ValueError as fault:
        raise _malformed() from fault
    fields = {name: value.replace("\r\n", "\n").replace("\r", "\n") for name, value in pairs}
    if len(fields) != len(pairs):
        raise _malformed()
    return fields


def _converted(fields: dict[str, str], kind: type[T]) -> T:
    try:
        return msgspec.convert(fields, kind, strict=False)
    except msgspec.ValidationError as fault:
        says, _, path = str(fault).partition(" - at `$.")
        why = "this is too long" if "length <=" in says else f"this can't be taken: {says.lower()}"
        raise FormFault(path.rstrip("`"), why) from fault


def _malformed() -> web.HTTPBadRequest:
    return web.HTTPBadRequest(text="This is not a form as a browser sends it.")
