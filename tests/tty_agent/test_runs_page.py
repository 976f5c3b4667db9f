"""The pages about terminal agents keep up with the code: fields, settings, names, keys, and the programs on them."""

from __future__ import annotations

import re
import subprocess
import sys
import types
import typing
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest
import typer.main

from bbs_gym.cli import app
from tty_agent.actions.action import ActionName
from tty_agent.actions.errors import Fault
from tty_agent.actions.forms import FORMS
from tty_agent.actions.keys import KEY_NAMES, keys_for
from tty_agent.actions.policy import ActionPolicy
from tty_agent.activity.activity import Budget, PromptLayout, PromptMode
from tty_agent.activity.budget import Spent
from tty_agent.activity.profiles import GENERIC_PROFILES
from tty_agent.hints import Effect, ObservationHints
from tty_agent.input_mode import InputMode
from tty_agent.memory.memory import SessionSummary
from tty_agent.models.catalog import SETTINGS, ModelConfig, Provider, read_model_config
from tty_agent.models.filters import FILTERS
from tty_agent.models.prices import Prices
from tty_agent.models.retries import RetryPolicy
from tty_agent.observation.observation import Highlight, Observation, Readiness, ReadyReason
from tty_agent.observer.readiness import Adaptive, Fixed
from tty_agent.prompt_modules import AssistanceLevel
from tty_agent.runner.result import Outcome
from tty_agent.terminal.dialect import ANSI_BBS, DIALECTS, XTERM
from tty_agent.trace.records import (
    TRACE_SCHEMA_VERSION,
    DecisionRecord,
    EventName,
    EventRecord,
    Header,
    HintsRecord,
    ModuleRecord,
    ProfileRecord,
    RepairRecord,
    ReplyRecord,
    Switch,
)
from tty_agent.transcript.marks import Closed, Opened, Received, Resized, Sender, Sent

DOCS: Final = Path(__file__).parents[2] / "docs"
RUNS: Final = (DOCS / "runs.md").read_text(encoding="utf-8")
AGENTS: Final = (DOCS / "terminal-agents.md").read_text(encoding="utf-8")

RECORDS: Final = (
    Header,
    ProfileRecord,
    DecisionRecord,
    HintsRecord,
    ReplyRecord,
    RepairRecord,
    ModuleRecord,
    Switch,
    Spent,
    Observation,
    Highlight,
    Readiness,
    EventRecord,
)
MARKS: Final = (Opened, Received, Sent, Resized, Closed)

PROGRAM_TIMEOUT_S: Final = 60.0
"""Each takes a second or two alone."""

_SHOWN_BYTES: Final = {"\x1b": "ESC", "\x7f": "DEL", "\b": "BS", "\r": "CR", "\t": "TAB", " ": "SP"}


def section(page: str, heading: str) -> str:
    """What stands under the heading, up to the next one of any level."""
    found = re.search(rf"^#+ {re.escape(heading)}\n(.*?)(?=^#+ |\Z)", page, re.MULTILINE | re.DOTALL)
    assert found is not None, f"the page has no section {heading}"
    return found[1]


def rows(text: str) -> list[list[str]]:
    """The cells of all rows of the tables in a text."""
    lines = (line for line in text.splitlines() if line.startswith("|"))
    return [[cell.strip() for cell in line[1:-1].split("|")] for line in lines]


def named(text: str) -> list[str]:
    """What stands in backticks, outside of blocks of code."""
    return re.findall(r"`([^`]+)`", re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL))


def first_cells(text: str) -> list[str]:
    """The names in the first cells of tables."""
    return [name for row in rows(text) for name in named(row[0])]


def programs(page: str) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)


def fields(kind: type[msgspec.Struct]) -> list[str]:
    return [field.encode_name for field in msgspec.structs.fields(kind)]


def without_null(kind: type[msgspec.Struct]) -> dict[str, bool]:
    """By name: whether null is no value of the field."""
    hints = typing.get_type_hints(kind)
    return {name: types.NoneType not in typing.get_args(hints[name]) for name in fields(kind)}


def missing(names: Iterable[object], text: str) -> list[str]:
    """Those of the names that are nowhere in backticks."""
    there = set(named(text))
    return [str(name) for name in names if str(name) not in there]


def options() -> set[str]:
    """Every option of every command of `bbs-gym`, and those of the scripts that the page names."""
    found: set[str] = set()
    commands: list[Any] = [typer.main.get_command(app)]
    while commands:
        command = commands.pop()
        commands += getattr(command, "commands", {}).values()
        for parameter in command.params:
            found |= {*parameter.opts, *parameter.secondary_opts}
    scripts = [*(DOCS.parent / "scripts").glob("*.py")]
    found |= {option for script in scripts for option in re.findall(r'"(--[a-z-]+)"', script.read_text("utf-8"))}
    return found | {"--help"}


@pytest.mark.parametrize("kind", RECORDS, ids=lambda kind: kind.__name__)
def test_every_field_of_a_record_is_on_the_page_and_nothing_else(kind: type[msgspec.Struct]) -> None:
    listed = [cells[0].strip("`") for cells in rows(section(RUNS, kind.__name__))[2:]]
    assert sorted(listed) == sorted(fields(kind))


@pytest.mark.parametrize("kind", RECORDS, ids=lambda kind: kind.__name__)
def test_the_page_says_which_fields_may_be_null(kind: type[msgspec.Struct]) -> None:
    listed = {row[0].strip("`"): "null" not in row[1] for row in rows(section(RUNS, kind.__name__))[2:]}
    assert listed == without_null(kind)


