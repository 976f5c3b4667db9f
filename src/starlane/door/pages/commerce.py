"""Help on earning: ports, haggling, the yard, planets."""

from __future__ import annotations

from starlane.door.pages.figures import percent
from starlane.records import Job, Kind
from starlane.rules.haggling import MAX_SPOILT, best_reserve, worst_opening
from starlane.rules.planets import (
    BIRTHS_PERMILLE,
    MAX_PLANETS,
    MAX_WORKS,
    MIN_SETTLERS,
    NATURES,
    STORE_UNITS,
    WORKS_CREDITS,
    WORKS_DEFENCE_PERMILLE,
    WORKS_TOOLS,
    WORKS_YIELD_PERMILLE,
)
from starlane.rules.yard import COLONIST_PRICE, FIGHTER_PRICE, FIGHTER_RESALE, SCANNER_PRICE, WAGE, hold_price
from starlane.settings import MAX_HOLDS, Settings


def trade(_: Settings) -> str:
    """Trading."""
    return """\
P docks at the port of the sector (one turn) and shows its board: what it sells
or buys, how many units it still trades, and the fair price of the next unit.

Base values: ice 10, grain 20, tools 40 credits. Prices move with the stock:
  a port that sells asks   70% of base when full, up to 110% when empty
  a port that buys pays   130% of base when empty, down to 90% when full
Each unit that you trade moves the price against you, so a big quantity is worth
less a unit than the board says for one. The port tells you what the whole
quantity is worth by its board before you make an offer.

Ports recover by 8% of their size a day. Two ports that you fly between all day
run dry: full prices are elsewhere. Know many ports; the computer keeps them.

I, G, T choose a good. Then the quantity (Enter: as much as you can), then the
bargain: see the subject Haggling. B shows the board again. Q leaves the menu;
you stay docked, and P brings you back without another turn, until you fly on."""


def haggling(_: Settings) -> str:
    """Haggling."""
    opening = percent(worst_opening(1000, buying=True) - 1000)
    best = percent(1000 - best_reserve(1000, buying=True))
    grudge = percent(worst_opening(1000, buying=True, spoilt=1) - worst_opening(1000, buying=True))
    return f"""\
You haggle about the total price of the whole quantity, in credits.

The port opens worse for you than its board, by up to {opening}. It has a limit that it
keeps to itself: from a little worse than the board to {best} better for you. It
hears 2 to 5 offers:
  - One at its limit, or worse for you, is a deal at the price that you offered.
  - One near its limit moves the port towards it. It says how close you are: "so
    close" is within half a percent, "reasonable" within a few.
  - One that is far off, or no better than your last, costs two offers, moves
    nothing, and may end the talk.
  - One that is a tenth beyond its limit is an insult: it ends the talk, or all but.
When it has heard enough it says its last word: take that, or walk away. Enter
accepts the price that the port named; 0 walks away.

A port remembers: each talk without a deal makes it {grudge} harder, and after {MAX_SPOILT} it
talks no more. D docks anew, for a turn: then it has forgotten.

Whoever takes the first price loses a little on every trade; whoever is too
greedy loses the deal. Watch what the port says, and come a step towards it."""


def yard(settings: Settings) -> str:
    """Yard and bank."""
    first, step = hold_price(0), hold_price(1) - hold_price(0)
    have = settings.start_holds
    return f"""\
Y, at Haven (sector 1), opens the yard and the bank. They cost no turns but what you work.
  H  holds: one more costs {first} credits, and {step} for each hold you have; the
     first after a new ship's {have} costs {hold_price(have)}. At most {MAX_HOLDS}.
  F  fighters, {FIGHTER_PRICE} credits each. They guard your ship, and attack.
  S  the yard takes fighters back, {FIGHTER_RESALE} credits each.
  C  colonists, {COLONIST_PRICE} credits each; they fill a hold each until you settle them.
  N  a scanner, {SCANNER_PRICE:,} credits: shows what is in the next sectors.
  D  pay into the bank.    W  draw out of it.
  E  earn {WAGE} credits for each turn that you work in the yard: a way out of need.

What is in the bank is safe from attackers; if your ship is lost, a tenth of it
goes. What you carry goes with the ship. The bank pays no interest.

Twice the holds is nearly twice the profit of a day: buy them early. But the
dearer they get the longer they take to pay for themselves."""


def planets(_: Settings) -> str:
    """Planets."""
    kinds = "\n".join(_kind(kind) for kind in Kind)
    more, stronger = percent(WORKS_YIELD_PERMILLE), percent(WORKS_DEFENCE_PERMILLE)
    return f"""\
L lands on a planet of the sector (one turn). A planet of nobody becomes yours
with at least {MIN_SETTLERS} colonists aboard (C claims it; all stay). {MAX_PLANETS} planets at most.
Colonists make one thing, every day, by your order (J). 1,000 of them make:
  Kind      ice grain tools fighters  people
{kinds}
  B brings down goods, money and fighters, T takes them aboard.  L lifts off.
  W works: level n costs {WORKS_CREDITS:,} x n credits aboard and {WORKS_TOOLS} x n tools on the planet,
    up to {MAX_WORKS}. Each adds {more} to the harvest, {stronger} to the strength of the garrison,
    half of the people that can live there, and {STORE_UNITS:,} units of storage.
The people grow by {percent(BIRTHS_PERMILLE)} a day. The harvest lies there until you fetch it, {STORE_UNITS:,}
units of each thing without works.

Fighters on it (B, F) are its garrison: whoever beats it takes planet and stores.
Allies may land, bring goods and take trade goods away."""


def _kind(kind: Kind) -> str:
    nature = NATURES[kind]
    ice, grain, tools, fighters = (nature.makes[job] for job in (Job.ICE, Job.GRAIN, Job.TOOLS, Job.FIGHTERS))
    return f"  {kind:<8} {ice:>4} {grain:>5} {tools:>5} {fighters:>8}  {nature.colonists:>6,}  {nature.text}"
