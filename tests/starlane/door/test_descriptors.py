"""A line over real descriptors: raw mode, sizes, and every way in which a call ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.starlane.door.callers import WAIT_S, Caller, surroundings

from starlane.door.wire import Size

DIALOGUE = str(Path(__file__).with_name("small_dialogue.py"))

TO_A_PROMPT = {
    "command": (b"", "Command (?=Help)? "),
    "number": (b"12", "12"),
    "text": (b"t", "Name (up to 20 characters): "),
    "half a text": (b"tab", "characters): ab"),
    "confirm": (b"c", "Sure (Y/N) [N]? "),
    "more": (b"s", "[More] "),
    "pause": (b"q", "[Hit a key] "),
}
"""Keys that lead to each kind of prompt, and what shows that it is there. On a terminal the keys of one prompt wait for
it, so that they are sent one by one."""


def at(caller: Caller, prompt: str) -> None:
    keys, shown = TO_A_PROMPT[prompt]
    caller.until("Command (?=Help)? ")
    if keys:
        caller.send(keys[:1])
    if keys[1:]:
        caller.until("characters): " if keys[:1] == b"t" else keys[:1])
        caller.send(keys[1:])
        caller.until(keys[1:])
    elif keys:
        caller.until(shown)


def test_the_mode_is_raw_meanwhile_and_as_before_afterwards(tmp_path: Path) -> None:
    with Caller([DIALOGUE, str(tmp_path / "end")]) as caller:
        caller.until("Command (?=Help)? ")
        assert caller.mode_now() != caller.mode
        caller.send(b"q")
        caller.until("[Hit a key] ")
        caller.send(b"x")
        assert caller.ended() == 0
        assert caller.mode_now() == caller.mode
    assert (tmp_path / "end").read_text() == "over"
    assert caller.seen.endswith(b"Command (?=Help)? Q\r\n[Hit a key] \r\n")


@pytest.mark.parametrize("prompt", TO_A_PROMPT)
def test_a_hang_up_at_any_prompt_ends_the_call(tmp_path: Path, prompt: str) -> None:
    with Caller([DIALOGUE, str(tmp_path / "end")]) as caller:
        at(caller, prompt)
        caller.hang_up()
        assert caller.ended() == 0
    assert (tmp_path / "end").read_text() == "hung up"


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_call_and_restores_the_mode(tmp_path: Path, number: signal.Signals) -> None:
    with Caller([DIALOGUE, str(tmp_path / "end")]) as caller:
        caller.until("Command (?=Help)? ")
        caller.process.send_signal(number)
        assert caller.ended() == 0
        assert caller.mode_now() == caller.mode
    assert (tmp_path / "end").read_text() == "hung up"


@pytest.mark.parametrize("end", ["signal", "hang-up"])
def test_a_caller_that_does_not_read_can_still_be_ended(tmp_path: Path, end: str) -> None:
    with Caller([DIALOGUE, str(tmp_path / "end"), "1000000"]) as caller:
        caller.until("...")
        if end == "signal":
            caller.process.send_signal(signal.SIGTERM)
            assert caller.process.wait(WAIT_S) == 0
        else:
            caller.hang_up()
            assert caller.ended() == 0
    assert (tmp_path / "end").read_text() == "hung up"


@pytest.mark.parametrize(
    ("size", "told"),
    [(None, "80x24"), (Size(40, 10), "40x10"), (Size(200, 60), "200x60"), (Size(132, 43), "132x43")],
)
def test_the_size_is_the_windows(tmp_path: Path, size: Size | None, told: str) -> None:
    with Caller([DIALOGUE, str(tmp_path / "end")], size=size) as caller:
        caller.until(f"size {told}\r\n")


def test_keys_may_be_cut_anywhere(tmp_path: Path) -> None:
    with Caller([DIALOGUE, str(tmp_path / "end")]) as caller:
        caller.until("Command (?=Help)? ")
        caller.send(b"t")
        caller.until("characters): ")
        for byte in "Zoë\x1b[A Ña\x7f\x1bOP\r".encode():
            caller.send(bytes([byte]))
        caller.until("text Zoë Ñ!")


def test_what_is_typed_ahead_is_no_answer_to_a_later_prompt(tmp_path: Path) -> None:
    with Caller([DIALOGUE, str(tmp_path / "end")]) as caller:
        caller.send(b"q\rxx")
        caller.until("Command (?=Help)? ")
        caller.send(b"c\r")
        caller.until("Sure (Y/N) [N]? ")
        caller.send(b"y\r")
        caller.until("sure True!")
        caller.until("Command (?=Help)? ")
        caller.send(b"20\r")
        caller.until("number 20!")


def piped(arguments: list[str], keys: bytes) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, DIALOGUE, *arguments],
        check=False,
        input=keys,
        capture_output=True,
        env=surroundings(),
        timeout=WAIT_S,
    )


def test_pipes_are_taken_in_order(tmp_path: Path) -> None:
    run = piped([str(tmp_path / "end")], b"t\nAda\nc\ny\n15\nq\nx")
    assert (run.returncode, run.stderr) == (0, b"")
    for shown in (b"text Ada!", b"sure True!", b"number 15!", b"[Hit a key]"):
        assert shown in run.stdout
    assert (tmp_path / "end").read_text() == "over"


def test_the_end_of_a_pipe_is_a_hang_up(tmp_path: Path) -> None:
    run = piped([str(tmp_path / "end")], b"t\nAd")
    assert (run.returncode, run.stderr) == (0, b"")
    assert (tmp_path / "end").read_text() == "hung up"


def test_a_reader_that_closed_is_a_hang_up(tmp_path: Path) -> None:
    there, here = os.pipe()
    os.close(there)
    with subprocess.Popen(
        [sys.executable, DIALOGUE, str(tmp_path / "end")], stdin=subprocess.PIPE, stdout=here, env=surroundings()
    ) as process:
        os.close(here)
        assert process.wait(WAIT_S) == 0
    assert (tmp_path / "end").read_text() == "hung up"
