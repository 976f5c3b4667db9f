"""The level `random`: anything that can be done, by chance."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Final

from starlane.bots.helm import Helm
from starlane.dice import Dice
from starlane.engine.refusal import Refused
from starlane.goods import TRADE_GOODS, Good
from starlane.orders import (
    Ask,
    AttackThorn,
    Bank,
    Buy,
    BuyScanner,
    Claim,
    Deploy,
    Dock,
    Force,
    Jettison,
    Land,
    LiftOff,
    Load,
    Move,
    Offer,
    Order,
    SellFighters,
    Walk,
)
from starlane.records import HAVEN, Stance
from starlane.reports import Docked, Haggle, Haggled, Stopped
from starlane.views import PilotView, SectorView

_MAX_FREE: Final = 4
"""Things done at most between two turns."""
_MAX_FRUITLESS: Final = 25
"""Tries in a row to spend a turn before the day is over: a picket may have shut in the ship."""
_MAX_LOT: Final = 20
_MAX_OFFERS: Final = 12


class Drifter:
    """See the module; a `Brain`."""

    def __init__(self, seed: int) -> None:
        self._dice = Dice(seed)

    def day(self, helm: Helm) -> Iterator[None]:
        """See `Brain`."""
        fruitless = 0
        while (turns := helm.me().turns) > 0 and fruitless < _MAX_FRUITLESS:
            for _ in range(self._dice.below(_MAX_FREE)):
                self._idle(helm)
            self._turn(helm)
            if helm.me().turns == turns:
                self._fly(helm, helm.sector())
            fruitless = 0 if helm.me().turns < turns else fruitless + 1
            yield

    def _turn(self, helm: Helm) -> None:
        """Something that costs a turn."""
        view = helm.sector()
        chances: list[Callable[[Helm, SectorView], None]] = [self._fly] * 4
        if view.port:
            chances += [self._trade] * 3
        if view.planets:
            chances += [self._visit] * 2
        if view.thorns:
            chances.append(self._hunt)
        self._dice.choice(chances)(helm, view)

    def _fly(self, helm: Helm, view: SectorView) -> None:
        """Along a lane by chance; who bars it is paid, fought or left alone."""
        to = self._dice.choice(view.lanes).to
        aboard = helm.me().fighters
        with suppress(Refused):
            stopped = helm.do(Move(to=to))
            if not isinstance(stopped, Stopped) or stopped.destroyed:
                return
            if stopped.toll and self._dice.permille(500):
                helm.do(Move(to=to, pay=stopped.toll))
            elif aboard and self._dice.permille(300):
                helm.do(Force(to=to, fighters=self._dice.between(1, aboard)))

    def _trade(self, helm: Helm, _view: SectorView) -> None:
        with suppress(Refused):
            if not isinstance(helm.do(Dock()), Docked):
                return
            good = self._dice.choice(TRADE_GOODS)
            said = helm.do(Ask(good=good, quantity=self._dice.between(1, _MAX_LOT)))
            for _ in range(_MAX_OFFERS):
                if not isinstance(said, Haggled) or said.state in {Haggle.DEAL, Haggle.BROKEN}:
                    return
                said = helm.do(self._answer(said))

    def _answer(self, said: Haggled) -> Order:
        """An offer around the port's price, by chance; sometimes none."""
        if self._dice.permille(100):
            return Walk()
        if said.state is Haggle.FINAL or self._dice.permille(400):
            return Offer(credits=said.ask)
        return Offer(credits=max(1, said.ask * self._dice.between(900, 1100) // 1000))

    def _visit(self, helm: Helm, view: SectorView) -> None:
        if helm.me().planet:
            self._try(helm, LiftOff())
        planet = self._dice.choice(view.planets)
        self._try(helm, Land(planet=planet.planet))
        if not helm.me().planet:
            return
        ground = helm.planet()
        if not ground.owner_name:
            self._try(helm, Claim(name=ground.name))
        else:
            good = self._dice.choice((Good.FIGHTERS, *TRADE_GOODS))
            aboard = int(getattr(helm.me(), good))
            if aboard:
                self._try(helm, Load(good=good, amount=self._dice.between(1, aboard)))
        self._try(helm, LiftOff())

    def _hunt(self, helm: Helm, view: SectorView) -> None:
        fighters = helm.me().fighters
        if fighters:
            thorn = self._dice.choice(view.thorns)
            self._try(helm, AttackThorn(thornship=thorn.thornship, fighters=self._dice.between(1, fighters)))

    def _idle(self, helm: Helm) -> None:
        """Something that costs no turn."""
        me, view = helm.me(), helm.sector()
        chances: Sequence[Order | None] = (
            self._shopping(me) if view.number == HAVEN else None,
            self._jettison(me),
            self._picket(me, view),
            None,
        )
        order = self._dice.choice(chances)
        if order is not None:
            self._try(helm, order)

    def _shopping(self, me: PilotView) -> Order:
        amount = self._dice.between(1, 5)
        return self._dice.choice(
            (
                Buy(good=Good.HOLDS, amount=amount),
                Buy(good=Good.FIGHTERS, amount=amount),
                Buy(good=Good.COLONISTS, amount=amount * 3),
                SellFighters(amount=amount),
                Bank(credits=max(1, me.credits // 2)),
                Bank(credits=-max(1, me.bank)),
                BuyScanner(),
            )
        )

    def _jettison(self, me: PilotView) -> Order | None:
        good = self._dice.choice(TRADE_GOODS)
        return Jettison(good=good, amount=1) if getattr(me, good) else None

    def _picket(self, me: PilotView, view: SectorView) -> Order | None:
        if view.safe or me.protected_days or me.fighters < 2:
            return None
        stance = self._dice.choice(tuple(Stance))
        return Deploy(fighters=self._dice.between(1, me.fighters), stance=stance)

    def _try(self, helm: Helm, order: Order) -> None:
        with suppress(Refused):
            helm.do(order)
