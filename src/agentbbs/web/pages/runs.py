"""`/runs`: finished runs of the gym, from the list down to what an agent saw, was told and did at one decision."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

from aiohttp import web
from markupsafe import Markup

from agentbbs.web import headers
from agentbbs.web.drawing import run_charts
from agentbbs.web.frame import render
from agentbbs.web.gym.places import NAME
from agentbbs.web.gym.recordings import MAX_FRAMES, NoRecording
from agentbbs.web.gym.scores import ComparisonRow
from agentbbs.web.gym.shapes import GymAgent, GymRun, RunPart, Usage
from agentbbs.web.gym.shelf import Missing, Shelf
from agentbbs.web.venue_view import VenueView

RUNS_A_PAGE: Final = 30
DECISIONS_A_PAGE: Final = 50
EVENTS_A_PAGE: Final = 100

PLAYER: Final = ("player/asciinema-player.min.js", "player/asciinema-player.css")
"""What `make player` takes from the player's package."""

MAX_NUMBER: Final = 10**9
"""Of a page, a step or an event: no trace has as many."""

_STEP: Final = "[0-9]{1,9}"
_CAST: Final = {
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-cache",
    "Content-Security-Policy": "default-src 'none'; sandbox",
}

T = TypeVar("T")


class RunsPages:
    """The handlers of `/runs` and all below it. Without a folder of runs there are none."""

    def __init__(self, view: VenueView) -> None:
        self._shelf = None if view.settings.runs is None else Shelf(view.settings.runs)
        self._rendering = asyncio.Semaphore(1)
        """A recording is made of a transcript with all the power of a core: one at a time."""

    def routes(self) -> list[web.RouteDef]:
        if self._shelf is None:
            return []
        agent = f"/runs/{{run:{NAME}}}/{{agent:{NAME}}}"
        return [
            web.get("/runs", self.all_runs),
            web.get(f"/runs/{{run:{NAME}}}", self.one_run),
            web.get(agent, self.agent),
            web.get(f"{agent}/playback", self.playback),
            web.get(f"{agent}/recording.cast", self.recording),
            web.get(f"{agent}/{{step:{_STEP}}}", self.decision),
        ]

    async def all_runs(self, request: web.Request) -> web.Response:
        """The list."""
        after, campaign = request.query.get("after"), request.query.get("campaign")
        try:
            listed = await asyncio.to_thread(self.shelf.runs, limit=RUNS_A_PAGE, after=after, campaign=campaign)
            summary, notes = (None, ()) if campaign is None else await asyncio.to_thread(self.shelf.campaign, campaign)
        except Missing as fault:
            raise web.HTTPNotFound(text="That page of the list is gone: begin again at the first.") from fault
        except OSError:  # the folder itself is gone, or is not ours to read
            return render(request, "runs.html", listed=None, campaign=None, summary=None, notes=(), tables=())
        if campaign is not None and not listed.total:
            raise web.HTTPNotFound
        tables = () if summary is None else (("Models", summary.scores.by_model), ("Agents", summary.scores.by_agent))
        return render(
            request,
            "runs.html",
            listed=listed,
            campaign=campaign,
            summary=summary,
            notes=notes,
            tables=[(title, rows, _compared(rows)) for title, rows in tables],
        )

    async def one_run(self, request: web.Request) -> web.Response:
        """A run: who took part, what it used up, how it ended, what it is worth."""
        run_id = request.match_info["run"]
        every, after = request.query.get("events") == "every", _number(request, "after")
        run = await self._ask(self.shelf.run, run_id)
        events, more = await self._ask(self.shelf.happenings, run_id, after=after, limit=EVENTS_A_PAGE, every=every)
        courses = await self._ask(self.shelf.courses, run)
        return render(
            request,
            "run.html",
            run=run,
            events=events,
            next_event=events[-1].seq if more else None,
            first_event=after,
            every=every,
            charts=_charts(courses),
            styles={agent_id: nth % run_charts.STYLES for nth, agent_id in enumerate(courses)},
            bars=_score_bars(run),
            games=sorted({one.score.skill.game for one in run.agents if one.score and one.score.skill}),
        )

    async def agent(self, request: web.Request) -> web.Response:
        """An agent's decisions."""
        run, agent, part = await self._agent(request)
        after = _number(request, "after")
        lines, steps = await self._ask(
            self.shelf.decisions, run.run_id, agent.agent_id, part.part, after=after, limit=DECISIONS_A_PAGE
        )
        if after and not lines:
            raise web.HTTPNotFound(text=f"There is no decision after {after}: it made {steps}.")
        events = await self._ask(self.shelf.last_events, run.run_id, agent.agent_id, part.part)
        return render(
            request,
            "run_agent.html",
            run=run,
            agent=agent,
            part=part,
            lines=lines,
            steps=steps,
            events=events,
            first=after + 1,
            before=max(after - DECISIONS_A_PAGE, 0) if after else None,
            after=after + len(lines) if after + len(lines) < steps else None,
            last=(steps - 1) // DECISIONS_A_PAGE * DECISIONS_A_PAGE,
        )

    async def decision(self, request: web.Request) -> web.Response:
        """One decision."""
        run, agent, part = await self._agent(request)
        step = int(request.match_info["step"])
        told = await self._ask(self.shelf.decision, run.run_id, agent.agent_id, step, part.part)
        screen = await self._ask(self.shelf.screen, run.run_id, agent.agent_id, step, part.part)
        return render(
            request,
            "run_decision.html",
            run=run,
            agent=agent,
            part=part,
            decision=told,
            line=told.line,
            screen=screen,
            arguments=_argument_rows(told.arguments),
        )

    async def playback(self, request: web.Request) -> web.Response:
        """The recording in a player, if that was built; else how to get it. The file itself can be had either way."""
        run, agent, part = await self._agent(request)
        cast = why = None
        try:
            async with self._rendering:
                cast = await self._ask(self.shelf.cast, run.run_id, agent.agent_id, part.part)
        except NoRecording as fault:
            why = str(fault)
        return render(
            request,
            "run_playback.html",
            headers=headers.PLAYBACK,
            run=run,
            agent=agent,
            part=part,
            cast=cast,
            why=why,
            most_frames=MAX_FRAMES,
            player=PLAYER,
        )

    async def recording(self, request: web.Request) -> web.StreamResponse:
        """The recording as asciicast 2."""
        run, agent, part = await self._agent(request)
        try:
            async with self._rendering:
                cast = await self._ask(self.shelf.cast, run.run_id, agent.agent_id, part.part)
        except NoRecording as fault:
            raise web.HTTPNotFound(text=f"There is no recording: {fault}.") from fault
        name = f"{run.run_id}-{agent.agent_id}{f'-{part.part}' if part.part else ''}.cast"
        response = web.Response(
            body=cast.content,
            content_type="application/x-asciicast",
            headers={**_CAST, "Content-Disposition": f'attachment; filename="{name}"'},
        )
        response.enable_compression()
        return response

    @property
    def shelf(self) -> Shelf:
        """The runs; there are no routes without them."""
        assert self._shelf is not None
        return self._shelf

    async def _agent(self, request: web.Request) -> tuple[GymRun, GymAgent, RunPart]:
        """Whom the address names. Raises HTTPNotFound."""
        run = await self._ask(self.shelf.run, request.match_info["run"])
        agent = run.agent(request.match_info["agent"])
        if agent is None:
            raise web.HTTPNotFound(text="There is no agent of that name in this run.")
        number = _number(request, "part")
        part = next((one for one in agent.parts if one.part == number), None)
        if part is None and (number or agent.parts):
            raise web.HTTPNotFound(text="There is no such part of the agent's run.")
        if part is None:
            raise web.HTTPNotFound(text="The agent was to take part in this run, and left no trace.")
        return run, agent, part

    async def _ask(self, what: Callable[..., T], *args: Any, **names: Any) -> T:
        """Ask the shelf, in a thread. Raises HTTPNotFound for what is not there."""
        try:
            return await asyncio.to_thread(what, *args, **names)
        except Missing as fault:
            raise web.HTTPNotFound(text=f"{str(fault)[:1].upper()}{str(fault)[1:]}.") from fault
        except OSError as fault:
            raise web.HTTPNotFound(text="The runs can't be read just now.") from fault


