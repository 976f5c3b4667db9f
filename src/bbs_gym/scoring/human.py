"""Judgements that people made, from a JSON or CSV file.

A row has `agent_id`, `rubric` and `mark` (0 to 1; of a pair, with `against`, 1 is a win and 0.5 a tie), and may have
`match_id` (without it the row is of every run that it is given with), `against` and `reason`.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import msgspec

from bbs_gym.scoring.judge import Verdict
from bbs_gym.scoring.judge_prompt import MAX_REASON_CHARS
from bbs_gym.scoring.result import Judgement
from tty_agent.terminal.inert import inert

HUMAN: Final = "human"

MAX_FILE_BYTES: Final = 16 * 1024 * 1024
"""A hundred thousand rows: more than people judge."""

COLUMNS: Final = ("match_id", "agent_id", "rubric", "mark", "against", "reason")


class HumanFault(ValueError):
    """A file without judgements in it; the text names the file, the row and the remedy."""


class HumanJudgement(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One row."""

    agent_id: str
    rubric: str
    mark: float
    match_id: str = ""
    against: str = ""
    reason: str = ""

    def __post_init__(self) -> None:
        if not 0 <= self.mark <= 1:
            raise ValueError(f"`mark` is 0 to 1, not {self.mark:g}")
        if not self.agent_id or not self.rubric:
            raise ValueError("`agent_id` and `rubric` are not empty")
        if self.against == self.agent_id:
            raise ValueError("`against` is another agent")


def read_human(path: Path) -> tuple[HumanJudgement, ...]:
    """The rows of a JSON array of objects or, by its name, of a CSV file with a heading. Raises HumanFault, OSError."""
    with path.open("rb") as file:
        content = file.read(MAX_FILE_BYTES + 1)
    if len(content) > MAX_FILE_BYTES:
        raise HumanFault(f"{path.name} is longer than {MAX_FILE_BYTES} bytes: is it the right file?")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        raise HumanFault(f"{path.name} is no UTF-8: {fault}") from fault
    return _of_csv(path, text) if path.suffix.lower() == ".csv" else _of_json(path, text)


def verdicts_of(rows: Iterable[HumanJudgement], match_id: str, agents: frozenset[str]) -> tuple[Verdict, ...]:
    """Those of one run; a pair gives one to each of the two. Rows of agents that were not in it are left out."""
    found: list[Verdict] = []
    for row in rows:
        if row.match_id not in {"", match_id} or row.agent_id not in agents:
            continue
        if not row.against:
            found.append(_verdict(row.agent_id, row, row.mark, None))
        elif row.against in agents:
            found.append(_verdict(row.agent_id, row, row.mark, row.against))
            found.append(_verdict(row.against, row, 1 - row.mark, row.agent_id))
    return tuple(found)


def _verdict(agent_id: str, row: HumanJudgement, mark: float, against: str | None) -> Verdict:
    reason = inert(row.reason, max_chars=MAX_REASON_CHARS)
    judgement = Judgement(judge=HUMAN, rubric=row.rubric, mark=mark, against=against, reason=reason)
    return Verdict(agent_id=agent_id, judgement=judgement)


def _of_json(path: Path, text: str) -> tuple[HumanJudgement, ...]:
    try:
        return tuple(msgspec.json.decode(text, type=list[HumanJudgement]))
    except (msgspec.DecodeError, RecursionError) as fault:
        raise HumanFault(f"{path.name} is no list of judgements: {fault}") from fault


def _of_csv(path: Path, text: str) -> tuple[HumanJudgement, ...]:
    found = []
    try:
        reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
        unknown = [name for name in reader.fieldnames or () if name not in COLUMNS]
        if unknown:
            raise HumanFault(f"{path.name} has a column {unknown[0]!r}: name them {', '.join(COLUMNS)}")
        for row in reader:
            given = {name: value for name, value in row.items() if value}
            found.append(msgspec.convert(given, HumanJudgement, strict=False))
    except (csv.Error, msgspec.ValidationError) as fault:
        raise HumanFault(f"{path.name}, line {reader.line_num}: {fault}") from fault
    return tuple(found)
