"""Help on fighting, and on friends."""

from __future__ import annotations

from starlane.door.pages.figures import days
from starlane.engine.bounties import MIN_BOUNTY_CREDITS
from starlane.rules.fresh_start import CREDITS_DIVISOR
from starlane.rules.thorn import REWARD_PER_FIGHTER, REWARD_PER_SHIP
from starlane.rules.tolls import toll
from starlane.settings import Settings


def fights(settings: Settings) -> str:
    """Fighting."""
    shield = days(settings.protected_days)
    shielded = f"Newcomers attack the Thorn alone, and nobody attacks them, for {shield}; W gives that up. "
    return f"""\
A attacks something in your sector: a ship, a thornship, a planet that is not
yours (one turn). You choose how many fighters to send; they fight to the end.

Of equal forces both are spent. Four times the force wins and loses about a
third of what it shoots down, so send many at once, never in portions. Chance
moves either side by up to 15%; defenders are 3% stronger, and planets are
stronger with every level of their works.

If nothing is left of a ship, it is destroyed. The winner takes part of its cargo
and credits, and the bounty on its pilot's head. If nothing is left of a garrison
the planet, with all that lies on it, is yours.

A pilot whose ship is lost starts afresh at Haven with a new one and at most
{settings.start_credits // CREDITS_DIVISOR:,} credits. Cargo, holds, scanner, money aboard and half of the day's
turns are gone, and a tenth of the bank. Planets, pickets, alliance and mail stay.
Until the day is over nobody can attack you then, nor you them.

Safe sectors: nobody fights there. {shielded if settings.protected_days else ""}Ships asleep can be attacked
like others: leave the game in a safe sector or on a planet of yours, your money in the bank."""


def pickets(_: Settings) -> str:
    """Pickets."""
    return f"""\
F deploys fighters in your sector, and takes them back: you say how many shall
stand there. One pilot's a sector; not in safe sectors. It costs no turn. They
  T  toll:   let in whoever pays; {toll(100)} credits for 100 fighters, {toll(1000):,} for 1,000
  G  guard:  let nobody in but you and your allies
  H  hunt:   guard, and shoot at strangers who come along

When you fly at a picket you are told who bars the way, and you choose:
  P  pay the toll and fly in
  F  force your way: send fighters against it (one turn); if nothing is left of
     it you fly in
  S  stay where you are

Pickets keep others out of a rich corner, or live on their tolls, which go into
your bank. You are told of what they do. Newcomers pass all pickets."""


def thorn(_: Settings) -> str:
    """The Thorn."""
    return f"""\
The Thorn is an empire that no pilot flies for. Its ships start far from Haven,
fly a few lanes a day, and some days hunt what they find. They grow stronger
from day to day. They never come into safe sectors.

The Haven Watch pays {REWARD_PER_FIGHTER} credits for every fighter of theirs shot down, and {REWARD_PER_SHIP}
more for the ship. At four times their force you about come out even on the
fighters; the fewer you lose the better you earn. Their numbers can be read in
the sector screen before you attack."""


def alliances(_: Settings) -> str:
    """Alliances and bounties."""
    return f"""\
T shows the alliances. Allies pass each other's pickets, land on each other's
planets, take trade goods from them, and can't fight each other.
  F  found one       I  invite a pilot (the leader)    E  put a member out
  J  join one that has invited you                     L  leave yours
An alliance has no till: what you own stays your own, and so does your rank. If
the leader leaves, the member who came to Haven first leads on.

B shows the bounties. At Haven, P puts credits ({MIN_BOUNTY_CREDITS} at least) on another pilot's
head: they lie there until somebody destroys that pilot's ship, and go to whoever
does it. Your name is in the news."""
