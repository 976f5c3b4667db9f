"""schemathesis against the document: whatever it thinks of sending, no answer is a fault or one that is not documented.

It is its own program, asked over the line, so that nothing of it gets into the suite: a venue in which matches are
played, people write and one match is on; once with a token, once without.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import sys
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any, Final

import pytest

from agentbbs.games.catalog import find
from agentbbs.hub.games.human_seat import HumanSeat
from agentbbs.protocol.signing import Scheme, new_secret
from agentbbs.store import boards, endpoints
from agentbbs.store.database import Database

from . import played
from .site import NOW_MS, Site

SEED: Final = "20"
MATCH: Final = "019b7c1e-0000-7000-8000-000000000200"

SHORT_S: Final = 180
LONG_S: Final = 1_200

CONFIG: Final = f"""
# Words may be well-formed and still name no game, no bot or no URL that is called: 422.
[checks.positive_data_acceptance]
expected-statuses = ["2xx", "3xx", "401", "404", "409", "422", "429"]

# A URL and a game, or an endpoint: the types of the fields can't say that. And a page is read at the same address.
[[operations]]
include-path = "/practice"
checks.positive_data_acceptance.expected-statuses = ["2xx", "400", "401", "404", "409", "422", "429"]
checks.allow_header_conformance.enabled = false
checks.unsupported_method.enabled = false

# What a secret looks like depends on the scheme.
[[operations]]
include-name = "POST /api/v1/endpoints"
checks.positive_data_acceptance.expected-statuses = ["2xx", "400", "401", "404", "409", "422", "429"]

[[operations]]
include-path-regex = "^/api/v1/(matches|live)/.id.(/.*)?$"
phases.coverage.enabled = true
parameters = {{ "path.id" = "{MATCH}" }}

[[operations]]
include-path-regex = "^/api/v1/agents/"
parameters = {{ "path.name" = "ada" }}

[[operations]]
include-path-regex = "^/api/v1/endpoints/.id."
parameters = {{ "path.id" = "1" }}
"""
"""Ids that there are, or nothing would be answered but 404; how ids are wrong is for the run without."""

QUICK: Final = f"""{CONFIG}
# Of methods that an operation has not, each is a request: the slow runs send them all.
[phases.coverage]
unexpected-methods = ["PUT"]
"""

ANYTHING: Final = CONFIG[: CONFIG.index("[[operations]]\ninclude-path-regex")]


async def nowhere(host: str, port: int) -> Sequence[str]:
    """A resolver that knows no name: no test asks the network."""
    del port
    raise OSError(f"no address of {host}")


@pytest.fixture
async def busy(migrated: Path, tmp_path: Path) -> AsyncIterator[Site]:
    """A site with something behind every address."""
    database = Database(f"sqlite:///{shutil.copy(migrated, tmp_path / 'venue.db')}").open()
    played.fill(database)
    with database.begin() as conn:
        start = boards.start_thread(conn, boards.Reader(1, boards.Level.MEMBER), 1, "Hello", "Again", now_ms=NOW_MS)
        boards.reply(conn, boards.Reader(2, boards.Level.MEMBER), start.thread, "And again", now_ms=NOW_MS)
        secret = new_secret(Scheme.HMAC, bytes(32))
        endpoints.register(conn, 1, "c4", "https://agent.example/play", "hmac", secret, NOW_MS)
    async with Site(database, None, loopback=False, resolver=nowhere).served(within_s=LONG_S) as site:
        site.runner.start(find("ttt"), (seat(2, "bob"), seat(3, "Cleo")), why_unrated="a challenge")
        yield site


def seat(account: int, name: str) -> HumanSeat:
    """Somebody who thinks for long."""
    return HumanSeat(account, name, lambda: None)


async def run(site: Site, folder: Path, config: str, *options: str, within_s: float) -> dict[str, Any]:
    """What schemathesis reports. Fails with its own words if it has found anything."""
    (folder / "schemathesis.toml").write_text(config)
    report = folder / "report.json"
    command = [
        *(sys.executable, "-m", "schemathesis.cli", "--no-color", "--config-file", str(folder / "schemathesis.toml")),
        *("run", f"{site.base}/api/v1/openapi.json", "--seed", SEED, "--generation-database", "none"),
        *("--report-json-path", str(report), "--warnings", "off", "--no-shrink"),
        *options,
    ]
    process = await asyncio.create_subprocess_exec(
        *command, cwd=folder, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    try:
        async with asyncio.timeout(within_s):
            said, _ = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert process.returncode == 0, said.decode()
    found: dict[str, Any] = json.loads(report.read_text())
    return found


@pytest.mark.timeout(2 * SHORT_S)
async def test_no_request_finds_a_fault_or_an_undocumented_answer(busy: Site, tmp_path: Path) -> None:
    token = busy.token("ada")
    await run(
        busy,
        tmp_path,
        QUICK,
        "--phases",
        "examples,coverage",
        "-H",
        f"Authorization: Bearer {token}",
        within_s=SHORT_S,
    )


@pytest.mark.slow
@pytest.mark.timeout(2 * LONG_S)
@pytest.mark.parametrize("who", ["owner", "anybody"])
@pytest.mark.parametrize("config", [CONFIG, ANYTHING], ids=["known", "anything"])
async def test_many_requests_find_none_either(busy: Site, tmp_path: Path, who: str, config: str) -> None:
    options = ["--phases", "examples,coverage,fuzzing,stateful", "--max-examples", "60"]
    if who == "owner":
        options += ["-H", f"Authorization: Bearer {busy.token('ada')}"]
    await run(busy, tmp_path, config, *options, within_s=LONG_S)
