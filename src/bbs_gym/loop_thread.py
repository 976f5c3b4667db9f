"""An event loop in a thread of its own, for those who call from ordinary threads."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, Final, TypeVar

_T = TypeVar("_T")

CLOSE_S: Final = 30.0
"""For what still runs at the end to be cancelled; it all has bounds far below."""


class LoopThread:
    """`run` coroutines from any thread but its own, several at a time; the first begins it. `close` it in the end."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._over: asyncio.Event | None = None
        self._closed = False

    @property
    def closed(self) -> bool:
        """`close` was called."""
        return self._closed

    def run(self, coroutine: Coroutine[Any, Any, _T]) -> _T:
        """Its result, or what it raises. Interrupted (Ctrl-C), it is cancelled."""
        if self._closed or threading.current_thread() is self._thread:
            coroutine.close()
            raise RuntimeError("it is closed, or this is its own thread: make another, or await it")
        loop = self._started()
        future = asyncio.run_coroutine_threadsafe(coroutine, loop)
        try:
            return future.result()
        finally:
            future.cancel()

    def close(self) -> None:
        """Cancel what still runs, and end the thread; may be called twice."""
        with self._starting:
            self._closed = True
            thread, loop, over = self._thread, self._loop, self._over
        if thread is None or loop is None or over is None or not thread.is_alive():
            return
        loop.call_soon_threadsafe(over.set)
        thread.join(CLOSE_S)

    def _started(self) -> asyncio.AbstractEventLoop:
        with self._starting:
            if self._loop is None:
                begun = threading.Event()
                self._thread = threading.Thread(target=self._serve, args=(begun,), name=self._name, daemon=True)
                self._thread.start()
                begun.wait()
            assert self._loop is not None
            return self._loop

    def _serve(self, begun: threading.Event) -> None:
        async def until_closed() -> None:
            self._loop = asyncio.get_running_loop()
            self._over = asyncio.Event()
            begun.set()
            await self._over.wait()

        with asyncio.Runner() as runner:  # its end cancels what is left
            runner.run(until_closed())
