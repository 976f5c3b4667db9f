"""A run from a command line: its folder, its session, its model, and its end whatever happens."""

from __future__ import annotations

import asyncio
import contextlib
import re
import secrets
import signal
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

import msgspec
import typer

from tty_agent.activity.activity import ActivityProfile
from tty_agent.activity.routes import RouteSet
from tty_agent.commands import event_loop
from tty_agent.commands.descendants import kill_descendants
from tty_agent.memory.store import CampaignFile
from tty_agent.models.catalog import ModelConfig, make_model
from tty_agent.models.retries import Retry, Retrying
from tty_agent.models.scripted import ScriptedModel
from tty_agent.prompts.prompts import DecisionPrompt
from tty_agent.render.extra import check_extra
from tty_agent.render.png import png_bytes
from tty_agent.runner.memory import RunMemory
from tty_agent.runner.record import RunIdentity
from tty_agent.runner.result import RunResult
from tty_agent.runner.routed import RoutedActivityRunner
from tty_agent.runner.runner import ActivityRunner
from tty_agent.runner.settings import RunSettings
from tty_agent.trace.records import Record
from tty_agent.trace.writer import TraceWriter
from tty_agent.transcript.marks import sidecar_of

if TYPE_CHECKING:
    from tty_agent.session.session import TerminalSession

TRACE_SUFFIX: Final = ".jsonl"
TRANSCRIPT_SUFFIX: Final = ".raw"

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
"""Run and agent ids are names of files."""

_OUR_SUFFIXES: Final = frozenset({TRACE_SUFFIX, TRANSCRIPT_SUFFIX, ".sent", ".index", ".torn"})
"""Of what stands beside a trace and a transcript: the files of the agent `a.raw.sent` would be those of `a`."""


class Sessions(Protocol):
    """Makes the session of a run."""

    def __call__(self, agent_id: str, *, transcript: Path | None = None) -> TerminalSession: ...


class RunRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that a run is made of. Raises BadParameter if an id can't be the name of a file."""

    profile: ActivityProfile | RouteSet
    sessions: Sessions
    model: ModelConfig
    identity: RunIdentity
    settings: RunSettings
    runs_dir: Path
    transcript_path: Path | None = None
    """A transcript elsewhere, which may be there already: then it is appended to."""
    campaign: Path | None = None
    """The file of the agent's campaign memory."""

    def __post_init__(self) -> None:
        for name, value in (("run", self.identity.run_id), ("agent", self.identity.agent_id)):
            if not _NAME.fullmatch(value):
                raise typer.BadParameter(
                    f"{value!r} is no id of a {name}: take up to 100 letters, digits, dots, dashes, underscores",
                    param_hint=f"--{name}-id",
                )
        if taken := _OUR_SUFFIXES.intersection(Path(self.identity.agent_id).suffixes):
            raise typer.BadParameter(
                f"{self.identity.agent_id!r} has {min(taken)} in it, as files of other agents have: leave it away",
                param_hint="--agent-id",
            )

    @property
    def trace(self) -> Path:
        """`RUNS/RUN/AGENT.jsonl`."""
        return self.runs_dir / self.identity.run_id / f"{self.identity.agent_id}{TRACE_SUFFIX}"

    @property
    def transcript(self) -> Path:
        """`RUNS/RUN/AGENT.raw`, unless the run is given another."""
        return self.transcript_path or self.trace.with_suffix(TRANSCRIPT_SUFFIX)


class Interrupted(Exception):
    """The run was stopped by a signal; `result` is what it had come to, if it had begun."""

    def __init__(self, number: int, result: RunResult | None) -> None:
        super().__init__()
        self.number = number
        self.result = result


def new_run_id(activity: str) -> str:
    """`20260131T140509-shell-1a2b3c`: sorted by time, and unique."""
    return f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{activity}-{secrets.token_hex(3)}"