def test_every_event_is_on_the_page() -> None:
    listed = [row[0].strip("`") for row in rows(section(RUNS, "Events"))[2:]]
    assert sorted(listed) == sorted(EventName)


@pytest.mark.parametrize("kind", MARKS, ids=lambda kind: kind.__name__)
def test_every_field_of_a_mark_is_on_the_page(kind: type[msgspec.Struct]) -> None:
    listed = {row[0].strip("`"): named(row[1]) for row in rows(section(RUNS, "Marks"))[2:]}
    assert sorted(listed[str(kind.__struct_config__.tag)]) == sorted(fields(kind))


def test_the_page_names_who_sends_and_which_version_it_is() -> None:
    assert missing(Sender, section(RUNS, "Marks")) == []
    assert f"Schema version {TRACE_SCHEMA_VERSION}." in RUNS


def test_every_setting_of_a_model_is_on_the_page() -> None:
    listed = {row[0].strip("`"): row[1] for row in rows(section(AGENTS, "Models")) if row[0].startswith("`")}
    assert [name for name in fields(ModelConfig) if name not in listed] == []
    for name in fields(ModelConfig):
        takes = {str(provider) for provider in Provider if name in SETTINGS[provider]}
        assert takes == _providers(listed[name]), name


def _providers(cell: str) -> set[str]:
    """Those that a cell says: `all`, all but some, or some by name."""
    said = set(named(cell))
    return {str(provider) for provider in Provider} - said if cell.startswith("all") else said


def test_the_settings_on_the_page_are_a_model(tmp_path: Path) -> None:
    file = tmp_path / "model.toml"
    file.write_text(re.findall(r"^```toml\n(.*?)^```", AGENTS, re.MULTILINE | re.DOTALL)[0])
    assert read_model_config(file).provider is Provider.OPENAI


@pytest.mark.parametrize(
    ("heading", "names"),
    [
        ("Models", (*Provider, *FILTERS, *fields(Prices))),
        ("Faults that are nobody's play", fields(RetryPolicy)),
        ("Actions", (*ActionName, *(form.argument for form in FORMS.values() if form.argument))),
        ("Actions", fields(ActionPolicy)),
        ("How an answer is read", Fault),
        ("Observations and turns", (*ReadyReason, *fields(Fixed), *fields(Adaptive))),
        ("Prompts", (*AssistanceLevel, *PromptMode, *PromptLayout)),
        ("Memory", fields(SessionSummary)),
        ("Budgets, completion and outcomes", (*fields(Budget), *Outcome)),
        ("Dialects", DIALECTS),
        ("Profiles", GENERIC_PROFILES),
        ("A profile, a module and routes of your own", (*fields(ObservationHints), "result", *InputMode, *Effect)),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_every_name_is_in_its_section(heading: str, names: Iterable[object]) -> None:
    assert missing(names, section(AGENTS, heading)) == []


def test_the_defaults_of_turns_are_those_of_the_policies() -> None:
    table = {row[0].strip("`"): row[1:3] for row in rows(section(AGENTS, "Observations and turns"))}
    for column, policy in enumerate((Fixed(), Adaptive())):
        for name in fields(type(policy)):
            value = getattr(policy, name)
            shown = " to ".join(f"{one:g}" for one in value) if isinstance(value, tuple) else _shown(value)
            assert table[name][column] == shown, name


def _shown(value: float | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else f"{value:g}"


def test_every_key_is_on_the_page() -> None:
    listed = set(first_cells(section(AGENTS, "Keys")))
    letters = {f"ctrl-{chr(code)}" for code in range(ord("a"), ord("z") + 1)}  # they stand as `ctrl-a` to `ctrl-z`
    assert {"ctrl-a", "ctrl-z", "alt-"} <= listed
    assert [key for key in KEY_NAMES if key not in listed | letters] == []


def test_the_bytes_of_the_keys_are_those_that_are_sent() -> None:
    tables = [keys_for(ANSI_BBS), keys_for(XTERM), keys_for(XTERM, application=True)]
    alone = {row[0].strip("`"): row[1:] for row in rows(section(AGENTS, "Keys")) if row[0].strip("`") in KEY_NAMES}
    assert len(alone) > 10
    for key, shown in alone.items():
        assert shown == [_as_shown(table.encode(key)) for table in tables], key


def _as_shown(sent: bytes) -> str:
    return "".join(_SHOWN_BYTES.get(char, char) for char in sent.decode("latin-1"))


def test_every_option_that_a_page_names_exists() -> None:
    prose = f"{AGENTS}\n{RUNS}".replace("pty:bash --norc", "")
    assert sorted(set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", prose)) - options()) == []


def test_the_programs_on_the_pages_run_and_print_what_is_shown(tmp_path: Path) -> None:
    if sys.platform == "win32" or not Path("/bin/bash").exists():
        pytest.skip("the programs start bash")
    for page in (AGENTS, RUNS):
        for number, program in enumerate(programs(page)):
            ran = subprocess.run(
                [sys.executable, "-W", "error", "-c", program],
                cwd=tmp_path,
                capture_output=True,
                text=True,
                timeout=PROGRAM_TIMEOUT_S,
                check=False,
            )
            assert ran.stderr == ""
            assert _steady(ran.stdout) in _steady(page), f"program {number}"


def _steady(text: str) -> str:
    """Less what differs from run to run (milliseconds) and from user to user (the prompt)."""
    return re.sub(r"(?m)^(stable) \d+", r"\1", re.sub(r"bash-[\d.]+[#$]", "bash", text))
