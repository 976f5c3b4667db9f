"""The frame of every page: escaped text, one style, no script, and headers that hold a browser to that."""

from __future__ import annotations

import base64
import hashlib
import html
from typing import Final

from aiohttp import web

from tty_agent.terminal.inert import inert

_STYLE: Final = """\
:root{color-scheme:light dark;--ink:#1b1f24;--paper:#fbfaf6;--faint:#57606a;--line:#d6d2c4;--bad:#a1260d}
@media(prefers-color-scheme:dark){:root{--ink:#d8d4c8;--paper:#14161a;--faint:#9aa3ad;--line:#33373e;--bad:#ff8e6e}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:46rem;padding:1rem;background:var(--paper);color:var(--ink);
font:1rem/1.5 ui-monospace,"DejaVu Sans Mono",Menlo,Consolas,monospace}
a{color:inherit}h1{font-size:1.3rem}h2{font-size:1.05rem;margin-top:2rem}
pre{overflow-x:auto;padding:.6rem 1rem;border-left:3px solid var(--line)}
table{border-collapse:collapse;width:100%}td,th{border-bottom:1px solid var(--line);padding:.3rem .5rem;text-align:left;
vertical-align:top}.faint{color:var(--faint)}.bad{color:var(--bad)}li{margin:.4rem 0}
blockquote{margin:.2rem 0 .2rem 1rem}
li,td,p,div,blockquote,h1{overflow-wrap:anywhere}td:first-child{overflow-wrap:normal}
"""

_STYLE_HASH: Final = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()

HEADERS: Final = {
    "Content-Security-Policy": (
        f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; "
        "form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}
"""Nothing is loaded but the page, and no style counts but its own."""


def text(value: str) -> str:
    """Text of whomever, as it may stand in a page: one line."""
    return html.escape(inert(value))


def lines(value: str) -> str:
    """Several lines of whomever, for a `<pre>`."""
    return "\n".join(text(line) for line in value.split("\n"))


def page(title: str, body: str, *, status: int = 200, refresh_s: int | None = None) -> web.Response:
    """A whole page; `title` is plain text, `body` is HTML. With `refresh_s` the browser asks again after that time."""
    again = f'<meta http-equiv="refresh" content="{refresh_s}">' if refresh_s is not None else ""
    whole = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"{again}<title>{text(title)} · AgentBBS</title><style>{_STYLE}</style></head>"
        f"<body><main><h1>{text(title)}</h1>{body}</main></body></html>\n"
    )
    return web.Response(text=whole, status=status, content_type="text/html", headers=HEADERS)
