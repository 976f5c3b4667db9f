"""The HTTP client under the official ones: it takes no more of an answer than an answer can be, and follows nobody.

What a server sends is bounded while it comes, error bodies among it. Compressed answers are neither asked for nor
read, since a few bytes of one can stand for gigabytes. A redirect is not followed: the request carries a key and the
prompt, and they are for the address that was named.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from tty_agent.models.model import ProviderFault
from tty_agent.models.redaction import message_of


def bounded_client(sdk: Any, *, max_bytes: int, trust_env: bool) -> Any:
    """An `httpx.AsyncClient` for the client of `sdk`, whose answers end in a ProviderFault beyond `max_bytes`.

    `trust_env`: proxies of the environment are for it.
    """
    import httpx  # noqa: PLC0415 - comes with the extra

    class Bounded(httpx.AsyncByteStream):
        """The body of an answer, up to the limit."""

        def __init__(self, body: Any, url: httpx.URL) -> None:
            self._body = body
            self._url = url

        async def __aiter__(self) -> AsyncIterator[bytes]:
            read = 0
            async for piece in self._body:
                read += len(piece)
                if read > max_bytes:
                    raise ProviderFault("server_error", f"an answer of more than {max_bytes} bytes from {self._url}")
                yield piece

        async def aclose(self) -> None:
            await self._body.aclose()

    async def bound(response: httpx.Response) -> None:
        """Called by httpx when the headers of an answer are there and nothing of its body was read."""
        url = response.url.copy_with(userinfo=b"", query=None)
        _refuse_redirect(response, url)
        coding = response.headers.get("content-encoding", "identity").strip().lower()
        if coding not in {"", "identity"}:
            raise ProviderFault("server_error", f"an answer from {url} in the coding {message_of(coding)}, not asked for")
        response.stream = Bounded(response.stream, url)

    return sdk.DefaultAsyncHttpxClient(
        trust_env=trust_env,
        follow_redirects=False,
        headers={"Accept-Encoding": "identity"},
        event_hooks={"response": [bound]},
    )


def _refuse_redirect(response: Any, url: Any) -> None:
    if response.has_redirect_location:
        place = message_of(response.headers["location"].partition("?")[0])
        raise ProviderFault("bad_request", f"{url} answers that it is at {place}: give that address with --base-url")
