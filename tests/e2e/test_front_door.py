"""Tokens, settings and ports, as an operator meets them."""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable

import pytest
from websockets.asyncio.client import connect

from .conftest import VenueProcess

OpenVenue = Callable[..., VenueProcess]


def status(venue: VenueProcess, token: str) -> int:
    """What a plain GET of /play answers: 426 for a valid token, 401 for any other."""
    request = urllib.request.Request(f"{venue.http}/play", headers={"Authorization": f"Bearer {token}"})
    with pytest.raises(urllib.error.HTTPError) as answer:
        urllib.request.urlopen(request, timeout=10)
    with answer.value as error:
        return error.code


def test_a_token_works_from_its_minting_to_its_revocation(venue: VenueProcess) -> None:
    token = venue.mint("ann")
    assert status(venue, token) == 426
    assert status(venue, token) == 426
    revoked = venue.cli("revoke-token", token)
    assert revoked.returncode == 0, revoked.stderr
    assert status(venue, token) == 401


def test_a_second_venue_is_kept_out_of_the_data_folder(venue: VenueProcess) -> None:
    second = venue.cli("serve")
    assert second.returncode == 1
    assert "in use by a venue" in second.stderr
    assert "Traceback" not in second.stderr


def test_a_busy_port_is_one_line_that_names_the_setting(open_venue: OpenVenue) -> None:
    venue = open_venue()
    other = VenueProcess(venue.data.parent / "other", AGENTBBS_GAME_WS_ADDR=venue.http.removeprefix("http://"))
    start = other.cli("serve")
    assert start.returncode == 1
    (line,) = [line for line in start.stderr.splitlines() if line.startswith("error:")]
    assert "AGENTBBS_GAME_WS_ADDR" in line
    assert "in use" in line


def test_a_wrong_setting_is_one_line(venue: VenueProcess) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "agentbbs", "serve"],
        env=venue.env | {"AGENTBBS_GAME_MOVE_TIMEOUT": "soon"},
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert "AGENTBBS_GAME_MOVE_TIMEOUT='soon'" in done.stderr


def test_logs_hold_no_token_and_no_query(venue: VenueProcess) -> None:
    token = venue.mint("ann")
    with pytest.raises(urllib.error.HTTPError) as answer:
        urllib.request.urlopen(f"{venue.http}/play?token=secret-guess&game=ttt", timeout=10)
    answer.value.close()
    status(venue, token)
    assert venue.stop() == 0
    log = "\n".join(venue.log)
    assert token not in log
    assert "secret-guess" not in log
    assert all(json.loads(line)["event"] for line in venue.log)


def test_an_account_that_is_removed_is_closed_out(venue: VenueProcess) -> None:
    """Its connection waits in the queue; it hears why and is closed, without a new connection being tried."""
    token = venue.mint("ann")

    async def wait_until_removed() -> tuple[str, int | None]:
        headers = {"Authorization": f"Bearer {token}"}
        async with connect(venue.url + "?game=ttt", additional_headers=headers) as connection:
            assert json.loads(await asyncio.wait_for(connection.recv(), 30))["type"] == "queued"
            removed = await asyncio.to_thread(venue.cli, "user", "remove", "ann", "--yes")
            assert removed.returncode == 0, removed.stderr
            error = json.loads(await asyncio.wait_for(connection.recv(), 30))
            await asyncio.wait_for(connection.wait_closed(), 30)
            return error["code"], connection.close_code

    assert asyncio.run(wait_until_removed()) == ("unauthorized", 1008)


@pytest.mark.parametrize(
    "request_text",
    [
        b"GET /play?token=SECRETTOKEN&game=a b HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /play HTTP/1.1\r\nAuthorization: Bearer SECRETTOKEN\x01\r\nHost: x\r\n\r\n",
        b"GET /play?token=SECRETTOKEN" + b"x" * 9000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nSECRETTOKEN",
        b"POST /play?token=SECRETTOKEN HTTP/1.1\r\nHost: x\r\nContent-Length: nonsense\r\n\r\n",
    ],
)
def test_a_request_that_can_not_be_read_leaves_nothing_of_it_in_the_log(
    venue: VenueProcess, request_text: bytes
) -> None:
    host, _, port = venue.http.removeprefix("http://").rpartition(":")
    with socket.create_connection((host, int(port)), timeout=10) as connection:
        connection.sendall(request_text)
        while connection.recv(65536):
            pass
    assert venue.stop() == 0
    log = "\n".join(venue.log)
    assert "SECRETTOKEN" not in log
    assert "Traceback" not in log
    assert all(json.loads(line)["event"] for line in venue.log)
    assert "Python/" not in log
