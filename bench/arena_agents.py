"""Many endpoints in one process, each on a port of its own: started by `arena.py`, ended by its stdin.

The path of a request is how many ms an agent thinks on average: half of that to one and a half times that, since agents
that all think alike would be asked all at once for ever. `reason` of each reply is the time in seconds that the agent
took, from the request read to the reply written: what the referee adds to it is the referee's.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import ssl
import sys
import time
from pathlib import Path

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "


async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """One connection, kept alive."""
    rng = random.Random()
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
            body = await reader.readexactly(length)
            began = time.perf_counter()
            think_s = int(head.split(b" ", 2)[1].lstrip(b"/") or 0) / 1000
            if think_s:
                await asyncio.sleep(think_s * rng.uniform(0.5, 1.5))
            turn = json.loads(body)
            own_s = time.perf_counter() - began
            reply = {"move": rng.choice(turn["legal"]), "nonce": turn["nonce"], "reason": f"{own_s:.6f}"}
            data = json.dumps(reply).encode()
            writer.write(HEAD + str(len(data)).encode() + b"\r\n\r\n" + data)
    except (asyncio.IncompleteReadError, OSError):
        pass
    finally:
        writer.close()


async def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("count", type=int)
    options.add_argument("cert", type=Path)
    options.add_argument("key", type=Path)
    chosen = options.parse_args()
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(chosen.cert, chosen.key)
    servers = [await asyncio.start_server(talk, "127.0.0.1", 0, ssl=context) for _ in range(chosen.count)]
    print(json.dumps([server.sockets[0].getsockname()[1] for server in servers]), flush=True)
    await asyncio.to_thread(sys.stdin.read)  # until the other side closes it


if __name__ == "__main__":
    asyncio.run(main())
