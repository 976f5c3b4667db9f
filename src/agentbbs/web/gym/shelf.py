"""The finished runs of a venue, to be asked by pages and the API.

Every method reads files and may take a while: call it in a thread. What was read is kept as long as the files stay as
they were. A run that is still going on is shown as far as it is whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from agentbbs.web.gym import decisions, matches, recordings, scores, screens, traces
from agentbbs.web.gym.folders import read_run, stamp, trace_path, transcript_path
from agentbbs.web.gym.kept import Kept
from agentbbs.web.gym.listing import Entry, Listing
from agentbbs.web.gym.places import file_stamp, is_name
from agentbbs.web.gym.recordings import Cast
from agentbbs.web.gym.scores import CampaignSummary
from agentbbs.web.gym.screens import Row
from agentbbs.web.gym.shapes import Decision, DecisionLine, GymRun, Happening, RunPart, Usage, added
from agentbbs.web.gym.traces import NoTrace, Traces
from tty_agent.trace.index import TraceFile
from tty_agent.trace.records import TraceFault
from tty_agent.transcript.marks import sidecar_of

MOST_RUNS_KEPT: Final = 500
"""Of which all is known that a list tells: some kilobytes each."""

MOST_CAST_BYTES_KEPT: Final = 32 * 1024 * 1024


class Missing(Exception):
    """Nothing of that name is there; the text says what."""


class Listed(msgspec.Struct, frozen=True, kw_only=True):
    """A page of the list of runs."""

    runs: tuple[GymRun, ...]
    more: bool
    total: int
    campaigns: tuple[str, ...]
    """All that any run is of, by name."""


class Shelf:
    """The runs in `folder`."""

    def __init__(self, folder: Path) -> None:
        self._listing: Final = Listing(folder)
        self._traces: Final = Traces()
        self._runs: Final = Kept[GymRun](MOST_RUNS_KEPT)
        self._casts: Final = Kept[Cast](MOST_CAST_BYTES_KEPT, lambda cast: len(cast.content))

    def runs(self, *, limit: int, after: str | None = None, campaign: str | None = None) -> Listed:
        """The newest first, those behind the run `after`. Raises Missing where that is none, OSError."""
        everything = self._listing.entries()
        chosen = [one for one in everything if campaign is None or one.campaign == campaign]
        first = 0
        if after is not None:
            first = next((nth for nth, one in enumerate(chosen, 1) if one.run_id == after), -1)
            if first < 0:
                raise Missing("there is no run of the id that `after` names")
        return Listed(
            runs=tuple(self._read(one) for one in chosen[first : first + limit]),
            more=len(chosen) > first + limit,
            total=len(chosen),
            campaigns=tuple(sorted({one.campaign for one in everything if one.campaign is not None})),
        )

    def run(self, run_id: str) -> GymRun:
        """One run. Raises Missing, OSError."""
        return self._read(self._entry(run_id))

    def campaign(self, name: str) -> tuple[CampaignSummary | None, tuple[str, ...]]:
        """What a campaign came to, if its folder is here and says so; and what of that can't be read. Raises
        OSError."""
        folders = {one.campaign_folder for one in self._listing.entries() if one.campaign == name}
        notes: list[str] = []
        for folder in sorted(one for one in folders if one is not None):
            found = scores.read(folder / scores.SUMMARY, CampaignSummary, notes)
            if found is not None:
                return found, tuple(notes)
        return None, tuple(notes)

    def happenings(
        self, run_id: str, *, after: int = 0, limit: int = 100, every: bool = False
    ) -> tuple[tuple[Happening, ...], bool]:
        """Events of a match after that number, all or its turning points; and whether there are more. Raises
        Missing, OSError."""
        return matches.happenings(self._entry(run_id).folder, after=after, limit=limit, every=every)

    def courses(self, run: GymRun) -> dict[str, tuple[tuple[int, Usage], ...]]:
        """What each agent had used up by which of its decisions, over all parts of its run. Raises Missing, OSError."""
        folder = self._entry(run.run_id).folder
        return {agent.agent_id: self._course(folder, agent.agent_id, agent.parts) for agent in run.agents}

    def last_events(self, run_id: str, agent_id: str, part: int) -> tuple[Happening, ...]:
        """How a part of an agent's run ended. Raises Missing, OSError."""
        path = self._trace_path(run_id, agent_id, part)
        try:
            with self._traces.opened(path) as trace:
                return traces.last_events(trace)
        except NoTrace:
            return ()

    def decisions(
        self, run_id: str, agent_id: str, part: int = 0, *, after: int = 0, limit: int
    ) -> tuple[tuple[DecisionLine, ...], int]:
        """Those after that step, and how many there are. Raises Missing, OSError."""
        path = self._trace_path(run_id, agent_id, part)
        try:
            with self._traces.opened(path) as trace:
                last = min(after + limit, trace.steps)
                return tuple(_line(trace, step) for step in range(after + 1, last + 1)), trace.steps
        except NoTrace as fault:
            raise Missing(str(fault)) from fault

    def decision(self, run_id: str, agent_id: str, step: int, part: int = 0) -> Decision:
        """One. Raises Missing, OSError."""
        path = self._trace_path(run_id, agent_id, part)
        try:
            with self._traces.opened(path) as trace:
                if not 1 <= step <= trace.steps:
                    raise Missing(f"there is no decision {step}: it made {trace.steps}")
                try:
                    return decisions.whole(trace.step(step), trace.steps)
                except TraceFault:
                    return Decision(line=DecisionLine(step=step, damaged=True), steps=trace.steps)
        except NoTrace as fault:
            raise Missing(str(fault)) from fault

    def screen(self, run_id: str, agent_id: str, step: int, part: int = 0) -> tuple[Row, ...] | None:
        """The screen of a decision in colours; None if the transcript does not give it, or not at once. Raises
        Missing, OSError."""
        path = self._trace_path(run_id, agent_id, part)
        transcript = transcript_path(self._entry(run_id).folder, agent_id)
        try:
            with self._traces.opened(path) as trace:
                record = trace.step(step)
        except (NoTrace, TraceFault):
            return None
        return screens.coloured(transcript, record.transcript_byte_end, record.pretty_screen)

    def cast(self, run_id: str, agent_id: str, part: int = 0) -> Cast:
        """The recording of a part for players. Raises Missing, `recordings.NoRecording`, OSError."""
        path = self._trace_path(run_id, agent_id, part)
        transcript = transcript_path(self._entry(run_id).folder, agent_id)
        marks = sidecar_of(transcript)
        mark = (file_stamp(path), file_stamp(transcript), file_stamp(marks))

        def make() -> Cast:
            try:
                with self._traces.opened(path) as trace:
                    part = recordings.part_of(trace, transcript)
            except (NoTrace, TraceFault) as fault:
                raise Missing("the trace of that part can't be read") from fault
            return recordings.cast(part)

        return self._casts.get(path, mark, make)

    def _entry(self, run_id: str) -> Entry:
        entry = self._listing.find(run_id)
        if entry is None:
            raise Missing("there is no run of that id")
        return entry

    def _read(self, entry: Entry) -> GymRun:
        folder = entry.folder
        try:
            run = self._runs.get(folder, stamp(folder), lambda: read_run(folder, entry.run_id, self._traces))
        except OSError as fault:
            return GymRun(run_id=entry.run_id, notes=(f"the folder can't be read: {fault.strerror}",))
        return run if run.campaign or not entry.campaign else msgspec.structs.replace(run, campaign=entry.campaign)

    def _trace_path(self, run_id: str, agent_id: str, part: int) -> Path:
        """Where the trace is, of a name that an address gave. Raises Missing."""
        if not is_name(agent_id):
            raise Missing("there is no agent of that id in this run")
        path = trace_path(self._entry(run_id).folder, agent_id, part)
        if file_stamp(path) is None or (part and path.parent.is_symlink()):
            raise Missing("there is no agent of that id in this run")
        return path

    def _course(self, folder: Path, agent_id: str, parts: Sequence[RunPart]) -> tuple[tuple[int, Usage], ...]:
        points: list[tuple[int, Usage]] = []
        before: list[Usage] = []
        steps = 0
        for part in parts:
            try:
                with self._traces.opened(trace_path(folder, agent_id, part.part)) as trace:
                    found = traces.course(trace)
            except (NoTrace, TraceFault, OSError):
                found = ()
            points += [(steps + step, added([*before, used])) for step, used in found]
            before.append(part.usage)
            steps += part.steps
        return tuple(points)


def _line(trace: TraceFile, step: int) -> DecisionLine:
    try:
        return decisions.line(trace.step(step))
    except TraceFault:
        return DecisionLine(step=step, damaged=True)
