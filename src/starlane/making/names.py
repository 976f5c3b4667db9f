"""Names of places and ships, made of syllables and thorns by a world's chance; none is used twice in a world."""

from __future__ import annotations

from typing import Final

from starlane.dice import Dice

HAVEN_REGION: Final = "Haven Reach"
"""The name of the region around sector 1."""
THORNHOLD_REGION: Final = "Thornhold"
"""The name of the region in which the empire lies."""


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_HEADS: Final = _words(
    "Al Am Ar Bel Bor Cal Cor Dal Den Dor El Er Fal Fen Gar Gol Hal Hol Il Is Jor Kel Kor Lan Lor Mar Mer Nar Nol Or "
    "Os Pel Por Quen Ral Ros Sal Sel Tal Tor Ul Val Ven Wes Yar Zel"
)
_HEARTS: Final = _words("a ada ano ar e ela en eri i ia ile in o ola ona or u una ura y")
_TAILS: Final = _words(
    "bar bis cey dal den dine dor fell gan gard ka lan leth lis lund mar mede mir na nor phe ra ris ron sa seth ta tar "
    "thas thil tis va ver vin wick xis"
)
_LONG_PERMILLE: Final = 600
"""Words of three parts: there are 33,000 of them, and only 1,700 of two parts, which read better."""
_REGIONS: Final = _words("Banks Basin Deep Drift Expanse Fields Gulf March Narrows Reach Shoals Sound Verge")
_PORTS: Final = _words("Anchorage Depot Dock Exchange Landing Market Quay Station Stores Wharf")
_TEMPERS: Final = _words(
    "Ashen Barren Bitter Black Bleak Blind Cold Crooked Cruel Dark Dire Dread Fell Gaunt Grey Grim Harsh Hollow Hungry "
    "Iron Lone Old Pale Proud Red Sharp Silent Stark Sullen Wild"
)
_THORNS: Final = _words(
    "Acacia Barb Blackthorn Bramble Briar Burdock Caltrop Cockspur Furze Gorse Hawthorn Holly Jujube Nettle Prickle "
    "Quill Rosehip Sloe Spike Spine Spur Sting Teasel Thistle Thorn Yucca"
)


class Names:
    """The names of one world, drawn from its `dice`."""

    def __init__(self, dice: Dice) -> None:
        self._dice = dice
        self._used = {HAVEN_REGION, THORNHOLD_REGION}

    def region(self) -> str:
        """Such as `Kelona Drift`."""
        return f"{self.place()} {self._dice.choice(_REGIONS)}"

    def port(self) -> str:
        """Such as `Mardine Wharf`."""
        return f"{self.place()} {self._dice.choice(_PORTS)}"

    def place(self) -> str:
        """A single word such as `Tormede` or `Torilis`, for planets and as a part of other names: up to 12 letters."""
        dice = self._dice
        while True:
            heart = dice.choice(_HEARTS) if dice.permille(_LONG_PERMILLE) else ""
            word = dice.choice(_HEADS) + heart + dice.choice(_TAILS)
            if word not in self._used:
                self._used.add(word)
                return word

    def thornship(self) -> str:
        """Such as `Grim Teasel`; there are 780 of them, and nobody may ask for more."""
        while True:
            name = f"{self._dice.choice(_TEMPERS)} {self._dice.choice(_THORNS)}"
            if name not in self._used:
                self._used.add(name)
                return name