def _number(request: web.Request, name: str) -> int:
    """A number of the query; 0 if it is not there. Raises HTTPNotFound."""
    text = request.query.get(name, "0")
    if not (text.isascii() and text.isdigit() and len(text) < len(str(MAX_NUMBER))):
        raise web.HTTPNotFound
    return int(text)


def _charts(courses: Mapping[str, tuple[tuple[int, Usage], ...]]) -> list[tuple[str, Markup]]:
    """What was used up over the decisions: tokens, cost and time, as far as it is known."""
    kinds: tuple[tuple[str, Callable[[Usage], float | None], Callable[[float], str]], ...] = (
        ("Tokens used", lambda used: used.tokens, _short),
        ("Cost in US dollars", lambda used: used.cost_usd, lambda value: f"{value:.3g}"),
        ("Seconds since the start", lambda used: used.wall_seconds, _short),
    )
    drawn = []
    for title, figure, say in kinds:
        series = [
            run_charts.Series(
                agent_id, [(step, float(value)) for step, used in points if (value := figure(used)) is not None]
            )
            for agent_id, points in courses.items()
        ]
        chart = run_charts.course(title, series, say)
        if chart:
            drawn.append((title, chart))
    return drawn


def _short(value: float) -> str:
    """A number on an axis."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= 10 * size or (value >= size and value % size == 0):
            return f"{value / size:,.4g}{letter}"
    return f"{value:,.4g}"


def _score_bars(run: GymRun) -> dict[str, Markup]:
    """By agent: a bar for its native score; those of one game have one scale."""
    scores = [(one.agent_id, one.score.skill) for one in run.agents if one.score and one.score.skill]
    bars = {}
    for agent_id, skill in scores:
        values = [other.score for _, other in scores if other.game == skill.game]
        bars[agent_id] = run_charts.bar(skill.score, min(0.0, *values), max(0.0, *values))
    return bars


def _compared(rows: tuple[ComparisonRow, ...]) -> dict[tuple[str, str], Markup]:
    """By name and game: the interval of the native score, those of one game on one scale."""
    drawn = {}
    for game in {game for row in rows for game in row.skill}:
        found = {row.name: row.skill[game] for row in rows if game in row.skill}
        ends = [end for one in found.values() for end in (one.low, one.high)]
        room = (max(ends) - min(ends)) / 20 or 1.0
        bounds = (min(ends) - room, max(ends) + room)
        for name, one in found.items():
            drawn[name, game] = run_charts.whisker(one.low, one.mean, one.high, bounds)
    return drawn


def _argument_rows(arguments: dict[str, Any]) -> list[tuple[str, str]]:
    """Each argument with its value as text: strings as they are, all else as JSON."""
    return [
        (name, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
        for name, value in arguments.items()
    ]
