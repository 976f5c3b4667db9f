"""The named sources and sinks: the only places where goods and money come into a world or leave it.

Everything else moves what there is from one holder to another. `starlane verify` adds up all holders and all flows,
and the two must agree for every good.
"""

from __future__ import annotations

from enum import StrEnum


class Flow(StrEnum):
    """Why something came into being or ceased to be. An amount into the world is positive, one out of it negative."""

    MAKING = "making"
    """What ports, planets and the empire had when the world was made."""
    GRANT = "grant"
    """The starter kit of a new pilot, and of one who starts afresh."""
    PORT_TILL = "port till"
    """Credits that ports pay and take: their tills have no bottom."""
    PORT_GROWTH = "port growth"
    """What ports make and use up over a day."""
    YARD = "yard"
    """Credits paid at the shipyard, and holds, fighters and colonists that it hands over or takes back."""
    HARVEST = "harvest"
    """What colonists on planets make over a day."""
    BIRTHS = "births"
    """Colonists born on planets, and those that leave crowded ones."""
    WORKS = "works"
    """Credits and tools that went into a planet's works."""
    BATTLE = "battle"
    """Fighters shot down."""
    WRECK = "wreck"
    """What nobody salvaged of a destroyed ship or of a conquered planet."""
    LOSS = "loss"
    """The penalty of a death: a tenth of what lay in the bank."""
    REWARD = "reward"
    """Credits of the Haven Watch for thornships shot down."""
    WAGE = "wage"
    """Credits for work in the yard."""
    EMPIRE = "empire"
    """Fighters that the Thorn builds."""
    JETTISON = "jettison"
    """Cargo thrown out of the airlock."""
