"""One of the official clients, opened the same way for each: our own retries, our own deadline, no leaked key.

A key of the environment's usual name goes only to the provider's own address: another server gets the key that was
named for it, or a placeholder.
"""

from __future__ import annotations

import asyncio
import importlib
import os
import re
import time
from collections.abc import Awaitable, Callable
from ipaddress import ip_address
from typing import Any, Final
from urllib.parse import urlsplit

from tty_agent.models.bounded_http import bounded_client
from tty_agent.models.model import ProviderFault
from tty_agent.models.sdk_faults import fault_of_error

NO_KEY: Final = "none"
"""Sent to servers that need no key, since the clients insist on one."""

MAX_ANSWER_BYTES: Final = 16 * 1024 * 1024
"""Far above the longest answer of any model; what is longer is no answer."""


_USERINFO: Final = re.compile(r"(?<=//)[^/@]*@")


class SdkClient:
    """A client of `openai` or `anthropic` and how to call it."""

    def __init__(
        self,
        package: str,
        client_class: str,
        *,
        base_url: str | None,
        api_key_env: str | None,
        usual_key_env: str,
        timeout_s: float,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Raises ProviderFault `missing` without the package, `unauthorized` without the key."""
        self._sdk = _import(package)
        self._timeout_s = timeout_s
        self._clock = clock
        self._key = _key(base_url, api_key_env, usual_key_env)
        http = bounded_client(self._sdk, max_bytes=MAX_ANSWER_BYTES, trust_env=not _is_loopback(base_url))
        self.client: Any = getattr(self._sdk, client_class)(
            api_key=self._key, base_url=base_url, max_retries=0, timeout=timeout_s, http_client=http
        )

    @property
    def where(self) -> str:
        """The address of the server, as messages name it: without what may be a password."""
        return _USERINFO.sub("", str(self.client.base_url)).rstrip("/")

    async def send(self, call: Callable[[], Awaitable[Any]]) -> bytes:
        """The body of the answer to `call()`, a method with a raw response. Raises ProviderFault."""
        try:
            async with asyncio.timeout(self._timeout_s):
                response = await call()
        except TimeoutError:
            raise ProviderFault(
                "timeout", f"{self.where} did not answer within {self._timeout_s:g} s", retryable=True
            ) from None
        except Exception as error:
            if isinstance(error.__cause__, ProviderFault):  # of the HTTP client, as the official one wraps it
                raise error.__cause__ from None
            fault = fault_of_error(error, self._sdk, where=self.where, secrets=(self._key,), now=self._clock())
            if fault is None:
                raise
            raise fault from error
        return bytes(response.http_response.content)

    async def close(self) -> None:
        """Close the connections; may be called twice."""
        await self.client.close()


def _import(package: str) -> Any:
    try:
        return importlib.import_module(package)
    except ImportError as error:
        raise ProviderFault(
            "missing", f"the package `{package}` is not installed: pip install 'agentbbs[llm]'"
        ) from error


def _key(base_url: str | None, api_key_env: str | None, usual_key_env: str) -> str:
    name = api_key_env or (usual_key_env if base_url is None else None)
    if name is None:
        return NO_KEY
    key = os.environ.get(name)
    if not key:
        raise ProviderFault("unauthorized", f"set {name} to the provider's API key")
    return key


def _is_loopback(base_url: str | None) -> bool:
    """Whether the server is on this machine: then a proxy of the environment is not for it."""
    host = urlsplit(base_url or "").hostname or ""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False  # a name
