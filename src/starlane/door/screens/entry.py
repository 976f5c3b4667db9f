"""The first and the last screen of a visit."""

from __future__ import annotations

from starlane.door.screens.wording import counted, figure, name, title
from starlane.door.styles import Line
from starlane.reports import Entered
from starlane.settings import Settings
from starlane.views import PilotView, RankLine


def title_screen(settings: Settings) -> list[Line]:
    """What game this is, in which world."""
    return [
        title("S T A R L A N E"),
        f"Trade, planets and war among {figure(settings.sectors)} sectors.",
        "",
    ]


def welcome(entered: Entered, settings: Settings) -> list[Line]:
    """For who comes for the first time."""
    ship = f"{counted(settings.start_holds, 'holds')} and {counted(settings.start_credits, 'credits')}"
    day = f"Each day has {counted(settings.turns_per_day, 'turns')}. Buy low, sell high, explore, settle planets, arm:"
    return [
        (
            *("Welcome aboard, ", name(entered.name), f". Your ship lies at Haven, with {ship}. {day}"),
            " the richest pilot leads the rankings.",
            f" Nobody can attack you for {counted(settings.protected_days, 'days')}."
            if settings.protected_days
            else "",
        )
    ]


def welcome_back(entered: Entered) -> list[Line]:
    """For who has been here."""
    turns = counted(entered.turns, "turns")
    return [("Welcome back, ", name(entered.name), f". It is day {figure(entered.day)}; you have {turns}.")]


def farewell(pilot: PilotView, ranks: list[RankLine]) -> list[Line]:
    """Where the pilot stands as it leaves."""
    rank = next((line.rank for line in ranks if line.pilot == pilot.pilot), 0)
    place = f", rank {figure(rank)} of {figure(len(ranks))}" if rank else ""
    turns = counted(pilot.turns, "turns")
    return [
        f"You own {counted(pilot.net_worth, 'credits')} in all{place}. {turns} left today.",
        ("Goodbye, ", name(pilot.name), "."),
    ]
