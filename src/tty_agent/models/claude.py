"""The dialect of `claude -p`, which prints one JSON object with its answer, its session, tokens and cost."""

from __future__ import annotations

import base64
from typing import Any, Final

import msgspec

from tty_agent.models.answers import Answer
from tty_agent.models.anthropic_messages import usage_of
from tty_agent.models.cli_faults import cli_fault
from tty_agent.models.cli_program import Finished
from tty_agent.models.cli_provider import CliCall
from tty_agent.models.model import ProviderFault
from tty_agent.models.provider_json import dollars, json_lines, mapping, text
from tty_agent.models.redaction import MAX_MESSAGE_CHARS

_ALONE: Final = (
    "--tools",
    "",  # it is to answer with an action, not to run one of its own
    "--strict-mcp-config",
    "--disable-slash-commands",
)


class ClaudeDialect:
    """`claude -p --output-format json [--resume SESSION]`, with the system text from a file."""

    provider = "claude"
    counts_sessions = False

    def __init__(self, extra_args: tuple[str, ...] = ()) -> None:
        self._extra_args = extra_args

    def invocation(self, call: CliCall) -> tuple[tuple[str, ...], str]:
        """See CliDialect. A session does not keep the system text, so each call is given it."""
        options = ["-p"]
        if call.prompt.images:  # only this form of input takes them; its output ends in the same object
            options += ["--input-format", "stream-json", "--output-format", "stream-json", "--verbose"]
        else:
            options += ["--output-format", "json"]
        options += _ALONE
        if call.prompt.system:
            system = call.scratch / "system"
            system.write_text(call.prompt.system, "utf-8", "replace")
            options += ["--system-prompt-file", str(system)]
        if call.model:
            options += ["--model", call.model]
        if not call.stateful:
            options.append("--no-session-persistence")
        elif call.session is not None:
            options += ["--resume", call.session.session_id]
        return (*options, *self._extra_args), _message(call) if call.prompt.images else call.prompt.user

    def answer(self, call: CliCall, finished: Finished) -> Answer:
        """See CliDialect."""
        resumed = call.session is not None
        result = _result(finished.output)
        if result is None and finished.exit_code != 0:
            printed = finished.output[-MAX_MESSAGE_CHARS:].decode("utf-8", "replace")
            raise cli_fault("claude", f"{finished.error_tail} {printed}", exit_code=finished.exit_code, resumed=resumed)
        if result is None:
            raise ProviderFault("server_error", "claude printed no result", retryable=True)
        said = text(result.get("result"))
        if result.get("is_error") or said is None:
            raise cli_fault("claude", _complaint(result), exit_code=finished.exit_code, resumed=resumed)
        return Answer(
            text=said,
            usage=usage_of(mapping(result.get("usage"))),
            cost_usd=dollars(result.get("total_cost_usd")),
            stop_reason=text(result.get("stop_reason")),
            session_id=text(result.get("session_id")),
        )


def _message(call: CliCall) -> str:
    content: list[dict[str, Any]] = [
        {
            "type": "image",
            "source": {"type": "base64", "media_type": "image/png", "data": base64.b64encode(png).decode("ascii")},
        }
        for png in call.prompt.images
    ]
    content.append({"type": "text", "text": call.prompt.user})
    message = {"type": "user", "message": {"role": "user", "content": content}}
    return msgspec.json.encode(message).decode() + "\n"


def _result(output: bytes) -> dict[str, Any] | None:
    """The last object of type `result`: alone, one of a list, or one a line."""
    values: list[Any] = []
    for value in json_lines(output):
        values += value if isinstance(value, list) else [value]
    results = [value for value in values if isinstance(value, dict) and value.get("type") == "result"]
    return results[-1] if results else None


def _complaint(result: dict[str, Any]) -> str:
    errors = result.get("errors")
    parts = [result.get("result"), result.get("api_error_status"), *(errors if isinstance(errors, list) else ())]
    return " ".join(str(part) for part in parts if part) or str(result.get("subtype") or "no result")
