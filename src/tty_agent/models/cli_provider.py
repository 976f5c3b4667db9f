"""Models that are command-line programs, called once for each decision: `codex exec`, `claude -p`.

What differs between the programs is a CliDialect. Stateless, every call begins anew. With `stateful` the first call's
session is resumed by the later ones; then delta prompts make sense. The programs are coding agents, but here they
only answer: their tools are switched off, and they run in an empty folder.
"""

from __future__ import annotations

import shutil
import tempfile
from functools import partial
from pathlib import Path
from typing import Final, Protocol

import msgspec

from tty_agent.models.answers import Answer, Identity
from tty_agent.models.cli_faults import SessionLost
from tty_agent.models.cli_program import Finished, run_program
from tty_agent.models.cli_session import CliSession, load_session, save_session, sha256_of
from tty_agent.models.model import ModelReply, Prompt, ProviderFault, Usage
from tty_agent.models.retries import Retrying

DEFAULT_TIMEOUT_S: Final = 300.0
"""A coding agent starts slowly and thinks long; a longer silence is a hung program."""


class CliCall(msgspec.Struct, frozen=True, kw_only=True):
    """One call, as a dialect needs it."""

    prompt: Prompt
    model: str | None
    """None: the program's own default."""
    scratch: Path
    """A folder for files of this call."""
    stateful: bool
    session: CliSession | None
    """The session to resume."""
    json_schema: bool

    @property
    def system_is_known(self) -> bool:
        """Whether the session has been told this system text already."""
        return self.session is not None and self.session.system_sha256 == sha256_of(self.prompt.system)


class CliDialect(Protocol):
    """What is particular to one program."""

    @property
    def provider(self) -> str:
        """`codex` or `claude`; also the program's usual name."""
        ...

    @property
    def counts_sessions(self) -> bool:
        """Whether the tokens that it reports are those of the whole session."""
        ...

    def invocation(self, call: CliCall) -> tuple[tuple[str, ...], str]:
        """(arguments after the program and the caller's own, what goes to its input). May write to `call.scratch`."""
        ...

    def answer(self, call: CliCall, finished: Finished) -> Answer:
        """What the program answered. Raises ProviderFault."""
        ...


class CliSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How a program is run."""

    command: tuple[str, ...] = ()
    """The program and arguments before all others; empty: the dialect's own name, looked up in PATH."""
    model: str | None = None
    timeout_s: float = DEFAULT_TIMEOUT_S
    stateful: bool = False
    session_file: Path | None = None
    """Where a stateful model keeps its session, for another run to go on in it."""
    json_schema: bool = False


class CliModel:
    """A model that is a command-line program."""

    def __init__(self, dialect: CliDialect, settings: CliSettings, identity: Identity, retrying: Retrying) -> None:
        self._dialect = dialect
        self._settings = settings
        self._identity = identity
        self._retrying = retrying
        self._session: CliSession | None = None
        self._notes: tuple[str, ...] = ()
        self._own_workdir: Path | None = None
        self._calls = 0
        if settings.stateful and settings.session_file is not None:
            self._session, note = load_session(settings.session_file, provider=dialect.provider, model=identity.model)
            self._notes = (note,) if note else ()

    @property
    def name(self) -> str:
        """The model's id, as in traces."""
        return self._identity.model

    @property
    def provider(self) -> str:
        """`codex` or `claude`."""
        return self._dialect.provider

    @property
    def stateful(self) -> bool:
        """Whether calls after the first resume its session."""
        return self._settings.stateful

    async def complete(self, prompt: Prompt) -> ModelReply:
        """One call. Raises ProviderFault."""
        attempted = await self._retrying.call(partial(self._once, prompt))
        answer = self._remember(prompt, attempted.value)
        return self._identity.reply(answer, latency_s=attempted.latency_s, attempts=attempted.attempts)

    async def _once(self, prompt: Prompt) -> Answer:
        try:
            return await self._run(prompt)
        except SessionLost:
            if self._calls:
                raise  # this run's own session: what it was told is gone, and a delta would mean nothing
            self._session = None
            self._notes = (*self._notes, "the session of the session file is gone: a new session begins")
            return await self._run(prompt)

    async def _run(self, prompt: Prompt) -> Answer:
        with tempfile.TemporaryDirectory(prefix="tty-agent-") as folder:
            scratch = Path(folder)
            call = CliCall(
                prompt=prompt,
                model=self._settings.model,
                scratch=scratch,
                stateful=self.stateful,
                session=self._session,
                json_schema=self._settings.json_schema,
            )
            arguments, stdin = self._dialect.invocation(call)
            finished = await run_program(
                (*self._program(), *arguments),
                stdin,
                scratch=scratch,
                workdir=self._workdir(scratch),
                timeout_s=self._settings.timeout_s,
            )
            return self._dialect.answer(call, finished)

    def _program(self) -> tuple[str, ...]:
        command = self._settings.command or (self._dialect.provider,)
        if shutil.which(command[0]) is None:
            raise ProviderFault("missing", f"the program {command[0]} is not installed, or not in PATH")
        return command

    def _workdir(self, scratch: Path) -> Path:
        """An empty folder. A stateful one stays the same: the programs find their sessions by it."""
        if not self.stateful:
            folder = scratch / "work"
        elif self._settings.session_file is not None:
            folder = self._settings.session_file.with_suffix(".work").absolute()
        else:
            self._own_workdir = self._own_workdir or Path(tempfile.mkdtemp(prefix="tty-agent-work-"))
            folder = self._own_workdir
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def _remember(self, prompt: Prompt, answer: Answer) -> Answer:
        """Keep the session of an answer, and count the answer's own tokens."""
        self._calls += 1
        answer = msgspec.structs.replace(answer, notes=(*self._notes, *answer.notes))
        self._notes = ()
        if not self.stateful:
            return answer
        before = self._session
        totals = answer.usage
        if before is not None and self._dialect.counts_sessions:
            answer = msgspec.structs.replace(answer, usage=_since(before.totals, totals))
        session_id = answer.session_id or (before.session_id if before else None)
        if session_id is None:
            raise ProviderFault("server_error", f"{self.provider} named no session to resume")
        self._session = CliSession(
            session_id=session_id,
            provider=self.provider,
            model=self.name,
            system_sha256=sha256_of(prompt.system),
            totals=totals if self._dialect.counts_sessions else Usage(),
        )
        answer = msgspec.structs.replace(answer, session_id=session_id)
        if self._settings.session_file is not None:
            try:
                save_session(self._settings.session_file, self._session)
            except OSError as error:
                note = f"the session file can't be written: {error.strerror}"
                answer = msgspec.structs.replace(answer, notes=(*answer.notes, note))
        return answer

    async def close(self) -> None:
        """Remove the folder that the program ran in; may be called twice."""
        if self._own_workdir is not None:
            shutil.rmtree(self._own_workdir, ignore_errors=True)
            self._own_workdir = None


def _since(before: Usage, now: Usage) -> Usage:
    """The tokens of the last call, from the sums of a session before and after it."""
    return Usage(
        input_tokens=_difference(before.input_tokens, now.input_tokens),
        output_tokens=_difference(before.output_tokens, now.output_tokens),
        cached_tokens=_difference(before.cached_tokens, now.cached_tokens),
    )


def _difference(before: int | None, now: int | None) -> int | None:
    if now is None or before is None or before > now:
        return now  # a count that went down was begun anew
    return now - before
