"""The dialect of `codex exec`, which prints its events as JSON lines and writes its last message to a file."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from tty_agent.models.answers import Answer
from tty_agent.models.cli_faults import cli_fault
from tty_agent.models.cli_program import Finished
from tty_agent.models.cli_provider import CliCall
from tty_agent.models.model import Usage
from tty_agent.models.provider_json import count, json_lines, mapping, text

_LAST_MESSAGE: Final = "last-message"

_ALONE: Final = (
    "--skip-git-repo-check",
    "--sandbox",
    "read-only",
    "--color",
    "never",
    "-c",
    "features.shell_tool=false",  # it is to answer with an action, not to run one of its own
    "-c",
    'web_search="disabled"',
)


class CodexDialect:
    """`codex exec [OPTIONS] -` and `codex exec [OPTIONS] resume [--image=FILE] SESSION -`."""

    provider = "codex"
    counts_sessions = True
    """The usage of `turn.completed` sums up the session, also over resumed calls."""

    def __init__(self, extra_args: tuple[str, ...] = ()) -> None:
        self._extra_args = extra_args

    def invocation(self, call: CliCall) -> tuple[tuple[str, ...], str]:
        """See CliDialect. Codex has no option for a system text: it leads the input of a session's first call."""
        options = ["exec", "--json", "--output-last-message", str(call.scratch / _LAST_MESSAGE), *_ALONE]
        if call.model:
            options += ["--model", call.model]
        if not call.stateful:
            options.append("--ephemeral")
        if call.json_schema and call.prompt.schema is not None:
            schema = call.scratch / "schema.json"
            schema.write_bytes(msgspec.json.encode(dict(call.prompt.schema)))
            options += ["--output-schema", str(schema)]
        options += self._extra_args
        if call.session is not None:
            options.append("resume")
        options += _images(call)
        if call.session is not None:
            options.append(call.session.session_id)
        told = "" if call.system_is_known or not call.prompt.system else f"{call.prompt.system}\n\n"
        return (*options, "-"), told + call.prompt.user

    def answer(self, call: CliCall, finished: Finished) -> Answer:
        """See CliDialect."""
        events = [event for event in json_lines(finished.output) if isinstance(event, dict)]
        failure = _failure(events)
        if failure is not None or finished.exit_code != 0:
            said = failure or finished.error_tail
            raise cli_fault("codex", said, exit_code=finished.exit_code, resumed=call.session is not None)
        last = call.scratch / _LAST_MESSAGE
        return Answer(
            text=last.read_text("utf-8", "replace") if last.exists() else "".join(_items(events, "agent_message")[-1:]),
            reasoning="\n".join(_items(events, "reasoning")),
            usage=_usage(events),
            session_id=_session(events),
        )


def _images(call: CliCall) -> list[str]:
    arguments = []
    for number, png in enumerate(call.prompt.images):
        file = call.scratch / f"screen-{number}.png"
        file.write_bytes(png)
        arguments.append(f"--image={file}")
    return arguments


def _failure(events: list[dict[str, Any]]) -> str | None:
    """What went wrong with the turn; an `error` event before a completed turn was a repeated attempt."""
    if any(event.get("type") == "turn.completed" for event in events):
        return None
    for event in reversed(events):
        error = event.get("error") if event.get("type") == "turn.failed" else event
        if event.get("type") in {"turn.failed", "error"} and isinstance(error, dict):
            return str(error.get("message") or "the turn failed")
    return None


def _items(events: list[dict[str, Any]], kind: str) -> list[str]:
    """The texts of the completed items of one type, in order."""
    items = [mapping(event.get("item")) for event in events if event.get("type") == "item.completed"]
    return [said for item in items if item.get("type") == kind and (said := text(item.get("text"))) is not None]


def _usage(events: list[dict[str, Any]]) -> Usage:
    for event in reversed(events):
        if event.get("type") == "turn.completed":
            usage = mapping(event.get("usage"))
            return Usage(
                input_tokens=count(usage.get("input_tokens")),
                output_tokens=count(usage.get("output_tokens")),
                cached_tokens=count(usage.get("cached_input_tokens")),
            )
    return Usage()


def _session(events: list[dict[str, Any]]) -> str | None:
    started = (text(event.get("thread_id")) for event in events if event.get("type") == "thread.started")
    return next(started, None)
