"""Help on playing at all: the aim, the prompts, flying, the computer, words, the score."""

from __future__ import annotations

from starlane.door.pages.figures import days
from starlane.rules.yard import SCANNER_PRICE
from starlane.settings import MAX_HOLDS, Settings


def start(settings: Settings) -> str:
    """How to play."""
    shielded = f"Newcomers are protected for {days(settings.protected_days)}; use them to trade and to explore."
    return f"""\
You fly a trading ship among {settings.sectors:,} sectors. Lanes lead from sector to sector;
some go one way only. Everybody plays in the same world, at the same time.

The aim: to own more than anybody else. The rankings (C, then K) count all that
you have: money, ship, cargo, planets, deployed fighters.

You get {settings.turns_per_day:,} turns a day. A turn is spent when you fly along a lane, dock at a
port, land on a planet or attack. Everything else is free: look, read, think.

A good first day:
1. The letters behind a port, such as SBB, say what it does with ice, grain and
   tools, in this order: S sells, B buys. Look for two ports near each other
   where one sells what the other buys, tools before grain before ice.
2. Dock (P), buy, fly to the other port, dock, sell. Haggle.
3. Prices go against you the more you trade: after a few rounds look for others.
4. Come home to Haven, sector 1, and buy more holds (Y). Then a scanner.
5. From day to day: settle planets, arm, find allies, hunt the Thorn.

{shielded if settings.protected_days else "Nobody is protected here: leave the game in safe sectors."}"""


def prompts(_: Settings) -> str:
    """How the prompts work."""
    return """\
  Command (?=Help)?  One key acts at once, upper or lower case. A number is typed
     with Enter, and flies to that sector. Enter alone shows the sector again; it
     costs nothing.
  (A/B/C) [C]?       One of these keys; Enter takes the one in brackets.
  (Y/N) [N]?         Y or N; Enter takes the one in brackets.
  (0-20) [20]?       A number from 0 to 20, then Enter; Enter alone takes the one
     in brackets. Commas are allowed: 1,000. 0 always means: nothing, or none.
  (up to 24 characters):  A line of text, then Enter; Enter alone: never mind.
  [More]             A long list stops at each screen; Q skips the rest.

A wrong key does nothing but show the keys that are possible.

Backspace rubs out, Ctrl-U, Escape or Ctrl-C empty a field. What you typed before
a prompt was shown does not count as its answer.

What other pilots do or say is told between the prompts, never while you type,
in lines that begin with ***. Their letters stand behind the label Text.

The line may drop at any time: you lose nothing, and come back where you were.
If you come in from elsewhere, the older call ends."""


def flight(settings: Settings) -> str:
    """Flying."""
    return f"""\
The sector screen, line by line; lines without content are left out:
  Sector   where you are; "safe" sectors are patrolled: nobody fights there
  Port     its name and class, and what it sells and buys
  Planet   name, kind, owner, garrison
  Ship     other pilots with their fighters; one asleep is not playing now
  Thorn    ships of the empire
  Picket   fighters that a pilot has deployed here
  Lanes    where you can fly: (19) you have not been there, 22> one way
  You      turns, credits, fighters, and what is in your holds

Type the number of a sector to fly there, a turn a lane. If it is not next door
the shortest path and its length are shown first. The autopilot then flies it
lane by lane, and stops where something is: a picket in the way, a ship, the
Thorn, or a message for you. Sectors are numbered from 1 to {settings.sectors:,}, roughly outwards from Haven.

A scanner (S; {SCANNER_PRICE:,} credits at the yard) looks into all the next sectors without
a turn. What it sees of ports is kept for the computer's reports.
J throws cargo out of the airlock, to make room. Your ship has at most {MAX_HOLDS} holds."""


def computer(_: Settings) -> str:
    """The computer."""
    return """\
C opens the computer. It costs no turns.
  P  the shortest path to a sector, and how many turns it takes
  R  reports of the ports that you know, the nearest first. Each good shows
     what the port does, how many units it still trades, and its fair price for
     one unit, as it was on the day when you saw it last. You can list only those
     that sell, or buy, one good.
     "sells 300 @9.4" means: the port still sells 300 units, for 9.4 credits each.
  S  the sectors that you know, with their ports and lanes
  K  the rankings
  L  your own log: write lines, strike them out. Nobody else sees them.
  X  back to the command prompt
The computer gives no advice. To choose the route is your business."""


def words(_: Settings) -> str:
    """Mail and radio."""
    return """\
R opens the radio. It costs no turns, and works everywhere.
  R  read your mail: the unread letters, or all of them when none is unread.
     At each letter: N the next one, A answer, B burn it, Q enough
  L  list the letters
  W  write a letter to a pilot; the beginning of the name is enough
  B  broadcast a line to every pilot
A letter has up to 400 characters. The pilot is told of it before the next prompt.
N, at the command prompt, shows the Haven Gazette: what happened in the last days.
What others did to you is told as soon as you are at a prompt, or when you return."""


def score(_: Settings) -> str:
    """What counts."""
    return """\
The rankings (C, then K) go by net worth in credits: all that you own together.
  Credits             in full, aboard, in the bank, on your planets
  Holds, scanner,     half of what they cost at the yard
  fighters, people
  Works of planets    half of the credits that they cost
  Ice, grain, tools   6, 12 and 24 a unit: less than any port pays
So nothing that you buy makes you richer at once. It has to earn its price:
holds by trading, planets by their harvest, fighters by what they win or keep.
Fighters count wherever they are: aboard, in pickets, in garrisons.

Also shown, and counted for honour: ships and thornships shot down, ships lost,
sectors visited."""
