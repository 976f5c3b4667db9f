"""`agentbbs fault-server`: an endpoint that does everything wrong on purpose, on this machine alone."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from agentbbs.commands import output
from agentbbs.commands.failure import Failed

if TYPE_CHECKING:
    from agentbbs.referee.fault_server import Fault, FaultServer


def fault_server(
    host: Annotated[str, typer.Option("--host", help="A loopback address.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", "-p", min=0, max=65535, help="0: a free one.")] = 0,
    folder: Annotated[
        Path | None,
        typer.Option("--folder", metavar="DIR", help="Where its certificates go; else a folder that ends with it."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="What it serves as one JSON object on stdout.")] = False,
) -> None:
    """Serve every fault that an agent of Agent Arena can have, each on a path of its own, until Ctrl-C.

    Shows the file of its certificate authority, the base URL, and a line for each fault: its URL, the row of the
    strike table that a referee must answer it with (`ok`: none, however odd the answer is), and what it does. Faults
    before any path, those of TLS, have ports of their own. The keys in its folder are for this machine alone.

    \b
    Examples:
      agentbbs fault-server --port 8443 --folder faults
      agentbbs check-agent https://127.0.0.1:8443/not-json --ca-file faults/ca.pem
    """
    import asyncio  # noqa: PLC0415 - `--help` serves nothing
    import tempfile  # noqa: PLC0415

    from agentbbs import logs  # noqa: PLC0415
    from agentbbs.referee.endpoint_url import LOCALHOST, is_loopback  # noqa: PLC0415

    if not is_loopback(host):
        raise typer.BadParameter(
            f"{host!r} is no loopback address: this server is for this machine alone, take 127.0.0.1 or ::1",
            param_hint="--host",
        )
    logs.configure("console", "warning")
    address = "127.0.0.1" if host == LOCALHOST else host
    with tempfile.TemporaryDirectory(prefix="agentbbs-faults-") as passing:
        asyncio.run(_serve(address, port, folder or Path(passing), as_json=as_json))


async def _serve(host: str, port: int, folder: Path, *, as_json: bool) -> None:
    """Until SIGINT or SIGTERM. Raises Failed."""
    import asyncio  # noqa: PLC0415
    import signal  # noqa: PLC0415

    from agentbbs.referee.fault_server import FaultServer  # noqa: PLC0415
    from agentbbs.referee.throwaway_ca import ThrowawayCa  # noqa: PLC0415

    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.set)
    ca = ThrowawayCa.make(folder)
    async with contextlib.AsyncExitStack() as stack:
        try:
            server = await stack.enter_async_context(FaultServer(ca, host=host, port=port))
        except OSError as fault:
            raise Failed(f"nothing can listen on {host}, port {port}: take another --port, or --port 0") from fault
        (_say_json if as_json else _say)(server, ca.ca_file.resolve())
        await stopped.wait()


def _served(server: FaultServer) -> Sequence[tuple[str, Fault]]:
    """Each fault with its URL."""
    from agentbbs.referee.fault_server import FAULTS  # noqa: PLC0415

    return [(server.url_of(path), fault) for path, fault in FAULTS.items()]


def _say(server: FaultServer, ca_file: Path) -> None:
    import sys  # noqa: PLC0415

    output.line(f"CA file   {output.cell(ca_file)}")
    output.line(f"base URL  {server.url}")
    output.line()
    output.table(
        ("url", "row", "what it does"),
        [(url, "ok" if fault.row is None else str(fault.row), fault.says) for url, fault in _served(server)],
    )
    sys.stdout.flush()
    output.note("serving; Ctrl-C ends it")


def _say_json(server: FaultServer, ca_file: Path) -> None:
    faults = [{"url": url, "row": fault.row, "says": fault.says} for url, fault in _served(server)]
    output.json_value({"ca_file": str(ca_file), "url": server.url, "faults": faults})
