"""The site's own files, under an address that changes with them: `/static/VERSION/NAME`.

They are read once, at the start. The version is a hash over all of them, so that files may name each other, and
whatever a browser has kept is either right or not asked for. There is no folder to list and no path to climb: a name
is in the table or it is not.
"""

from __future__ import annotations

import hashlib
import mimetypes
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from aiohttp import web

FOLDER: Final = Path(__file__).parent / "static"

_FOR_EVER: Final = {"Cache-Control": "public, max-age=31536000, immutable", "X-Content-Type-Options": "nosniff"}
_VERSION_CHARS: Final = 12
_TYPES: Final = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".ico": "image/x-icon"}
_SERVED: Final = (*_TYPES, ".png", ".webp", ".woff2")


class StaticFiles:
    """The files of a folder by name, such as `site.css` or `player/asciinema-player.css`."""

    def __init__(self, folder: Path = FOLDER) -> None:
        self._files: Mapping[str, bytes] = {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in sorted(folder.rglob("*"))
            if path.is_file() and path.suffix in _SERVED
        }
        digest = hashlib.sha256()
        for name, content in self._files.items():
            digest.update(f"{name} {len(content)}\n".encode() + content)
        self.version = digest.hexdigest()[:_VERSION_CHARS]

    def __contains__(self, name: object) -> bool:
        return name in self._files

    def url(self, name: str) -> str:
        """Where a file is. Raises KeyError for one that is not there: a page must not name it."""
        if name not in self._files:
            raise KeyError(name)
        return f"/static/{self.version}/{name}"

    def routes(self) -> list[web.RouteDef]:
        return [web.get("/static/{version}/{name:.+}", self._serve), web.get("/favicon.ico", self._icon)]

    async def _serve(self, request: web.Request) -> web.Response:
        name = request.match_info["name"]
        content = self._files.get(name)
        if content is None or request.match_info["version"] != self.version:
            raise web.HTTPNotFound
        return _response(name, content)

    async def _icon(self, _: web.Request) -> web.Response:
        return _response("icon.svg", self._files["icon.svg"])


def _response(name: str, content: bytes) -> web.Response:
    suffix = Path(name).suffix
    kind = _TYPES.get(suffix) or mimetypes.types_map.get(suffix, "application/octet-stream")
    charset = "utf-8" if suffix in {".js", ".css", ".svg"} else None
    return web.Response(body=content, content_type=kind, charset=charset, headers=_FOR_EVER)
