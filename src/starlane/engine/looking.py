"""What a pilot can see, made out of the records: `views`.

A builder takes a `Sky` and the pilot who looks, as it is there. The views of standings, mail and the like are made by
`engine.standings` and `engine.bulletins`, and handed on from here.
"""

from __future__ import annotations

import msgspec

from starlane.engine.allies import friends
from starlane.engine.bulletins import alliances, bounties, gazette, letters, notes, pilot_name
from starlane.engine.ports import Sky
from starlane.engine.refusal import Refused
from starlane.engine.sightings import has_visited
from starlane.engine.standings import net_worth, ranking, scores
from starlane.engine.turns import with_turns_of_today
from starlane.goods import TRADE_GOODS
from starlane.records import NOBODY, Alliance, Picket, Pilot, Planet, Port, Sector, Seen, Thornship
from starlane.rules.planets import build_cost, makes_per_day, max_colonists
from starlane.rules.prices import unit_price
from starlane.rules.yard import COLONIST_PRICE, FIGHTER_PRICE, SCANNER_PRICE, hold_price
from starlane.settings import MAX_HOLDS
from starlane.views import (
    LaneView,
    PicketView,
    PilotView,
    PlanetLine,
    PlanetView,
    PortLine,
    PortReport,
    PortView,
    SectorView,
    ShipView,
    ThornView,
    YardView,
)

__all__ = [
    "alliances",
    "bounties",
    "gazette",
    "letters",
    "net_worth",
    "notes",
    "path",
    "pilot_view",
    "planet_view",
    "port_reports",
    "port_view",
    "ranking",
    "scores",
    "sector_view",
    "yard_view",
]


def sector_view(sky: Sky, pilot: Pilot) -> SectorView:
    """The sector that the pilot is in. Ships that stand on planets are not seen; of the others those come first whose
    pilots are aboard, of thornships the strongest."""
    sector = sky.get(Sector, pilot.sector)
    if sector is None:
        raise LookupError(f"there is no sector {pilot.sector}")
    port = sky.get(Port, sector.number)
    thorns = sorted(sky.find(Thornship, sector=sector.number), key=lambda ship: -ship.fighters)
    return SectorView(
        number=sector.number,
        region=sector.region,
        safe=sector.safe,
        port=port.name if port else "",
        port_letters=port.letters() if port else "",
        planets=tuple(_planet_line(sky, pilot, planet) for planet in sky.find(Planet, sector=sector.number)),
        ships=_ships(sky, pilot),
        thorns=tuple(ThornView(thornship=ship.id, name=ship.name, fighters=ship.fighters) for ship in thorns),
        picket=_picket(sky, pilot),
        lanes=tuple(
            LaneView(
                to=to,
                seen=has_visited(sky, pilot, to),
                one_way=sector.number not in sky.lanes.out_of(to),
            )
            for to in sky.lanes.out_of(sector.number)
        ),
    )


def _planet_line(sky: Sky, pilot: Pilot, planet: Planet) -> PlanetLine:
    owner = _owner(sky, planet.owner)
    return PlanetLine(
        planet=planet.id,
        name=planet.name,
        kind=planet.kind,
        owner=planet.owner,
        owner_name=owner.name if owner else "",
        fighters=planet.fighters,
        friendly=friends(pilot, owner),
    )


def _ships(sky: Sky, pilot: Pilot) -> tuple[ShipView, ...]:
    others = [ship for ship in sky.find(Pilot, sector=pilot.sector) if ship.id != pilot.id and ship.planet == NOBODY]
    names = {number: _alliance_name(sky, number) for number in {ship.alliance for ship in others}}
    return tuple(
        ShipView(
            pilot=ship.id,
            name=ship.name,
            fighters=ship.fighters,
            alliance=names[ship.alliance],
            protected=ship.protected(sky.today),
            ally=friends(pilot, ship),
            aboard=ship.aboard,
        )
        for ship in sorted(others, key=lambda ship: not ship.aboard)
    )


def _picket(sky: Sky, pilot: Pilot) -> PicketView | None:
    picket = sky.get(Picket, pilot.sector)
    if picket is None:
        return None
    owner = _owner(sky, picket.owner)
    return PicketView(
        owner=picket.owner,
        owner_name=owner.name if owner else "",
        fighters=picket.fighters,
        stance=picket.stance,
        friendly=friends(pilot, owner),
    )