def play(
    request: RunRequest,
    watch: Callable[[Record], None] | None = None,
    retried: Callable[[Retry], None] | None = None,
) -> RunResult:
    """Play one run to its end; `retried` gets each call of the model that is to be repeated. Raises Interrupted on
    SIGINT, SIGTERM and SIGHUP, after the trace got its end; else what the parts of the run raise before it begins."""
    _check_pictures(request)
    begun: list[ActivityRunner] = []
    stopped: list[int] = []

    async def run() -> RunResult:
        with _signals(stopped):
            return await _play(request, watch, retried, begun)

    try:
        return event_loop.run(run())
    except (asyncio.CancelledError, KeyboardInterrupt):
        number = stopped[0] if stopped else signal.SIGINT
        raise Interrupted(number, begun[0].result if begun else None) from None


def first_prompt(request: RunRequest) -> DecisionPrompt:
    """The exact first prompt: connects, looks once, hangs up. No model is asked, and nothing is written."""
    with_picture = request.settings.pictures is not None
    unseen = msgspec.structs.replace(request, settings=msgspec.structs.replace(request.settings, pictures=None))

    async def look() -> DecisionPrompt:
        model = ScriptedModel((), name=request.model.model, stateful=request.model.stateful)
        memory = _memory(request)
        async with request.sessions(request.identity.agent_id) as session:
            runner = _runner(unseen, session, model, None, None, memory)
            turn = await runner.observe()
            png = png_bytes(session.screen.picture()) if with_picture else None
            return runner.prompt(msgspec.structs.replace(turn, png=png))

    _check_pictures(request)
    return event_loop.run(look())


async def _play(
    request: RunRequest,
    watch: Callable[[Record], None] | None,
    retried: Callable[[Retry], None] | None,
    begun: list[ActivityRunner],
) -> RunResult:
    model = make_model(request.model, retrying=Retrying(request.model.retries, told=retried))
    try:
        with TraceWriter(request.trace) as trace:
            try:
                memory = _memory(request)  # a memory that can't be read is found before anybody is called
                session = request.sessions(request.identity.agent_id, transcript=request.transcript)
                async with session:
                    runner = _runner(request, session, model, trace, watch, memory)
                    begun.append(runner)
                    return await runner.run()
            finally:
                _forget_unused(request, trace)
    finally:
        await model.close()


def _check_pictures(request: RunRequest) -> None:
    """Raise MissingExtra before anybody is called."""
    if request.settings.pictures is not None:
        check_extra()


def _memory(request: RunRequest) -> RunMemory:
    return RunMemory(file=CampaignFile(request.campaign)) if request.campaign else RunMemory()


def _runner(
    request: RunRequest,
    session: TerminalSession,
    model: Any,
    trace: TraceWriter | None,
    watch: Callable[[Record], None] | None,
    memory: RunMemory,
) -> ActivityRunner:
    settings = msgspec.structs.replace(request.settings, transcript_path=str(request.transcript))
    shared: dict[str, Any] = {
        "identity": request.identity,
        "settings": settings,
        "memory": memory,
        "trace": trace,
        "watch": watch,
    }
    if isinstance(request.profile, RouteSet):
        return RoutedActivityRunner(session, model, request.profile, **shared)
    return ActivityRunner(session, model, request.profile, **shared)


def _forget_unused(request: RunRequest, trace: TraceWriter) -> None:
    """A run that never began leaves no empty files behind."""
    if trace.size:
        return
    for path in (request.trace, request.transcript, sidecar_of(request.transcript)):
        if path.exists() and not path.stat().st_size:
            path.unlink()
    with contextlib.suppress(OSError):  # something else is in the folder
        request.trace.parent.rmdir()


@contextlib.contextmanager
def _signals(stopped: list[int]) -> Iterator[None]:
    """SIGINT, SIGTERM and SIGHUP cancel the run. A second one does not wait for its end: it kills what was started,
    and this process with it."""
    loop = asyncio.get_running_loop()
    task = asyncio.current_task()
    assert task is not None

    def stop(number: int) -> None:
        if stopped:
            kill_descendants()
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)
        stopped.append(number)
        task.cancel()

    caught = []
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if number == signal.SIGHUP and signal.getsignal(number) is signal.SIG_IGN:
            continue  # as nohup wants it
        with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):  # not the main thread
            loop.add_signal_handler(number, stop, number)
            caught.append(number)
    try:
        yield
    finally:
        for number in caught:
            loop.remove_signal_handler(number)
