"""How well the turn policies tell when a program is done: `python bench/turns.py [--json FILE]`.

Replays the recordings (`AGENTBBS_RECORDINGS`, default `../shared/recordings`) to a screen and an observer, at the
times at which the bytes came. A turn goes from one input to the next; answers to the terminal's queries and telnet
negotiation are no input. The opening, from the connection (rlogin: its handshake) to the first input, is counted
apart. A turn is *cut early* when the policy calls it ready before the last byte that came before the next input.
The *wait* is from that last byte (from the input, if none came) to ready, over the turns that were not cut.

What a recording can't say: its client decided by itself when to send the next input, and programs that would
have written more later were never heard. A mean wait leaves out the turns that its policy cut, so that two policies
are not averaged over quite the same turns.

The halves (every other file by name) show how much a figure depends on the files. They are no proof that the
adaptive policy holds elsewhere: its learned pauses were chosen on the even half, but its floors and its treatment
of clocks were settled with the figures of all recordings in view, and all of them are of one BBS on loopback.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from statistics import mean, median
from typing import Final

import msgspec

from tty_agent.observer.observer import Observer
from tty_agent.observer.readiness import Adaptive, Fixed, TurnPolicy
from tty_agent.terminal.dialect import ANSI_BBS
from tty_agent.terminal.screen import Screen

ROOT: Final = Path(__file__).resolve().parent.parent
FIXED_MS: Final = (20, 50, 100, 200, 300, 500)

_REPLIES: Final = re.compile(rb"(?:\x1b\[[?=]?[\d;]*[Rnc])+")
"""What a terminal answers by itself to CSI n and CSI c."""

_IAC: Final = 255
_SB: Final = 250
_SE: Final = 240


class Piece(msgspec.Struct, frozen=True):
    """Bytes of a recording that matter: output of the program, or input to it."""

    at: float
    data: bytes
    output: bool


class Recording(msgspec.Struct, frozen=True):
    """One conversation."""

    name: str
    pieces: tuple[Piece, ...]


class Turn(msgspec.Struct, frozen=True):
    """How a policy took one turn."""

    recording: str
    at: float
    opening: bool
    cut: bool
    wait_s: float
    """From the last byte to ready; negative if it was cut."""
    reason: str


class Figures(msgspec.Struct, frozen=True):
    """A policy over some turns. Waits in ms."""

    policy: str
    turns: int
    cut_percent: float
    mean_ms: float
    median_ms: float
    p90_ms: float


class TelnetData:
    """Takes the telnet commands out of one direction of a connection, wherever its chunks are cut."""

    def __init__(self) -> None:
        self._state = "data"

    def feed(self, data: bytes) -> bytes:
        """The data bytes among `data`."""
        kept = bytearray()
        for byte in data:
            if self._state == "data":
                if byte == _IAC:
                    self._state = "command"
                else:
                    kept.append(byte)
            elif self._state == "command":
                if byte == _IAC:
                    kept.append(byte)
                self._state = {_SB: "sub", 251: "option", 252: "option", 253: "option", 254: "option"}.get(byte, "data")
            elif self._state == "option":
                self._state = "data"
            elif self._state == "sub":
                self._state = "sub command" if byte == _IAC else "sub"
            else:
                self._state = "data" if byte == _SE else "sub"
        return bytes(kept)


def recordings(folder: Path) -> list[Recording]:
    """All conversations below a folder, by name."""
    return [_recording(path) for path in sorted(folder.rglob("*.jsonl"))]


def _recording(path: Path) -> Recording:
    chunks = [json.loads(line) for line in path.read_text().splitlines()]
    rlogin = next((chunk["hex"].startswith("00") for chunk in chunks if chunk["dir"] == "tx"), False)
    strip = {direction: TelnetData() for direction in ("rx", "tx")}
    pieces: list[Piece] = []
    handshake = rlogin  # an rlogin client begins with NUL; what it sends then is no input of a person
    for chunk in chunks:
        data = bytes.fromhex(chunk["hex"])
        output = chunk["dir"] == "rx"
        if not rlogin:
            data = strip[chunk["dir"]].feed(data)
        elif not output and handshake:
            handshake = False
            continue
        if data and (output or not _REPLIES.fullmatch(data)):
            pieces.append(Piece(at=chunk["t"], data=data, output=output))
    return Recording(name=path.stem, pieces=tuple(pieces))


def replay(recording: Recording, policy: TurnPolicy) -> Iterator[Turn]:
    """Each turn of a recording as the policy takes it, the opening first."""
    screen = Screen(80, 24, ANSI_BBS)
    observer = Observer(screen, policy)
    observer.start_turn(0.0)
    began, last, opening = 0.0, 0.0, True
    cut_at: float | None = None
    for piece in (*recording.pieces, None):
        due = observer.deadline()
        if piece is not None and piece.output:
            if due is not None and due <= piece.at:
                observer.poll(due)
                cut_at = due
            screen.feed(piece.data)
            observer.received(piece.data, piece.at)
            last = piece.at
            continue
        ready_at = cut_at if due is None else due
        ready = observer.poll(ready_at if ready_at is not None else last)
        assert ready is not None
        assert ready_at is not None
        yield Turn(recording.name, began, opening, cut_at is not None, ready_at - last, ready.reason)
        if piece is not None:
            observer.sent(piece.at)
            observer.start_turn(piece.at)
            began = last = piece.at
            cut_at, opening = None, False


def take(sources: Iterable[Recording], policy: TurnPolicy) -> list[Turn]:
    """Every turn of some recordings."""
    return [turn for source in sources for turn in replay(source, policy)]


def figures(policy: str, turns: Sequence[Turn]) -> Figures:
    """The numbers of a row of the table."""
    waits = sorted(1000 * turn.wait_s for turn in turns if not turn.cut)
    return Figures(
        policy=policy,
        turns=len(turns),
        cut_percent=100 * sum(turn.cut for turn in turns) / len(turns),
        mean_ms=mean(waits),
        median_ms=median(waits),
        p90_ms=waits[int(0.9 * len(waits))],
    )


def policies() -> dict[str, TurnPolicy]:
    """What is compared."""
    return {f"fixed {ms} ms": Fixed(ms / 1000) for ms in FIXED_MS} | {"adaptive": Adaptive()}


def tables(sources: Sequence[Recording]) -> dict[str, list[Figures]]:
    """For each set of turns a row for each policy."""
    rows: dict[str, list[Figures]] = {}
    for name, policy in policies().items():
        turns = take(sources, policy)
        even = {source.name for source in sources[::2]}
        sets = {
            "turns, all recordings": [turn for turn in turns if not turn.opening],
            "turns, even recordings": [t for t in turns if not t.opening and t.recording in even],
            "turns, odd recordings": [t for t in turns if not t.opening and t.recording not in even],
            "turns and openings": turns,
            "openings": [turn for turn in turns if turn.opening],
        }
        for title, chosen in sets.items():
            rows.setdefault(title, []).append(figures(name, chosen))
    return rows


def show(rows: dict[str, list[Figures]]) -> None:
    """Print the tables."""
    for title, lines in rows.items():
        print(f"{title}: {lines[0].turns}")
        print(f"  {'policy':14} {'cut early':>10} {'mean wait':>10} {'median':>8} {'p90':>8}")
        for row in lines:
            waits = f"{row.mean_ms:7.0f} ms {row.median_ms:5.0f} ms {row.p90_ms:5.0f} ms"
            print(f"  {row.policy:14} {row.cut_percent:8.1f} % {waits}")
        print()


def main() -> int:
    """Read the arguments, replay, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--recordings", type=Path, help="a folder of .jsonl recordings")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures here too")
    parser.add_argument("--cuts", action="store_true", help="list the turns that the adaptive policy cut")
    asked = parser.parse_args()
    folder = asked.recordings or Path(os.environ.get("AGENTBBS_RECORDINGS", ROOT.parent / "shared" / "recordings"))
    sources = recordings(folder)
    if not sources:
        print(f"no recordings in {folder}; AGENTBBS_RECORDINGS names the folder", file=sys.stderr)
        return 1
    rows = tables(sources)
    show(rows)
    if asked.cuts:
        for turn in take(sources, Adaptive()):
            if turn.cut:
                print(f"cut: {turn.recording} at {turn.at:.2f} s, {-turn.wait_s:.3f} s early, {turn.reason}")
    if asked.json is not None:
        asked.json.write_bytes(msgspec.json.format(msgspec.json.encode(rows)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
