"""`starlane-bot`: a bot that plays the game at a terminal, as anybody."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import time
from collections.abc import Sequence
from typing import Final

import msgspec

from starlane.bots.at_terminal import AtTerminal
from starlane.bots.brains.levels import Level, brain_of
from starlane.bots.helm import Helm, HelmLost
from starlane.bots.line import TerminalLine
from starlane.settings import MAX_NAME_CHARS
from starlane.views import PilotView

_PLAYED, _FAILED = 0, 1
_SEED_BYTES: Final = 6


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """What a visit has brought."""

    level: str
    name: str
    seed: int
    turns: int
    """Spent on this visit."""
    turns_left: int
    net_worth: int
    gained: int
    """Net worth at the end over that at the beginning."""
    sector: int
    credits: int
    bank: int
    holds: int
    fighters: int
    seconds: float


def main(argv: Sequence[str] | None = None) -> int:
    """Play one visit; returns the exit status: 0 played, 1 failed, 2 misused."""
    asked = _parser().parse_args(argv)
    seed = int.from_bytes(os.urandom(_SEED_BYTES)) if asked.seed is None else asked.seed
    name = asked.name or f"{asked.level.capitalize()} {seed % 1000:03}"
    try:
        line = TerminalLine(_command(asked, name))
    except OSError as fault:
        return _fail(f"the game can't be started: {fault.strerror or fault}")
    begun = time.monotonic()
    try:
        helm = AtTerminal(line, pause_s=asked.pace)
        before = helm.me()
        _play(helm, Level(asked.level), seed, before.turns - (asked.turns or before.turns))
        after = helm.me()
        helm.leave()
    except HelmLost as lost:
        return _fail(str(lost))
    except KeyboardInterrupt:
        return 130
    finally:
        line.close()
    _tell(_summary(asked.level, seed, before, after, time.monotonic() - begun), as_json=asked.json)
    return _PLAYED


def _play(helm: Helm, level: Level, seed: int, stop_at: int) -> None:
    """Until the turns are gone, or no more than `stop_at` are left."""
    for _ in brain_of(level, seed).day(helm):
        if stop_at > 0 and helm.me().turns <= stop_at:
            return


def _command(asked: argparse.Namespace, name: str) -> list[str]:
    if asked.via:
        return shlex.split(asked.via)
    play = [sys.executable, "-m", "starlane", "play", "--plain", "--encoding", "utf-8", "--name", name]
    return [*play, "--data", asked.data] if asked.data else play


def _summary(level: str, seed: int, before: PilotView, after: PilotView, seconds: float) -> Summary:
    return Summary(
        level=level,
        name=after.name,
        seed=seed,
        turns=before.turns - after.turns,
        turns_left=after.turns,
        net_worth=after.net_worth,
        gained=after.net_worth - before.net_worth,
        sector=after.sector,
        credits=after.credits,
        bank=after.bank,
        holds=after.holds,
        fighters=after.fighters,
        seconds=round(seconds, 3),
    )


def _tell(summary: Summary, *, as_json: bool) -> None:
    if as_json:
        sys.stdout.write(msgspec.json.encode(summary).decode() + "\n")
        return
    sys.stdout.write(
        f"{summary.name} ({summary.level}): {summary.turns} turns, worth {summary.net_worth:,} credits"
        f" ({summary.gained:+,}), in sector {summary.sector} with {summary.holds} holds"
        f" and {summary.fighters} fighters\n"
    )


def _fail(reason: str) -> int:
    sys.stderr.write(f"starlane-bot: {reason}\n")
    return _FAILED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="starlane-bot",
        description="Let a bot play Starlane until its turns of the day are gone. It reads the screens of the plain"
        " door and presses its keys, as anybody.",
        epilog="examples:\n  starlane-bot --level admiral --data ./starlane --name Nelson\n"
        "  starlane-bot --level trader --via 'ssh -tt guest@board.example starlane play --plain'",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--level", choices=[level.value for level in Level], required=True, help="how well it plays")
    parser.add_argument("--data", metavar="DIR", help="folder of the world (default: as `starlane play`)")
    parser.add_argument(
        "--name", help=f"of the pilot, up to {MAX_NAME_CHARS} characters (default: the level and chance)"
    )
    parser.add_argument("--seed", type=_whole, metavar="N", help="of the bot's own chances (default: chance)")
    parser.add_argument("--turns", type=_whole, metavar="N", help="leave after so many turns (default: all of the day)")
    parser.add_argument("--pace", type=_seconds, metavar="S", default=0.0, help="seconds to wait before each key")
    parser.add_argument(
        "--via", metavar="COMMAND", help="play in the game that this command opens, in a terminal of 500x500"
    )
    parser.add_argument("--json", action="store_true", help="the summary for programs")
    return parser


def _whole(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"should be a whole number, not {text!r}")
    return int(text)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= 60:
        raise argparse.ArgumentTypeError(f"should be seconds from 0 to 60, not {text!r}")
    return seconds


if __name__ == "__main__":
    sys.exit(main())