def pilot_view(sky: Sky, pilot: Pilot) -> PilotView:
    """The pilot itself, with the turns that it has today."""
    planet = None if pilot.planet == NOBODY else sky.get(Planet, pilot.planet)
    return PilotView(
        pilot=pilot.id,
        name=pilot.name,
        alliance=_alliance_name(sky, pilot.alliance),
        sector=pilot.sector,
        day=sky.today,
        turns=with_turns_of_today(sky, pilot).turns,
        credits=pilot.credits,
        bank=pilot.bank,
        holds=pilot.holds,
        free_holds=pilot.free_holds(),
        ice=pilot.ice,
        grain=pilot.grain,
        tools=pilot.tools,
        colonists=pilot.colonists,
        fighters=pilot.fighters,
        scanner=pilot.scanner,
        planet=planet.name if planet else "",
        docked=pilot.docked,
        protected_days=max(0, pilot.protected_until - sky.today),
        kills=pilot.kills,
        deaths=pilot.deaths,
        thorns=pilot.thorns,
        sectors_seen=pilot.sectors_seen,
        net_worth=net_worth(sky, pilot),
    )


def port_view(sky: Sky, sector: int) -> PortView | None:
    """The board of a sector's port as it is now; None where there is no port."""
    port = sky.get(Port, sector)
    return None if port is None else _board(port)


def _board(port: Port) -> PortView:
    return PortView(
        sector=port.sector,
        name=port.name,
        letters=port.letters(),
        lines=tuple(
            PortLine(
                good=good,
                sells=port.sells(good),
                open_for=port.open_for(good),
                size=port.size(good),
                unit_price=unit_price(good, sells=port.sells(good), stock=port.stock(good), size=port.size(good)),
            )
            for good in TRADE_GOODS
        ),
    )


def port_reports(sky: Sky, pilot: Pilot) -> tuple[PortReport, ...]:
    """The ports that the pilot or its scanner has seen, with the stock and the prices of then, by sector."""
    reports = []
    for seen in sky.find(Seen, pilot=pilot.id):
        port = sky.get(Port, seen.sector) if seen.day >= 0 else None
        if port is not None:
            stocks = {f"{good}_stock": getattr(seen, f"{good}_stock") for good in TRADE_GOODS}
            reports.append(PortReport(day=seen.day, port=_board(msgspec.structs.replace(port, **stocks))))
    return tuple(sorted(reports, key=lambda report: report.port.sector))


def planet_view(sky: Sky, planet: int) -> PlanetView:
    """A planet from the ground, for a pilot who stands on it. Raises LookupError if there is none of this number."""
    ground = sky.get(Planet, planet)
    if ground is None:
        raise LookupError(f"there is no planet {planet}")
    build_credits, build_tools = build_cost(ground)
    return PlanetView(
        planet=ground.id,
        name=ground.name,
        kind=ground.kind,
        owner=ground.owner,
        owner_name=pilot_name(sky, ground.owner),
        job=ground.job,
        works=ground.works,
        credits=ground.credits,
        ice=ground.ice,
        grain=ground.grain,
        tools=ground.tools,
        colonists=ground.colonists,
        max_colonists=max_colonists(ground),
        fighters=ground.fighters,
        makes_per_day=makes_per_day(ground),
        build_credits=build_credits,
        build_tools=build_tools,
    )


def yard_view(_sky: Sky, pilot: Pilot) -> YardView:
    """The yard's prices for this pilot's ship."""
    return YardView(
        hold_price=hold_price(pilot.holds),
        holds_for_sale=MAX_HOLDS - pilot.holds,
        fighter_price=FIGHTER_PRICE,
        colonist_price=COLONIST_PRICE,
        scanner_price=SCANNER_PRICE,
    )


def path(sky: Sky, pilot: Pilot, to: int) -> tuple[int, ...]:
    """A shortest way from where the pilot is, as `ports.Lanes.path`. Raises Refused if there is no sector `to`."""
    if not sky.lanes.out_of(to):
        raise Refused(f"There is no sector {to}; they are numbered from 1 to {sky.settings.sectors}.")
    return sky.lanes.path(pilot.sector, to)


def _owner(sky: Sky, pilot: int) -> Pilot | None:
    return None if pilot == NOBODY else sky.get(Pilot, pilot)


def _alliance_name(sky: Sky, alliance: int) -> str:
    found = None if alliance == NOBODY else sky.get(Alliance, alliance)
    return "" if found is None else found.name
