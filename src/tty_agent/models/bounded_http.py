"""The HTTP client under the official ones: it takes no more of an answer than an answer can be, and follows nobody.

What a server sends is bounded while it comes, error bodies among it. Compressed answers are neither asked for nor
read, since a few bytes of one can stand for gigabytes. A redirect is not followed: the request carries a key and the
prompt, and they are for the address that was named.
"""

from __future__ import annotations

import importlib
from collections.abc import AsyncIterator
from typing import Any

from tty_agent.models.model import ProviderFault
from tty_agent.models.redaction import message_of


def bounded_client(sdk: Any, *, max_bytes: int, trust_env: bool) -> Any:
    """An HTTP client for the client of `sdk`, whose answers end in a ProviderFault beyond `max_bytes`.

    `trust_env`: proxies of the environment are for it.
    """
    stream_class = _http_package(sdk).AsyncByteStream

    class Bounded(stream_class):  # type: ignore[misc,valid-type]  # known at run time alone
        """The body of an answer, up to the limit."""

        def __init__(self, body: Any, where: str) -> None:
            self._body = body
            self._where = where

        async def __aiter__(self) -> AsyncIterator[bytes]:
            read = 0
            async for piece in self._body:
                read += len(piece)
                if read > max_bytes:
                    raise ProviderFault("server_error", f"an answer of more than {max_bytes} bytes from {self._where}")
                yield piece

        async def aclose(self) -> None:
            await self._body.aclose()

    async def bound(response: Any) -> None:
        """Called when the headers of an answer are there, and nothing of its body was read."""
        where = _where(response.url)
        _refuse_redirect(response, where)
        coding = response.headers.get("content-encoding", "").strip().lower()
        if coding not in {"", "identity"}:
            raise ProviderFault(
                "server_error", f"an answer from {where} in the coding {message_of(coding)}, which nobody asked for"
            )
        response.stream = Bounded(response.stream, where)

    return sdk.DefaultAsyncHttpxClient(
        trust_env=trust_env,
        follow_redirects=False,
        headers={"Accept-Encoding": "identity"},
        event_hooks={"response": [bound]},
    )


def _http_package(sdk: Any) -> Any:
    """The package of the official client's HTTP client: `httpx`, or what a later one is built on."""
    base = next(one for one in sdk.DefaultAsyncHttpxClient.__mro__ if one.__name__ == "AsyncClient")
    return importlib.import_module(base.__module__.partition(".")[0])


def _where(url: Any) -> str:
    """The address without what may be a secret."""
    return f"{url.scheme}://{url.netloc.decode('ascii', 'replace')}{url.path}"


def _refuse_redirect(response: Any, where: str) -> None:
    if response.has_redirect_location:
        place = message_of(str(response.headers["location"]).partition("?")[0])
        raise ProviderFault("bad_request", f"{where} answers that it is at {place}: give that address with --base-url")
